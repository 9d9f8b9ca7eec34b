"""The pieces that a Unigram training starts from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._arrays import I32, I64
from .._kernel import inner_kernel, kernel
from ._word_text import WordText


class Substrings(NamedTuple):
    """k substrings of a text as intervals of its suffix array, each shape (k,), in lexicographic order.

    starts, ends: int32; substring i begins the suffixes at the slots starts[i] up to, without, ends[i].
    lengths: int32, in characters.
    """

    starts: I32
    ends: I32
    lengths: I32

    def take(self, chosen: I64) -> Substrings:
        """The substrings of these indices."""
        return Substrings(self.starts[chosen], self.ends[chosen], self.lengths[chosen])

    def without(self, others: Substrings) -> Substrings:
        """The substrings that are none of the others."""
        width = int(max(self.lengths.max(initial=0), others.lengths.max(initial=0))) + 1
        mine, theirs = (each.starts.astype(np.int64) * width + each.lengths for each in (self, others))
        return self.take(np.flatnonzero(~np.isin(mine, theirs)))

    def in_lexicographic_order(self) -> Substrings:
        """The same substrings sorted: an interval comes before those inside it, that is, a prefix before the longer."""
        width = int(self.lengths.max(initial=0)) + 1
        return self.take(np.argsort(self.starts.astype(np.int64) * width + self.lengths, kind="stable"))


@kernel
def _branching(shared: I32, order: I32, reach: I32, longest: int, found: I32) -> int:
    """The substrings of 2 up to `longest` characters that two different symbols follow, in the order of their ends.

    found: shape (m, 3), takes start, end, length of each; with m = 0 they are counted only.  Returns their number.
    The intervals of equal common prefixes, by a stack (Abouelhoda, Kurtz & Ohlebusch 2004, algorithm 4.1).
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
    """The substrings of 2 up to `longest` characters, without separator, that two different symbols follow.

    order, shared, reach: of the text, from `suffix_array`, `common_prefixes` and `room`, with a depth of longest + 1.
    """
    found = np.empty((_branching(shared, order, reach, longest, np.empty((0, 3), np.int32)), 3), np.int32)
    if len(found):
        _branching(shared, order, reach, longest, found)
    starts, ends, lengths = np.ascontiguousarray(found.T)
    return Substrings(starts, ends, lengths).in_lexicographic_order()


def most_valuable(substrings: Substrings, limit: int) -> tuple[Substrings, I64]:
    """At most `limit` substrings with the highest values, occurrences times length, and these values, falling.

    Among equal values the lexicographically last comes first.  Occurrences are those in the distinct words.
    """
    values = (substrings.ends - substrings.starts).astype(np.int64) * substrings.lengths
    chosen = len(values) - 1 - np.argsort(-values[::-1], kind="stable")[:limit]
    return substrings.take(chosen), values[chosen]


@inner_kernel
def _compare(symbols: I32, position: int, chars: I32, start: int, end: int) -> int:
    """Below, equal to or above 0 as the text at the position is before, begins with or is behind chars[start:end]."""
    for at in range(start, end):
        difference = symbols[position + at - start] - chars[at]
        # A separator, which is in no piece, ends the comparison before the end of the text can.
        if difference != 0:
            return int(difference)
    return 0


@inner_kernel
def _interval(symbols: I32, order: I32, chars: I32, start: int, end: int) -> tuple[int, int]:
    """The slots of the suffixes that begin with chars[start:end], from which up to which."""
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
    """The interval of each string."""
    for i in range(len(starts)):
        starts[i], ends[i] = _interval(symbols, order, chars, offsets[i], offsets[i + 1])


def located(pieces: Sequence[str], text: WordText, order: I32) -> Substrings:
    """The substrings of a text with the suffix array `order` that are these pieces, as far as it has them.

    pieces: of characters of the text.
    """
    strings = [text.numbers(piece) for piece in pieces]
    offsets = np.concatenate(([0], np.cumsum([len(string) for string in strings], dtype=np.int64))).astype(np.int64)
    starts, ends = np.empty(len(strings), np.int32), np.empty(len(strings), np.int32)
    _locate(text.symbols, order, np.concatenate([np.empty(0, np.int32), *strings]), offsets, starts, ends)
    found = Substrings(starts, ends, np.diff(offsets).astype(np.int32))
    return found.take(np.flatnonzero(starts < ends)).in_lexicographic_order()
