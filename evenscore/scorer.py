"""A metric without its host: what is counted of rows, what is made of the sum, and all that follows from the two.

Scores of a corpus, of rows and of resamples, intervals, paired tests and signatures are made of the same counts: the
statistics of a row are integers, and a score is a pure function of their sum.
"""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar, cast

import numpy as np

from evenscore.identity import LIBRARY_DIGEST, file_stamp
from evenscore.inputs import (
    References,
    check_as_many_rows,
    check_predictions,
    check_references,
    check_systems,
    row_blocks,
    warn_caller,
)
from evenscore.options import check_choice, check_integer, declared, resolve, translate
from evenscore.parallel import ordered_results, with_bar
from evenscore.significance import PAIRED_TESTS, FloatArray, interval, resampled_sums
from evenscore.text.segments import IntArray
from evenscore.version import __version__

Result: TypeAlias = dict[str, Any]
# A metric's TypedDict of options.
O = TypeVar("O")  # noqa: E741
S = TypeVar("S", bound="Scorer[Any]")
T = TypeVar("T")

COLUMNS = ("predictions", "references")
# What is counted of every row of these, whatever the metric: the first columns of its statistics.
ROW_COLUMNS = ("rows", "references", "references_squared")

# A block that an executor gets: enough work to be worth the way, little enough for every worker to have some.
_TRAVELLING_CHARACTERS = 1 << 20
# Seconds of work for a slow tokenizer, so that a bar can move.
_SLOW_CHARACTERS = 1 << 17
# Rows that are scored at once.
_ROWS = 1 << 16


def rebuilt(kind: Callable[..., T], given: Mapping[str, Any], hashed: Any) -> T:
    """`hashed` is not used: it is there so that other code, or other files, miss what these have cached."""
    return kind(**given)


