"""Pairs of short segments laid side by side, one machine word (lane) a pair, for bit-parallel kernels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ._segments import IntArray, Segments

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
