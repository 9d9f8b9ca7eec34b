"""A counted score as evaluate calls it, whatever its rows are made of."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import evaluate
import numpy as np

from ._code_digest import code_digest
from ._counted_score import CountedScore, Result
from ._options import HOST_OPTIONS, Options, build, check_choice, check_integer, known_options, translate
from ._paired_tests import PAIRED_TESTS
from ._resampling import FloatArray
from ._row_scorer import RowScorer, statistic_rows
from ._segments import IntArray

# What evaluate.Metric itself takes.
_EVALUATE_OPTIONS = frozenset(
    {"keep_in_memory", "cache_dir", "process_id", "experiment_id", "hash", "max_concurrent_cache_files", "timeout"}
)


class HostedMetric(CountedScore, evaluate.Metric):
    """A counted score as an evaluate.Metric: options, streaming, pickling.

    A subclass names its columns in the signatures of compute, add_batch, statistics, and counts them in
    `_count_columns`.
    """

    _options_type: ClassVar[type[Options]]

    def __init__(self, config_name: str | None = None, num_process: int = 1, **given: Any) -> None:
        if num_process != 1:
            raise ValueError(
                f"num_process={num_process}: not needed here. Let each process call statistics(...).sum(axis=0), "
                f"add the sums, and call score_statistics(total) once"
            )
        host = {name: value for name, value in given.items() if name in _EVALUATE_OPTIONS}
        own = {name: value for name, value in given.items() if name not in _EVALUATE_OPTIONS | HOST_OPTIONS}
        self._given = translate(self._options_type, own)
        self._options = build(self._options_type, self._given)
        self._added: list[IntArray] = []
        super().__init__(config_name=config_name, seed=self._options.seed, **host)

    @abc.abstractmethod
    def _count_columns(self, columns: Mapping[str, Any], options: Any, executor: Any = None) -> IntArray:
        """The statistics of every row of the columns, shape (n, len(statistic_names())).

        executor: where blocks of rows are counted; None: here.
        """

    # --- scores

    def statistic_names(self, **options: Any) -> list[str]:
        """The names of the columns of `statistics`."""
        return [*self._row_columns, *self._statistic_names(self._chosen(options))]

    def headlines(self, **options: Any) -> list[str]:
        """The keys of the result that get rows, intervals and p-values."""
        return list(self._headlines(self._chosen(options)))

    def option_names(self) -> list[str]:
        """The names of all options, those of the stock metrics among them."""
        return [*known_options(self._options_type), *self._options_type.ALIASES]

    def score_statistics(self, total: Any, **options: Any) -> Result:
        """The scores of summed statistics, shape (len(statistic_names()),), as compute gives them.

        A sum has no rows any more: what is made of rows (per_example, confidence) is refused.
        """
        chosen = self._chosen(options)
        self._check_sums(chosen)
        expected = len(self._row_columns) + len(self._statistic_names(chosen))
        array = np.asarray(total)
        if array.shape != (expected,) or array.dtype.kind not in "iu":
            raise ValueError(
                f"total has shape {array.shape} and type {array.dtype}: give statistics(...).sum(axis=0), "
                f"{expected} integers"
            )
        if array[0] < 1:
            raise ValueError(f"total sums up {array[0]} rows: there is nothing to score")
        return self._visible(self._total_result(array.astype(np.int64), chosen), chosen)

    def row_scores(self, statistics: IntArray, **options: Any) -> FloatArray:
        """The headlines of single rows, shape (n, len(headlines())), from their statistics."""
        return self._row_scores(statistics, self._chosen(options))

    def score_columns(self, data: Any, prefix: str | None = None, **options: Any) -> Any:
        """What compute gives, from the columns of statistics that a row scorer made; the text is not looked at.

        data: a dataset, one that streams, a data frame, a table, a mapping of columns; of a DatasetDict, every split is
          scored.
        prefix: of the columns' names, as row_scorer has it.
        """
        if isinstance(data, dict) and all(hasattr(split, "column_names") for split in data.values()):
            return {name: self.score_columns(split, prefix, **options) for name, split in data.items()}
        return self._result(self._column_statistics(data, prefix, options), self._chosen(options))

    def compare_columns(
        self,
        baseline: Any,
        *systems: Any,
        prefix: str | None = None,
        test: str = "bootstrap",
        n_trials: int | None = None,
        **options: Any,
    ) -> Result:
        """What compare gives, from the columns of statistics of a baseline and of every system, row by row."""
        chosen = self._chosen(options)
        trials = self._checked_trials(test, n_trials, chosen)
        rows = [self._column_statistics(data, prefix, options) for data in (baseline, *systems)]
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

    def _prefix(self, prefix: str | None) -> str:
        return f"{self.name}_" if prefix is None else prefix

    def _row_scorer(
        self,
        columns: Mapping[str, str],
        prefix: str | None,
        scores: Sequence[str] | None,
        statistics: bool,
        given: Mapping[str, Any],
    ) -> RowScorer:
        # Of its own, so that rows added to this one do not change the hash.
        metric = type(self)(self.config_name, **{**self._given, **translate(self._options_type, given)})
        known = metric.headlines()
        for name in known if scores is None else scores:
            check_choice("scores", name, tuple(known))
        return RowScorer(metric, columns, self._prefix(prefix), known if scores is None else scores, statistics)

    def _compute_columns(self, columns: Mapping[str, Any], given: Mapping[str, Any], executor: Any = None) -> Result:
        """Score these columns together with everything added before."""
        chosen = self._chosen(given)
        if self._added:
            self._check_added(chosen)
        if not chosen.keep_rows:
            self._check_sums(chosen)
        parts = list(self._added)
        if not parts or any(column is not None for column in columns.values()):
            parts.append(self._count_columns(columns, chosen, executor))
        self._added = []
        statistics = np.concatenate(parts)
        if not len(statistics):
            names = [name for name, column in columns.items() if column is not None]
            raise ValueError(f"nothing to score: {' and '.join(names) or 'all batches'} are empty")
        if not chosen.keep_rows:
            return self.score_statistics(statistics.sum(axis=0), **given)
        return self._result(statistics, chosen)

    def _row_result(self, columns: Mapping[str, Any], given: Mapping[str, Any]) -> Result:
        """What compute gives of these columns alone, whatever was added, with the scores of the rows."""
        whole = {**given, "per_example": True, "confidence": None, "scalars_only": False, "keep_rows": True}
        return self._result(self._statistics_of(columns, whole), self._chosen(whole))

    def _statistics_of(self, columns: Mapping[str, Any], given: Mapping[str, Any], executor: Any = None) -> IntArray:
        # Between the caller and _count_columns as in compute and add_batch, so that warnings name the caller's line.
        return self._count_columns(columns, self._chosen(given), executor)

    def _add_columns(self, columns: Mapping[str, Any]) -> None:
        """Count rows towards the next compute(); what is kept are their statistics, not their text."""
        self._keep([self._count_columns(columns, self._options)])

    def merge(self, other: HostedMetric) -> None:
        """Count the rows that were added to another metric towards the next compute() of this one.

        Raises ValueError for a metric of another kind, or with other options that decide what is counted.
        """
        # evaluate's copy of a metric has a class of its own.
        if getattr(other, "name", None) != self.name or not hasattr(other, "_added"):
            raise ValueError(f"other is of type {type(other).__name__}: give a metric {self.name}, as this one is")
        other._check_added(self._options)
        self._keep(other._added)

    def _keep(self, parts: Sequence[IntArray]) -> None:
        added = [*self._added, *parts]
        if not self._options.keep_rows and added:
            added = [np.concatenate(added).sum(axis=0, keepdims=True)]
        self._added = added

    # --- what evaluate, pickle and datasets ask for

    def __len__(self) -> int:
        """How many rows are added and not yet scored."""
        return sum(int(part[:, 0].sum()) for part in self._added)

    def __bool__(self) -> bool:
        return True

    def __reduce__(self) -> tuple[Any, ...]:
        # evaluate's own state holds locks and a seed drawn from numpy's global state; what a copy needs, and what
        # datasets hashes for its cache, are the options.
        state = {"_added": [*self._added]} if self._added else None
        return (
            _rebuild,
            (type(self), self.config_name, dict(sorted(self._given.items())), code_digest(type(self))),
            state,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def _build_data_dir(self) -> str:
        # evaluate makes this folder at every load; nothing here is ever written to it.
        return str(self._data_dir_root)

    # --- inside

    def _chosen(self, given: Mapping[str, Any]) -> Any:
        if not given:
            return self._options
        return build(self._options_type, {**self._given, **translate(self._options_type, given)})

    def _checked_trials(self, test: str, n_trials: int | None, chosen: Options) -> int:
        """How many trials a paired test takes; ValueError for a test that there is not, or options of single rows."""
        check_choice("test", test, tuple(PAIRED_TESTS))
        self._refuse_rows(chosen)
        trials = PAIRED_TESTS[test].usual_trials if n_trials is None else n_trials
        check_integer("n_trials", trials, least=1)
        return trials

    def _check_sums(self, chosen: Options) -> None:
        self._refuse_rows(chosen)
        if chosen.per_example or chosen.confidence is not None:
            raise ValueError(
                "a sum has no rows to list or resample: per_example and confidence are for compute with keep_rows=True"
            )

    def _check_added(self, chosen: Options) -> None:
        if chosen.counting() != self._options.counting():
            raise ValueError(
                "rows were added under other options: give options when the metric is loaded, or all rows to compute"
            )


def _rebuild(metric_type: type[HostedMetric], config_name: str, given: Mapping[str, Any], code: str) -> HostedMetric:
    """`code` is not used: it is there to be hashed, so that other code misses what this one cached."""
    return metric_type(config_name, **given)
