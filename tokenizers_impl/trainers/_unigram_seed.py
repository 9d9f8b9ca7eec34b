"""The seed pieces of a Unigram training: repeated substrings, with their positions in the words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from evenscore.kernel import inner_kernel, kernel

from .._core.added_token import AddedToken
from .._core.arrays import F64, I32, I64, U32, Bools, code_points
from .._core.parallel import map_in_order
from .._text.words import WordCounts
from ._bpe_training import BpeOptions, learn_merges
from ._suffix_array import common_prefixes, in_tasks, packed, room, suffix_array
from ._trainer import TrainingOptions

# --- The options of a Unigram training

# The longest word for exact losses, in characters: at this length one pruning takes a minute.
LONGEST_EXACT = 100_000


@dataclass(kw_only=True, eq=False, repr=False)
class UnigramOptions(TrainingOptions):
    """The options that `UnigramTrainer` documents."""

    vocab_size: int = 8000
    show_progress: bool = True
    special_tokens: Sequence[str | AddedToken] = ()
    initial_alphabet: Sequence[str] = ()
    shrinking_factor: float = 0.75
    unk_token: str | None = None
    max_piece_length: int = 16
    n_sub_iterations: int = 2
    seed_size: int = 1_000_000
    em: Literal["bayes", "plain"] = "bayes"
    prune_loss: Literal["hf", "sentencepiece", "exact"] = "hf"
    seed: Literal["suffix_array", "bpe"] = "suffix_array"
    compat: Literal["hf-0.23"] | None = "hf-0.23"
    extend: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.shrinking_factor < 1:
            raise ValueError(
                f"shrinking_factor is {self.shrinking_factor!r}: set a number in [0, 1); with 1 or more, pruning does "
                "not shrink the vocabulary"
            )

    @property
    def quirks(self) -> bool:
        """Whether to keep the library's quirks; never with `extend`, which the library lacks."""
        return self.compat is not None and not self.extend

    @property
    def adds_unk(self) -> bool:
        """Whether unk_token precedes the special tokens because it is not one of them."""
        return self.unk_token is not None and self.unk_token not in self.special_texts

    @property
    def leading_tokens(self) -> list[str]:
        """The vocabulary's entries before the learnt pieces."""
        first = [self.unk_token] if self.unk_token is not None and self.adds_unk else []
        return first + self.special_texts


# --- The pieces of a Unigram training as arrays

UNKNOWN = 0
_UNKNOWN_PENALTY = 10.0


class Lexicon(NamedTuple):
    """k pieces, numbered from 1; number 0 stands for any character that is not a piece.

    places: int32, shape (k + 1,); one position of the piece in the text, 0 for number 0.
    lengths: int32, shape (k + 1,); in characters, 1 for number 0.
    scores: float64, shape (k + 1,); natural log-probabilities.  Number 0 scores 10 less than the lowest piece, and -10
      if there is no piece (the library has infinity there).
    stays: shape (k + 1,); True for pieces that are never dropped, False for number 0.
    """

    places: I32
    lengths: I32
    scores: F64
    stays: Bools

    @classmethod
    def of(cls, places: I32, lengths: I32, scores: F64, stays: Bools | None = None) -> Lexicon:
        """Prepend number 0 to k pieces, arrays of shape (k,); stays=None: any piece may be dropped."""
        zero = np.zeros(1, np.int32)
        lowest = float(scores.min()) if len(scores) else 0.0
        return cls(
            np.concatenate((zero, places)),
            np.concatenate((zero + 1, lengths)),
            np.concatenate((np.full(1, lowest - _UNKNOWN_PENALTY), scores)),
            np.append(False, np.zeros(len(scores), np.bool_) if stays is None else stays),
        )

    def keep(self, kept: I64, scores: F64) -> Lexicon:
        """Keep the pieces with these numbers (without 0), renumber them in this order, and set new scores."""
        return Lexicon.of(self.places[kept], self.lengths[kept], scores, self.stays[kept])


# --- The distinct words as one text of numbered symbols, with a separator after each

# Positions per block of words: large enough to keep a thread busy, small enough to balance the load.
_BLOCK = 1 << 19


