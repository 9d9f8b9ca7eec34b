"""The base of every metric: statistics of each row, their sum, a score of the sum."""

from __future__ import annotations

import abc
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

import datasets
import evaluate
import numpy as np

from ._inputs import References, check_predictions, check_references, check_systems, row_blocks
from ._options import (
    HOST_OPTIONS,
    Options,
    build,
    check_choice,
    check_integer,
    known_options,
    translate,
)
from ._paired_tests import PAIRED_TESTS, ScoreSums
from ._resampling import FloatArray, interval, resampled_sums
from ._row_columns import ROW_COLUMNS, references_a_row, with_row_columns
from ._segments import IntArray
from ._version import __version__

Result: TypeAlias = dict[str, Any]

# What evaluate.Metric itself takes.
_EVALUATE_OPTIONS = frozenset(
    {"keep_in_memory", "cache_dir", "process_id", "experiment_id", "hash", "max_concurrent_cache_files", "timeout"}
)


class CorpusMetric(evaluate.Metric, abc.ABC):
    """A metric whose score is a function of a sum of integers over rows.

    A subclass says what is counted (`_count`) and what is made of the sum (`_score`); columns of scores, intervals,
    paired tests, streaming and merging follow from these two.
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

    # --- what a metric defines

    @abc.abstractmethod
    def _count(self, predictions: list[str], references: References, options: Any) -> IntArray:
        """The metric's own statistics of every row, shape (n, number of names), int64, additive."""

    @abc.abstractmethod
    def _statistic_names(self, options: Any) -> Sequence[str]:
        """The names of the columns that `_count` returns."""

    @abc.abstractmethod
    def _score(self, total: IntArray, options: Any) -> Result:
        """Everything that is made of summed statistics, ROW_COLUMNS first; the formula, with no text in reach."""

    @abc.abstractmethod
    def _headlines(self, options: Any) -> Sequence[str]:
        """The keys of the result that stand for the metric: they get rows, intervals and p-values."""

    @abc.abstractmethod
    def _signature_fields(self, options: Any) -> Mapping[str, Any]:
        """What decides the score, under short names, in order."""

    def _warn(self, predictions: list[str], references: References, options: Any) -> None:
        """Warn of texts that can be scored, but hardly as they were meant."""

    def _headline_scores(self, totals: IntArray, options: Any, resampled: bool) -> FloatArray:
        """The headlines of many sums, shape (sums, headlines)."""
        names = self._headlines(options)
        scores = [self._score(total, options) for total in totals]
        return np.array([[score[name] for name in names] for score in scores]).reshape(len(totals), len(names))

    def _row_scores(self, rows: IntArray, options: Any) -> FloatArray:
        """The headlines of single rows, shape (rows, headlines)."""
        return self._headline_scores(rows, options, resampled=False)

    def _refuse_rows(self, options: Any) -> None:
        """Raise ValueError for options that ask for what is made of single rows, where there are only sums."""

    def _drawn(self, options: Any) -> dict[str, Any]:
        """What compute draws at random, for the signature."""
        if options.confidence is None:
            return {}
        # As sacrebleu signs it, whose level is always 95 %.
        return {"bs": options.n_resamples, **({} if options.confidence == 0.95 else {"ci": options.confidence})}

    def _finish(self, result: Result, rows: IntArray, options: Any) -> Result:
        """The result of compute, where a metric has something to say that is no function of the sum."""
        return result

    # --- scores

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> Result:
        """Score predictions against references, together with everything added before.

        Options given here override those given at load.
        """
        chosen = self._chosen(options)
        if self._added:
            self._check_added(chosen)
        parts = list(self._added)
        if not parts or predictions is not None or references is not None:
            parts.append(self._statistics(predictions, references, chosen))
        self._added = []
        statistics = np.concatenate(parts)
        if not len(statistics):
            raise ValueError("nothing to score: predictions and references are empty")
        return self._result(statistics, chosen)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Count a batch of rows towards the next compute(); what is kept are their statistics, not their text."""
        self._refuse_columns(kwargs)
        self._added.append(self._statistics(predictions, references, self._options))

    def add(self, *, prediction: Any = None, reference: Any = None, **kwargs: Any) -> None:
        """Count one row towards the next compute()."""
        # evaluate.combine, and many a loop, name a single row as a column.
        row = {"predictions": prediction, "references": reference, **kwargs}
        self.add_batch(**{name: [value] for name, value in row.items()})

    def statistics(self, predictions: Any, references: Any, **options: Any) -> IntArray:
        """The statistics of every row, shape (n, len(statistic_names())), int64.

        Rows may be added up in any order, on any machine: integers have no rounding.
        """
        return self._statistics(predictions, references, self._chosen(options))

    def statistic_names(self, **options: Any) -> list[str]:
        """The names of the columns of `statistics`."""
        return [*ROW_COLUMNS, *self._statistic_names(self._chosen(options))]

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
        self._refuse_rows(chosen)
        if chosen.per_example or chosen.confidence is not None:
            raise ValueError("a sum has no rows to list or resample: give per_example and confidence to compute")
        expected = len(ROW_COLUMNS) + len(self._statistic_names(chosen))
        array = np.asarray(total)
        if array.shape != (expected,) or array.dtype.kind not in "iu":
            raise ValueError(
                f"total has shape {array.shape} and type {array.dtype}: give statistics(...).sum(axis=0), "
                f"{expected} integers"
            )
        if array[0] < 1:
            raise ValueError(f"total sums up {array[0]} rows: there is nothing to score")
        return self._visible(self._total_result(array.astype(np.int64), chosen), chosen)

    def compare(
        self,
        baseline: Any,
        *systems: Any,
        references: Any,
        test: str = "bootstrap",
        n_trials: int | None = None,
        **options: Any,
    ) -> Result:
        """Paired significance tests of systems against a baseline, all on the same references.

        baseline, systems: columns of predictions.
        test: "bootstrap" (Koehn 2004) or "randomization" (Riezler & Maxwell 2005), both as sacrebleu 2.6.0 has them.
        n_trials: 1000 for bootstrap and 10000 for randomization if not given.
        Returns {"baseline": {...}, "systems": [{...}, ...], "signature": ...}: for every headline score its value,
        for every system `<name>_p_value` beside it, and the interval if `confidence` is set.
        """
        chosen = self._chosen(options)
        check_choice("test", test, tuple(PAIRED_TESTS))
        self._refuse_rows(chosen)
        run, usual_trials, field = PAIRED_TESTS[test]
        trials = usual_trials if n_trials is None else n_trials
        check_integer("n_trials", trials, least=1)
        if not systems:
            raise ValueError("no system to compare with the baseline: give its predictions as second argument")
        columns = check_systems(baseline, systems)
        rows = [self._statistics(column, references, chosen) for column in columns]
        if not len(rows[0]):
            raise ValueError("nothing to compare: baseline and references are empty")
        _warn_of_equal(rows)
        results = [self._headline_result(statistics, chosen) for statistics in rows]
        p_values = run(rows, trials, chosen.seed, self._scorer(chosen))
        for result, values in zip(results[1:], p_values, strict=True):
            names = [f"{name}_p_value" for name in self._headlines(chosen)]
            result.update(zip(names, values, strict=True))
        interval_draws = {} if chosen.confidence is None else {"ci": f"{chosen.confidence}[{chosen.n_resamples}]"}
        signature = self._signature(rows[0].sum(axis=0), chosen, {field: trials, **interval_draws})
        return {"baseline": results[0], "systems": results[1:], "signature": signature}

    # --- what evaluate, pickle and datasets ask for

    def __len__(self) -> int:
        """How many rows are added and not yet scored."""
        return sum(map(len, self._added))

    def __bool__(self) -> bool:
        return True

    def __reduce__(self) -> tuple[Any, ...]:
        # evaluate's own state holds locks and a seed drawn from numpy's global state; what a copy needs, and what
        # datasets hashes for its cache, are the options.
        state = {"_added": [*self._added]} if self._added else None
        return _rebuild, (type(self), self.config_name, dict(sorted(self._given.items())), __version__), state

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

    def _check_added(self, chosen: Options) -> None:
        if chosen.counting() != self._options.counting():
            raise ValueError(
                "rows were added under other options: give options when the metric is loaded, or all rows to compute"
            )

    def _refuse_columns(self, columns: Mapping[str, Any]) -> None:
        if columns:
            raise ValueError(f"unknown columns {sorted(columns)}: give predictions and references")

    def _statistics(self, predictions: Any, references: Any, chosen: Options) -> IntArray:
        texts = check_predictions(predictions)
        checked = check_references(references, len(texts))
        self._warn(texts, checked, chosen)
        # Rows know nothing of each other, so blocks of them keep memory flat.
        own = [self._count(*block, chosen) for block in row_blocks(texts, checked)]
        return with_row_columns(checked.counts, np.concatenate(own))

    def _result(self, statistics: IntArray, chosen: Options) -> Result:
        result = self._total_result(statistics.sum(axis=0), chosen)
        if chosen.confidence is not None:
            result.update(self._intervals(statistics, chosen))
        if chosen.per_example:
            columns = self._row_scores(statistics, chosen).T.tolist()
            names = [f"{name}_per_example" for name in self._headlines(chosen)]
            result.update(zip(names, columns, strict=True))
        return self._visible(self._finish(result, statistics, chosen), chosen)

    def _total_result(self, total: IntArray, chosen: Options) -> Result:
        return {**self._score(total, chosen), "signature": self._signature(total, chosen, self._drawn(chosen))}

    def _visible(self, result: Result, chosen: Options) -> Result:
        if not chosen.scalars_only:
            return result
        return {key: value for key, value in result.items() if isinstance(value, (int, float))}

    def _signature(self, total: IntArray, chosen: Options, drawn: Mapping[str, Any]) -> str:
        fields = {
            "nrefs": references_a_row(total),
            **drawn,
            **({"seed": chosen.seed} if drawn else {}),
            **self._signature_fields(chosen),
            "version": f"evenscore-{__version__}",
        }
        # A value of the caller's may hold the bar that separates the fields.
        shown = {name: str(value).replace("%", "%25").replace("|", "%7C") for name, value in fields.items()}
        return "|".join(f"{name}:{value}" for name, value in shown.items())

    def _intervals(self, statistics: IntArray, chosen: Options) -> Result:
        assert chosen.confidence is not None
        sums = resampled_sums(statistics, chosen.n_resamples, chosen.seed)
        scores = self._headline_scores(sums, chosen, resampled=True)
        result: Result = {}
        for name, column in zip(self._headlines(chosen), scores.T, strict=True):
            ends = interval(column, chosen.confidence)
            result.update(zip((f"{name}_low", f"{name}_mean", f"{name}_high"), ends, strict=True))
        return result

    def _headline_result(self, statistics: IntArray, chosen: Options) -> Result:
        scored = self._score(statistics.sum(axis=0), chosen)
        result = {name: scored[name] for name in self._headlines(chosen)}
        return result if chosen.confidence is None else {**result, **self._intervals(statistics, chosen)}

    def _scorer(self, chosen: Options) -> ScoreSums:
        return lambda sums, resampled: self._headline_scores(sums, chosen, resampled)


def _warn_of_equal(rows: Sequence[IntArray]) -> None:
    """A p-value of a system and itself is the least there is, in sacrebleu too, and means nothing."""
    for i, statistics in enumerate(rows[1:]):
        if np.array_equal(statistics, rows[0]):
            warnings.warn(
                f"systems[{i}] counts like the baseline in every row: its p-values mean nothing. Is it the same file?",
                stacklevel=3,
            )


def metric_info(
    description: str, citation: str, inputs_description: str, reference_urls: Sequence[str]
) -> evaluate.MetricInfo:
    """What evaluate shows of a metric; its input is one reference a row, or a list of them."""
    text = datasets.Value("string")
    return evaluate.MetricInfo(
        description=description,
        citation=citation,
        inputs_description=inputs_description,
        features=[
            datasets.Features({"predictions": text, "references": [text]}),
            datasets.Features({"predictions": text, "references": text}),
        ],
        reference_urls=list(reference_urls),
    )


def _rebuild(metric_type: type[CorpusMetric], config_name: str, given: Mapping[str, Any], version: str) -> CorpusMetric:
    """`version` is not used: it is there to be hashed, so that a new release misses what an old one cached."""
    return metric_type(config_name, **given)