class Scorer(abc.ABC, Generic[O]):
    """A metric under some options, which never change.

    A subclass says what is counted (`count_columns`, `own_statistic_names`) and what is made of the sum (`score`,
    `headlines`, `signature_fields`); the rest follows, and may be overridden where a metric has a faster way.
    """

    name: ClassVar[str]
    # A TypedDict that declares the options.
    declaration: ClassVar[type]
    # What compute takes of a corpus.
    columns: ClassVar[Sequence[str]] = COLUMNS
    # The first statistics, whatever the metric counts besides.
    row_columns: ClassVar[Sequence[str]] = ROW_COLUMNS
    # Rows are counted in blocks of about so many characters: the fewer, the smaller the arrays; the more, the less
    # often a word is looked at anew.
    block_characters = 1 << 23

    def __init__(self, **given: Any) -> None:
        """Raises ValueError for an unknown option or value."""
        self.given = self.prepared(translate(self.declaration, given))
        self.options = cast(O, resolve(self.declaration, self.given))
        self.check()

    def __reduce__(self) -> tuple[Any, ...]:
        hashed = LIBRARY_DIGEST, [file_stamp(file) for file in self.files()]
        return rebuilt, (type(self), dict(sorted(self.given.items())), hashed)

    def under(self: S, given: Mapping[str, Any]) -> S:
        """The same metric with these options over its own."""
        return type(self)(**{**self.given, **translate(self.declaration, given)}) if given else self

    # --- what a metric defines

    @abc.abstractmethod
    def own_statistic_names(self) -> Sequence[str]:
        """The names of the statistics behind `row_columns`."""

    @abc.abstractmethod
    def score(self, total: IntArray) -> Result:
        """Everything that is made of summed statistics, `row_columns` first; the formula, with no text in reach."""

    @abc.abstractmethod
    def headlines(self) -> Sequence[str]:
        """The keys of the result that stand for the metric: they get rows, intervals and p-values."""

    @abc.abstractmethod
    def signature_fields(self) -> Mapping[str, Any]:
        """What decides the score, under short names, in order."""

    def count(self, predictions: list[str], references: References) -> IntArray:
        """The statistics behind `row_columns`, of every row, shape (n, len(own_statistic_names())), int64, additive.

        A metric that has no references has a count_columns of its own.
        """
        raise NotImplementedError

    def cuts_text_by_text(self) -> bool:
        """Whether a function or a model cuts texts one by one, which may be slow and gains nothing by large blocks."""
        return False

    def warn(self, predictions: list[str], references: References) -> None:
        """Warn of texts that can be scored, but hardly as they were meant."""

    def prepared(self, given: dict[str, Any]) -> dict[str, Any]:
        """The given options as they are kept, compared and pickled."""
        return given

    def check(self) -> None:
        """Raise ValueError for options that are good by themselves and contradict each other."""

    def files(self) -> Sequence[Any]:
        """The files and folders that options name, whose content decides the statistics."""
        return ()

    def row_fields(self, total: IntArray) -> Mapping[str, Any]:
        """What a sum of statistics says of all its rows, for the signature."""
        return references_a_row(total)

    def headline_scores(self, totals: IntArray, resampled: bool) -> FloatArray:
        """The headlines of many sums, shape (sums, headlines)."""
        names = self.headlines()
        scores = [self.score(total) for total in totals]
        return np.array([[score[name] for name in names] for score in scores]).reshape(len(totals), len(names))

    def row_scores(self, rows: IntArray) -> FloatArray:
        """The headlines of single rows, shape (rows, headlines)."""
        return self.headline_scores(rows, resampled=False)

    def rows_drawn(self, statistics: IntArray) -> IntArray:
        """The rows that resamples are drawn from."""
        return statistics

    def refuse_rows(self) -> None:
        """Raise ValueError for options that ask for what is made of single rows, where there are only sums."""

    def check_paired(self, rows: Sequence[IntArray]) -> None:
        """Raise ValueError for statistics of systems, the baseline's first, between which no test can decide."""

    def drawn(self) -> dict[str, Any]:
        """What compute draws at random, for the signature."""
        options = self._common
        if options["confidence"] is None:
            return {}
        # As sacrebleu signs it, whose level is always 95 %.
        level = {} if options["confidence"] == 0.95 else {"ci": options["confidence"]}
        return {"bs": options["n_resamples"], **level}

    def finish(self, result: Result, rows: IntArray) -> Result:
        """The result of compute, where a metric has something to say that is no function of the sum."""
        return result

    # --- what follows

    @property
    def _common(self) -> Mapping[str, Any]:
        """The options, by the names that all metrics have."""
        return cast(Mapping[str, Any], self.options)

    def count_columns(self, columns: Mapping[str, Any], executor: Any = None) -> IntArray:
        """The statistics of every row of the columns, shape (n, len(statistic_names())), int64.

        executor: where blocks of rows are counted; None: here.
        """
        texts = check_predictions(columns.get("predictions"))
        references = check_references(columns.get("references"), len(texts))
        self.warn(texts, references)
        # Rows know nothing of each other, so blocks of them keep memory flat, and may be counted anywhere.
        count = functools.partial(_count_block, self)
        if executor is None:
            characters = _SLOW_CHARACTERS if self.cuts_text_by_text() else self.block_characters
            counted: Iterable[IntArray] = map(count, row_blocks(texts, references, characters))
        else:
            counted = ordered_results(executor, count, row_blocks(texts, references, _TRAVELLING_CHARACTERS))
        own = [*with_bar(counted, "Count rows", " rows", len, len(texts))]
        return with_row_columns(references.counts, np.concatenate(own))

    def compare(self, systems: Sequence[Any], columns: Mapping[str, Any], test: str, n_trials: int | None) -> Result:
        """A paired test of systems against the first one, the baseline; columns: those that all of them share."""
        trials = self.checked_trials(test, n_trials)
        if len(systems) == 1:
            raise ValueError("no system to compare with the baseline: give its predictions as second argument")
        if "predictions" in columns:
            raise ValueError("predictions= beside systems: each system is a column of predictions; leave it out")
        texts = check_systems(systems[0], systems[1:])
        rows = [self.count_columns({**columns, "predictions": column}) for column in texts]
        if not len(rows[0]):
            raise ValueError("nothing to compare: baseline and references are empty")
        return self.tested(rows, test, trials)

    def usual_columns(self, named: Mapping[str, str]) -> Mapping[str, str]:
        """The names that columns of a dataset have if nobody says; named: those that somebody said."""
        return {"predictions": "prediction", "references": "references"}

    def statistic_names(self) -> list[str]:
        """The names of what is counted of a row."""
        return [*self.row_columns, *self.own_statistic_names()]

    def counting(self) -> tuple[Any, ...]:
        """The values of the options that decide what is kept of rows."""
        known = declared(self.declaration)["options"]
        return tuple(_as_tuples(self._common[name]) for name, option in known.items() if option.counts)

    def compute(self, columns: Mapping[str, Any], executor: Any = None) -> Result:
        """The result for a corpus, a column by each name; None stands for one that is not given."""
        self.check_kept()
        return self.scored(self.count_columns(columns, executor), columns)

    def check_kept(self) -> None:
        """Raise ValueError for options that need rows, where only sums are kept."""
        if not self._common["keep_rows"]:
            self.check_sums()

    def check_sums(self) -> None:
        """Raise ValueError for options that need rows."""
        self.refuse_rows()
        if self._common["per_example"] or self._common["confidence"] is not None:
            raise ValueError(
                "a sum has no rows to list or resample: per_example and confidence are for compute with keep_rows=True"
            )

    def scored(self, statistics: IntArray, columns: Mapping[str, Any]) -> Result:
        """The result for counted rows; columns: those that they are of, for messages."""
        if not len(statistics):
            names = [name for name, column in columns.items() if column is not None]
            raise ValueError(f"nothing to score: {' and '.join(names) or 'all batches'} are empty")
        return self.rows_result(statistics) if self._common["keep_rows"] else self.sum_result(statistics.sum(axis=0))

    def row_result(self, columns: Mapping[str, Any]) -> Result:
        """The result for these rows with the score of each, whatever else options leave out."""
        return self.under({"per_example": True, "scalars_only": False, "keep_rows": True}).compute(columns)

    def rows_result(self, statistics: IntArray) -> Result:
        """The result for counted rows, with what is made of single rows."""
        result = {**self._total_result(statistics.sum(axis=0)), **self._intervals(statistics)}
        if self._common["per_example"]:
            starts = range(0, len(statistics), _ROWS)
            parts = (self.row_scores(statistics[start : start + _ROWS]) for start in starts)
            scores = [*with_bar(parts, "Score rows", " rows", len, len(statistics))]
            names = [f"{name}_per_example" for name in self.headlines()]
            result.update(zip(names, np.concatenate(scores).T.tolist(), strict=True))
        return self.visible(self.finish(result, statistics))

    def sum_result(self, total: Any) -> Result:
        """The result for summed statistics, shape (len(statistic_names()),).

        Raises ValueError for what is no such sum, and for options that need rows.
        """
        self.check_sums()
        expected, array = len(self.statistic_names()), np.asarray(total)
        if array.shape != (expected,) or array.dtype.kind not in "iu":
            raise ValueError(
                f"total has shape {array.shape} and type {array.dtype}: give statistics(...).sum(axis=0), "
                f"{expected} integers"
            )
        if array[0] < 1:
            raise ValueError(f"total sums up {array[0]} rows: there is nothing to score")
        return self.visible(self._total_result(array.astype(np.int64)))

    def visible(self, result: Result) -> Result:
        """The result without what the option scalars_only leaves out."""
        if not self._common["scalars_only"]:
            return result
        return {key: value for key, value in result.items() if isinstance(value, (int, float))}

    def checked_trials(self, test: str, n_trials: int | None) -> int:
        """How many trials a paired test takes; ValueError for a test that there is not, or options of single rows."""
        check_choice("test", test, tuple(PAIRED_TESTS))
        self.refuse_rows()
        trials = PAIRED_TESTS[test].usual_trials if n_trials is None else n_trials
        check_integer("n_trials", trials, least=1)
        return trials

    def tested(self, rows: Sequence[IntArray], test: str, trials: int) -> Result:
        """A paired test; rows: the statistics of the baseline, then those of every system."""
        check_as_many_rows(rows)
        self.check_paired(rows)
        _warn_of_equal(rows)
        paired, seed = PAIRED_TESTS[test], self._common["seed"]
        p_values = paired.run(rows, trials, seed, self.headline_scores)
        scores = [self.score(statistics.sum(axis=0)) for statistics in rows]
        results: list[Result] = [{name: score[name] for name in self.headlines()} for score in scores]
        for result, statistics in zip(results, rows, strict=True):
            result.update(self._intervals(statistics))
        names = [f"{name}_p_value" for name in self.headlines()]
        for result, values in zip(results[1:], p_values, strict=True):
            result.update(zip(names, values, strict=True))
        confidence = self._common["confidence"]
        level = {} if confidence is None else {"ci": f"{confidence}[{self._common['n_resamples']}]"}
        signature = self._signature(rows[0].sum(axis=0), {paired.field: trials, **level})
        return {"baseline": results[0], "systems": results[1:], "signature": signature}

    def _total_result(self, total: IntArray) -> Result:
        return {**self.score(total), "signature": self._signature(total, self.drawn())}

    def _signature(self, total: IntArray, drawn: Mapping[str, Any]) -> str:
        fields = {
            **self.row_fields(total),
            **drawn,
            **({"seed": self._common["seed"]} if drawn else {}),
            **self.signature_fields(),
            "version": f"evenscore-{__version__}",
        }
        # A value of the caller's may hold the bar that separates the fields.
        shown = {name: str(value).replace("%", "%25").replace("|", "%7C") for name, value in fields.items()}
        return "|".join(f"{name}:{value}" for name, value in shown.items())

    def _intervals(self, statistics: IntArray) -> Result:
        options = self._common
        if options["confidence"] is None:
            return {}
        sums = resampled_sums(self.rows_drawn(statistics), options["n_resamples"], options["seed"])
        result: Result = {}
        for name, column in zip(self.headlines(), self.headline_scores(sums, resampled=True).T, strict=True):
            ends = interval(column, options["confidence"])
            result.update(zip((f"{name}_low", f"{name}_mean", f"{name}_high"), ends, strict=True))
        return result


def _count_block(scorer: Scorer[Any], block: tuple[list[str], References]) -> IntArray:
    return scorer.count(*block)


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


def _as_tuples(value: Any) -> Any:
    """Lists as tuples, which are as good in options."""
    return tuple(map(_as_tuples, value)) if isinstance(value, (list, tuple)) else value


def _warn_of_equal(rows: Sequence[IntArray]) -> None:
    """A p-value of a system and itself is the least there is, in sacrebleu too, and means nothing."""
    for i, statistics in enumerate(rows[1:]):
        if np.array_equal(statistics, rows[0]):
            warn_caller(
                f"systems[{i}] counts like the baseline in every row: its p-values mean nothing. Is it the same file?"
            )
