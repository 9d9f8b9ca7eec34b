"""Pairs of segments side by side in machine words, a token a bit: what bit-parallel kernels run on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evenscore.text.segments import IntArray, Segments

LANE_BITS = 64
# Above this many columns too few lanes share a step to pay for numpy's calls: Python's integers are faster.
MAX_LANE_COLUMNS = 512
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


def fitting(left: Segments, right: Segments) -> npt.NDArray[np.bool_]:
    """Which pairs are for `lane_blocks`, the left side in the bits; the others are for big integers."""
    return (left.lengths <= LANE_BITS) & (right.lengths <= MAX_LANE_COLUMNS)


def worthwhile(pairs: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
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
    left_rows = left.take(pairs).padded(width, -1)
    right_rows = right.take(pairs).padded(int(right_lengths.max(initial=0)), -2)
    equal = right_rows.T[:, :, None] == left_rows[None, :, :]
    packed = np.packbits(equal, axis=2, bitorder="little")
    masks = packed.view(f"<u{width // 8}")[:, :, 0]
    return LaneBlock(pairs, masks, left_lengths, right_lengths)


def filled_below(words: Lanes) -> Lanes:
    """Every bit below the highest one is set as well: 0b0100 -> 0b0111."""
    for shift in (1, 2, 4, 8, 16, 32):
        if shift < 8 * words.itemsize:
            words = np.bitwise_or(words, words >> shift)
    return words


def popcount(words: Lanes) -> IntArray:
    """Number of ones of each word."""
    ones: IntArray = np.count_nonzero(np.unpackbits(words[:, None].view(np.uint8), axis=1), axis=1)
    return ones


def match_masks(left: Sequence[int], right: Sequence[int]) -> dict[int, int]:
    """One pair as big integers: where each token that both sides have stands on the left, bit i for left[i].

    >>> match_masks([7, 8, 7, 9], [9, 7])
    {7: 5, 9: 8}
    """
    needed = set(right)
    masks: defaultdict[int, bytearray] = defaultdict(lambda: bytearray(len(left) // 8 + 1))
    for i, token in enumerate(left):
        if token in needed:
            masks[token][i // 8] |= 1 << i % 8
    return {token: int.from_bytes(mask, "little") for token, mask in masks.items()}
