"""What is counted of every row, whatever the metric: the first columns of its statistics."""

from __future__ import annotations

import numpy as np

from ._segments import IntArray

ROW_COLUMNS = ("rows", "references", "references_squared")


def with_row_columns(reference_counts: IntArray, own: IntArray) -> IntArray:
    """The statistics of a metric, shape (n, k), with ROW_COLUMNS before them, shape (n, 3 + k).

    >>> with_row_columns(np.array([2, 1]), np.array([[7], [8]])).tolist()
    [[1, 2, 4, 7], [1, 1, 1, 8]]
    """
    counts = reference_counts[:, None]
    return np.concatenate((np.ones_like(counts), counts, counts**2, own), axis=1)


def references_a_row(total: IntArray) -> str:
    """How many references every row of a sum of statistics has, "var" if they differ.

    All rows have the same number if and only if rows * sum of squares == (sum of numbers)^2 (Cauchy-Schwarz).

    >>> references_a_row(np.array([2, 4, 8])), references_a_row(np.array([2, 4, 10]))
    ('2', 'var')
    """
    rows, references, squares = map(int, total[: len(ROW_COLUMNS)])
    return str(references // rows) if rows and rows * squares == references**2 else "var"
