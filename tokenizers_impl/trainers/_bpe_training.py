"""The BPE training from counted words to merges: options, alphabet, initial symbols, merge loop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any, Literal, get_args

import numpy as np

from evenscore.kernel import kernel

from .._core.added_token import AddedToken
from .._core.arrays import I32, I64, U32, Bools
from .._core.parallel import Shown, progress
from .._text.words import WordCounts, Words
from ..models._bpe import BPE
from ..models._model import Pieces
from ..models._wordpiece import WordPiece
from ._merge_loop import (
    FINISHED,
    MORE_OCCURRENCES,
    MORE_PAIRS,
    MORE_TOKENS,
    ROW,
    new_state,
    run_merges,
    with_more_occurrences,
    with_more_pairs,
    with_more_tokens,
    with_usual_pairs,
)
from ._merge_pairs import TOKENS, Rule, State, count_pairs
from ._trainer import TrainingOptions

# --- The options of a BPE training

# In the order of the kernel's numbers.
TieBreak = Literal["hf", "lexicographic", "first", "sentencepiece", "bytes"]
TIE_BREAKS = get_args(TieBreak)
UNLIMITED = 2**31 - 1


@dataclass(kw_only=True, eq=False, repr=False)
class BpeOptions(TrainingOptions):
    """The options that `BpeTrainer` documents; here vocab_size=None means no limit."""

    vocab_size: int | None = None
    min_frequency: int = 0
    show_progress: bool = True
    progress_format: Literal["indicatif", "json", "silent"] = "indicatif"
    special_tokens: Sequence[str | AddedToken] = ()
    limit_alphabet: int | None = None
    initial_alphabet: Sequence[str] = ()
    continuing_subword_prefix: str | None = None
    end_of_word_suffix: str | None = None
    max_token_length: int | None = None
    num_merges: int | None = None
    end_of_word: Literal["glued", "symbol"] = "glued"
    tie_break: TieBreak = "hf"
    affix_order: Sequence[str] | None = None
    alphabet_order: Sequence[str] | None = None
    compat: Literal["hf-0.23"] | None = "hf-0.23"
    extend: bool = False

    def __post_init__(self) -> None:
        if self.end_of_word == "symbol" and not self.end_of_word_suffix:
            raise ValueError("end_of_word is 'symbol': give the symbol as end_of_word_suffix, such as '</w>'")
        if self.end_of_word == "symbol" and self.continuing_subword_prefix:
            raise ValueError(
                "end_of_word is 'symbol' and continuing_subword_prefix is "
                f"{self.continuing_subword_prefix!r}: give one of the two, as the symbol would need the prefix, too"
            )

    @property
    def prefix(self) -> str:
        """The continuing_subword_prefix; empty if there is none."""
        return self.continuing_subword_prefix or ""

    @property
    def suffix(self) -> str:
        """The end_of_word_suffix; empty if there is none."""
        return self.end_of_word_suffix or ""

    @property
    def most_tokens(self) -> int:
        """The vocabulary size at which training ends."""
        return UNLIMITED if self.vocab_size is None else min(self.vocab_size, UNLIMITED)

    @property
    def most_merges(self) -> int:
        """The number of merges at which training ends."""
        return UNLIMITED if self.num_merges is None else self.num_merges

    @property
    def longest_first(self) -> int:
        """The most characters that a pair of initial symbols may have: at least two, as the library never checks these.

        If a training extends a model, initial symbols may be longer, and the limit applies to their pairs.
        """
        return max(self.longest, 2) if self.compat else self.longest

    @property
    def longest(self) -> int:
        """The most characters that a pair created by a merge may have; the library's test is `<`."""
        return UNLIMITED if self.max_token_length is None else min(self.max_token_length - bool(self.compat), UNLIMITED)


# --- The characters that a training keeps


@kernel
def _count_characters(chars: U32, offsets: I64, counts: I64, totals: I64) -> None:
    for w in range(len(offsets) - 1):
        for i in range(offsets[w], offsets[w + 1]):
            totals[chars[i]] += counts[w]


