"""Alignments of minimal total cost, with separate costs of substitutions, deletions and insertions.

Of the alignments of minimal cost, the one of sclite 2.10 counts. It goes back from the end of both sides, and of the
steps that keep the cost minimal it takes the diagonal (a match or a substitution), else an insertion, else a deletion.

Counting needs no way back. A cell of the table holds the key (cost, step, substitutions): the least cost of the cell,
the step that the way back takes from it, and the substitutions on the rest of that way. The smallest key wins, with
the preferred step first where costs are equal. Hits, deletions and insertions follow from cost, substitutions and
lengths.

A key is stored as one integer. The lowest bits hold the substitutions, the middle ones the step, the others the cost.
Costs are scaled to integers first, so that rounding cannot break ties.
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

# The steps into a cell of the table, in the order that breaks ties.
_DIAGONAL, _INSERT, _DELETE = range(3)
_KINDS: tuple[EditKind, ...] = ("substitute", "insert", "delete")

Keys = npt.NDArray[Any]


class Costs(NamedTuple):
    """The cost of each edit, above 0; sclite 2.10 uses 4, 3, 3. A float stands for the decimal that Python prints."""

    substitution: int | float = 1
    deletion: int | float = 1
    insertion: int | float = 1


class WholeCosts(NamedTuple):
    """Costs as integers in the same proportions."""

    substitution: int
    deletion: int
    insertion: int


class _Layout(NamedTuple):
    """The integers that hold keys: their type, and how many bits hold the step and the substitutions."""

    dtype: type
    step_bits: int
    substitution_bits: int

    @property
    def low_bits(self) -> int:
        """The number of bits below the cost."""
        return self.step_bits + self.substitution_bits


def weighted_edit_counts(references: Segments, predictions: Segments, costs: Costs) -> IntArray:
    """Return hits, substitutions, deletions and insertions of each pair, int64, shape (n, 4).

    references, predictions: n segments each, ids >= 0; pair i consists of segment i of both.
    If one side is empty, all units are inserted or deleted. Takes O(nm) time per pair and O(tokens) memory.

    Three errors at cost 12 tie with two at cost 12 and a hit under the second costs, and the way back prefers the
    diagonal; under the third costs the hit is cheaper:
    >>> references = Segments(np.array([1, 2, 3]), np.array([0, 3]))
    >>> predictions = Segments(np.array([4, 5, 1]), np.array([0, 3]))
    >>> for costs in [Costs(1, 1, 1), Costs(4, 3, 3), Costs(4, 2, 2)]:
    ...     print(weighted_edit_counts(references, predictions, costs).tolist())
    [[0, 3, 0, 0]]
    [[0, 3, 0, 0]]
    [[1, 0, 2, 2]]
    """
    whole = whole_costs(costs)
    left, right = without_common_affixes(references, predictions)
    hits, substitutions = references.lengths - left.lengths, np.zeros_like(left.lengths)
    # Group pairs of similar length into blocks of about _ROW_CELLS cells per row.
    order = np.lexsort((right.lengths, left.lengths))
    block = np.cumsum(left.lengths[order] + 1) // _ROW_CELLS
    for pairs in np.split(order, np.flatnonzero(np.diff(block)) + 1):
        matched, substitutions[pairs] = _hits_and_substitutions(left.take(pairs), right.take(pairs), whole)
        hits[pairs] += matched
    deletions, insertions = (side.lengths - hits - substitutions for side in (references, predictions))
    return np.stack([hits, substitutions, deletions, insertions], axis=1)


def weighted_edit_operations(reference: IntArray, prediction: IntArray, costs: Costs) -> list[Operation]:
    """Return the alignment that `weighted_edit_counts` counts as a list of operations; [] for two empty sides.

    Takes O(nm) time and nm bytes of memory.

    >>> for operation in weighted_edit_operations(np.array([1, 2, 3]), np.array([4, 5, 1]), Costs(4, 2, 2)):
    ...     print(*operation)
    insert 0 0 0 2
    equal 0 1 2 3
    delete 1 3 3 3
    """
    whole = whole_costs(costs)
    layout = _layout(len(reference), len(prediction), whole)
    steps = np.array([_steps(row[0], layout) for row in _rows(reference[None], prediction[None], whole, layout)])
    i, j = len(reference), len(prediction)
    edits = []
    while i or j:
        step = steps.item(j, i)
        i -= step != _INSERT
        j -= step != _DELETE
        if step != _DIAGONAL or reference[i] != prediction[j]:
            edits.append(Edit(_KINDS[step], i, j))
    return operations(reversed(edits), len(reference), len(prediction))


def whole_costs(costs: Costs) -> WholeCosts:
    """Return the costs as whole numbers; ValueError unless each is a finite number above 0."""
    for name, cost in zip(Costs._fields, costs, strict=True):
        if not (cost > 0 and math.isfinite(cost)):
            raise ValueError(f"{name}={cost!r}: give a positive number")
    exact = [Fraction(str(cost)) for cost in costs]
    scale = math.lcm(*(cost.denominator for cost in exact))
    return WholeCosts(*(int(cost * scale) for cost in exact))


def _layout(width: int, height: int, costs: WholeCosts) -> _Layout:
    """Return the layout for sides of at most these lengths: the narrowest integers that hold every key."""
    step_bits, substitution_bits = (2 * width + 1).bit_length(), min(width, height).bit_length()
    # A lowered cost is at least -width deletions and at most height insertions; a candidate is one step above.
    greatest = max(costs) * (max(width, height) + 2) << step_bits + substitution_bits
    # Wider integers are those of Python.
    dtype = np.int32 if greatest < 1 << 31 else np.int64 if greatest < 1 << 63 else object
    return _Layout(dtype, step_bits, substitution_bits)


def _hits_and_substitutions(left: Segments, right: Segments, costs: WholeCosts) -> tuple[IntArray, IntArray]:
    """Return hits and substitutions of each of p pairs, int64, shape (p,) each."""
    width, height = int(left.lengths.max(initial=0)), int(right.lengths.max(initial=0))
    layout = _layout(width, height, costs)
    keys: Keys = np.zeros(len(left.lengths), dtype=layout.dtype)
    pairs = np.arange(len(left.lengths))
    for j, row in enumerate(_rows(left.padded(pairs, width, -1), right.padded(pairs, height, -2), costs, layout)):
        ending = np.flatnonzero(right.lengths == j)
        keys[ending] = row[ending, left.lengths[ending]]
    # Products with the costs need wider integers than the keys of a block.
    wide = np.promote_types(layout.dtype, np.int64)
    keys, lengths = keys.astype(wide), right.lengths.astype(wide)
    substitutions = keys & (1 << layout.substitution_bits) - 1
    # Lowered by all deletions, the cost is that of insertions, less what each hit and each substitution saves.
    saved = lengths * costs.insertion - (keys >> layout.low_bits)
    both = costs.deletion + costs.insertion
    hits = (saved - substitutions * (both - costs.substitution)) // both
    return hits.astype(np.int64), substitutions.astype(np.int64)


def _rows(left: IntArray, right: IntArray, costs: WholeCosts, layout: _Layout) -> Iterator[Keys]:
    """Yield rows 0 to m of the tables of p pairs, from ids of shapes (p, n) and (p, m); each has shape (p, n + 1).

    Source: Wagner & Fischer (1974). The costs of column i are lowered by i deletions, so that a deletion is a step
    right at no cost, and one running minimum completes the row. A diagonal step into column i is stored as 2(n - i),
    and an insertion as 2(n - i) + 1. What comes from the left keeps its larger number, so that a deletion is the last
    choice.
    """
    n = left.shape[1]
    step = 1 << layout.substitution_bits

    def adding(cost: int, substitution: int, columns: range, insertion: int) -> Keys:
        low = [step * (2 * (n - i) + insertion) + substitution for i in columns]
        return np.array([(cost << layout.low_bits) + each for each in low], dtype=layout.dtype)

    match = adding(-costs.deletion, 0, range(1, n + 1), 0)
    substitute = adding(costs.substitution - costs.deletion, 1, range(1, n + 1), 0)
    insert = adding(costs.insertion, 0, range(n + 1), 1)
    without_step = ~((1 << layout.low_bits) - step)
    # Column 0 is reached by insertions alone.
    row: Keys = np.full((len(left), n + 1), step * (2 * n + 1), dtype=layout.dtype)
    yield row
    for token in right.T:
        above = row & without_step
        diagonal = np.where(left == token[:, None], match, substitute)
        diagonal += above[:, :-1]
        above += insert
        np.minimum(above[:, 1:], diagonal, out=above[:, 1:])
        row = np.minimum.accumulate(above, axis=1)
        yield row


def _steps(row: Keys, layout: _Layout) -> npt.NDArray[np.int8]:
    """Return the step into each cell of one pair's row, shape (n + 1,)."""
    stored = (row >> layout.substitution_bits & (1 << layout.step_bits) - 1).astype(np.int64)
    steps: npt.NDArray[np.int8] = np.minimum(stored - 2 * np.arange(len(row))[::-1], _DELETE).astype(np.int8)
    return steps
