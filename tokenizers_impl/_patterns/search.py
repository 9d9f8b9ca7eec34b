"""Finds a pattern in splits, and splits at its matches or replaces them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from typing import Any, NamedTuple

import numpy as np

from evenscore.kernel import kernel

from .._core.arrays import I32, I64, U32, Bools, text_of
from .._core.options import choice_of
from .._text.splits import TEXT, Splits
from .compiled import Compiled, Pattern, Regex, compiled
from .nodes import EDGE

# --- The matches of a pattern in splits

# The time limit of all searches in a batch of texts whose work is not known to be linear: _SECONDS of this thread, plus
# one per _CHARACTERS_A_SECOND characters that were given.  Usual patterns are a hundred times as fast.
_SECONDS, _CHARACTERS_A_SECOND = 1.0, 50_000
# A sample of this many characters shows whether a pattern matches most of the text.
_SAMPLE = 2000
# A search in so many characters takes milliseconds.  It keeps other threads of Python waiting, because `regex` would
# let them run at each match, and with many threads the changes take longer than the search.
_SHORT = 100_000


class Matches(NamedTuple):
    """Matches in order, without overlap; match i is chars[starts[i]:ends[i]] in split parents[i], and may be empty.

    spent: seconds that regular expressions with a time limit have used on the texts so far.
    """

    starts: I64
    ends: I64
    parents: I64
    spent: float


def matches(pattern: Pattern, splits: Splits) -> Matches:
    """Find all matches in the nonempty splits that are text, leftmost first, as `tokenizers` 0.23.3 does.

    ValueError if a regular expression exceeds the time limit.
    """
    if isinstance(pattern, Regex):
        return _of_regex(pattern, splits)
    texts = np.flatnonzero((splits.added == TEXT) & (splits.ends > splits.starts))
    return _of_string(pattern, splits, texts) if pattern else _of_nothing(splits, texts)


def _of_nothing(splits: Splits, texts: I64) -> Matches:
    """The matches of the empty string: before every character and at the end."""
    counts = splits.ends[texts] - splits.starts[texts] + 1
    firsts = np.cumsum(counts) - counts
    places = np.arange(counts.sum()) + np.repeat(splits.starts[texts] - firsts, counts)
    return Matches(places, places, np.repeat(texts, counts), splits.spent)


def _of_string(wanted: str, splits: Splits, texts: I64) -> Matches:
    chars, size = text_of(splits.chars), len(wanted)
    starts, ends = splits.starts[texts], splits.ends[texts]
    # The lengths of the pieces between matches: cheaper than match objects where there are many.
    lengths: list[int] = []
    counts = np.zeros(len(texts), np.int64)
    if wanted in chars:
        for j, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
            pieces = chars[start:end].split(wanted)
            lengths.extend(map(len, pieces))
            counts[j] = len(pieces)
    # As if a match followed every piece, also the last one of each text.
    befores = np.cumsum(np.array(lengths, np.int64) + size) - size
    lasts = np.cumsum(counts) - 1
    parents = np.repeat(np.arange(len(texts)), counts)
    places = starts[parents] + befores - (np.cumsum(ends - starts + size) - (ends - starts + size))[parents]
    found = np.delete(np.arange(len(befores)), lasts[counts > 0])
    return Matches(places[found], places[found] + size, texts[parents[found]], splits.spent)


def _of_regex(pattern: Regex, splits: Splits) -> Matches:
    ready = compiled(pattern.pattern)
    texts = splits.starts, splits.ends, splits.added
    text = _numbered_text(*_numbered(splits.chars, *texts, ready.table))
    if ready.is_linear:
        found, spent = _spans(ready, text), 0.0
    else:
        found, spent = _timed_spans(pattern, ready, text, splits.given_size(), splits.spent)
    return Matches(*_in_splits(found, *texts), splits.spent + spent)


@kernel
def _numbered(chars: U32, starts: I64, ends: I64, added: I32, table: U32) -> tuple[U32, int]:
    """The numbers of the characters of all nonempty splits that are text, and the highest of them.

    EDGE comes before, between and after these splits.
    """
    numbers = np.empty(len(chars) + len(starts) + 1, np.uint32)
    numbers[0] = EDGE
    at, highest = 1, EDGE
    for j in range(len(starts)):
        if added[j] != TEXT or starts[j] == ends[j]:
            continue
        for i in range(starts[j], ends[j]):
            number = table[chars[i]]
            numbers[at] = number
            highest = max(highest, int(number))
            at += 1
        numbers[at] = EDGE
        at += 1
    return numbers[:at], highest


@kernel
def _in_splits(found: I64, starts: I64, ends: I64, added: I32) -> tuple[I64, I64, I64]:
    """The starts, ends and parents of matches in the splits; found: shape (k, 2), their places in `_numbered`."""
    size = len(found)
    match_starts, match_ends, parents = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    j, base = 0, 1
    for k in range(size):
        # A match that begins at the EDGE after a split is an empty one at the end of the split.
        is_text = added[j] == TEXT and starts[j] < ends[j]
        while not is_text or found[k, 0] > base + ends[j] - starts[j]:
            base += ends[j] - starts[j] + 1 if is_text else 0
            j += 1
            is_text = added[j] == TEXT and starts[j] < ends[j]
        match_starts[k], match_ends[k] = found[k, 0] - base + starts[j], found[k, 1] - base + starts[j]
        parents[k] = j
    return match_starts, match_ends, parents


def _numbered_text(numbers: U32, highest: int) -> str:
    """The string of the characters with these code points, which takes one byte per character if all are small."""
    if highest < 0x100:
        return numbers.astype(np.uint8).tobytes().decode("latin-1")
    return text_of(numbers)


def _spans(ready: Compiled, text: str) -> I64:
    """The start and end of each match, shape (k, 2); for expressions that match no empty string."""
    shares = len(text) > _SHORT
    sample = ready.stepper.findall(text, 0, _SAMPLE, concurrent=shares)
    if sample.count("") > len(sample) // 2:
        spans = (match.span() for match in ready.program.finditer(text, concurrent=shares))
        return np.fromiter(chain.from_iterable(spans), np.int64).reshape(-1, 2)
    # Lists of strings cost half as much as match objects.
    steps = sample if len(text) <= _SAMPLE else ready.stepper.findall(text, concurrent=shares)
    return _of_steps(np.fromiter(map(len, steps), np.int64, len(steps)))


@kernel
def _of_steps(lengths: I64) -> I64:
    """The start and end of each match; the stepper takes one character for a length of 0, where nothing matches."""
    found = np.empty((len(lengths), 2), np.int64)
    n, at = 0, 0
    for length in lengths:
        if length > 0:
            found[n, 0], found[n, 1] = at, at + length
            n += 1
        at += max(length, 1)
    return found[:n]


def _timed_spans(pattern: Regex, ready: Compiled, text: str, given: int, spent: float) -> tuple[I64, float]:
    """The start and end of each match, shape (k, 2), and the seconds used; ValueError if they exceed the limit.

    given: the number of characters of all texts before any step.  spent: the seconds used on them so far.
    """
    limit, begin = _SECONDS + given / _CHARACTERS_A_SECOND, time.thread_time()
    try:
        found = _spans_in_time(ready, text, begin + limit - spent)
    except TimeoutError:
        raise ValueError(
            f"the pattern {pattern.pattern!r} did not come to an end within {limit:.0f} seconds on {len(text)} "
            "characters, those before it included: it backtracks too much; use fewer repeats, or possessive ones"
        ) from None
    return found, time.thread_time() - begin


def _spans_in_time(ready: Compiled, text: str, deadline: float) -> I64:
    """Like `_spans`, for all expressions; TimeoutError after the deadline, a time of this thread.

    An empty match directly after a match does not count, and the search continues one character later.
    """
    found: list[tuple[int, int]] = []
    at, last = 1, -1
    while (match := _next_match(ready, text, at, deadline)) is not None:
        start, end = match.span()
        if start == len(text):
            break
        if start == end == last:
            at = end + 1
            continue
        found.append((start, end))
        at = last = end
    return np.array(found, np.int64).reshape(-1, 2)


def _next_match(ready: Compiled, text: str, at: int, deadline: float) -> Any:
    patience = left = deadline - time.thread_time()
    while left > 0:
        try:
            return ready.program.search(text, at, timeout=patience)
        except TimeoutError:
            # `regex` counts the time of all threads.  If most was theirs, the search begins again with more of it.
            if time.thread_time() > deadline - left / 10:
                break
            patience *= 2
    raise TimeoutError


# --- The matches in one text, without arrays, which cost more than the search in a short text


def edges_of(pattern: Pattern, text: str) -> list[int]:
    """The edges of a text: 0, the start and the end of each match that `matches` finds, the length of the text.

    The empty string matches nothing.

    >>> edges_of("lo", "slow low")
    [0, 1, 3, 5, 7, 8]
    """
    if not text or pattern == "":
        return [0, len(text)]
    if isinstance(pattern, Regex):
        return _regex_edges(pattern, text)
    if pattern not in text:
        return [0, len(text)]
    pieces = text.split(pattern)
    lengths = [len(pattern)] * (2 * len(pieces) - 1)
    lengths[::2] = map(len, pieces)
    return list(accumulate(lengths, initial=0))


def _regex_edges(pattern: Regex, text: str) -> list[int]:
    ready = compiled(pattern.pattern)
    numbers = f"{chr(EDGE)}{ready.numbers(text)}{chr(EDGE)}"
    spans: Iterable[tuple[int, int]]
    if ready.is_linear:
        spans = (match.span() for match in ready.program.finditer(numbers, concurrent=len(text) > _SHORT))
    else:
        spans = _timed_spans(pattern, ready, numbers, len(text), 0.0)[0].tolist()
    # An EDGE comes before the text.
    return [0, *[place - 1 for span in spans for place in span], len(text)]


def pieces_at(edges: Sequence[int], behavior: str) -> Iterator[tuple[int, int]]:
    """The (start, end) of the pieces of a text that is split at its matches; edges: see `edges_of`.

    >>> list(pieces_at([0, 1, 2, 4, 5, 5], "merged_with_previous"))
    [(0, 2), (2, 5)]
    """
    if len(edges) == 2:
        return iter([(0, edges[1])])
    if behavior == "removed":
        return ((start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if start < end)
    pieces = ((start, end, i % 2) for i, (start, end) in enumerate(pairwise(edges)) if start < end or i % 2)
    if behavior == "isolated":
        return ((start, end) for start, end, _ in pieces)
    joins, joined, before = JOINS[behavior], list[tuple[int, int]](), 0
    for start, end, delimits in pieces:
        joined.append((joined.pop()[0] if joined and joins[before][delimits] else start, end))
        before = delimits
    return iter(joined)


# --- Splitting at matches

# The name of each behavior in tokenizer.json.
BEHAVIORS = {
    "removed": "Removed",
    "isolated": "Isolated",
    "merged_with_previous": "MergedWithPrevious",
    "merged_with_next": "MergedWithNext",
    "contiguous": "Contiguous",
}
# Whether a piece joins the piece before it: by whether that one is a delimiter, then by whether the piece itself is.
JOINS = {
    "removed": [[False, False], [False, False]],
    "isolated": [[False, False], [False, False]],
    "merged_with_previous": [[False, True], [False, False]],
    "merged_with_next": [[False, False], [True, False]],
    "contiguous": [[True, False], [False, True]],
}
_JOINS = {behavior: np.array(joins) for behavior, joins in JOINS.items()}


def check_behavior(behavior: str) -> None:
    """ValueError for an unknown behavior."""
    if behavior not in BEHAVIORS:
        raise ValueError(f"behavior={behavior!r}: choose one of {', '.join(BEHAVIORS)}")


def behavior_json(behavior: str) -> str:
    """The behavior in tokenizer.json."""
    return BEHAVIORS[behavior]


def behavior_from_json(name: Any) -> str:
    """The behavior with this name in tokenizer.json."""
    names, choice = {written: behavior for behavior, written in BEHAVIORS.items()}, choice_of(name)
    if not isinstance(choice, str) or choice not in names:
        raise ValueError(f"the behavior is {name!r}: expected one of {', '.join(names)}")
    return names[choice]


def cut_at(splits: Splits, found: Matches, behavior: str, *, invert: bool = False) -> Splits:
    """Split at matches, which are the delimiters; invert: the text between them is the delimiter instead."""
    joins = _JOINS[behavior]
    texts = splits.starts, splits.ends, splits.added
    places = found.starts, found.ends, found.parents
    return splits.recut(*_cut(*texts, *places, joins, behavior == "removed", invert))


def chars_in(splits: Splits, wanted: Bools) -> Matches:
    """The matches of single characters: those whose code points are marked in `wanted`, shape (0x110000,)."""
    places = np.flatnonzero(wanted[splits.chars])
    parents = np.searchsorted(splits.starts, places, side="right") - 1
    # Characters before the first split are in no split; if an earlier step removed everything, that is all of them.
    places, parents = places[parents >= 0], parents[parents >= 0]
    inside = (places < splits.ends[parents]) & (splits.added[parents] == TEXT)
    return Matches(places[inside], places[inside] + 1, parents[inside], splits.spent)


@kernel
def _cut(
    starts: I64,
    ends: I64,
    added: I32,
    match_starts: I64,
    match_ends: I64,
    match_parents: I64,
    joins: Bools,
    removed: bool,
    invert: bool,
) -> tuple[I64, I64, I64]:
    """The starts, ends and parents of the new splits.

    The pieces of a split are its matches and the nonempty parts between them.  Joined pieces form one new split; empty
    ones are left out.
    """
    room = 2 * len(match_starts) + len(starts)
    new_starts, new_ends, parents = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    n, m = 0, 0
    for j in range(len(starts)):
        at, begin, before, dropped = starts[j], starts[j], False, False
        while at < ends[j] or (m < len(match_starts) and match_parents[m] == j):
            is_match = m < len(match_starts) and match_parents[m] == j and match_starts[m] == at
            delimits = is_match != (invert and added[j] == TEXT)
            if at > begin and not joins[int(before), int(delimits)]:
                if not dropped:
                    new_starts[n], new_ends[n], parents[n] = begin, at, j
                    n += 1
                begin = at
            before, dropped = delimits, removed and delimits
            if is_match:
                at = match_ends[m]
                m += 1
            elif m < len(match_starts) and match_parents[m] == j:
                at = match_starts[m]
            else:
                at = ends[j]
        if at > begin and not dropped:
            new_starts[n], new_ends[n], parents[n] = begin, at, j
            n += 1
    return new_starts[:n], new_ends[:n], parents[:n]


# --- Replacing matches


def replaced(splits: Splits, found: Matches, content: U32) -> Splits:
    """Replace matches by the content; its origin is that of the last character of the match."""
    splits = splits._replace(spent=found.spent)
    if len(found.starts) == 0:
        return splits
    splits.check_room(len(found.starts) * len(content))
    texts = splits.chars, splits.starts, splits.ends
    places = found.starts, found.ends, found.parents
    made = splits.rewritten(*_replaced(*texts, *places, content, len(splits.origins) > 0))
    at_begin = found.ends == splits.starts[found.parents]
    return _put_at_begin(splits, made, found.parents[at_begin], len(content)) if at_begin.any() else made


def _put_at_begin(splits: Splits, made: Splits, parents: I64, length: int) -> Splits:
    """Set the origin of characters inserted before the first character of a split to the position where it begins."""
    if len(made.origins) == 0:
        return made
    origins = made.origins.copy()
    first_of_text = np.isin(parents, splits.firsts)
    # The split before another one of the same text is an added token, which is never empty.
    begins = np.where(first_of_text, 0, splits.origins[splits.ends[parents - 1] - 1, 1])
    for start, begin in zip(made.starts[parents].tolist(), begins.tolist(), strict=True):
        origins[start : start + length] = begin
    return made._replace(origins=origins)


@kernel
def _replaced(
    chars: U32,
    starts: I64,
    ends: I64,
    match_starts: I64,
    match_ends: I64,
    match_parents: I64,
    content: U32,
    tracked: bool,
) -> tuple[U32, I32, I64, I64]:
    """The characters after replacing matches by the content; if tracked, also the source of each character."""
    size = (ends - starts).sum() - (match_ends - match_starts).sum() + len(match_starts) * len(content)
    new_chars, source = np.empty(size, np.uint32), np.empty(size if tracked else 0, np.int32)
    new_starts, new_ends = np.empty(len(starts), np.int64), np.empty(len(starts), np.int64)
    w, m = 0, 0
    for j in range(len(starts)):
        new_starts[j] = w
        i = starts[j]
        while i < ends[j] or (m < len(match_starts) and match_parents[m] == j):
            if m < len(match_starts) and match_parents[m] == j and match_starts[m] == i:
                i = match_ends[m]
                for char in content:
                    new_chars[w] = char
                    if tracked:
                        source[w] = max(i - 1, starts[j])
                    w += 1
                m += 1
            else:
                new_chars[w] = chars[i]
                if tracked:
                    source[w] = i
                w += 1
                i += 1
        new_ends[j] = w
    return new_chars, source, new_starts, new_ends