class WordText(NamedTuple):
    """w words as a text of n symbols.

    symbols: int32, shape (n,); indices of `alphabet`, with 0 (the separator) after each word and for U+0000.
    alphabet: uint32, ascending; 0, then the code points of the words.
    starts: int64, shape (w + 1,); word i is symbols[starts[i] : starts[i + 1] - 1].
    counts: int64, shape (w,).
    The words are sorted by their first 9 or more characters, ties in the order given.  Adjacent words then share long
    prefixes, which saves time.
    """

    symbols: I32
    alphabet: U32
    starts: I64
    counts: I64

    @classmethod
    def of(cls, counted: WordCounts) -> WordText:
        """Build the text of counted words.

        >>> text = WordText.of(WordCounts.of({"ba": 2, "b": 1}))
        >>> text.symbols.tolist(), text.alphabet.tolist(), text.starts.tolist(), text.counts.tolist()
        ([2, 0, 2, 1, 0], [0, 97, 98], [0, 2, 5], [1, 2])
        """
        words, counts = counted
        seen = np.zeros(0x110000, np.bool_)
        seen[words.chars] = True
        seen[0] = True
        numbers = np.cumsum(seen, dtype=np.int32) - np.int32(1)
        order = _sorted(_separated(words.chars, words.offsets, numbers, np.arange(len(counts))), words.offsets)
        symbols = _separated(words.chars, words.offsets, numbers, order)
        starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(words.lengths[order] + 1)))
        return cls(symbols, np.flatnonzero(seen).astype(np.uint32), starts, counts[order])

    def chars(self, start: int, length: int) -> str:
        """The `length` characters from `start` on, none of which may be a separator."""
        return "".join(map(chr, self.alphabet[self.symbols[start : start + length]].tolist()))

    def numbers(self, string: str) -> I32:
        """The symbols of a string, whose characters must all be in the alphabet."""
        return np.searchsorted(self.alphabet, code_points(string)).astype(np.int32)

    def blocks(self) -> list[tuple[int, int]]:
        """Split the words into blocks (first, last) of similar size, which depend on the words only."""
        borders = np.arange(0, len(self.symbols), _BLOCK)
        cuts = np.unique(np.append(np.searchsorted(self.starts, borders), len(self.counts))).tolist()
        return list(pairwise(cuts))


@kernel
def _separated(chars: U32, offsets: I64, numbers: I32, order: I64) -> I32:
    """The number of each character, with the words in this order and a separator after each word."""
    symbols = np.zeros(len(chars) + len(order), np.int32)
    to = 0
    for word in order:
        for at in range(offsets[word], offsets[word + 1]):
            symbols[to] = numbers[chars[at]]
            to += 1
        to += 1
    return symbols


def _sorted(symbols: I32, offsets: I64) -> I64:
    """Sort the words by as many characters as fit into three 63-bit numbers; returns the order."""
    bits = max(1, int(symbols.max()).bit_length())
    width = 63 // bits
    keys = packed(symbols, bits, width)
    starts = offsets[:-1] + np.arange(len(offsets) - 1)
    # A position past the end of a word is clipped to its separator, whose key is 0.
    columns = [keys[starts + np.minimum(np.diff(offsets), part * width)] for part in (2, 1, 0)]
    return np.lexsort(columns)


@kernel
def char_counts(symbols: I32, starts: I64, counts: I64, size: int) -> I64:
    """The number of occurrences of each symbol in the corpus, shape (size,); 0 for the separator."""
    result = np.zeros(size, np.int64)
    for word in range(len(counts)):
        for position in range(starts[word], starts[word + 1] - 1):
            result[symbols[position]] += counts[word]
    result[0] = 0
    return result


# --- The seed pieces as intervals of the suffix array