def alphabet(
    counts: WordCounts, initial: Sequence[str] = (), limit: int | None = None, order: Sequence[str] = ()
) -> list[str]:
    """The characters of the words and the first character of each string of `initial`, sorted by code point.

    limit: how many characters to keep: first those of `initial`, then the most frequent ones.  Equally frequent ones
    are kept in the order of `order`, then by smaller code point; the library may keep any of them.

    >>> words = WordCounts.of({"abba": 3, "cd": 1})
    >>> alphabet(words, initial=["z"]), alphabet(words, limit=3), alphabet(words, limit=3, order=["d"])
    (['a', 'b', 'c', 'd', 'z'], ['a', 'b', 'c'], ['a', 'b', 'd'])
    """
    required = [ord(text[0]) for text in initial if text]
    size = max([int(counts.words.chars.max(initial=0)), *required]) + 1
    totals = np.zeros(size, np.int64)
    _count_characters(*counts.words, counts.counts, totals)
    totals[required] = np.iinfo(np.int64).max
    kept = np.flatnonzero(totals)
    if limit is not None and len(kept) > limit:
        places = {ord(char[0]): place for place, char in reversed(list(enumerate(order))) if char}
        preference = np.array([places.get(char, len(places)) for char in kept.tolist()])
        kept = np.sort(kept[np.lexsort((kept, preference, -totals[kept]))[:limit]])
    return [chr(char) for char in kept.tolist()]


# --- The symbols of words before the first merge

# A character is plain, or has the prefix, the suffix or both; END is the suffix as a separate symbol.
PLAIN, PREFIXED, SUFFIXED, END = 0, 1, 2, 4


class InitialSymbols:
    """The words as numbers of affixed characters.

    symbols: int32; word w has symbols[offsets[w]:offsets[w + 1]].  The number f * n + c is character c of the n known
    characters in form f.  Unknown characters are left out; the others keep the form of their position in the word.
    """

    def __init__(self, words: Words, known: Sequence[str], prefix: str, suffix: str, end_of_word: str) -> None:
        self.known, self.prefix, self.suffix = known, prefix, suffix
        codes = [ord(char) for char in known]
        index = np.full(max([int(words.chars.max(initial=0)), *codes]) + 1, -1, np.int32)
        index[codes] = np.arange(len(known))
        glued, end = (bool(suffix) and end_of_word == kind for kind in ("glued", "symbol"))
        n = len(words.offsets) - 1
        symbols, seen = np.empty(len(words.chars) + n * end, np.int32), np.zeros(END * len(known) + 1, np.bool_)
        self.offsets: I64 = np.empty(n + 1, np.int64)
        _affix(*words, index, len(known), bool(prefix), glued, end, symbols, self.offsets, seen)
        self.symbols, self._seen = symbols[: self.offsets[-1]], seen

    def strings(self) -> dict[int, str]:
        """The string of every symbol that occurs, by its number."""
        numbers = np.flatnonzero(self._seen).tolist()
        return {number: self._string(*divmod(number, max(1, len(self.known)))) for number in numbers}

    def _string(self, form: int, char: int) -> str:
        if form == END or not self.known:
            return self.suffix
        return self.prefix * (form & PREFIXED) + self.known[char] + self.suffix * (form >> 1)


@kernel
def _affix(
    chars: U32,
    offsets: I64,
    index: I32,
    n: int,
    prefixed: bool,
    glued: bool,
    end: bool,
    symbols: I32,
    firsts: I64,
    seen: Bools,
) -> None:
    """Write the symbols, the index of each word's first symbol, and which numbers occur."""
    size = 0
    for w in range(len(offsets) - 1):
        firsts[w] = size
        start, stop = offsets[w], offsets[w + 1]
        for i in range(start, stop):
            char = index[chars[i]]
            if char >= 0:
                form = PREFIXED * (prefixed and i > start) + SUFFIXED * (glued and i == stop - 1)
                symbols[size] = form * n + char
                seen[symbols[size]] = True
                size += 1
        if end and stop > start:
            symbols[size] = END * n
            seen[END * n] = True
            size += 1
    firsts[len(offsets) - 1] = size


