"""Levenshtein alignments with unit costs: counts for a corpus, operations for one pair."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from evenscore.text.lanes import (
    LANE_BITS,
    LaneBlock,
    Lanes,
    filled_below,
    fitting,
    lane_blocks,
    match_masks,
    popcount,
    worthwhile,
)
from evenscore.text.segments import IntArray, Segments, offsets_of, stacked
from evenscore.text.words import Mask, as_arrow, from_arrow
from evenscore.wer.kernel import (
    DELETE,
    HIT,
    INSERT,
    SUBSTITUTE,
    UNREACHED,
    Bits,
    Steps,
    add_work,
    last_row,
    path_back,
    pay_off,
    short_counts,
    whole_counts,
)
from evenscore.wer.plain import fast_edit_counts, table_counts

EditKind = Literal["substitute", "delete", "insert"]
_NAMES: dict[int, EditKind] = {SUBSTITUTE: "substitute", DELETE: "delete", INSERT: "insert"}


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
# What numpy's calls take for lanes besides their cells, as cells (see `add_work`): at least half a millisecond.
_CELLS_OF_LANES = 1 << 19
# A kernel's table may have an entry for each code point, and for each word of a block of rows.
_MOST_MASKS = 1 << 21
# A kernel aligns two lists of strings faster than Python from this many strings on.
_MANY_STRINGS = 56
# The first guess at the number of edits: the surplus of the longer side, and this part of it.
_GUESSED_PART = 16


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
    Takes O(nk / 64) time for k edits, and O(n + m) memory plus two megabytes. Python's integers take n / 8 bytes more
    for each distinct reference token.

    >>> [tuple(edit) for edit in edit_script([1, 2], [3, 1])]
    [('insert', 0, 0), ('delete', 1, 2)]
    """
    left, right = (Segments(np.array(side, np.int64), np.array([0, len(side)])) for side in (reference, prediction))
    add_work(len(reference) * len(prediction), 1)
    masks = None
    if pay_off():
        left, right, masks = _numbered(left, right)
    kinds = _path(left.ids, right.ids, masks)
    i, j = (offsets_of(kinds != missing) for missing in (INSERT, DELETE))
    places = np.flatnonzero(kinds)
    each = zip(kinds[places].tolist(), i[places].tolist(), j[places].tolist(), strict=True)
    return [Edit(_NAMES[kind], *place) for kind, *place in each]


def _numbered(left: Segments, right: Segments) -> tuple[Segments, Segments, Bits]:
    """Return both sides with small ids, and a kernel's table of these ids."""
    encoded = as_arrow(np.concatenate((left.ids, right.ids))).dictionary_encode()
    # A copy, because numba compiles anew for arrays of another type and for those that cannot be written.
    ids = from_arrow(encoded.indices).astype(np.int64)
    left, right = left._replace(ids=ids[: len(left.ids)]), right._replace(ids=ids[len(left.ids) :])
    return left, right, np.zeros(len(encoded.dictionary), np.uint64)


def _path(reference: IntArray, prediction: IntArray, masks: Bits | None) -> Steps:
    """Return the kinds of steps from the start of a pair to its end; masks: the kernel's table, or None without it."""
    longer = max(len(reference), len(prediction))
    return np.concatenate([*_parts(reference, prediction, longer, masks)])


