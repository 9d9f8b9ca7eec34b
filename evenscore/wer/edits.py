"""Levenshtein alignments with unit costs: counts for a corpus, operations for one pair."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from evenscore.text.lanes import LaneBlock, Lanes, filled_below, fitting, lane_blocks, match_masks, popcount, worthwhile
from evenscore.text.segments import IntArray, Segments, offsets_of
from evenscore.wer.plain import fast_edit_counts

EditKind = Literal["substitute", "delete", "insert"]


class Edit(NamedTuple):
    """One edit. On a side without a token, the index is that of the next token."""

    kind: EditKind
    reference_index: int
    prediction_index: int


class Operation(NamedTuple):
    """Turns reference[reference_start:reference_end] into prediction[prediction_start:prediction_end]."""

    kind: Literal["equal"] | EditKind
    reference_start: int
    reference_end: int
    prediction_start: int
    prediction_end: int


def operations(edits: Iterable[Edit], reference_length: int, prediction_length: int) -> list[Operation]:
    """Merge edits, in text order, and the unchanged tokens between them into runs; [] for two empty sides.

    The result equals the AlignmentChunk list of jiwer 4.0.

    >>> for operation in operations([Edit("delete", 1, 1), Edit("delete", 2, 1)], 4, 2):
    ...     print(*operation)
    equal 0 1 0 1
    delete 1 3 1 1
    equal 3 4 1 2
    """
    runs: list[Operation] = []
    reference_end = prediction_end = 0
    for kind, i, j in edits:
        if i > reference_end:
            runs.append(Operation("equal", reference_end, i, prediction_end, j))
        reference_end, prediction_end = i + (kind != "insert"), j + (kind != "delete")
        if runs and runs[-1].kind == kind:
            runs[-1] = runs[-1]._replace(reference_end=reference_end, prediction_end=prediction_end)
        else:
            runs.append(Operation(kind, i, reference_end, j, prediction_end))
    if prediction_length > prediction_end:
        runs.append(Operation("equal", reference_end, reference_length, prediction_end, prediction_length))
    return runs


def without_common_affixes(references: Segments, predictions: Segments) -> tuple[Segments, Segments]:
    """Remove the common prefix, then the common suffix of each pair.

    For any positive costs, some optimal alignment matches both ends token by token, so only the middles need aligning.
    rapidfuzz does the same before it aligns (remove_common_affix), which affects its ties. Takes O(tokens) time and
    memory.

    >>> references = Segments(np.array([1, 2, 3, 1, 1]), np.array([0, 3, 5]))
    >>> predictions = Segments(np.array([1, 4, 5, 3, 1]), np.array([0, 4, 5]))
    >>> left, right = without_common_affixes(references, predictions)
    >>> left.ids.tolist(), left.lengths.tolist(), right.ids.tolist(), right.lengths.tolist()
    ([2, 1], [1, 1], [4, 5], [2, 0])
    """
    shorter = np.minimum(references.lengths, predictions.lengths)
    prefix = _common_prefixes(references, predictions, shorter)
    backwards = _common_prefixes(_reversed(references), _reversed(predictions), shorter[::-1])
    suffix = np.minimum(backwards[::-1], shorter - prefix)
    sides = (references, predictions)
    left, right = (side.runs(side.offsets[:-1] + prefix, side.lengths - prefix - suffix) for side in sides)
    return left, right


def _common_prefixes(left: Segments, right: Segments, shorter: IntArray) -> IntArray:
    """Return the length of each pair's common prefix, shape (n,); `shorter` is the length of the shorter side."""
    left_ids, offsets = left.runs(left.offsets[:-1], shorter)
    differs = left_ids != right.runs(right.offsets[:-1], shorter).ids
    # A sentinel mismatch at the end stops the last pairs.
    mismatches = np.append(np.flatnonzero(differs), len(differs))
    prefix: IntArray = np.minimum(mismatches[np.searchsorted(mismatches, offsets[:-1])] - offsets[:-1], shorter)
    return prefix


