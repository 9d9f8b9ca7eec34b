"""A metric as a function for Dataset.map: scores of rows as new columns."""

from __future__ import annotations

import copy
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any, Protocol

import datasets
import numpy as np
import pyarrow as pa

from ._progress import with_bar
from ._resampling import FloatArray
from ._segments import IntArray

# Rows of a stream that are read at once.
_BATCH = 10_000


class RowMetric(Protocol):
    """What a row scorer asks of a metric."""

    def headlines(self) -> list[str]:
        """The scores that rows have."""

    def statistic_names(self) -> list[str]:
        """The names of what is counted."""

    def statistics(self, **columns: Any) -> IntArray:
        """What is counted of every row."""

    def row_scores(self, statistics: IntArray) -> FloatArray:
        """The headlines of every row, from what is counted of it."""


class RowScorer:
    """Takes a batch of rows, as map hands it over in any format; gives it back with columns of scores.

    Its pickle, and with it the fingerprint by which datasets finds cached results, depends on the metric's options and
    code, as the metric's own does, and on the names here.
    """

    def __init__(
        self, metric: RowMetric, columns: Mapping[str, str], prefix: str, scores: Sequence[str], statistics: bool
    ) -> None:
        """columns: the names of the dataset's columns, by those of the metric.

        prefix: begins the names of the new columns.
        scores: which of the metric's headlines become columns.
        statistics: whether what is counted becomes columns, too.
        """
        self._metric = metric
        self._columns = dict(columns)
        self._prefix = prefix
        self._scores = list(scores)
        self._statistics = statistics

    def __call__(self, batch: Any) -> Any:
        """The batch with its new columns: a table for a table, a data frame for a data frame, else a dictionary."""
        # A column that map's own dictionary has handed out as a list is written anew; one that its copy has is not.
        rows = copy.copy(batch) if isinstance(batch, MutableMapping) else batch
        counted = self._metric.statistics(**{name: _column(rows, own) for name, own in self._columns.items()})
        new = self._new_columns(counted)
        if isinstance(batch, pa.Table):
            for name, column in new.items():
                batch = batch.append_column(name, pa.array(column))
            return batch
        # What map makes of a dictionary for a data frame lacks the other columns.
        if hasattr(batch, "assign"):
            return batch.assign(**new)
        # A stream gives its rows as they are here, and they are no arrays.
        return {name: column.tolist() if isinstance(batch, dict) else column for name, column in new.items()}

    def features(self, features: datasets.Features) -> datasets.Features:
        """The features of a dataset after map, which IterableDataset.map takes as `features`."""
        new = {f"{self._prefix}{name}": datasets.Value("float64") for name in self._scores}
        if self._statistics:
            new.update({f"{self._prefix}{name}": datasets.Value("int64") for name in self._metric.statistic_names()})
        return datasets.Features({**features, **new})

    def _new_columns(self, counted: IntArray) -> dict[str, FloatArray | IntArray]:
        names = self._metric.headlines()
        scores = self._metric.row_scores(counted)
        columns: dict[str, FloatArray | IntArray] = {
            f"{self._prefix}{name}": scores[:, names.index(name)] for name in self._scores
        }
        if self._statistics:
            named = zip(self._metric.statistic_names(), counted.T, strict=True)
            columns.update({f"{self._prefix}{name}": column for name, column in named})
        return columns


def statistic_rows(data: Any, names: Sequence[str]) -> IntArray:
    """The columns of these names as rows of statistics, shape (n, len(names)), int64.

    data: a dataset, also one that streams; a data frame, an arrow table, a mapping of columns.
    Raises ValueError for a column that is not there.
    """
    if isinstance(data, datasets.IterableDataset):
        batches = (_rows(batch, names) for batch in data.iter(batch_size=_BATCH))
        parts = with_bar(batches, "Read statistics", " rows", len)
        return np.concatenate([np.empty((0, len(names)), np.int64), *parts])
    if isinstance(data, datasets.Dataset):
        _check_names(data.column_names, names)
        return _rows(data.select_columns(list(names)).with_format("arrow")[:], names)
    return _rows(data, names)


def _rows(batch: Any, names: Sequence[str]) -> IntArray:
    columns = [np.asarray(_column(batch, name)) for name in names]
    for name, column in zip(names, columns, strict=True):
        if column.dtype.kind not in "iu":
            raise ValueError(f"column {name!r} is of type {column.dtype}: statistics are integers")
    return np.stack(columns, axis=1).astype(np.int64)


def _column(batch: Any, name: str) -> Any:
    known = batch.column_names if isinstance(batch, pa.Table) else list(batch.keys())
    _check_names(known, [name])
    return batch[name]


def _check_names(known: Sequence[str], names: Sequence[str]) -> None:
    missing = [name for name in names if name not in known]
    if missing:
        raise ValueError(f"there is no column {missing[0]!r}: the columns are {', '.join(known)}")
