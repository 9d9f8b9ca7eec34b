"""Adds score columns to datasets through Dataset.map, and scores such columns."""

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

from evenscore.inputs import as_list
from evenscore.parallel import with_bar
from evenscore.scorer import Scorer
from evenscore.significance import FloatArray
from evenscore.text.segments import IntArray

# Rows of a stream to read at once.
_BATCH = 10_000
# Start of an error message about one row, as in "references[3] is ...".
_ROW = re.compile(r"(\w+)\[(\d+)\]")
_TO_ADD = ". row_scorer(..., statistics=True) adds the columns of counts; if it had a prefix=, give the same one here"


@dataclass(eq=False)
class RowScorer:
    """A function for `Dataset.map(..., batched=True)` that adds score columns to a batch in any format.

    datasets caches its results by a fingerprint of its pickle. The pickle depends on the metric's code, the options
    that affect the columns, the files these options name, and the column names.

    On datasets in arrow or pandas format, map ignores `remove_columns`: remove columns afterwards. Other formats and
    streams are not affected.

    Attributes:
        scorer: the scorer that counts rows.
        columns: the dataset's column for each column of the scorer.
        prefix: prefix of the new columns' names.
        scores: the headline scores that become columns.
        statistics: whether the statistics become columns too.
    """

    scorer: Scorer[Any]
    columns: Mapping[str, str]
    prefix: str
    scores: Sequence[str]
    statistics: bool

    def __call__(self, batch: Any, indices: Any = None, *others: Any) -> Any:
        """Return the batch with its new columns: an arrow table, a data frame, or else a dictionary of the new columns.

        Args:
            batch: an arrow table, pandas data frame or mapping of columns.
            indices: the rows' numbers in the dataset, from `map(..., with_indices=True)`; error messages show them.
            *others: further arguments of map, ignored.

        Raises:
            ValueError: a column is missing, or a row cannot be scored.
        """
        _check_batch(batch, self.columns.values())
        # map writes again every column read from its own dictionary, but not those read from a copy.
        rows = copy.copy(batch) if isinstance(batch, MutableMapping) else batch
        given = {name: _column(rows, own) for name, own in self.columns.items()}
        new = self._new_columns(self._counted(given, indices))
        if isinstance(batch, pa.Table):
            return _with_columns(batch, new)
        # For a data frame, map would drop the other columns if a dictionary were returned.
        if hasattr(batch, "assign"):
            return batch.assign(**new)
        # Streams yield values unchanged, so they need Python numbers instead of arrays.
        return {name: column.tolist() if isinstance(batch, dict) else column for name, column in new.items()}

    def features(self, features: datasets.Features | None) -> datasets.Features:
        """Return the features after map, to pass to `IterableDataset.map(..., features=...)`.

        Args:
            features: the features before map; ValueError for None, the features of a stream that does not know them.
        """
        if features is None:
            raise ValueError(
                "features is None: the stream does not know its features. Set them with IterableDataset.from_generator("
                "..., features=...) or stream.cast(features), or call map without features="
            )
        new = {f"{self.prefix}{name}": datasets.Value("float64") for name in self.scores}
        if self.statistics:
            new.update({f"{self.prefix}{name}": datasets.Value("int64") for name in self.scorer.statistic_names()})
        return datasets.Features({**features, **new})

    def _counted(self, given: Mapping[str, Any], indices: Any) -> IntArray:
        for name, column in given.items():
            if isinstance(column, str):
                own, shown = self.columns[name], reprlib.repr(str(column))
                raise ValueError(f"column {own!r} is {shown}, a single row: call map with batched=True")
        try:
            # map has num_proc for more cores.
            return self.scorer.count_columns(given, in_threads=False)
        except ValueError as error:
            raise ValueError(self._located(str(error), given, indices)) from error

    def _located(self, message: str, given: Mapping[str, Any], indices: Any) -> str:
        """Replace the scorer's column and row in a message by the dataset's, as far as they are known."""
        found = _ROW.match(message)
        if found is None or found[1] not in given:
            return message
        own, number, rest = self.columns[found[1]], int(found[2]), message[found.end() :]
        if isinstance(indices, Sequence):
            return f"{own}[{indices[number]}]{rest}"
        column = given[found[1]]
        first = reprlib.repr(str(next(iter(column))))
        return (
            f"{own}[{number}]{rest}. The number counts from the start of a batch of {len(column)} rows whose first "
            f"{own} is {first}; map(..., batched=True, with_indices=True) shows the number in the dataset"
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
    """Raise ValueError for a batch without column names."""
    # A data frame is not a Mapping.
    if not isinstance(batch, (pa.Table, Mapping)) and not hasattr(batch, "assign"):
        raise ValueError(
            f"the batch is of type {type(batch).__name__}: give a dictionary, a pandas data frame or an arrow table; "
            f"call map without input_columns, since row_scorer selects the columns {', '.join(columns)}"
        )


def _with_columns(table: pa.Table, new: Mapping[str, FloatArray | IntArray]) -> pa.Table:
    """Return the table with these columns added; columns of the same name are replaced."""
    for name, column in new.items():
        place = table.schema.get_field_index(name)
        values = pa.array(column)
        table = table.append_column(name, values) if place < 0 else table.set_column(place, name, values)
    return table


def column_rows(scorer: Scorer[Any], data: Any, prefix: str) -> IntArray:
    """Return the statistics that a row scorer added as columns: shape (n, len(scorer.statistic_names())), int64.

    Takes and refuses what `grouped_rows` does.
    """
    return grouped_rows(scorer, data, prefix, None)[0]


def grouped_rows(scorer: Scorer[Any], data: Any, prefix: str, group_by: str | None) -> tuple[IntArray, list[Any]]:
    """Return the statistics of `column_rows`, and the labels of the rows.

    data: a Dataset, IterableDataset, data frame, arrow table or mapping of columns.
    prefix: prefix of the columns' names.
    group_by: the column of labels; None: no labels.
    Raises ValueError if a column is missing or not of integers, or if there are no rows.
    """
    names = [f"{prefix}{name}" for name in scorer.statistic_names()]
    if isinstance(data, datasets.IterableDataset):
        batches = ((_rows(batch, names), _labels(batch, group_by)) for batch in data.iter(batch_size=_BATCH))
        parts = [*with_bar(batches, "Read statistics", " rows", lambda part: len(part[0]))]
        rows = np.concatenate([np.empty((0, len(names)), np.int64), *(own for own, _ in parts)])
        labels = [label for _, own in parts for label in own]
    else:
        table = _table(data, names, group_by) if isinstance(data, datasets.Dataset) else data
        rows, labels = _rows(table, names), _labels(table, group_by)
    if not len(rows):
        raise ValueError("nothing to score: the columns are empty")
    return rows, labels


def _table(data: datasets.Dataset, names: Sequence[str], group_by: str | None) -> pa.Table:
    _check_names(data.column_names, names, _TO_ADD)
    needed = dict.fromkeys([*names, *([] if group_by is None else [group_by])])
    _check_names(data.column_names, [*needed])
    return data.select_columns([*needed]).with_format("arrow")[:]


def _rows(batch: Any, names: Sequence[str]) -> IntArray:
    columns = [np.asarray(_column(batch, name, _TO_ADD)) for name in names]
    for name, column in zip(names, columns, strict=True):
        if column.dtype.kind not in "iu":
            raise ValueError(f"column {name!r} is of type {column.dtype}: give the integers that row_scorer added")
    return np.stack(columns, axis=1).astype(np.int64)


def _labels(batch: Any, group_by: str | None) -> list[Any]:
    return [] if group_by is None else as_list(_column(batch, group_by), group_by, "labels")


def _column(batch: Any, name: str, remedy: str = "") -> Any:
    if not isinstance(batch, pa.Table) and not hasattr(batch, "keys"):
        raise ValueError(
            f"the columns are of type {type(batch).__name__}: give a dataset, a data frame, an arrow table or a mapping"
        )
    known = batch.column_names if isinstance(batch, pa.Table) else list(batch.keys())
    _check_names(known, [name], remedy)
    return batch[name]


def _check_names(known: Sequence[str], names: Sequence[str], remedy: str = "") -> None:
    """Raise ValueError if a column is missing; remedy: the end of the message."""
    missing = [name for name in names if name not in known]
    if missing:
        raise ValueError(f"there is no column {missing[0]!r}: the columns are {', '.join(known) or 'none'}{remedy}")
