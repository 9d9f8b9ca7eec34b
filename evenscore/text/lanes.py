"""Packs many pairs of segments into machine words, one bit per token, for bit-parallel kernels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from evenscore.text.segments import IntArray, Segments, similar

T = TypeVar("T", bound=Hashable)

LANE_BITS = 64
# With more columns, too few lanes share a step to outweigh numpy's call overhead, and Python's integers are faster.
MAX_LANE_COLUMNS = 512
# Narrower lanes would save less time than the calls for their own blocks take.
_WIDTHS = (32, 64)
# A block's comparison table has one byte per cell; one or two megabytes fit into the second-level cache.
_BLOCK_CELLS = 1 << 20

Lanes = npt.NDArray[np.unsignedinteger]

_SHORT = 1000

# For fewer pairs Python's integers are faster: they take 25 microseconds per pair of 20 tokens, lanes take 150 in all.
_WORTHWHILE = 8


class LaneBlock(NamedTuple):
    """p pairs of similar size, with at most w tokens on the left and m on the right.

    pairs: indices of the pairs, shape (p,).
    masks: unsigned integers of w bits, shape (m, p): bit i of masks[j, k] is set if left token i equals right token j.
    left_lengths, right_lengths: shape (p,), the right ones ascending. Bits beyond a side's length are 0.
    """

    pairs: IntArray
    masks: Lanes
    left_lengths: IntArray
    right_lengths: IntArray


def fitting(left_lengths: IntArray, right_lengths: IntArray) -> npt.NDArray[np.bool_]:
    """Return which pairs `lane_blocks` accepts, with the left side in the bits, shape (n,)."""
    return (left_lengths <= LANE_BITS) & (right_lengths <= MAX_LANE_COLUMNS)


def worthwhile(pairs: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return the given pairs, shape (n,), or none of them if they are too few for lanes to be faster."""
    return pairs if np.count_nonzero(pairs) >= _WORTHWHILE else np.zeros_like(pairs)


def lane_blocks(tokens: Segments, left: IntArray, right: IntArray, pairs: IntArray) -> Iterator[LaneBlock]:
    """Yield blocks with each of `pairs` once; left sides must have at most 64 tokens.

    Pairs are sorted by lane width, then by the length of the right side, to keep the padding small.

    tokens: both sides of all pairs; left, right: which segment each side of a pair is, shape (n,).
    """
    lengths = tokens.lengths
    width_class = np.searchsorted(_WIDTHS, lengths[left[pairs]])
    for k, width in enumerate(_WIDTHS):
        own = pairs[width_class == k]
        for run in similar(width * (lengths[right[own]] + 1), _BLOCK_CELLS):
            chosen = own[run]
            yield _block(tokens, left[chosen], right[chosen], chosen, width)


def _block(tokens: Segments, left: IntArray, right: IntArray, pairs: IntArray, width: int) -> LaneBlock:
    """Return the block of p pairs; left, right: their sides, shape (p,)."""
    left_lengths, right_lengths = tokens.lengths[left], tokens.lengths[right]
    left_rows = tokens.padded(left, width, -1)
    right_rows = tokens.padded(right, int(right_lengths[-1]), -2)
    equal = right_rows.T[:, :, None] == left_rows[None, :, :]
    packed = np.packbits(equal, axis=2, bitorder="little")
    masks = packed.view(f"<u{width // 8}")[:, :, 0]
    return LaneBlock(pairs, masks, left_lengths, right_lengths)


def filled_below(words: Lanes) -> Lanes:
    """Set all bits below the highest set bit, as in 0b0100 -> 0b0111."""
    for shift in (1, 2, 4, 8, 16, 32):
        if shift < 8 * words.itemsize:
            words = np.bitwise_or(words, words >> shift)
    return words


def popcount(words: Lanes) -> IntArray:
    """Return the number of set bits of each word."""
    ones: IntArray = np.count_nonzero(np.unpackbits(words[:, None].view(np.uint8), axis=1), axis=1)
    return ones


def match_masks(left: Sequence[T], right: Sequence[T]) -> dict[T, int]:
    """Return the positions in `left` of each token, as an integer with bit i for left[i].

    A token that `right` lacks may be missing, since it matches nothing.

    >>> match_masks([7, 8, 7, 9], [9, 7])
    {7: 5, 8: 2, 9: 8}
    """
    if len(left) <= _SHORT:
        short: dict[T, int] = {}
        bit = 1
        for token in left:
            short[token] = short.get(token, 0) | bit
            bit <<= 1
        return short
    needed = set(right)
    # An integer that grows bit by bit would be copied as often.
    masks: defaultdict[T, bytearray] = defaultdict(lambda: bytearray(len(left) // 8 + 1))
    for i, token in enumerate(left):
        if token in needed:
            masks[token][i // 8] |= 1 << i % 8
    return {token: int.from_bytes(mask, "little") for token, mask in masks.items()}
