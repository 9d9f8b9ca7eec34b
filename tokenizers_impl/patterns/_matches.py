"""Where a pattern stands in splits."""

from __future__ import annotations

import re
import time
from itertools import chain
from typing import NamedTuple

import numpy as np

from .._arrays import I64, U32, text_of
from .._kernel import kernel
from .._splits import TEXT, Splits
from ._alphabet import EDGE
from ._compiled import Compiled, compiled
from ._regex import Pattern, Regex

# How long all searches in texts may take: so many seconds, and one more for so many characters.  Sane patterns read a
# hundred times as many in a second.
_SECONDS, _CHARACTERS_A_SECOND = 5.0, 50_000
# So many characters tell whether a pattern matches most of the text, or little of it.
_SAMPLE = 2000


class Matches(NamedTuple):
    """Places in order, without overlap: chars[starts[i]:ends[i]], which may be empty, lies in split parents[i].

    spent: seconds that regular expressions have worked on the texts by then.
    """

    starts: I64
    ends: I64
    parents: I64
    spent: float


def matches(pattern: Pattern, splits: Splits) -> Matches:
    """All matches in the splits that are text, leftmost first, as `tokenizers` 0.23.3 finds them; none in empty ones.

    ValueError for an expression that backtracks without end.
    """
    texts = np.flatnonzero((splits.added == TEXT) & (splits.ends > splits.starts))
    if pattern == "":
        return _of_nothing(splits, texts)
    if isinstance(pattern, Regex):
        return _of_regex(pattern, splits, texts)
    return _of_string(pattern, splits, texts)


def _of_nothing(splits: Splits, texts: I64) -> Matches:
    """The empty string, which stands before every character and at the end."""
    counts = splits.ends[texts] - splits.starts[texts] + 1
    firsts = np.cumsum(counts) - counts
    places = np.arange(counts.sum()) + np.repeat(splits.starts[texts] - firsts, counts)
    return Matches(places, places, np.repeat(texts, counts), splits.spent)


def _of_string(wanted: str, splits: Splits, texts: I64) -> Matches:
    chars = text_of(splits.chars)
    if wanted not in chars:
        nowhere = np.empty(0, np.int64)
        return Matches(nowhere, nowhere, nowhere, splits.spent)
    size = len(wanted)
    found: list[tuple[int, int]] = []
    expression = re.compile(re.escape(wanted))
    for j, start, end in zip(texts.tolist(), splits.starts[texts].tolist(), splits.ends[texts].tolist(), strict=True):
        found.extend((match.start(), j) for match in expression.finditer(chars, start, end))
    starts, parents = np.array(found, np.int64).reshape(-1, 2).T
    return Matches(starts, starts + size, parents, splits.spent)


def _of_regex(pattern: Regex, splits: Splits, texts: I64) -> Matches:
    ready = compiled(pattern.pattern)
    starts, ends = splits.starts[texts], splits.ends[texts]
    text = _numbered_text(_numbered(splits.chars, starts, ends, ready.table))
    limit, begin = _SECONDS + len(text) / _CHARACTERS_A_SECOND, time.thread_time()
    deadline = begin + limit - splits.spent
    try:
        found = _spans_with_empty_ones(ready, text, deadline) if ready.may_be_empty else _spans(ready, text, deadline)
    except TimeoutError:
        raise ValueError(
            f"the pattern {pattern.pattern!r} did not come to an end within {limit:.0f} seconds on {len(text)} "
            "characters, those before it included: it tries too many ways to match; make its repeats possessive, or "
            "fewer"
        ) from None
    bases = np.cumsum(ends - starts + 1) - (ends - starts)
    places = np.searchsorted(bases, found[:, 0], side="right") - 1
    shifts = (starts - bases)[places]
    spent = splits.spent + time.thread_time() - begin
    return Matches(found[:, 0] + shifts, found[:, 1] + shifts, texts[places], spent)


@kernel
def _numbered(chars: U32, starts: I64, ends: I64, table: U32) -> U32:
    """The numbers of the characters of all texts, EDGE before, between and behind them."""
    numbers = np.empty((ends - starts).sum() + len(starts) + 1, np.uint32)
    numbers[0] = EDGE
    at = 1
    for j in range(len(starts)):
        for i in range(starts[j], ends[j]):
            numbers[at] = table[chars[i]]
            at += 1
        numbers[at] = EDGE
        at += 1
    return numbers


def _numbered_text(numbers: U32) -> str:
    """Numbers as the characters with these code points: one byte each in memory, where they are small."""
    if numbers.max() < 0x100:
        return numbers.astype(np.uint8).tobytes().decode("latin-1")
    return text_of(numbers)


def _left(deadline: float) -> float:
    """The seconds of work that are left; `regex` counts those too, and takes no 0 for the answer."""
    return max(deadline - time.thread_time(), 1e-3)


def _spans(ready: Compiled, text: str, deadline: float) -> I64:
    """From where to where each match reaches, shape (k, 2)."""
    sample = ready.stepper.findall(text, 0, _SAMPLE, timeout=_left(deadline))
    if sample.count("") > len(sample) // 2:
        spans = (match.span() for match in ready.program.finditer(text, timeout=_left(deadline)))
        return np.fromiter(chain.from_iterable(spans), np.int64).reshape(-1, 2)
    # Lists of texts cost half of what match objects do.  Where there is no match the stepper takes one character.
    lengths = np.fromiter(map(len, ready.stepper.findall(text, timeout=_left(deadline))), np.int64)
    ends = np.cumsum(np.maximum(lengths, 1))
    found = lengths > 0
    return np.stack((ends - lengths, ends), axis=1)[found]


def _spans_with_empty_ones(ready: Compiled, text: str, deadline: float) -> I64:
    """The same where an empty match right behind a match does not count, and the search goes on a character later."""
    found: list[tuple[int, int]] = []
    search, at, last = ready.program.search, 1, -1
    while (match := search(text, at, timeout=_left(deadline))) is not None:
        start, end = match.span()
        if start == len(text):
            break
        if start == end == last:
            at = end + 1
            continue
        found.append((start, end))
        at = last = end
    return np.array(found, np.int64).reshape(-1, 2)
