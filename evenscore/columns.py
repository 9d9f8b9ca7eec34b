"""Columns of scores for Dataset.map, and scores from such columns."""

from __future__ import annotations

import abc
import copy
import re
import reprlib
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from typing import Any, Protocol

import datasets
import numpy as np
import pyarrow as pa

from evenscore.options import unknown_option
from evenscore.parallel import with_bar
from evenscore.scorer import CountedScore, Result
from evenscore.significance import FloatArray
from evenscore.text.segments import IntArray

# Rows of a stream that are read at once.
_BATCH = 10_000
# How messages of metrics begin that are about one row.
_ROW = re.compile(r"(\w+)\[(\d+)\]")


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

    Its pickle, and with it the fingerprint by which datasets finds cached results, depends on what decides the columns:
    those options of the metric, the files that they name, its code, and the names here.

    Of a dataset in arrow or pandas format map writes what it is given back, and does not look at remove_columns: remove
    columns afterwards.  With every other format, and on streams, it does.
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

    def __call__(self, batch: Any, indices: Any = None, *others: Any) -> Any:
        """The batch with its new columns: a table for a table, a data frame for a data frame, else a dictionary.

        indices: the rows' numbers in the dataset, as map(..., with_indices=True) gives them; messages name them.
        others: what else map hands over, which is not looked at.
        Raises ValueError for a batch without these columns, and for what the metric refuses.
        """
        _check_batch(batch, self._columns.values())
        # A column that map's own dictionary has handed out as a list is written anew; one that its copy has is not.
        rows = copy.copy(batch) if isinstance(batch, MutableMapping) else batch
        given = {name: _column(rows, own) for name, own in self._columns.items()}
        _check_rows(given, self._columns)
        new = self._new_columns(self._counted(given, indices))
        if isinstance(batch, pa.Table):
            return _with_columns(batch, new)
        # What map makes of a dictionary for a data frame lacks the other columns.
        if hasattr(batch, "assign"):
            return batch.assign(**new)
        # A stream gives its rows as they are here, and they are no arrays.
        return {name: column.tolist() if isinstance(batch, dict) else column for name, column in new.items()}

    def features(self, features: datasets.Features | None) -> datasets.Features:
        """The features of a dataset after map, which IterableDataset.map takes as `features`.

        features: those before it; ValueError for None, which is what a stream has that does not know its own.
        """
        if features is None:
            raise ValueError(
                "features is None: this stream does not know its own. Give them, as in IterableDataset.from_generator("
                "..., features=...) or stream.cast(features); or leave out map's features=, and those of its result "
                "stay unknown"
            )
        new = {f"{self._prefix}{name}": datasets.Value("float64") for name in self._scores}
        if self._statistics:
            new.update({f"{self._prefix}{name}": datasets.Value("int64") for name in self._metric.statistic_names()})
        return datasets.Features({**features, **new})

    def _counted(self, given: Mapping[str, Any], indices: Any) -> IntArray:
        try:
            return self._metric.statistics(**given)
        except ValueError as error:
            raise ValueError(self._located(str(error), given, indices)) from error

    def _located(self, message: str, given: Mapping[str, Any], indices: Any) -> str:
        """The message with the dataset's name of the column, and its number of the row where that is known."""
        found = _ROW.match(message)
        if found is None or found[1] not in given:
            return message
        own, number, rest = self._columns[found[1]], int(found[2]), message[found.end() :]
        if isinstance(indices, Sequence):
            return f"{own}[{indices[number]}]{rest}"
        column = given[found[1]]
        first = reprlib.repr(str(next(iter(column))))
        return (
            f"{own}[{number}]{rest}. The number is that in a batch of {len(column)} rows whose first {own} is {first}; "
            f"map(..., batched=True, with_indices=True) tells that in the dataset"
        )

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


def check_arguments(given: Iterable[str], options: Sequence[str], columns: Sequence[str]) -> None:
    """Raise ValueError for what row_scorer is given that is neither an option nor the name of a column."""
    for name in given:
        if name not in options:
            said = unknown_option(name, [*options, *columns])
            raise ValueError(f"{said}; the dataset's columns are given as {'=, '.join(columns)}=")


def _check_batch(batch: Any, columns: Iterable[str]) -> None:
    """Raise ValueError for what has no names of columns."""
    # A data frame is no Mapping.
    if not isinstance(batch, (pa.Table, Mapping)) and not hasattr(batch, "assign"):
        raise ValueError(
            f"the batch is of type {type(batch).__name__}: give a dictionary, a pandas data frame or an arrow table; "
            f"leave map's input_columns out, as row_scorer was told the columns: {', '.join(columns)}"
        )