def _parts(reference: IntArray, prediction: IntArray, bound: int, masks: Bits | None) -> Iterator[Steps]:
    """Yield a path of at most `bound` edits in parts, in text order."""
    # 1. Remove the common prefix, then the common suffix.
    prefix = _common_prefix(reference, prediction)
    suffix = _common_prefix(reference[prefix:][::-1], prediction[prefix:][::-1])
    yield np.full(prefix, HIT, np.int8)
    reference = reference[prefix : len(reference) - suffix]
    prediction = prediction[prefix : len(prediction) - suffix]
    longer = max(len(reference), len(prediction))
    bound = min(bound, longer)

    # 2. Keep a matrix of moderate size, and trace the path back through it.
    short = len(reference) < _SHORT_REFERENCE or len(prediction) < _SHORT_PREDICTION
    if short or _fits_whole(min(len(reference), 2 * bound + 1), len(prediction)):
        yield _traced_back(reference, prediction, bound, masks)
    else:
        # 3. Split a larger matrix where the first optimal path crosses its middle row (Hirschberg 1975).
        if bound == longer:
            # A path in a narrow band has hardly more edits than the best one, and limits their number.
            guess = abs(len(reference) - len(prediction)) + longer // _GUESSED_PART
            bound = int(_distances(reference, prediction, guess, len(prediction), masks)[-1])
        middle = len(prediction) // 2
        before = _distances(reference, prediction, bound, middle, masks)
        after = _distances(reference[::-1], prediction[::-1], bound, len(prediction) - middle, masks)[::-1]
        i = int(np.argmin(before + after))
        yield from _parts(reference[:i], prediction[:middle], int(before[i]), masks)
        yield from _parts(reference[i:], prediction[middle:], int(after[i]), masks)
    yield np.full(suffix, HIT, np.int8)


def _fits_whole(width: Any, rows: Any) -> Any:
    """Whether rapidfuzz keeps a matrix of this size, or of each of these sizes."""
    return 2 * width * rows // 8 < _MATRIX_BYTES


def _common_prefix(left: IntArray, right: IntArray) -> int:
    shorter = min(len(left), len(right))
    differing = np.flatnonzero(left[:shorter] != right[:shorter])
    return int(differing[0]) if len(differing) else shorter


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


def _traced_back(reference: IntArray, prediction: IntArray, bound: int, masks: Bits | None) -> Steps:
    """Return the kinds of steps from the start to the end. Ties are broken as in rapidfuzz-cpp (recover_alignment).

    At each cell, take a deletion if it is on an optimal path, else an insertion if the cell above is lower than its
    left neighbour, else the diagonal.
    """
    if masks is not None:
        return path_back(reference, prediction, bound, masks)
    a, b = reference.tolist(), prediction.tolist()
    rows = list(_rows(a, b, bound, len(b)))
    i, j = len(a), len(b)
    kinds = []
    while i and j:
        row, above = rows[j - 1], rows[j - 2]
        if row.rises >> (i - row.start - 1) & 1:
            kind = DELETE
        elif j > 1 and above.falls >> (i - above.start - 1) & 1:
            kind = INSERT
        else:
            kind = HIT if a[i - 1] == b[j - 1] else SUBSTITUTE
        i, j = i - (kind != INSERT), j - (kind != DELETE)
        kinds.append(kind)
    return np.array([*[DELETE] * i, *[INSERT] * j, *reversed(kinds)], np.int8)


def _distances(reference: IntArray, prediction: IntArray, bound: int, count: int, masks: Bits | None) -> IntArray:
    """Return the distances of prediction[:count] to each prefix of the reference, shape (n + 1,), huge off the band."""
    if masks is not None:
        return last_row(reference, prediction, bound, count, masks)
    row = deque(_rows(reference.tolist(), prediction.tolist(), bound, count), maxlen=1).pop()
    end = min(row.start + row.width, len(reference))
    steps = _bits(row.rises, end - row.start) - _bits(row.falls, end - row.start)
    distances = np.full(len(reference) + 1, UNREACHED)
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
    if not pay_off():
        left, right = without_common_affixes(references, predictions)
        cells = left.lengths * right.lengths
        in_lanes = worthwhile((cells > 0) & fitting(left.lengths, right.lengths))
        more = _CELLS_OF_LANES if in_lanes.any() else 0
        add_work(int(cells.sum()) + more, int(np.count_nonzero(cells)))
    if pay_off():
        return _by_kernels(references, predictions)
    hits, deletions = _by_numpy(left, right, in_lanes)
    hits += references.lengths - left.lengths
    substitutions = references.lengths - hits - deletions
    insertions = predictions.lengths - hits - substitutions
    return np.stack([hits, substitutions, deletions, insertions], axis=1)


