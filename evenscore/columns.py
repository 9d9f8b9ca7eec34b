"""Columns of scores for Dataset.map, and scores from such columns."""

from __future__ import annotations

import copy
import re
import reprlib
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

import datasets
import numpy as np
import pyarrow as pa

from evenscore.parallel import with_bar
from evenscore.scorer import Scorer
from evenscore.significance import FloatArray
from evenscore.text.segments import IntArray

# Rows of a stream that are read at once.
_BATCH = 10_000
# How messages of metrics begin that are about one row.
_ROW = re.compile(r"(\w+)\[(\d+)\]")


@dataclass(eq=False)
class RowScorer:
    """Takes a batch of rows, as map hands it over in any format; gives it back with columns of scores.

    Its pickle, and with it the fingerprint by which datasets finds cached results, depends on what decides the columns:
    those options of the metric, the files that they name, its code, and the names here.

    Of a dataset in arrow or pandas format map writes what it is given back, and does not look at remove_columns: remove
    columns afterwards.  With every other format, and on streams, it does.

    columns: the names of the dataset's columns, by those of the scorer.
    prefix: begins the names of the new columns.
    scores: which of the metric's headlines become columns.
    statistics: whether what is counted becomes columns, too.
    """

    scorer: Scorer[Any]
    columns: Mapping[str, str]
    prefix: str
    scores: Sequence[str]
    statistics: bool

    def __call__(self, batch: Any, indices: Any = None, *others: Any) -> Any:
        """The batch with its new columns: a table for a table, a data frame for a data frame, else a dictionary.

        indices: the rows' numbers in the dataset, as map(..., with_indices=True) gives them; messages name them.
        others: what else map hands over, which is not looked at.
        Raises ValueError for a batch without these columns, and for what the metric refuses.
        """
        _check_batch(batch, self.columns.values())
        # A column that map's own dictionary has handed out as a list is written anew; one that its copy has is not.
        rows = copy.copy(batch) if isinstance(batch, MutableMapping) else batch
        given = {name: _column(rows, own) for name, own in self.columns.items()}
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
        new = {f"{self.prefix}{name}": datasets.Value("float64") for name in self.scores}
        if self.statistics:
            new.update({f"{self.prefix}{name}": datasets.Value("int64") for name in self.scorer.statistic_names()})
        return datasets.Features({**features, **new})

    def _counted(self, given: Mapping[str, Any], indices: Any) -> IntArray:
        for name, column in given.items():
            if isinstance(column, str):
                own, shown = self.columns[name], reprlib.repr(str(column))
                raise ValueError(f"column {own!r} is {shown}, of a single row: call map with batched=True")
        try:
            return self.scorer.count_columns(given)
        except ValueError as error:
            raise ValueError(self._located(str(error), given, indices)) from error

    def _located(self, message: str, given: Mapping[str, Any], indices: Any) -> str:
        """The message with the dataset's name of the column, and its number of the row where that is known."""
        found = _ROW.match(message)
        if found is None or found[1] not in given:
            return message
        own, number, rest = self.columns[found[1]], int(found[2]), message[found.end() :]
        if isinstance(indices, Sequence):
            return f"{own}[{indices[number]}]{rest}"
        column = given[found[1]]
        first = reprlib.repr(str(next(iter(column))))
        return (
            f"{own}[{number}]{rest}. The number is that in a batch of {len(column)} rows whose first {own} is {first}; "
            f"map(..., batched=True, with_indices=True) tells that in the dataset"
        )

    def _new_columns(self, counted: IntArray) -> dict[str, FloatArray | IntArray]:
        names = self.scorer.headlines()
        scores = self.scorer.row_scores(counted)
        columns: dict[str, FloatArray | IntArray] = {
            f"{self.prefix}{name}": scores[:, names.index(name)] for name in self.scores
        }
        if self.statistics:
            named = zip(self.scorer.statistic_names(), counted.T, strict=True)
            columns.update({f"{self.prefix}{name}": column for name, column in named})
        return columns


def _check_batch(batch: Any, columns: Iterable[str]) -> None:
    """Raise ValueError for what has no names of columns."""
    # A data frame is no Mapping.
    if not isinstance(batch, (pa.Table, Mapping)) and not hasattr(batch, "assign"):
        raise ValueError(
            f"the batch is of type {type(batch).__name__}: give a dictionary, a pandas data frame or an arrow table; "
            f"leave map's input_columns out, as row_scorer was told the columns: {', '.join(columns)}"
        )


def _with_columns(table: pa.Table, new: Mapping[str, FloatArray | IntArray]) -> pa.Table:
    """The table with these columns, in the place of those that have their names."""
    for name, column in new.items():
        place = table.schema.get_field_index(name)
        values = pa.array(column)
        table = table.append_column(name, values) if place < 0 else table.set_column(place, name, values)
    return table


def column_rows(scorer: Scorer[Any], data: Any, prefix: str) -> IntArray:
    """What a row scorer counted, shape (n, len(scorer.statistic_names())), int64, from its columns.

    data: a dataset, also one that streams; a data frame, an arrow table, a mapping of columns.
    prefix: begins the columns' names.
    Raises ValueError for a column that is not there, and for no rows.
    """
    names = [f"{prefix}{name}" for name in scorer.statistic_names()]
    if isinstance(data, datasets.IterableDataset):
        batches = (_rows(batch, names) for batch in data.iter(batch_size=_BATCH))
        parts = with_bar(batches, "Read statistics", " rows", len)
        rows = np.concatenate([np.empty((0, len(names)), np.int64), *parts])
    elif isinstance(data, datasets.Dataset):
        _check_names(data.column_names, names)
        rows = _rows(data.select_columns(names).with_format("arrow")[:], names)
    else:
        rows = _rows(data, names)
    if not len(rows):
        raise ValueError("nothing to score: the columns are empty")
    return rows


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