def _check_rows(given: Mapping[str, Any], columns: Mapping[str, str]) -> None:
    """Raise ValueError for a single row."""
    for name, column in given.items():
        if isinstance(column, str):
            shown = reprlib.repr(str(column))
            raise ValueError(f"column {columns[name]!r} is {shown}, of a single row: call map with batched=True")


def _with_columns(table: pa.Table, new: Mapping[str, FloatArray | IntArray]) -> pa.Table:
    """The table with these columns, in the place of those that have their names."""
    for name, column in new.items():
        place = table.schema.get_field_index(name)
        values = pa.array(column)
        table = table.append_column(name, values) if place < 0 else table.set_column(place, name, values)
    return table


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
    if not isinstance(batch, pa.Table) and not hasattr(batch, "keys"):
        raise ValueError(
            f"the columns are of type {type(batch).__name__}: give a dataset, a data frame, an arrow table or a mapping"
        )
    known = batch.column_names if isinstance(batch, pa.Table) else list(batch.keys())
    _check_names(known, [name])
    return batch[name]


def _check_names(known: Sequence[str], names: Sequence[str]) -> None:
    missing = [name for name in names if name not in known]
    if missing:
        raise ValueError(f"there is no column {missing[0]!r}: the columns are {', '.join(known)}")


class ColumnScores(CountedScore):
    """A counted score of rows that are counted already; their text is not looked at."""

    @abc.abstractmethod
    def statistic_names(self, **options: Any) -> list[str]:
        """The names of the columns of `statistics`."""

    @abc.abstractmethod
    def _chosen(self, given: Mapping[str, Any]) -> Any:
        """The options of a call."""

    @abc.abstractmethod
    def _prefix(self, prefix: str | None) -> str:
        """What the names of columns begin with."""

    def score_columns(self, data: Any, prefix: str | None = None, **options: Any) -> Any:
        """What compute gives, from the columns of statistics that a row scorer made.

        data: a dataset, one that streams, a data frame, a table, a mapping of columns; of a DatasetDict, every split is
          scored.
        prefix: of the columns' names, as row_scorer has it.
        options: those of the scorer, at load or here.  Columns do not say under which options they were counted, and
          the signature names the options that it finds here.
        """
        if isinstance(data, dict) and data and all(hasattr(split, "column_names") for split in data.values()):
            return {name: self.score_columns(split, prefix, **options) for name, split in data.items()}
        return self._result(self._column_statistics(data, prefix, options), self._chosen(options))

    def compare_columns(
        self,
        baseline: Any,
        *systems: Any,
        prefix: str | Sequence[str] | None = None,
        test: str = "bootstrap",
        n_trials: int | None = None,
        **options: Any,
    ) -> Result:
        """What compare gives, from the columns of statistics of a baseline and of every system, row by row.

        prefix: of the columns' names, or a list of them, the baseline's first, then every system's: so that systems
          which are columns of one dataset are compared by compare_columns(data, data, prefix=["a_", "b_"]).
        options: those of the scorers, at load or here, as in score_columns.
        """
        chosen = self._chosen(options)
        trials = self._checked_trials(test, n_trials, chosen)
        if not systems:
            raise ValueError("no system to compare with the baseline: give its columns as second argument")
        given = (baseline, *systems)
        prefixes = _prefixes(prefix, len(given))
        rows = [self._column_statistics(data, own, options) for data, own in zip(given, prefixes, strict=True)]
        for i, own in enumerate(rows[1:]):
            if len(own) != len(rows[0]):
                raise ValueError(f"baseline has {len(rows[0])} rows but systems[{i}] has {len(own)}")
        return self._tested(rows, test, trials, chosen)

    def _column_statistics(self, data: Any, prefix: str | None, options: Mapping[str, Any]) -> IntArray:
        begin = self._prefix(prefix)
        rows = statistic_rows(data, [f"{begin}{name}" for name in self.statistic_names(**options)])
        if not len(rows):
            raise ValueError("nothing to score: the columns are empty")
        return rows


def _prefixes(prefix: str | Sequence[str] | None, n: int) -> Sequence[str | None]:
    """One for each of n."""
    if prefix is None or isinstance(prefix, str):
        return [prefix] * n
    if not isinstance(prefix, (list, tuple)):
        raise ValueError(f"prefix={prefix!r}: give a string, or a list of them, the baseline's first")
    if len(prefix) != n:
        raise ValueError(
            f"prefix={prefix!r} names {len(prefix)} of {n}: give the baseline's, then every system's, or one for all"
        )
    return prefix