class Substrings(NamedTuple):
    """k substrings of a text as intervals of its suffix array, in lexicographic order.

    starts, ends: int32, shape (k,); substring i is a prefix of the suffixes at the slots starts[i]:ends[i].
    lengths: int32, shape (k,), in characters.
    """

    starts: I32
    ends: I32
    lengths: I32

    def take(self, chosen: I64) -> Substrings:
        """The substrings at these indices."""
        return Substrings(self.starts[chosen], self.ends[chosen], self.lengths[chosen])

    def without(self, others: Substrings) -> Substrings:
        """The substrings that `others` lacks."""
        width = int(max(self.lengths.max(initial=0), others.lengths.max(initial=0))) + 1
        mine, theirs = (each.starts.astype(np.int64) * width + each.lengths for each in (self, others))
        return self.take(np.flatnonzero(~np.isin(mine, theirs)))

    def in_lexicographic_order(self) -> Substrings:
        """The substrings, sorted; an interval precedes those inside it, so a prefix precedes its extensions."""
        width = int(self.lengths.max(initial=0)) + 1
        return self.take(np.argsort(self.starts.astype(np.int64) * width + self.lengths, kind="stable"))


@kernel
def _branching(shared: I32, order: I32, reach: I32, longest: int, found: I32) -> int:
    """Find the substrings of 2 to `longest` characters that at least two different symbols follow, sorted by end.

    found: shape (m, 3), receives start, end and length of each; m = 0: only count.  Returns their number.
    Finds the intervals of equal common prefixes with a stack (Abouelhoda, Kurtz & Ohlebusch 2004, algorithm 4.1).
    """
    begins, depths = np.zeros(longest + 3, np.int32), np.zeros(longest + 3, np.int32)
    top, count, size = 0, 0, len(order)
    for slot in range(1, size + 1):
        depth = shared[slot] if slot < size else 0
        begin = slot - 1
        while depths[top] > depth:
            begin = begins[top]
            if 2 <= depths[top] <= longest and reach[order[begin]] >= depths[top]:
                if len(found):
                    found[count, 0], found[count, 1], found[count, 2] = begin, slot, depths[top]
                count += 1
            top -= 1
        if depths[top] < depth:
            top += 1
            begins[top], depths[top] = begin, depth
    return count


def repeated_substrings(order: I32, shared: I32, reach: I32, longest: int) -> Substrings:
    """Find the substrings of 2 to `longest` characters, without separator, that at least two different symbols follow.

    order, shared, reach: from `suffix_array`, `common_prefixes` and `room`, with depth = longest + 1.
    """
    found = np.empty((_branching(shared, order, reach, longest, np.empty((0, 3), np.int32)), 3), np.int32)
    if len(found):
        _branching(shared, order, reach, longest, found)
    starts, ends, lengths = np.ascontiguousarray(found.T)
    return Substrings(starts, ends, lengths).in_lexicographic_order()


def most_valuable(substrings: Substrings, limit: int) -> tuple[Substrings, I64]:
    """The `limit` substrings with the highest values, sorted by falling value, and these values.

    The value of a substring is its number of occurrences in the distinct words times its length.  Ties: the
    lexicographically last substring comes first.
    """
    values = (substrings.ends - substrings.starts).astype(np.int64) * substrings.lengths
    chosen = len(values) - 1 - np.argsort(-values[::-1], kind="stable")[:limit]
    return substrings.take(chosen), values[chosen]


@inner_kernel
def _compare(symbols: I32, position: int, chars: I32, start: int, end: int) -> int:
    """Compare the text at a position with chars[start:end]: negative, 0 (it begins with them) or positive."""
    for at in range(start, end):
        difference = symbols[position + at - start] - chars[at]
        # Pieces have no separator, so the comparison ends before the text does.
        if difference != 0:
            return int(difference)
    return 0


@inner_kernel
def _interval(symbols: I32, order: I32, chars: I32, start: int, end: int) -> tuple[int, int]:
    """The interval (first, last) of the suffixes that begin with chars[start:end]."""
    bounds = (0, 0)
    for above in (0, 1):
        low, high = bounds[1], len(order)
        while low < high:
            middle = (low + high) // 2
            side = _compare(symbols, order[middle], chars, start, end)
            if side < 0 or (above == 1 and side == 0):
                low = middle + 1
            else:
                high = middle
        bounds = (bounds[1], low)
    return bounds


@kernel
def _locate(symbols: I32, order: I32, chars: I32, offsets: I64, starts: I32, ends: I32) -> None:
    """Write the interval of each string to `starts` and `ends`."""
    for i in range(len(starts)):
        starts[i], ends[i] = _interval(symbols, order, chars, offsets[i], offsets[i + 1])