def _reversed(segments: Segments) -> Segments:
    """Reverse the order of all tokens, and with it the order of the segments."""
    return Segments(segments.ids[::-1], segments.offsets[-1] - segments.offsets[::-1])


# rapidfuzz-cpp 3.3.4 (levenshtein_align_hirschberg) splits the prediction in half if its two bit matrices need a
# megabyte or more (2048 x 2048 tokens at most), unless a side is short. A split can change which optimal alignment is
# found (it did for 9 of 24 random pairs of 5000 x 4000 tokens, 2 or 3 of them distinct), so the limits here are equal.
_MATRIX_BYTES = 1 << 20
_SHORT_REFERENCE = 65
_SHORT_PREDICTION = 10
_UNREACHED = np.iinfo(np.int64).max // 4


class _Row(NamedTuple):
    """A window of one row of the distance matrix: its value `first` at column `start`, then `width` steps right.

    Bit k of `rises` (VP) is set if the value grows by one from column start + k to the next. Bit k of `falls` (VN) is
    set if it drops by one.
    """

    start: int
    width: int
    first: int
    rises: int
    falls: int


def edit_script(reference: Sequence[int], prediction: Sequence[int]) -> list[Edit]:
    """Return the shortest list of edits from `reference` to `prediction`, in text order; [] for equal sides.

    Ties are broken as in rapidfuzz.distance.Levenshtein.editops (3.14).
    Takes O(nm / 64) time, and O(n + m) memory plus two megabytes and n / 8 bytes per distinct reference token.

    >>> [tuple(edit) for edit in edit_script([1, 2], [3, 1])]
    [('insert', 0, 0), ('delete', 1, 2)]
    """
    return list(_script(reference, prediction, max(len(reference), len(prediction)), 0, 0))


def _script(
    reference: Sequence[int], prediction: Sequence[int], bound: int, reference_start: int, prediction_start: int
) -> Iterator[Edit]:
    """Yield the edits of a part of the pair: `bound` limits their number, the starts are its places in the whole."""
    # 1. Remove the common prefix, then the common suffix.
    prefix = _common_prefix(reference, prediction)
    suffix = _common_prefix(reference[prefix:][::-1], prediction[prefix:][::-1])
    reference = reference[prefix : len(reference) - suffix]
    prediction = prediction[prefix : len(prediction) - suffix]
    reference_start += prefix
    prediction_start += prefix
    bound = min(bound, max(len(reference), len(prediction)))

    # 2. Keep a matrix of moderate size, and trace the path back through it.
    short = len(reference) < _SHORT_REFERENCE or len(prediction) < _SHORT_PREDICTION
    if short or _fits_whole(min(len(reference), 2 * bound + 1), len(prediction)):
        for kind, i, j in reversed(_traced_back(reference, prediction, bound)):
            yield Edit(kind, reference_start + i, prediction_start + j)
        return

    # 3. Split a larger matrix where the first optimal path crosses its middle row (Hirschberg 1975).
    middle = len(prediction) // 2
    before = _distances(reference, prediction, bound, middle)
    after = _distances(reference[::-1], prediction[::-1], bound, len(prediction) - middle)[::-1]
    i = int(np.argmin(before + after))
    yield from _script(reference[:i], prediction[:middle], int(before[i]), reference_start, prediction_start)
    yield from _script(
        reference[i:], prediction[middle:], int(after[i]), reference_start + i, prediction_start + middle
    )


def _fits_whole(width: int, rows: int) -> bool:
    """Whether rapidfuzz keeps a matrix of this size."""
    return 2 * width * rows // 8 < _MATRIX_BYTES


def _common_prefix(left: Sequence[int], right: Sequence[int]) -> int:
    differing = (k for k, (a, b) in enumerate(zip(left, right, strict=False)) if a != b)
    return next(differing, min(len(left), len(right)))


