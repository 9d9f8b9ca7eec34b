"""Distances and alignments of long pairs, compiled by numba: ten times as fast as edits.py on Python's integers.

A block is 64 reference tokens, one bit each. The kernel goes through the rows of one block after the other, so that the
state of a block stays in registers, and each row hands two bits to the next block. Names follow Hyyrö (2003), as in
edits.py.
"""

from __future__ import annotations

import functools
import importlib.util
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from evenscore.inputs import warn_caller
from evenscore.text.segments import IntArray, Segments

Bits = npt.NDArray[np.uint64]
Steps = npt.NDArray[np.int8]

# The kinds of steps on a path.
HIT, SUBSTITUTE, DELETE, INSERT = range(4)
UNREACHED = np.iinfo(np.int64).max // 4
_ALL, _NONE, _ONE, _TOP = np.uint64(2**64 - 1), np.uint64(0), np.uint64(1), np.uint64(63)

# So many cells of distance matrices take 0.3 to 1 s without kernels. Loading numba and its kernels takes 0.3 to 0.5 s,
# compiling them some seconds, once. What a pair takes besides its cells counts as more of them.
_WORTHWHILE = 1 << 28
_CELLS_PER_PAIR = 600
_done = {"cells": 0}


def add_work(cells: int, pairs: int) -> None:
    """Note that this process aligns pairs with so many cells in all, or takes as long otherwise without kernels."""
    _done["cells"] += cells + pairs * _CELLS_PER_PAIR


def pay_off() -> bool:
    """Whether kernels should align: without them, this process has already lost the time that loading them takes.

    False if numba is told to compile nothing, since Python runs the kernels a hundred times as slowly, and where a
    published metric has been loaded without numba.
    """
    return _done["cells"] >= _WORTHWHILE and _may_compile()


# numba reads the variable once, too.
@functools.cache
def _may_compile() -> bool:
    if importlib.util.find_spec("numba") is None:
        warn_caller("numba is not installed, so long texts take up to ten times as long: pip install numba")
        return False
    return os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"


@functools.cache
def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    # Most processes need no kernel, so numba is not imported at the top.
    from evenscore.kernel import kernel

    return kernel(function)