def located(pieces: Sequence[str], text: WordText, order: I32) -> Substrings:
    """Find these pieces in a text with the suffix array `order`; pieces that it lacks are left out.

    pieces: strings of characters of the text.
    """
    strings = [text.numbers(piece) for piece in pieces]
    offsets = np.concatenate(([0], np.cumsum([len(string) for string in strings], dtype=np.int64))).astype(np.int64)
    starts, ends = np.empty(len(strings), np.int32), np.empty(len(strings), np.int32)
    _locate(text.symbols, order, np.concatenate([np.empty(0, np.int32), *strings]), offsets, starts, ends)
    found = Substrings(starts, ends, np.diff(offsets).astype(np.int32))
    return found.take(np.flatnonzero(starts < ends)).in_lexicographic_order()


# --- The positions of the pieces in the words

DROPPED = -1


class Matches(NamedTuple):
    """The pieces that begin at each position of a text, the shortest first.

    If no piece of one character begins at a position, UNKNOWN comes last.
    offsets: int64, shape (n + 1,); the pieces at position p of a word are ids[offsets[p]:offsets[p + 1]].
    ids: int32; the parts at separators and between two blocks of words are unused.
    """

    offsets: I64
    ids: I32


@kernel
def _walk(
    order: I32,
    first: int,
    last: int,
    symbols: I32,
    substrings: Substrings,
    names: I32,
    alphabet: I32,
    offsets: I64,
    ids: I32,
) -> None:
    """Scan the slots first to last of the suffix array.

    A stack holds the substrings that begin the current suffix, the shortest at the bottom.
    ids: receives the names for position p from offsets[p] on.  If it is empty, offsets[p + 1] receives their number.
    """
    starts, ends, longest = substrings.starts, substrings.ends, 0
    for length in substrings.lengths:
        longest = max(longest, length)
    # The substrings of a suffix have different lengths.
    stack = np.empty(longest + 1, np.int32)
    height, following, counting = 0, 0, len(ids) == 0
    while following < len(starts) and starts[following] < first:
        if ends[following] > first:
            stack[height] = following
            height += 1
        following += 1
    for slot in range(first, last):
        position = order[slot]
        while height > 0 and ends[stack[height - 1]] <= slot:
            height -= 1
        while following < len(starts) and starts[following] == slot:
            stack[height] = following
            height += 1
            following += 1
        if counting:
            offsets[position + 1] = 1 + height
            continue
        at = offsets[position]
        ids[at] = alphabet[symbols[position]]
        for level in range(height):
            ids[at + 1 + level] = names[stack[level]]


def find_matches(order: I32, symbols: I32, substrings: Substrings, names: I32, alphabet: I32) -> Matches:
    """Find all positions of the substrings and of single symbols from the suffix array `order`.

    substrings: in lexicographic order; names: their piece numbers; alphabet: the piece number of each symbol.
    """
    offsets = np.zeros(len(order) + 1, np.int64)

    def walk(ids: I32) -> None:
        found = substrings, names, alphabet, offsets, ids
        in_tasks(lambda first, last: _walk(order, first, last, symbols, *found), len(order))

    walk(np.empty(0, np.int32))
    np.cumsum(offsets, out=offsets)
    ids = np.empty(int(offsets[-1]), np.int32)
    walk(ids)
    return Matches(offsets, ids)


@kernel
def _rename(matches: Matches, lengths: I32, start: int, end: int, new_ids: I32) -> None:
    """Renumber the pieces of a block in place and remove the dropped ones."""
    offsets, ids = matches.offsets, matches.ids
    read, write = offsets[start], offsets[start]
    for position in range(start, end - 1):
        stop = offsets[position + 1]
        offsets[position] = write
        uncovered = False
        while read < stop:
            new_id = new_ids[ids[read]]
            if new_id != DROPPED:
                ids[write] = new_id
                write += 1
            elif lengths[ids[read]] == 1:
                uncovered = True
            read += 1
        if uncovered:
            ids[write] = UNKNOWN
            write += 1
    # The last position is a separator; its offset ends the word before it.
    offsets[end - 1] = write


