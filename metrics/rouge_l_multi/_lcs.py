"""Length of the longest common subsequence (LCS) of every pair of segments in a corpus.

The bit-parallel recurrence of Hyyrö, "Bit-parallel LCS-length computation revisited" (AWOCA 2004), after Crochemore et
al. (2001).  With t[i][j] the LCS length of the first i left and the first j right tokens, bit i - 1 of the vector V of
column j is 0 where t[i][j] = t[i-1][j] + 1, and 1 where the two are equal.  A column costs four operations on all of
its rows at once.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ._lanes import LANE_BITS, LaneBlock, if_worthwhile, lane_blocks
from ._segments import IntArray, Segments

# Above this many columns too few lanes share a step to pay for numpy's calls: Python's integers are faster.
MAX_LANE_COLUMNS = 512

Bits = TypeVar("Bits", int, npt.NDArray[np.unsignedinteger[Any]])


def lcs_lengths(left: Segments, right: Segments) -> IntArray:
    """Length of the LCS of left segment i and right segment i, shape (n,) int64; 0 where either is empty.

    Time O(shorter * longer / 64) a pair.

    >>> left = Segments(np.array([7, 8, 9, 7, 8]), np.array([0, 3, 5]))
    >>> right = Segments(np.array([7, 9, 8, 7]), np.array([0, 2, 4]))
    >>> lcs_lengths(left, right).tolist()
    [2, 1]
    """
    result = np.zeros(len(left.lengths), dtype=np.int64)
    left_is_short = left.lengths <= right.lengths
    # The LCS is symmetric, so the shorter side is the one that has to fit into a lane.
    for short, long, mine in ((left, right, left_is_short), (right, left, ~left_is_short)):
        in_lanes = if_worthwhile(mine & fits_lanes(short, long))
        for block in lane_blocks(short, long, np.flatnonzero(in_lanes)):
            result[block.pairs] = _lane_lengths(block)
        for pair in np.flatnonzero(mine & ~in_lanes).tolist():
            result[pair] = _long_length(short.row(pair).tolist(), long.row(pair).tolist())
    return result


def fits_lanes(left: Segments, right: Segments) -> npt.NDArray[np.bool_]:
    """Which pairs are for lane_blocks, the left side in the bits; the others are for big integers."""
    return (left.lengths <= LANE_BITS) & (right.lengths <= MAX_LANE_COLUMNS)


def next_column(v: Bits, matches: Bits) -> Bits:
    """V of column j from V of column j - 1: Hyyrö's figure 5; bit i - 1 of `matches` says left[i] equals right[j].

    On Python integers a carry may run out at the top: cut it off.
    """
    u = v & matches
    return (v + u) | (v - u)


def match_masks(left: list[int], right: list[int]) -> dict[int, int]:
    """Where each token that both sides have stands on the left: bit i is set if it is left[i].

    >>> match_masks([7, 8, 7, 9], [9, 7])
    {7: 5, 9: 8}
    """
    needed = set(right)
    masks: dict[int, int] = {}
    for i, token in enumerate(left):
        if token in needed:
            masks[token] = masks.get(token, 0) | 1 << i
    return masks


def _lane_lengths(block: LaneBlock) -> IntArray:
    v = ~np.zeros(len(block.pairs), dtype=block.masks.dtype)
    for matches in block.masks:
        v = next_column(v, matches)
    growing = np.unpackbits((~v).view(np.uint8)).reshape(len(v), -1)
    lengths: IntArray = np.count_nonzero(growing, axis=1)
    return lengths


def _long_length(left: list[int], right: list[int]) -> int:
    masks = match_masks(left, right)
    everything = (1 << len(left)) - 1
    v = everything
    for token in right:
        if token in masks:  # without a match V stays as it is
            v = next_column(v, masks[token]) & everything
    return len(left) - v.bit_count()
