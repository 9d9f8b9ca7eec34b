"""Alignments of least total cost, where substitutions, deletions, insertions have a price each.

Every alignment has the key (total cost, reference tokens without a match, number of errors); the least key wins.
So the cheapest alignment is taken, of these the one with most hits, of these the one with fewest errors.  Pairs with
the same key have the same four counts, which hence never depend on the order in which a program looks.

The key is one integer, cost * K**2 + unmatched * K + errors with K above every length, so that keys add up along a
path and compare at once.  Costs are scaled to integers first: no tie is decided by rounding.
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

# One row of a block, 8 bytes a cell, stays in the second-level cache with its temporaries.
_ROW_CELLS = 1 << 14

# How a cell of the key table is reached, in the order in which ties are settled.
_DIAGONAL, _DELETE, _INSERT = range(3)
_KINDS: tuple[EditKind, ...] = ("substitute", "delete", "insert")

Keys = npt.NDArray[Any]


class Costs(NamedTuple):
    """Price of each edit, positive; sclite 2.10 has 4, 3, 3.  A float means the decimal that Python prints for it."""

    substitution: int | float = 1
    deletion: int | float = 1
    insertion: int | float = 1


class _Steps(NamedTuple):
    """What each edit adds to a key; `base` is the K of the module docstring."""

    substitution: int
    deletion: int
    insertion: int
    base: int


def weighted_edit_counts(references: Segments, predictions: Segments, costs: Costs) -> IntArray:
    """Hits, substitutions, deletions, insertions of each pair, shape (n, 4) int64, columns in this order.

    references, predictions: n segments each, ids >= 0; pair i is the two segments i.
    An empty side leaves insertions or deletions only.  Time O(nm) a pair, memory O(tokens).

    Three errors at cost 10 are dearer than four at cost 9, which hit one token more:
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
    # Pairs of about equal sizes go together, of about _ROW_CELLS cells a row.
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
    """One alignment of least key, as a list of chunks; [] for two empty sides.

    Of equal keys it is the one which, read from the end, takes a match or substitution before a deletion, a deletion
    before an insertion.  Time O(nm), memory nm bytes.

    >>> for operation in weighted_edit_operations(np.array([1, 2, 3]), np.array([4, 5, 1]), Costs(4, 2, 2)):
    ...     print(*operation)
    insert 0 0 0 2
    equal 0 1 2 3
    delete 1 3 3 3
    """
    steps = _steps(costs, len(reference) + len(prediction))
    # How each cell of the key table is reached; the first column is insertions.
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
    """Steps for pairs of at most `length` tokens on both sides together."""
    for name, cost in zip(Costs._fields, costs, strict=True):
        if not (cost > 0 and math.isfinite(cost)):
            raise ValueError(f"{name}={cost!r}: a cost must be a positive number")
    exact = [Fraction(str(cost)) for cost in costs]
    scale = math.lcm(*(cost.denominator for cost in exact))
    substitution, deletion, insertion = (int(cost * scale) for cost in exact)
    base = length + 1
    return _Steps((substitution * base + 1) * base + 1, (deletion * base + 1) * base + 1, insertion * base**2 + 1, base)


def _dtype(steps: _Steps) -> type:
    """Machine integers where every key fits, else Python's."""
    return np.int64 if max(steps) * steps.base < 1 << 62 else object


def _least_keys(left: Segments, right: Segments, steps: _Steps) -> Keys:
    """The least key of each of p pairs, shape (p,)."""
    widths = int(left.lengths.max(initial=0)), int(right.lengths.max(initial=0))
    rows = _rows(left.padded(widths[0], -1), right.padded(widths[1], -2), steps)
    keys: Keys = np.zeros(len(left.lengths), dtype=_dtype(steps))
    for j, (row, _) in enumerate(rows):
        ending = np.flatnonzero(right.lengths == j)
        keys[ending] = row[ending, left.lengths[ending]]
    keys += left.lengths.astype(keys.dtype) * steps.deletion
    return keys


def _rows(left: IntArray, right: IntArray, steps: _Steps) -> Iterator[tuple[Keys, Keys]]:
    """Rows 0 to m of the key tables of p pairs of shapes (p, n), (p, m), one (p, n + 1) row a prediction token.

    With each row comes what its columns from 1 on would be after a match or substitution, shape (p, n); in row 0,
    which has none, something larger.
    Wagner & Fischer (1974), with column i lowered by i deletions: so a deletion is a move to the right for nothing,
    and the whole row is settled by one running minimum.
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