def _rows(reference: Sequence[int], prediction: Sequence[int], bound: int, count: int) -> Iterator[_Row]:
    """Yield rows 1 to `count` of the distance matrix, exact in all cells on paths of at most `bound` edits.

    Names and steps follow Hyyrö (2003), "A bit-vector algorithm for computing Levenshtein and Damerau edit
    distances". The window follows the band of diagonals that such paths can touch. Values outside the band may be too
    high but never too low, so that no path gets cheaper.
    """
    # A path through diagonal d = column - row has at least |d| + |surplus - d| edits (Ukkonen 1985).
    surplus = len(reference) - len(prediction)
    before_band, highest = -((bound - surplus) // 2) - 1, (bound + surplus) // 2
    width = min(len(reference), highest - before_band)
    window, top = (1 << width) - 1, 1 << width >> 1
    matches = match_masks(reference, prediction).get
    start, first, vp, vn = 0, 0, window, 0
    for row, token in enumerate(prediction[:count], 1):
        if row + before_band > 0:
            start, first, vp, vn = start + 1, first + (vp & 1) - (vn & 1), vp >> 1 | top, vn >> 1
        match = matches(token, 0)
        if start:
            match >>= start
        match &= window
        d0 = (((match & vp) + vp) ^ vp) | match | vn
        hp = (vn | window & ~(d0 | vp)) << 1 | 1
        hn = (vp & d0) << 1
        first, vp, vn = first + 1, (hn | ~(d0 | hp)) & window, d0 & hp & window
        yield _Row(start, width, first, vp, vn)


def _traced_back(reference: Sequence[int], prediction: Sequence[int], bound: int) -> list[Edit]:
    """Return the edits from last to first. Ties are broken as in rapidfuzz-cpp (recover_alignment).

    At each cell, take a deletion if it is on an optimal path, else an insertion if the cell above is lower than its
    left neighbour, else the diagonal.
    """
    rows = list(_rows(reference, prediction, bound, len(prediction)))
    i, j = len(reference), len(prediction)
    edits = []
    while i and j:
        row, above = rows[j - 1], rows[j - 2]
        if row.rises >> (i - row.start - 1) & 1:
            i -= 1
            edits.append(Edit("delete", i, j))
        elif j > 1 and above.falls >> (i - above.start - 1) & 1:
            j -= 1
            edits.append(Edit("insert", i, j))
        else:
            i, j = i - 1, j - 1
            if reference[i] != prediction[j]:
                edits.append(Edit("substitute", i, j))
    edits += [Edit("delete", k, 0) for k in reversed(range(i))]
    edits += [Edit("insert", 0, k) for k in reversed(range(j))]
    return edits


def _distances(reference: Sequence[int], prediction: Sequence[int], bound: int, count: int) -> IntArray:
    """Return the distances of prediction[:count] to each prefix of the reference, shape (n + 1,), huge off the band."""
    row = deque(_rows(reference, prediction, bound, count), maxlen=1).pop()
    end = min(row.start + row.width, len(reference))
    steps = _bits(row.rises, end - row.start) - _bits(row.falls, end - row.start)
    distances = np.full(len(reference) + 1, _UNREACHED)
    distances[row.start : end + 1] = row.first + offsets_of(steps)
    return distances


def _bits(word: int, count: int) -> IntArray:
    """Return the lowest `count` bits of `word`, lowest first, shape (count,)."""
    as_bytes = np.frombuffer(word.to_bytes(word.bit_length() // 8 + 1, "little"), dtype=np.uint8)
    return np.unpackbits(as_bytes, count=count, bitorder="little").astype(np.int64)


def edit_counts(references: Segments, predictions: Segments) -> IntArray:
    """Return hits, substitutions, deletions and insertions of each pair, int64, shape (n, 4).

    references, predictions: n segments each; pair i consists of segment i of both.
    The number of errors is minimal. Ties between alignments are broken as in jiwer 4.0, which uses
    rapidfuzz.distance.Levenshtein.opcodes. If one side is empty, all units are inserted or deleted.

    >>> references = Segments(np.array([1, 2, 1, 2]), np.array([0, 2, 4, 4]))
    >>> predictions = Segments(np.array([2, 3, 3, 1, 5]), np.array([0, 2, 4, 5]))
    >>> edit_counts(references, predictions).tolist()
    [[0, 2, 0, 0], [1, 0, 1, 1], [0, 0, 0, 1]]
    """
    left, right = without_common_affixes(references, predictions)
    hits = references.lengths - left.lengths
    deletions = np.where(right.lengths == 0, left.lengths, 0)
    to_align = (left.lengths > 0) & (right.lengths > 0)
    in_lanes = worthwhile(to_align & fitting(left, right))
    for block in lane_blocks(left, right, np.flatnonzero(in_lanes)):
        matched, deleted = _lanes_traced_back(block)
        hits[block.pairs] += popcount(matched)
        deletions[block.pairs] = popcount(deleted)
    for pair in np.flatnonzero(to_align & ~in_lanes).tolist():
        reference, prediction = left.row(pair).tolist(), right.row(pair).tolist()
        if _fits_whole(len(reference), len(prediction)):
            middle_hits, _, deletions[pair], _ = fast_edit_counts(reference, prediction)
        else:
            edits = Counter(edit.kind for edit in edit_script(reference, prediction))
            middle_hits, deletions[pair] = len(reference) - edits["substitute"] - edits["delete"], edits["delete"]
        hits[pair] += middle_hits
    substitutions = references.lengths - hits - deletions
    insertions = predictions.lengths - hits - substitutions
    return np.stack([hits, substitutions, deletions, insertions], axis=1)


def edit_operations(reference: IntArray, prediction: IntArray) -> list[Operation]:
    """Return the alignment of one pair as a list of operations, equal to jiwer 4.0's; [] for two empty sides.

    >>> for operation in edit_operations(np.array([1, 2, 3]), np.array([1, 4, 4, 3])):
    ...     print(*operation)
    equal 0 1 0 1
    insert 1 1 1 2
    substitute 1 2 2 3
    equal 2 3 3 4
    """
    return operations(edit_script(reference.tolist(), prediction.tolist()), len(reference), len(prediction))


def _lanes_traced_back(block: LaneBlock) -> tuple[Lanes, Lanes]:
    """Return the matched and the deleted reference tokens as bits, shape (p,) each, with the ties of `_traced_back`.

    Names and steps are those of `_rows`: bit i of a row tells whether its value rises (VP) or falls (VN) by one from i
    to i + 1 reference tokens.
    """
    # 1. Compute all rows. Row 0 precedes the first prediction token.
    masks = block.masks
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
    # 2. Walk up all lanes, one row at a time. `rest` has a bit for each reference token not yet passed; its top bit is
    # the current column.
    width = masks.dtype.itemsize * 8
    rest = np.array([(1 << k) - 1 for k in range(width + 1)], dtype=masks.dtype)[block.left_lengths]
    matched, deleted = np.zeros_like(rest), np.zeros_like(rest)
    for row in reversed(range(len(masks))):
        # Right lengths ascend within a block, so these lanes have a prediction token in this row.
        lanes = slice(np.searchsorted(block.right_lengths, row, side="right"), None)
        # Delete while the value rises towards the current column.
        kept = filled_below(rest[lanes] & ~rises[row + 1, lanes])
        deleted[lanes] |= rest[lanes] ^ kept
        # Insert and stay in the column if the row above falls there, else move diagonally.
        column = kept ^ (kept >> 1)
        inserted = column & falls[row, lanes]
        matched[lanes] |= (column ^ inserted) & masks[row, lanes]
        rest[lanes] = kept >> 1 | inserted
    return matched, deleted | rest