def rename(matches: Matches, lengths: I32, blocks: Iterable[tuple[int, int]], new_ids: I32) -> None:
    """Renumber the pieces of the matches in place.

    lengths, new_ids: shape (number of old pieces + 1,); DROPPED removes a piece; UNKNOWN keeps its number.
    blocks: positions (start, end); every block ends with a separator.
    """
    for _ in map_in_order(lambda block: _rename(matches, lengths, *block, new_ids), blocks):
        pass


# --- The seed lexicon, with the positions of its pieces


@kernel
def _log_shares(values: I64) -> F64:
    """log(value) - log(sum of values)."""
    scores = np.empty(len(values))
    log_total = math.log(float(values.sum()))
    for i in range(len(values)):
        scores[i] = math.log(float(values[i])) - log_total
    return scores


def _merged_strings(counted: WordCounts, options: UnigramOptions) -> list[str]:
    """The symbols of two or more characters that byte-pair encoding learns from the words."""
    if options.max_piece_length < 2:
        return []
    length = options.max_piece_length
    limits = BpeOptions(vocab_size=options.seed_size, min_frequency=2, max_token_length=length, compat=None)
    return [token for token in learn_merges(counted, limits).tokens if len(token) > 1 and "\0" not in token]


def _substrings(
    counted: WordCounts, text: WordText, order: I32, reach: I32, longest: int, options: UnigramOptions
) -> Substrings:
    """All candidate substrings."""
    if options.seed == "bpe":
        strings = _merged_strings(counted, options)
        return located(strings, text, order)
    return repeated_substrings(order, common_prefixes(text.symbols, order, longest + 1), reach, longest)


def _possible(pieces: Sequence[str], text: WordText, longest: int) -> list[str]:
    """The pieces of 2 to `longest` characters, all in the alphabet of the text, without duplicates."""
    chars = set(map(chr, text.alphabet[1:].tolist()))
    return [piece for piece in dict.fromkeys(pieces) if 1 < len(piece) <= longest and chars.issuperset(piece)]


def seed_lexicon(
    counted: WordCounts, text: WordText, options: UnigramOptions, existing: Sequence[str] = ()
) -> tuple[Lexicon, Matches]:
    """The seed pieces and their matches: all characters by falling count, then substrings by falling value.

    A score is log(value / sum of values).  As in the library, the value of a character is its count in the corpus, and
    that of a substring is its length times its number of occurrences in the distinct words.
    text: the text of these words; at least one word is needed.
    existing: pieces to keep if they occur; they precede the other substrings.
    """
    weights = char_counts(text.symbols, text.starts, text.counts, len(text.alphabet))
    letters = 1 + np.lexsort((np.arange(1, len(weights)), weights[1:]))[::-1]
    reach = room(text.symbols)
    possible = _possible(existing, text, int(reach.max()))
    longest = min(options.max_piece_length, int(reach.max()))
    order = suffix_array(text.symbols, reach, 1 + max([longest, *map(len, possible)]))
    found = _substrings(counted, text, order, reach, longest, options)
    del reach
    old, old_values = most_valuable(located(possible, text, order), len(possible))
    # The library checks the number of seeds after adding one, so there is always at least one substring.
    limit = max(1, options.seed_size - len(letters) - len(old_values))
    new, new_values = most_valuable(found.without(old) if existing else found, limit)
    del found
    substrings = Substrings(*(np.concatenate(columns) for columns in zip(old, new, strict=True)))
    values = np.concatenate((weights[letters], old_values, new_values))
    names = np.arange(1, 1 + len(values), dtype=np.int32)
    alphabet = np.full(len(text.alphabet), UNKNOWN, np.int32)
    alphabet[letters] = names[: len(letters)]
    by_text = np.lexsort((substrings.lengths, substrings.starts))
    matches = find_matches(order, text.symbols, substrings.take(by_text), names[len(letters) + by_text], alphabet)
    place = np.zeros(len(text.alphabet), np.int32)
    place[text.symbols[order]] = order
    places = np.concatenate((place[letters], order[substrings.starts]))
    lengths = np.concatenate((np.ones(len(letters), np.int32), substrings.lengths))
    stays = np.arange(len(values)) < len(letters) + len(old_values)
    stays[: len(letters)] = np.isin(text.alphabet[letters], [ord(piece) for piece in existing if len(piece) == 1])
    return Lexicon.of(places, lengths, _log_shares(values), stays), matches