def run_kernel(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a kernel, which is compiled at its first call."""
    return _compiled(function)(*arguments)


def path_back(reference: IntArray, prediction: IntArray, bound: int, masks: Bits) -> Steps:
    """Return the kinds of steps from the start of a pair to its end, with the ties of `edits._traced_back`.

    reference, prediction: ids below len(masks), which are all 0 and are so again afterwards.
    bound: at least the number of edits.

    >>> path_back(np.array([0, 1]), np.array([2, 0]), 2, np.zeros(3, np.uint64)).tolist() == [INSERT, HIT, DELETE]
    True
    """
    band = run_kernel(_banded, reference, prediction, bound, len(prediction), masks, True)
    kinds: Steps = run_kernel(_traced_back, reference, prediction, *band[:-1])
    return kinds


def last_row(reference: IntArray, prediction: IntArray, bound: int, count: int, masks: Bits) -> IntArray:
    """Return the distances of prediction[:count] to each prefix of the reference, as `edits._distances` does.

    >>> last_row(np.array([0, 1]), np.array([2, 0]), 2, 1, np.zeros(3, np.uint64)).tolist()
    [1, 1, 2]
    """
    # Reversed sides would be another type of array, for which numba compiles anew.
    sides = np.ascontiguousarray(reference), np.ascontiguousarray(prediction)
    distances: IntArray = run_kernel(_banded, *sides, bound, count, masks, False)[-1]
    return distances


def short_counts(references: Segments, predictions: Segments) -> IntArray:
    """Return `edits.edit_counts` of the pairs whose references have at most 64 tokens, and zeros for the others.

    references, predictions: int64. Most texts have few words, and comparing them takes less time than a table of masks.

    >>> references, predictions = (Segments(np.array(side), np.array([0, len(side)])) for side in ([1, 2, 3], [1, 3]))
    >>> short_counts(references, predictions).tolist()
    [[2, 0, 1, 0]]
    """
    counts: IntArray = run_kernel(_short_pairs, *references, *predictions)
    return counts


def whole_counts(references: Segments, predictions: Segments, pairs: IntArray, masks: Bits) -> IntArray:
    """Return `edits.edit_counts` of the pairs at these indexes, each from its whole matrix, and zeros for the others.

    references, predictions: int64; masks: as for `path_back`.

    >>> references, predictions = (Segments(np.array(side), np.array([0, len(side)])) for side in ([1, 2, 3], [1, 3]))
    >>> whole_counts(references, predictions, np.array([0]), np.zeros(4, np.uint64)).tolist()
    [[2, 0, 1, 0]]
    """
    counts: IntArray = run_kernel(_whole_pairs, *references, *predictions, pairs, masks)
    return counts


def _banded(
    reference: IntArray, prediction: IntArray, bound: int, count: int, masks: Bits, keep: bool
) -> tuple[IntArray, IntArray, Bits, Bits, IntArray]:
    """Compute rows 1 to `count` of the distance matrix in the band of diagonals of `edits._rows`.

    Returns the first row of each block, where its rows start in the next two, all `rises` and `falls` (one word each if
    not `keep`), and the distances of the last row.
    """
    n = len(reference)
    surplus = n - len(prediction)
    lowest, highest = -((bound - surplus) // 2), (bound + surplus) // 2
    n_blocks = (n + 63) // 64
    firsts, starts = np.empty(n_blocks, np.int64), np.zeros(n_blocks + 1, np.int64)
    for block in range(n_blocks):
        firsts[block] = max(1, 64 * block + 1 - highest)
        starts[block + 1] = starts[block] + max(0, min(count, 64 * block + 64 - lowest) - firsts[block] + 1)
    rises = np.empty(starts[-1] if keep else 1, np.uint64)
    falls = np.empty_like(rises)
    distances = np.full(n + 1, UNREACHED)
    # From a row to the next, the value left of the block grows or drops by one. Beyond the band it grows.
    ups, downs = np.ones(count + 1, np.uint64), np.zeros(count + 1, np.uint64)
    # The value above the first row and left of the block.
    corner = 0
    for block in range(n_blocks):
        left, first, size = 64 * block, firsts[block], starts[block + 1] - starts[block]
        right = min(left + 64, n)
        for k in range(left, right):
            masks[reference[k]] |= _ONE << np.uint64(k - left)
        vp, vn, value = _ALL, _NONE, corner
        for row in range(first, first + size):
            up, down = ups[row], downs[row]
            value += int(up) - int(down)
            match = masks[prediction[row - 1]] | down
            d0 = (((match & vp) + vp) ^ vp) | match | vn
            hp, hn = vn | ~(d0 | vp), vp & d0
            ups[row], downs[row] = hp >> _TOP, hn >> _TOP
            hp, hn = hp << _ONE | up, hn << _ONE | down
            vp, vn = hn | ~(d0 | hp), d0 & hp
            if keep:
                rises[starts[block] + row - first], falls[starts[block] + row - first] = vp, vn
        for k in range(left, right):
            masks[reference[k]] = _NONE
        if first + size > count >= first:
            distances[left] = value
            for k in range(left, right):
                bit = np.uint64(k - left)
                value += int(vp >> bit & _ONE) - int(vn >> bit & _ONE)
                distances[k + 1] = value
        corner += 64
        for row in range(first, min(firsts[block + 1], count + 1) if block + 1 < n_blocks else 0):
            corner += int(ups[row]) - int(downs[row])
    return firsts, starts, rises, falls, distances


def _traced_back(
    reference: IntArray, prediction: IntArray, firsts: IntArray, starts: IntArray, rises: Bits, falls: Bits
) -> Steps:
    i, j = len(reference), len(prediction)
    place = i + j
    kinds = np.empty(place, np.int8)
    while i or j:
        kind = DELETE if i else INSERT
        if i and j:
            block, bit = (i - 1) // 64, np.uint64((i - 1) % 64)
            row = starts[block] + j - firsts[block]
            if rises[row] >> bit & _ONE:
                kind = DELETE
            elif j > firsts[block] and falls[row - 1] >> bit & _ONE:
                kind = INSERT
            else:
                kind = HIT if reference[i - 1] == prediction[j - 1] else SUBSTITUTE
        i -= kind != INSERT
        j -= kind != DELETE
        place -= 1
        kinds[place] = kind
    return kinds[place:]


def _whole_pairs(
    reference_ids: IntArray,
    reference_offsets: IntArray,
    prediction_ids: IntArray,
    prediction_offsets: IntArray,
    pairs: IntArray,
    masks: Bits,
) -> IntArray:
    counts = np.zeros((len(reference_offsets) - 1, 4), np.int64)
    # Block by block, each with a word per row. Row 0 falls nowhere.
    highest, size = 1, 1
    for pair in pairs:
        n = reference_offsets[pair + 1] - reference_offsets[pair]
        height = prediction_offsets[pair + 1] - prediction_offsets[pair] + 1
        highest, size = max(highest, height), max(size, (n + 63) // 64 * height)
    rises, ups = np.empty(size, np.uint64), np.empty(highest, np.uint64)
    falls, downs = np.empty_like(rises), np.empty_like(ups)
    for pair in pairs:
        start, i = reference_offsets[pair], reference_offsets[pair + 1]
        other, j = prediction_offsets[pair], prediction_offsets[pair + 1]
        n, m = i - start, j - other
        while start < i and other < j and reference_ids[start] == prediction_ids[other]:
            start, other = start + 1, other + 1
        while start < i and other < j and reference_ids[i - 1] == prediction_ids[j - 1]:
            i, j = i - 1, j - 1
        left, right = reference_ids[start:i], prediction_ids[other:j]
        hits, deletions, height = n - len(left), 0, len(right) + 1
        ups[:height], downs[:height] = _ONE, _NONE
        for first in range(0, len(left), 64):
            block = left[first : first + 64]
            for k, token in enumerate(block):
                masks[token] |= _ONE << np.uint64(k)
            vp, vn, place = _ALL, _NONE, first // 64 * height
            falls[place] = _NONE
            for row, token in enumerate(right, 1):
                up, down = ups[row], downs[row]
                match = masks[token] | down
                d0 = (((match & vp) + vp) ^ vp) | match | vn
                hp, hn = vn | ~(d0 | vp), vp & d0
                ups[row], downs[row] = hp >> _TOP, hn >> _TOP
                hp, hn = hp << _ONE | up, hn << _ONE | down
                vp, vn = hn | ~(d0 | hp), d0 & hp
                rises[place + row], falls[place + row] = vp, vn
            for token in block:
                masks[token] = _NONE
        i, j = len(left), len(right)
        while i and j:
            place, bit = (i - 1) // 64 * height + j, np.uint64((i - 1) % 64)
            if rises[place] >> bit & _ONE:
                deletions += 1
                i -= 1
            elif falls[place - 1] >> bit & _ONE:
                j -= 1
            else:
                hits += left[i - 1] == right[j - 1]
                i, j = i - 1, j - 1
        deletions += i
        substitutions = n - hits - deletions
        counts[pair] = hits, substitutions, deletions, m - hits - substitutions
    return counts


def _short_pairs(
    reference_ids: IntArray,
    reference_offsets: IntArray,
    prediction_ids: IntArray,
    prediction_offsets: IntArray,
) -> IntArray:
    counts = np.zeros((len(reference_offsets) - 1, 4), np.int64)
    # A word per row of the matrix. Row 0 falls nowhere.
    rises = np.zeros(np.diff(prediction_offsets).max() + 1, np.uint64)
    falls, matches = np.zeros_like(rises), np.zeros_like(rises)
    for pair in range(len(counts)):
        start, i = reference_offsets[pair], reference_offsets[pair + 1]
        other, j = prediction_offsets[pair], prediction_offsets[pair + 1]
        n, m = i - start, j - other
        if n > 64:
            continue
        while start < i and other < j and reference_ids[start] == prediction_ids[other]:
            start, other = start + 1, other + 1
        while start < i and other < j and reference_ids[i - 1] == prediction_ids[j - 1]:
            i, j = i - 1, j - 1
        left, right = reference_ids[start:i], prediction_ids[other:j]
        hits, deletions = n - len(left), 0
        vp, vn = _ALL, _NONE
        for row, token in enumerate(right, 1):
            match = _NONE
            for k in range(len(left)):
                match |= np.uint64(left[k] == token) << np.uint64(k)
            d0 = (((match & vp) + vp) ^ vp) | match | vn
            hp, hn = (vn | ~(d0 | vp)) << _ONE | _ONE, (vp & d0) << _ONE
            vp, vn = hn | ~(d0 | hp), d0 & hp
            rises[row], falls[row], matches[row] = vp, vn, match
        i, j = len(left), len(right)
        while i and j:
            bit = np.uint64(i - 1)
            if rises[j] >> bit & _ONE:
                deletions += 1
                i -= 1
            elif falls[j - 1] >> bit & _ONE:
                j -= 1
            else:
                hits += np.int64(matches[j] >> bit & _ONE)
                i, j = i - 1, j - 1
        deletions += i
        substitutions = n - hits - deletions
        counts[pair] = hits, substitutions, deletions, m - hits - substitutions
    return counts
