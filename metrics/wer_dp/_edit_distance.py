"""Levenshtein alignments with unit costs: counts of a whole corpus, operations of one pair."""

from __future__ import annotations

from collections import Counter

import numpy as np

from ._affixes import without_common_affixes
from ._edit_operations import Operation, operations
from ._edit_script import edit_script
from ._lanes import LANE_BITS, LaneBlock, Lanes, if_worthwhile, lane_blocks
from ._segments import IntArray, Segments


def edit_counts(references: Segments, predictions: Segments) -> IntArray:
    """Hits, substitutions, deletions, insertions of each pair, shape (n, 4) int64, columns in this order.

    references, predictions: n segments each, pair i being the two segments i.
    Their sum of errors is least; between equally good alignments the counts are those of jiwer 4.0, which takes
    them from rapidfuzz.distance.Levenshtein.opcodes.  An empty side leaves insertions or deletions only.

    >>> references = Segments(np.array([1, 2, 1, 2]), np.array([0, 2, 4, 4]))
    >>> predictions = Segments(np.array([2, 3, 3, 1, 5]), np.array([0, 2, 4, 5]))
    >>> edit_counts(references, predictions).tolist()
    [[0, 2, 0, 0], [1, 0, 1, 1], [0, 0, 0, 1]]
    """
    left, right = without_common_affixes(references, predictions)
    hits = references.lengths - left.lengths
    deletions = np.where(right.lengths == 0, left.lengths, 0)
    to_align = (left.lengths > 0) & (right.lengths > 0)
    in_lanes = if_worthwhile(to_align & (np.maximum(left.lengths, right.lengths) <= LANE_BITS))
    for block in lane_blocks(left, right, np.flatnonzero(in_lanes)):
        matched, deleted = _traced_back(block, *_bit_rows(block.masks))
        hits[block.pairs] += _popcount(matched)
        deletions[block.pairs] = _popcount(deleted)
    for pair in np.flatnonzero(to_align & ~in_lanes).tolist():
        reference, prediction = left.row(pair).tolist(), right.row(pair).tolist()
        edits = Counter(edit.kind for edit in edit_script(reference, prediction))
        hits[pair] += len(reference) - edits["substitute"] - edits["delete"]
        deletions[pair] = edits["delete"]
    substitutions = references.lengths - hits - deletions
    insertions = predictions.lengths - hits - substitutions
    return np.stack([hits, substitutions, deletions, insertions], axis=1)


def edit_operations(reference: IntArray, prediction: IntArray) -> list[Operation]:
    """The alignment of one pair, as the list of chunks that jiwer 4.0 gives; [] for two empty sides.

    >>> for operation in edit_operations(np.array([1, 2, 3]), np.array([1, 4, 4, 3])):
    ...     print(*operation)
    equal 0 1 0 1
    insert 1 1 1 2
    substitute 1 2 2 3
    equal 2 3 3 4
    """
    edits = edit_script(reference.tolist(), prediction.tolist())
    return operations(edits, len(reference), len(prediction))


def _bit_rows(masks: Lanes) -> tuple[Lanes, Lanes]:
    """Rises, falls of every row of the distance matrices, shapes (m + 1, p); row 0 belongs to no prediction token.

    Bit i of a row says that its value rises (VP) or falls (VN) by one between i and i + 1 reference tokens.
    Names and steps follow Hyyrö (2003), "A bit-vector algorithm for computing Levenshtein and Damerau edit
    distances", with the reference as the pattern.
    """
    rises = np.empty((len(masks) + 1, masks.shape[1]), dtype=masks.dtype)
    falls = np.empty_like(rises)
    rises[0], falls[0] = ~masks.dtype.type(0), 0
    for row, match in enumerate(masks):
        vp, vn = rises[row], falls[row]
        d0 = (((match & vp) + vp) ^ vp) | match | vn
        hp = (vn | ~(d0 | vp)) << 1 | 1
        hn = (vp & d0) << 1
        np.bitwise_or(hn, ~(d0 | hp), out=rises[row + 1])
        np.bitwise_and(d0, hp, out=falls[row + 1])
    return rises, falls


def _traced_back(block: LaneBlock, rises: Lanes, falls: Lanes) -> tuple[Lanes, Lanes]:
    """Sets of reference tokens that are matched, that are deleted, shape (p,) each, by the tie rule of _edit_script.

    All lanes go up one row at a time; `rest` holds the ones of the reference tokens not yet passed, its top bit the
    column of the walk.
    """
    width = rises.dtype.itemsize * 8
    rest = np.array([(1 << k) - 1 for k in range(width + 1)], dtype=rises.dtype)[block.left_lengths]
    matched, deleted = np.zeros_like(rest), np.zeros_like(rest)
    for row in reversed(range(len(block.masks))):
        # Right lengths ascend within a block: these lanes have a prediction token in this row.
        lanes = slice(np.searchsorted(block.right_lengths, row, side="right"), None)
        # 1. Delete as long as the value rises towards the column of the walk.
        kept = _filled_below(rest[lanes] & ~rises[row + 1, lanes])
        deleted[lanes] |= rest[lanes] ^ kept
        # 2. Insert, staying in the column, if the row above falls there; else go up the diagonal.
        column = kept ^ (kept >> 1)
        inserted = column & falls[row, lanes]
        matched[lanes] |= (column ^ inserted) & block.masks[row, lanes]
        rest[lanes] = kept >> 1 | inserted
    return matched, deleted | rest


def _filled_below(words: Lanes) -> Lanes:
    """Every bit below the highest one is set as well: 0b0100 -> 0b0111."""
    for shift in (1, 2, 4, 8, 16, 32):
        if shift < words.dtype.itemsize * 8:
            words = np.bitwise_or(words, words >> shift)
    return words


def _popcount(words: Lanes) -> IntArray:
    """Number of ones of each word."""
    ones: IntArray = np.unpackbits(words[:, None].view(np.uint8), axis=1).sum(axis=1, dtype=np.int64)
    return ones
