"""Tokenised segments as two arrays: the form in which every kernel sees text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.signedinteger[Any]]


class Segments(NamedTuple):
    """Token ids of n segments, one after another.

    ids: shape (number of tokens,), any signed integer type; equal tokens have equal ids.
    offsets: shape (n + 1,), int64; segment i is ids[offsets[i]:offsets[i + 1]].

    >>> two = Segments(np.array([7, 8, 7]), np.array([0, 2, 3]))
    >>> two.lengths.tolist(), two.row(0).tolist()
    ([2, 1], [7, 8])
    """

    ids: IntArray
    offsets: IntArray

    @property
    def lengths(self) -> IntArray:
        """Number of tokens of each segment, shape (n,)."""
        return self.offsets[1:] - self.offsets[:-1]

    def row(self, i: int) -> IntArray:
        """The token ids of segment i."""
        return self.ids[self.offsets[i] : self.offsets[i + 1]]

    def take(self, rows: IntArray) -> Segments:
        """The segments at `rows`, in that order; a row may come several times."""
        lengths = self.lengths[rows]
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        shift = np.repeat(self.offsets[rows] - offsets[:-1], lengths)
        return Segments(self.ids[shift + np.arange(offsets[-1])], offsets)

    def repeat(self, times: IntArray) -> Segments:
        """Segment i times[i] times, shape (n,); itself if that is once each."""
        return self if (times == 1).all() else self.take(np.repeat(np.arange(len(times)), times))

    def rows(self, start: int, stop: int) -> Segments:
        """Segments start up to, but not with, stop; a view."""
        first, last = self.offsets[start], self.offsets[stop]
        return Segments(self.ids[first:last], self.offsets[start : stop + 1] - first)

    def split(self, n: int) -> tuple[Segments, Segments]:
        """The first n segments, then the others."""
        return self.rows(0, n), self.rows(n, len(self.offsets) - 1)


LANE_BITS = 64
_WIDTHS = (8, 16, 32, 64)
# A block's comparison table holds a byte a cell; a megabyte or two stay in the second-level cache.
_BLOCK_CELLS = 1 << 20

Lanes = npt.NDArray[np.unsignedinteger]

# For fewer pairs Python's integers are faster: a pair of 20 tokens takes them 25 microseconds, and lanes 150.
_WORTHWHILE = 8


class LaneBlock(NamedTuple):
    """Pairs of about equal size, for p pairs with at most w tokens on the left and m on the right.

    pairs: shape (p,), which pairs these are.
    masks: shape (m, p), unsigned integers of w bits: bit i of masks[j, k] says left token i equals right token j.
    left_lengths, right_lengths: shape (p,).  Beyond a side's length every bit is 0.
    """

    pairs: IntArray
    masks: Lanes
    left_lengths: IntArray
    right_lengths: IntArray


def if_worthwhile(pairs: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which pairs to lay into lanes, shape (n,): the given ones, or none where they are too few."""
    return pairs if np.count_nonzero(pairs) >= _WORTHWHILE else np.zeros_like(pairs)


def lane_blocks(left: Segments, right: Segments, pairs: IntArray) -> Iterator[LaneBlock]:
    """Blocks that together hold every one of `pairs` once; no left side may be over 64 tokens.

    Pairs are sorted by lane width, then by the length of the right side, so that little is padded.
    """
    if not len(pairs):
        return
    width_class = np.searchsorted(_WIDTHS, left.lengths[pairs])
    order = np.lexsort((right.lengths[pairs], width_class))
    pairs = pairs[order]
    right_lengths = right.lengths[pairs]
    class_ends = np.searchsorted(width_class[order], range(len(_WIDTHS)), side="right").tolist()
    start = 0
    for width, end in zip(_WIDTHS, class_ends, strict=True):
        while start < end:
            # The longest row of a block is its last, so grow by the length at the guessed end, then fit.
            rows = max(1, _BLOCK_CELLS // (width * max(1, int(right_lengths[start]))))
            longest = max(1, int(right_lengths[min(start + rows, end) - 1]))
            stop = min(start + max(1, _BLOCK_CELLS // (width * longest)), end)
            yield _block(left, right, pairs[start:stop], width)
            start = stop


def _block(left: Segments, right: Segments, pairs: IntArray, width: int) -> LaneBlock:
    left_lengths, right_lengths = left.lengths[pairs], right.lengths[pairs]
    left_rows = _padded(left, pairs, left_lengths, width, -1)
    right_rows = _padded(right, pairs, right_lengths, int(right_lengths.max(initial=0)), -2)
    equal = right_rows.T[:, :, None] == left_rows[None, :, :]
    packed = np.packbits(equal, axis=2, bitorder="little")
    masks = packed.view(f"<u{width // 8}")[:, :, 0]
    return LaneBlock(pairs, masks, left_lengths, right_lengths)


def _padded(segments: Segments, pairs: IntArray, lengths: IntArray, width: int, filler: int) -> IntArray:
    """A (pairs, width) rectangle of ids; ids are >= 0, so that the filler equals no token."""
    column = np.arange(width)
    inside = column < lengths[:, None]
    where = np.where(inside, segments.offsets[pairs][:, None] + column, 0)
    if not len(segments.ids):
        return np.full(where.shape, filler, dtype=np.int64)
    return np.where(inside, segments.ids[where], filler)