@kernel
def renumber(symbols: I32, numbers: I32) -> None:
    """Replace every symbol s by numbers[s].  (numpy would convert all symbols to 64-bit indices first.)"""
    for i in range(len(symbols)):
        symbols[i] = numbers[symbols[i]]


# --- The model that a training extends

Extended = BPE | WordPiece


def model_tokens(model: Extended, options: BpeOptions) -> dict[str, int]:
    """The model's vocabulary in the order of ids; ValueError if ids have gaps, or if the options' affixes differ."""
    for name in ("continuing_subword_prefix", "end_of_word_suffix", "end_of_word"):
        # A WordPiece has no suffix, which is the default.
        ours, theirs = getattr(options, name), getattr(model, name, getattr(BpeOptions, name))
        if (ours or None) != (theirs or None):
            raise ValueError(f"{name} is {ours!r} but the model to extend has {theirs!r}: give the trainer the model's")
    tokens = dict(sorted(model.get_vocab().items(), key=lambda entry: entry[1]))
    for place, (token, id) in enumerate(tokens.items()):
        if id != place:
            raise ValueError(f"the model to extend has no id {place} but {id} for {token!r}: renumber its vocabulary")
    return tokens


def cut_words(words: Words, tokens: dict[str, int], model: Extended) -> Pieces:
    """The words as the model with these tokens cuts them; characters that are not tokens are left out."""
    if isinstance(model, WordPiece):
        return WordPiece(tokens, continuing_subword_prefix=model.continuing_subword_prefix).known_parts(words)
    same = BPE(
        tokens,
        model.merges,
        continuing_subword_prefix=model.continuing_subword_prefix,
        end_of_word_suffix=model.end_of_word_suffix,
        end_of_word="symbol" if model.end_of_word == "symbol" else "glued",
    )
    return same.encode_words(words)


# --- The BPE training from counted words to merges

# The number of merges between two updates of the progress bar and checks for Ctrl-C.
SLICE = 256


@dataclass(frozen=True)
class LearntMerges:
    """The result of a training.

    tokens: the vocabulary in the order of ids.
    rows: int64, shape (merges, 6): left part, right part, result, count of the pair, then the vocabulary size and the
      number of tokens in the corpus after the merge.
    gains: the gain of every merge; None unless training was by gain.

    >>> learnt = learn_merges(WordCounts.of({"low": 5, "lot": 2}), BpeOptions(num_merges=2))
    >>> learnt.tokens, learnt.merges()
    (['l', 'o', 't', 'w', 'lo', 'low'], [('l', 'o'), ('lo', 'w')])
    >>> learnt.history[-1]
    {'step': 2, 'pair': ('lo', 'w'), 'count': 5, 'token': 'low', 'vocab_size': 6, 'corpus_tokens': 9}
    """

    tokens: list[str]
    rows: I64
    gains: Sequence[float] | None = None

    def merges(self) -> list[tuple[str, str]]:
        """The parts of every merge, in the order of the training."""
        return [(self.tokens[a], self.tokens[b]) for a, b in self.rows[:, :2].tolist()]

    @cached_property
    def history(self) -> list[dict[str, Any]]:
        """One row per merge; built at each call, because 30,000 rows take 20 MB."""
        gains = repeat({}) if self.gains is None else ({"gain": gain} for gain in self.gains)
        return [
            {
                "step": step,
                "pair": (self.tokens[a], self.tokens[b]),
                "count": count,
                "token": self.tokens[token],
                "vocab_size": vocab_size,
                "corpus_tokens": corpus_tokens,
                **gain,
            }
            for step, ((a, b, token, count, vocab_size, corpus_tokens), gain) in enumerate(
                zip(self.rows.tolist(), gains, strict=False), 1
            )
        ]


def learn_merges(
    counts: WordCounts, options: BpeOptions, model: Extended | None = None, show_progress: Shown = False
) -> LearntMerges:
    """Learn the merges of these words, in the steps of BpeTrainer::do_train of `tokenizers` 0.23.3.

    model: the model to extend, used only with `extend`.
    """
    rule = Rule(
        TIE_BREAKS.index(options.tie_break), max(1, options.min_frequency), options.most_tokens, options.longest
    )
    # 5. The merges.  No variable here holds the state, so it is freed before the strings of the tokens are built.
    tokens, rows = _merged(
        state_with_pairs(counts, options, model, show_progress), rule, options.most_merges, show_progress
    )
    return LearntMerges(tokens.texts(), rows)


