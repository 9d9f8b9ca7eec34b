"""Alignments of minimal total cost, with separate costs of substitutions, deletions and insertions.

An alignment has the key (total cost, reference tokens without a match, number of errors), and the smallest key wins:
minimal cost first, then most hits, then fewest errors. Equal keys imply equal counts of all four kinds, so the counts
do not depend on the order of the search.

A key is stored as the integer cost * K**2 + unmatched * K + errors, where K exceeds every length. Such keys add up
along a path and compare in one operation. Costs are scaled to integers first, so that rounding cannot break ties.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evenscore.text.segments import IntArray, Segments
from evenscore.wer.edits import Edit, EditKind, Operation, operations, without_common_affixes

# A row of a block, at 8 bytes per cell, fits into the second-level cache with its temporaries.
_ROW_CELLS = 1 << 14

# The steps into a cell of the key table, in the order that breaks ties.
_DIAGONAL, _DELETE, _INSERT = range(3)
_KINDS: tuple[EditKind, ...] = ("substitute", "delete", "insert")

Keys = npt.NDArray[Any]


class Costs(NamedTuple):
    """The cost of each edit, above 0; sclite 2.10 uses 4, 3, 3. A float stands for the decimal that Python prints."""

    substitution: int | float = 1
    deletion: int | float = 1
    insertion: int | float = 1


class _Steps(NamedTuple):
    """The amount that each edit adds to a key; `base` is K in the module docstring."""

    substitution: int
    deletion: int
    insertion: int
    base: int


def weighted_edit_counts(references: Segments, predictions: Segments, costs: Costs) -> IntArray:
    """Return hits, substitutions, deletions and insertions of each pair, int64, shape (n, 4).

    references, predictions: n segments each, ids >= 0; pair i consists of segment i of both.
    If one side is empty, all units are inserted or deleted. Takes O(nm) time per pair and O(tokens) memory.

    With these costs, four errors at cost 9 and one hit beat three errors at cost 10:
    >>> references = Segments(np.array([1, 2, 3]), np.array([0, 3]))
    >>> predictions = Segments(np.array([4, 5, 1]), np.array([0, 3]))
    >>> weighted_edit_counts(references, predictions, Costs(1, 1, 1)).tolist()
    [[0, 3, 0, 0]]
    >>> weighted_edit_counts(references, predictions, Costs(4, 2, 2)).tolist()
    [[1, 0, 2, 2]]
    """
    left, right = without_common_affixes(references, predictions)
    steps = _steps(costs, int((left.lengths + right.lengths).max(initial=0)))
    keys: Keys = np.zeros(len(left.lengths), dtype=_dtype(steps))
    # Group pairs of similar length into blocks of about _ROW_CELLS cells per row.
    order = np.lexsort((right.lengths, left.lengths))
    block = np.cumsum(left.lengths[order] + 1) // _ROW_CELLS
    for pairs in np.split(order, np.flatnonzero(np.diff(block)) + 1):
        keys[pairs] = _least_keys(left.take(pairs), right.take(pairs), steps)
    unmatched = (keys // steps.base % steps.base).astype(np.int64)
    errors = (keys % steps.base).astype(np.int64)
    hits = references.lengths - unmatched
    insertions = errors - unmatched
    substitutions = predictions.lengths - hits - insertions
    return np.stack([hits, substitutions, unmatched - substitutions, insertions], axis=1)


def weighted_edit_operations(reference: IntArray, prediction: IntArray, costs: Costs) -> list[Operation]:
    """Return an alignment with the smallest key as a list of operations; [] for two empty sides.

    Ties are broken from the end of both sides: a match or substitution before a deletion before an insertion. Takes
    O(nm) time and nm bytes of memory.

    >>> for operation in weighted_edit_operations(np.array([1, 2, 3]), np.array([4, 5, 1]), Costs(4, 2, 2)):
    ...     print(*operation)
    insert 0 0 0 2
    equal 0 1 2 3
    delete 1 3 3 3
    """
    steps = _steps(costs, len(reference) + len(prediction))
    # The step into each cell of the key table. All steps in the first column are insertions.
    choices = np.full((len(prediction) + 1, len(reference) + 1), _INSERT, dtype=np.int8)
    for reached, (row, diagonal) in zip(choices, _rows(reference[None], prediction[None], steps), strict=True):
        reached[1:][row[0, 1:] == row[0, :-1]] = _DELETE
        reached[1:][row[0, 1:] == diagonal[0]] = _DIAGONAL
    i, j = len(reference), len(prediction)
    edits = []
    while i or j:
        choice = choices.item(j, i)
        i -= choice != _INSERT
        j -= choice != _DELETE
        if choice != _DIAGONAL or reference[i] != prediction[j]:
            edits.append(Edit(_KINDS[choice], i, j))
    return operations(reversed(edits), len(reference), len(prediction))


def _steps(costs: Costs, length: int) -> _Steps:
    """Return the steps for pairs of at most `length` tokens in total."""
    for name, cost in zip(Costs._fields, costs, strict=True):
        if not (cost > 0 and math.isfinite(cost)):
            raise ValueError(f"{name}={cost!r}: give a positive number")
    exact = [Fraction(str(cost)) for cost in costs]
    scale = math.lcm(*(cost.denominator for cost in exact))
    substitution, deletion, insertion = (int(cost * scale) for cost in exact)
    base = length + 1
    return _Steps((substitution * base + 1) * base + 1, (deletion * base + 1) * base + 1, insertion * base**2 + 1, base)


def _dtype(steps: _Steps) -> type:
    """Return int64 if every key fits, else object, for Python's integers."""
    return np.int64 if max(steps) * steps.base < 1 << 62 else object


def _least_keys(left: Segments, right: Segments, steps: _Steps) -> Keys:
    """Return the smallest key of each of p pairs, shape (p,)."""
    widths = int(left.lengths.max(initial=0)), int(right.lengths.max(initial=0))
    rows = _rows(left.padded(widths[0], -1), right.padded(widths[1], -2), steps)
    keys: Keys = np.zeros(len(left.lengths), dtype=_dtype(steps))
    for j, (row, _) in enumerate(rows):
        ending = np.flatnonzero(right.lengths == j)
        keys[ending] = row[ending, left.lengths[ending]]
    keys += left.lengths.astype(keys.dtype) * steps.deletion
    return keys


def _rows(left: IntArray, right: IntArray, steps: _Steps) -> Iterator[tuple[Keys, Keys]]:
    """Yield rows 0 to m of the key tables of p pairs, from ids of shapes (p, n) and (p, m).

    Each row has shape (p, n + 1). It comes with the keys of its columns 1 to n after a match or substitution, shape
    (p, n); row 0 has none, and comes with larger values.
    Source: Wagner & Fischer (1974). The keys of column i are lowered by i deletions, so that a deletion is a step right
    at no cost, and one running minimum completes the row.
    """
    row = np.zeros((len(left), left.shape[1] + 1), dtype=_dtype(steps))
    match, substitution = np.array([[0], [steps.substitution]], dtype=row.dtype) - steps.deletion
    yield row, row[:, 1:] + 1
    for token in right.T:
        diagonal = row[:, :-1] + np.where(left == token[:, None], match, substitution)
        above = row + steps.insertion
        above[:, 1:] = np.minimum(above[:, 1:], diagonal)
        row = np.minimum.accumulate(above, axis=1)
        yield row, diagonal
