"""Scores and tests from columns of statistics, as a row scorer made them."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any

from ._counted_score import CountedScore, Result
from ._row_scorer import statistic_rows
from ._segments import IntArray


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
