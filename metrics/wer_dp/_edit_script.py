"""Alignment of one pair of any length, with a Python integer as the row of a bit matrix."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ._edit_operations import Edit
from ._segments import IntArray

# rapidfuzz-cpp 3.3.4 (levenshtein_align_hirschberg) halves the prediction when its two bit matrices would take a
# megabyte or more (2048 x 2048 tokens at the top), unless a side is short.  Halving may pick another of the best
# alignments (it did for 9 of 24 random pairs of 5000 x 4000 tokens, 2 or 3 of them distinct), hence the same limits.
_MATRIX_BYTES = 1 << 20
_SHORT_REFERENCE = 65
_SHORT_PREDICTION = 10
_UNREACHED = np.iinfo(np.int64).max // 4


class _Row(NamedTuple):
    """A window of one row of the distance matrix: its value at column `start`, then `width` steps to the right.

    Bit k of `rises` (VP) says that the value grows by one from column start + k to the next, of `falls` (VN) that
    it drops by one.
    """

    start: int
    width: int
    first: int
    rises: int
    falls: int

    def rises_to(self, column: int) -> int:
        return self.rises >> (column - self.start - 1) & 1

    def falls_to(self, column: int) -> int:
        return self.falls >> (column - self.start - 1) & 1


def edit_script(reference: Sequence[int], prediction: Sequence[int]) -> list[Edit]:
    """The fewest edits that turn `reference` into `prediction`, in text order; [] for equal sides.

    Among equally short scripts it is the one of rapidfuzz.distance.Levenshtein.editops (3.14).
    Time O(nm / 64), memory O(n + m) plus two megabytes, plus n / 8 bytes for every different token of the reference.

    >>> [tuple(edit) for edit in edit_script([1, 2], [3, 1])]
    [('insert', 0, 0), ('delete', 1, 2)]
    """
    return list(_script(reference, prediction, max(len(reference), len(prediction)), 0, 0))


def _script(
    reference: Sequence[int], prediction: Sequence[int], bound: int, reference_start: int, prediction_start: int
) -> Iterator[Edit]:
    """Edits of a pair that is at most `bound` apart and starts at these two places of the whole."""
    # 1. Cut off the common prefix, then the common suffix.
    prefix = _common_prefix(reference, prediction)
    suffix = _common_prefix(reference[prefix:][::-1], prediction[prefix:][::-1])
    reference = reference[prefix : len(reference) - suffix]
    prediction = prediction[prefix : len(prediction) - suffix]
    reference_start += prefix
    prediction_start += prefix
    bound = min(bound, max(len(reference), len(prediction)))

    # 2. A matrix of moderate size is kept, then walked through backwards.
    band_width = min(len(reference), 2 * bound + 1)
    matrix_bytes = 2 * band_width * len(prediction) // 8
    if matrix_bytes < _MATRIX_BYTES or len(reference) < _SHORT_REFERENCE or len(prediction) < _SHORT_PREDICTION:
        for kind, i, j in reversed(_traced_back(reference, prediction, bound)):
            yield Edit(kind, reference_start + i, prediction_start + j)
        return

    # 3. A larger one is cut in two (Hirschberg 1975), at a point of a best path.
    i, j, left_distance, right_distance = _halfway(reference, prediction, bound)
    yield from _script(reference[:i], prediction[:j], left_distance, reference_start, prediction_start)
    yield from _script(reference[i:], prediction[j:], right_distance, reference_start + i, prediction_start + j)


def _common_prefix(left: Sequence[int], right: Sequence[int]) -> int:
    for k, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return k
    return min(len(left), len(right))


def _rows(reference: Sequence[int], prediction: Sequence[int], bound: int, count: int) -> Iterator[_Row]:
    """Rows 1 to `count` of the distance matrix, exact in every cell of a path of at most `bound` edits.

    Names and steps follow Hyyrö (2003), "A bit-vector algorithm for computing Levenshtein and Damerau edit
    distances".  The window moves with the band of diagonals that such a path may touch.  Values outside
    the band are taken too high, never too low, so that no path is made cheaper than it is.
    """
    # A path through diagonal d = column - row has at least |d| + |surplus - d| edits (Ukkonen 1985).
    surplus = len(reference) - len(prediction)
    before_band, highest = -((bound - surplus) // 2) - 1, (bound + surplus) // 2
    width = min(len(reference), highest - before_band)
    window, top = (1 << width) - 1, 1 << width >> 1
    matches = _match_masks(reference)
    start, first, vp, vn = 0, 0, window, 0
    for row, token in enumerate(prediction[:count], 1):
        if row + before_band > 0:
            start, first, vp, vn = start + 1, first + (vp & 1) - (vn & 1), vp >> 1 | top, vn >> 1
        match = matches.get(token, 0) >> start & window
        d0 = ((((match & vp) + vp) ^ vp) | match | vn) & window
        hp = (vn | ~(d0 | vp) & window) << 1 | 1
        hn = (vp & d0) << 1
        first, vp, vn = first + 1, (hn | ~(d0 | hp)) & window, d0 & hp
        yield _Row(start, width, first, vp, vn)


def _match_masks(reference: Sequence[int]) -> dict[int, int]:
    """For each token the set of its places: bit i stands for reference[i]."""
    masks: defaultdict[int, bytearray] = defaultdict(lambda: bytearray(len(reference) // 8 + 1))
    for i, token in enumerate(reference):
        masks[token][i // 8] |= 1 << i % 8
    return {token: int.from_bytes(mask, "little") for token, mask in masks.items()}


def _traced_back(reference: Sequence[int], prediction: Sequence[int], bound: int) -> list[Edit]:
    """Edits from the last to the first, by the tie rule of rapidfuzz-cpp (recover_alignment).

    At each cell a deletion is taken if one is on a best path, else an insertion if the cell above is lower than its
    left neighbour, else the diagonal.
    """
    rows = list(_rows(reference, prediction, bound, len(prediction)))
    i, j = len(reference), len(prediction)
    edits = []
    while i and j:
        if rows[j - 1].rises_to(i):
            i -= 1
            edits.append(Edit("delete", i, j))
        elif j > 1 and rows[j - 2].falls_to(i):
            j -= 1
            edits.append(Edit("insert", i, j))
        else:
            i -= 1
            j -= 1
            if reference[i] != prediction[j]:
                edits.append(Edit("substitute", i, j))
    edits += [Edit("delete", k, 0) for k in reversed(range(i))]
    edits += [Edit("insert", 0, k) for k in reversed(range(j))]
    return edits


def _halfway(reference: Sequence[int], prediction: Sequence[int], bound: int) -> tuple[int, int, int, int]:
    """Where a best path crosses the middle of the prediction (the first such column), its cost before, then after."""
    middle = len(prediction) // 2
    before = _distances(reference, prediction, bound, middle)
    after = _distances(reference[::-1], prediction[::-1], bound, len(prediction) - middle)[::-1]
    column = int(np.argmin(before + after))
    return column, middle, int(before[column]), int(after[column])


def _distances(reference: Sequence[int], prediction: Sequence[int], bound: int, count: int) -> IntArray:
    """Distances of prediction[:count] to every prefix of the reference, shape (n + 1,); very large outside the band."""
    row = deque(_rows(reference, prediction, bound, count), maxlen=1).pop()
    end = min(row.start + row.width, len(reference))
    steps = _bits(row.rises, end - row.start) - _bits(row.falls, end - row.start)
    distances = np.full(len(reference) + 1, _UNREACHED)
    distances[row.start : end + 1] = row.first + np.concatenate(([0], np.cumsum(steps)))
    return distances


def _bits(word: int, count: int) -> IntArray:
    """The lowest `count` bits of `word`, lowest first, shape (count,)."""
    as_bytes = np.frombuffer(word.to_bytes(word.bit_length() // 8 + 1, "little"), dtype=np.uint8)
    return np.unpackbits(as_bytes, count=count, bitorder="little").astype(np.int64)