def _by_kernels(references: Segments, predictions: Segments) -> IntArray:
    """Return the counts of each pair, shape (n, 4), from compiled kernels."""
    # Copies, because numba compiles anew for arrays of another type and for those that cannot be written.
    references, predictions = (
        Segments(side.ids.astype(np.int64), side.offsets.astype(np.int64)) for side in (references, predictions)
    )
    is_long = references.lengths > LANE_BITS
    counts = np.zeros((len(is_long), 4), np.int64) if is_long.all() else short_counts(references, predictions)
    if is_long.any():
        counts += _long_counts(references, predictions, is_long)
    return counts


def _long_counts(references: Segments, predictions: Segments, is_long: Mask) -> IntArray:
    """Return the counts of the long pairs, and zeros for the others, shape (n, 4)."""
    references, predictions, masks = _with_masks(references, predictions)
    is_whole = _fits_whole(references.lengths, predictions.lengths)
    counts = whole_counts(references, predictions, np.flatnonzero(is_long & is_whole), masks)
    for pair in np.flatnonzero(is_long & ~is_whole).tolist():
        counts[pair] = _of_path(references.row(pair), predictions.row(pair), masks)
    return counts


def _with_masks(left: Segments, right: Segments) -> tuple[Segments, Segments, Bits]:
    """Return both sides with ids below some millions, and a kernel's table of these ids."""
    size = 1 + max(int(side.ids.max(initial=0)) for side in (left, right))
    return (left, right, np.zeros(size, np.uint64)) if size <= _MOST_MASKS else _numbered(left, right)


def string_counts(reference: Sequence[str], prediction: Sequence[str]) -> list[int]:
    """Return what `plain.table_counts` returns, from a kernel if it is loaded and faster.

    >>> string_counts(["sat", "on", "the"], ["sit", "on", "a"])
    [1, 2, 0, 0]
    """
    n, m = len(reference), len(prediction)
    if n + m < _MANY_STRINGS or not _fits_whole(n, m):
        return table_counts(reference, prediction)
    add_work(n * m, 0)
    if not pay_off():
        return table_counts(reference, prediction)
    ids = _string_ids([*reference, *prediction])
    left, right = Segments(ids[:n], np.array([0, n])), Segments(ids[n:], np.array([0, m]))
    counts: list[int] = whole_counts(left, right, np.array([0]), np.zeros(ids.max() + 1, np.uint64))[0].tolist()
    return counts


def _string_ids(strings: list[str]) -> IntArray:
    """Return an id for each string, int64; no string is empty."""
    text = "".join(strings)
    if len(text) == len(strings):
        return np.frombuffer(text.encode("utf-32-le"), np.int32).astype(np.int64)
    numbers = {string: number for number, string in enumerate(dict.fromkeys(strings))}
    return np.fromiter(map(numbers.__getitem__, strings), np.int64, len(strings))


def _by_numpy(left: Segments, right: Segments, in_lanes: Mask) -> tuple[IntArray, IntArray]:
    """Return the hits and the deletions of each pair, from numpy and, where not `in_lanes`, from Python's integers.

    left, right: pairs without common affixes.
    """
    hits, deletions = np.zeros_like(left.lengths), np.where(right.lengths == 0, left.lengths, 0)
    rows = np.arange(len(left.lengths))
    for block in lane_blocks(stacked(left, right), rows, rows + len(rows), np.flatnonzero(in_lanes)):
        hits[block.pairs], deletions[block.pairs] = map(popcount, _lanes_traced_back(block))
    to_align = (left.lengths > 0) & (right.lengths > 0)
    for pair in np.flatnonzero(to_align & ~in_lanes).tolist():
        sides = left.row(pair), right.row(pair)
        if _fits_whole(*map(len, sides)):
            hits[pair], _, deletions[pair], _ = fast_edit_counts(*(side.tolist() for side in sides))
        else:
            hits[pair], _, deletions[pair], _ = _of_path(*sides, None)
    return hits, deletions


def _of_path(reference: IntArray, prediction: IntArray, masks: Bits | None) -> IntArray:
    """Return hits, substitutions, deletions and insertions, shape (4,)."""
    return np.bincount(_path(reference, prediction, masks), minlength=4)


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