def state_with_pairs(counts: WordCounts, options: BpeOptions, model: Extended | None, show_progress: Shown) -> State:
    """The words as symbols with their pairs: steps 1 to 4."""
    state = initial_state(counts, options, model, show_progress)
    # 4. The pairs.
    with progress("Count pairs", len(counts.counts), show_progress) as bar:
        count_pairs(state, options.longest_first)
        bar.update(len(counts.counts))
    return with_usual_pairs(state)


def initial_state(counts: WordCounts, options: BpeOptions, model: Extended | None, show_progress: Shown) -> State:
    """The words as symbols: steps 1 to 3; the tokens of a model to extend come before all others."""
    extended = model if options.extend else None
    tokens = {} if extended is None else model_tokens(extended, options)
    # 1. The special tokens.
    _add(tokens, options.special_texts)
    # 2. The alphabet.
    _add(tokens, alphabet(counts, options.initial_alphabet, options.limit_alphabet, options.alphabet_order or ()))
    if options.end_of_word == "symbol":
        _add(tokens, [options.suffix])
    # 3. The words.
    with progress("Tokenize words", len(counts.counts), show_progress) as bar:
        known = [token for token in tokens if len(token) == 1]
        initial = InitialSymbols(counts.words, known, options.prefix, options.suffix, options.end_of_word)
        strings = initial.strings()
        _add(tokens, _in_order(set(strings.values()) - set(tokens), options.affix_order or ()))
        table = np.zeros(max(strings, default=0) + 1, np.int32)
        table[list(strings)] = [tokens[string] for string in strings.values()]
        lengths = np.zeros(len(tokens), np.int32)
        lengths[table[list(strings)]] = [number < END * len(known) for number in strings]
        symbols, offsets = initial.symbols, initial.offsets
        renumber(symbols, table)
        if extended is not None:
            pieces = cut_words(counts.words, tokens, extended)
            lengths[pieces.ids] = pieces.ends - pieces.starts
            symbols, offsets = pieces.ids, pieces.offsets
        bar.update(len(counts.counts))
    return new_state(list(tokens), lengths, symbols, offsets, counts.counts, options.prefix)


def _merged(state: State, rule: Rule, most_merges: int, show_progress: Shown) -> tuple[Words, I64]:
    """Merge until a limit is reached or no pair is left; returns the tokens and one row per merge."""
    rows, done, reason = [np.empty((0, ROW), np.int64)], 0, None
    wanted = min(rule.vocab_size - int(state.used[TOKENS]), most_merges)
    with progress("Compute merges", max(0, wanted), show_progress) as bar:
        while reason != FINISHED and done < most_merges:
            rows.append(np.empty((min(SLICE, most_merges - done), ROW), np.int64))
            steps, reason = run_merges(state, rule, rows[-1])
            rows[-1] = rows[-1][:steps]
            done += steps
            bar.update(steps)
            if reason == MORE_TOKENS:
                state = with_more_tokens(state)
            elif reason == MORE_PAIRS:
                state = with_more_pairs(state)
            elif reason == MORE_OCCURRENCES:
                state = with_more_occurrences(state)
        bar.total = done
    return tokens_of(state), np.concatenate(rows)


def tokens_of(state: State) -> Words:
    """The strings of the tokens, in the order of ids."""
    n, ends = int(state.used[TOKENS]), state.strings.ends
    return Words(state.strings.chars[: ends[n]], ends[: n + 1])


def _add(tokens: dict[str, int], strings: Iterable[str]) -> None:
    for string in strings:
        tokens.setdefault(string, len(tokens))


def _in_order(strings: set[str], order: Iterable[str]) -> list[str]:
    """The strings that occur in `order`, in its order, then the others, sorted."""
    first = [string for string in dict.fromkeys(order) if string in strings]
    return first + sorted(strings.difference(first))
