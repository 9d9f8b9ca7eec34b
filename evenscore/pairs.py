"""Predictions against references, row by row: checked, counted in blocks, here or by an executor."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from evenscore.inputs import References, check_predictions, check_references, row_blocks
from evenscore.parallel import ordered_results, with_bar
from evenscore.text.segments import IntArray

COLUMNS = ("predictions", "references")
# What is counted of every row, whatever the metric: the first columns of its statistics.
ROW_COLUMNS = ("rows", "references", "references_squared")

# A block that an executor gets: enough work to be worth the way, little enough for every worker to have some.
_TRAVELLING_CHARACTERS = 1 << 20
# Seconds of work for a slow tokenizer, so that a bar can move.
_SLOW_CHARACTERS = 1 << 17


class PairCounter(Protocol):
    """What is asked of a metric of pairs."""

    block_characters: int

    def count(self, predictions: list[str], references: References) -> IntArray:
        """The metric's own statistics of every row."""

    def cuts_text_by_text(self) -> bool:
        """Whether a function or a model cuts texts one by one."""

    def warn(self, predictions: list[str], references: References) -> None:
        """Warn of texts that can be scored, but hardly as they were meant."""


def count_pairs(counter: PairCounter, columns: Mapping[str, Any], executor: Any = None) -> IntArray:
    """The statistics of every row of the columns, ROW_COLUMNS first."""
    texts = check_predictions(columns.get("predictions"))
    checked = check_references(columns.get("references"), len(texts))
    counter.warn(texts, checked)
    counted = _counted_blocks(counter, texts, checked, executor)
    own = [*with_bar(counted, "Count rows", " rows", len, len(texts))]
    return with_row_columns(checked.counts, np.concatenate(own))


def _counted_blocks(
    counter: PairCounter, texts: list[str], references: References, executor: Any
) -> Iterator[IntArray]:
    # Rows know nothing of each other, so blocks of them keep memory flat, and may be counted anywhere.
    if executor is None:
        characters = _SLOW_CHARACTERS if counter.cuts_text_by_text() else counter.block_characters
        return (counter.count(*block) for block in row_blocks(texts, references, characters))
    count = functools.partial(_count_block, counter)
    return ordered_results(executor, count, row_blocks(texts, references, _TRAVELLING_CHARACTERS))


def _count_block(counter: PairCounter, block: tuple[list[str], References]) -> IntArray:
    return counter.count(*block)


def with_row_columns(reference_counts: IntArray, own: IntArray) -> IntArray:
    """The statistics of a metric, shape (n, k), with ROW_COLUMNS before them, shape (n, 3 + k).

    >>> with_row_columns(np.array([2, 1]), np.array([[7], [8]])).tolist()
    [[1, 2, 4, 7], [1, 1, 1, 8]]
    """
    counts = reference_counts[:, None]
    return np.concatenate((np.ones_like(counts), counts, counts**2, own), axis=1)


def references_a_row(total: IntArray) -> dict[str, str]:
    """How many references every row of a sum of statistics has, "var" if they differ, as a field of signatures.

    All rows have the same number if and only if rows * sum of squares == (sum of numbers)^2 (Cauchy-Schwarz).

    >>> references_a_row(np.array([2, 4, 8])), references_a_row(np.array([2, 4, 10]))
    ({'nrefs': '2'}, {'nrefs': 'var'})
    """
    rows, references, squares = map(int, total[: len(ROW_COLUMNS)])
    return {"nrefs": str(references // rows) if rows and rows * squares == references**2 else "var"}
