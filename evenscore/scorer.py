"""What is made of a metric's statistics: scores of their sum, of rows, of resamples, tests, signatures."""

from __future__ import annotations

import abc
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np

from evenscore.options import Options, check_choice, check_integer
from evenscore.parallel import with_bar
from evenscore.significance import PAIRED_TESTS, FloatArray, interval, resampled_sums
from evenscore.text.segments import IntArray
from evenscore.version import __version__

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


Result: TypeAlias = dict[str, Any]

# Rows that are scored at once.
_ROWS = 1 << 16


class CountedScore(abc.ABC):
    """A score that is a function of a sum of integers over rows.

    A subclass says what is counted (statistics, an array of integers with a row a text) and what is made of their sum
    (`_score`); columns of scores, intervals, paired tests, streaming and merging follow from these two.
    """

    # The first statistics, whatever the metric counts besides.
    _row_columns: ClassVar[Sequence[str]] = ("rows",)

    # --- what a metric defines

    @abc.abstractmethod
    def _statistic_names(self, options: Any) -> Sequence[str]:
        """The names of the statistics behind `_row_columns`."""

    @abc.abstractmethod
    def _score(self, total: IntArray, options: Any) -> Result:
        """Everything that is made of summed statistics, `_row_columns` first; the formula, with no text in reach."""

    @abc.abstractmethod
    def _headlines(self, options: Any) -> Sequence[str]:
        """The keys of the result that stand for the metric: they get rows, intervals and p-values."""

    @abc.abstractmethod
    def _signature_fields(self, options: Any) -> Mapping[str, Any]:
        """What decides the score, under short names, in order."""

    def _row_fields(self, total: IntArray) -> Mapping[str, Any]:
        """What a sum of statistics says of all its rows, for the signature."""
        return {}

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

    def _check_paired(self, rows: Sequence[IntArray]) -> None:
        """Raise ValueError for statistics of systems, the baseline's first, between which no test can decide."""

    def _drawn(self, options: Any) -> dict[str, Any]:
        """What compute draws at random, for the signature."""
        if options.confidence is None:
            return {}
        # As sacrebleu signs it, whose level is always 95 %.
        return {"bs": options.n_resamples, **({} if options.confidence == 0.95 else {"ci": options.confidence})}

    def _finish(self, result: Result, rows: IntArray, options: Any) -> Result:
        """The result of compute, where a metric has something to say that is no function of the sum."""
        return result

    # --- what follows

    def _result(self, statistics: IntArray, chosen: Options) -> Result:
        result = self._total_result(statistics.sum(axis=0), chosen)
        result.update(self._intervals(statistics, chosen))
        if chosen.per_example:
            starts = range(0, len(statistics), _ROWS)
            parts = (self._row_scores(statistics[start : start + _ROWS], chosen) for start in starts)
            scores = [*with_bar(parts, "Score rows", " rows", len, len(statistics))]
            columns = np.concatenate(scores).T.tolist()
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
            **self._row_fields(total),
            **drawn,
            **({"seed": chosen.seed} if drawn else {}),
            **self._signature_fields(chosen),
            "version": f"evenscore-{__version__}",
        }
        # A value of the caller's may hold the bar that separates the fields.
        shown = {name: str(value).replace("%", "%25").replace("|", "%7C") for name, value in fields.items()}
        return "|".join(f"{name}:{value}" for name, value in shown.items())

    def _intervals(self, statistics: IntArray, chosen: Options) -> Result:
        if chosen.confidence is None:
            return {}
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
        return {**result, **self._intervals(statistics, chosen)}

    def _checked_trials(self, test: str, n_trials: int | None, chosen: Options) -> int:
        """How many trials a paired test takes; ValueError for a test that there is not, or options of single rows."""
        check_choice("test", test, tuple(PAIRED_TESTS))
        self._refuse_rows(chosen)
        trials = PAIRED_TESTS[test].usual_trials if n_trials is None else n_trials
        check_integer("n_trials", trials, least=1)
        return trials

    def _tested(self, rows: Sequence[IntArray], test: str, trials: int, chosen: Options) -> Result:
        """A paired test; rows: the statistics of the baseline, then those of every system."""
        self._check_paired(rows)
        _warn_of_equal(rows)
        paired = PAIRED_TESTS[test]
        p_values = paired.run(rows, trials, chosen.seed, lambda sums, drawn: self._headline_scores(sums, chosen, drawn))
        results = [self._headline_result(statistics, chosen) for statistics in rows]
        names = [f"{name}_p_value" for name in self._headlines(chosen)]
        for result, values in zip(results[1:], p_values, strict=True):
            result.update(zip(names, values, strict=True))
        level = {} if chosen.confidence is None else {"ci": f"{chosen.confidence}[{chosen.n_resamples}]"}
        signature = self._signature(rows[0].sum(axis=0), chosen, {paired.field: trials, **level})
        return {"baseline": results[0], "systems": results[1:], "signature": signature}


def _warn_of_equal(rows: Sequence[IntArray]) -> None:
    """A p-value of a system and itself is the least there is, in sacrebleu too, and means nothing."""
    for i, statistics in enumerate(rows[1:]):
        if np.array_equal(statistics, rows[0]):
            warnings.warn(
                f"systems[{i}] counts like the baseline in every row: its p-values mean nothing. Is it the same file?",
                stacklevel=4,
            )
