"""The base class of scorers: metrics that do not depend on evaluate.

A scorer counts each row as a vector of integers, its statistics, and scores a sum of such vectors by a pure function.
Corpus scores, row scores, intervals, paired tests and signatures all derive from these two steps.
"""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar, cast

import numpy as np

from evenscore.function_code import functions_digest
from evenscore.identity import LIBRARY_DIGEST, file_stamp
from evenscore.inputs import (
    References,
    check_as_many_labels,
    check_as_many_rows,
    check_groups,
    check_predictions,
    check_references,
    check_systems,
    row_blocks,
    row_sizes,
    warn_caller,
)
from evenscore.options import NO_HINTS, check_choice, check_integer, declared, resolve, row_options, translate
from evenscore.parallel import Threads, ordered_results, usable_cores, with_bar
from evenscore.significance import PAIRED_TESTS, FloatArray, interval, resampled_sums
from evenscore.text.segments import IntArray
from evenscore.totals import Bound, check_total, reference_bounds
from evenscore.version import __version__

Result: TypeAlias = dict[str, Any]
# The TypedDict that declares a metric's options.
O = TypeVar("O")  # noqa: E741
S = TypeVar("S", bound="Scorer[Any]")
T = TypeVar("T")
# The predictions of all systems for some rows, and the references of these.
_Block: TypeAlias = tuple[list[str], References]

COLUMNS = ("predictions", "references")
# The first statistics of every metric that compares predictions with references.
ROW_COLUMNS = ("rows", "references", "references_squared")

# Block size for executors: large enough to outweigh the transfer, small enough to give every worker a block.
_TRAVELLING_CHARACTERS = 1 << 20
# Block size for slow tokenizers, which need seconds for it, so that the progress bar moves.
_SLOW_CHARACTERS = 1 << 17
# Threads, and the largest block size for them. More threads would mostly wait, because half of the work is Python's.
_THREADS = 2
_THREAD_CHARACTERS = 1 << 19
# Rows to score at once.
_ROWS = 1 << 16


def rebuilt(kind: Callable[..., T], given: Mapping[str, Any], hashed: Any) -> T:
    """Unpickle a scorer or metric. `hashed` is unused: it makes the pickle, a cache key, depend on code and files."""
    return kind(**given)


class Scorer(abc.ABC, Generic[O]):
    """A metric with fixed options.

    A subclass defines what it counts (`count` or `count_columns`, `own_statistic_names`) and how it scores a sum
    (`score`, `headlines`, `signature_fields`). It may override other methods with faster versions.
    """

    name: ClassVar[str]
    # The TypedDict that declares the options.
    declaration: ClassVar[type]
    # What does the same as an option of other metrics or libraries that this metric lacks, by the option's name.
    instead: ClassVar[Mapping[str, str]] = NO_HINTS
    # The columns that compute accepts.
    columns: ClassVar[Sequence[str]] = COLUMNS
    # The statistics before own_statistic_names().
    row_columns: ClassVar[Sequence[str]] = ROW_COLUMNS
    # Approximate characters per block of rows. Large blocks look up each distinct word less often; small blocks need
    # less memory, which takes time as well if the system has to give it anew for each block.
    block_characters = 1 << 19

    def __init__(self, **given: Any) -> None:
        """Raises ValueError for an unknown option or value."""
        self.given = self.prepared(translate(self.declaration, given, self.instead))
        # The options, typed as a mapping, so that this class can read the common ones.
        self._common = resolve(self.declaration, self.given)
        self.options = cast(O, self._common)
        self.check()

    def __reduce__(self) -> tuple[Any, ...]:
        hashed = LIBRARY_DIGEST, self.stamps()
        return rebuilt, (type(self), dict(sorted(self.given.items())), hashed)

    def stamps(self) -> tuple[Any, ...]:
        """Return what changes with the files and the functions among the options."""
        return [file_stamp(file) for file in self.files()], functions_digest(self.given)

    def under(self: S, given: Mapping[str, Any]) -> S:
        """Return a scorer with these options in place of its own; options that are not given stay."""
        return type(self)(**{**self.given, **translate(self.declaration, given, self.instead)}) if given else self

    # --- what a metric defines

    @abc.abstractmethod
    def own_statistic_names(self) -> Sequence[str]:
        """Return the names of the statistics after `row_columns`."""

    @abc.abstractmethod
    def score(self, total: list[int]) -> Result:
        """Score a sum of statistics, in the order of `statistic_names()`, `row_columns` first."""

    @abc.abstractmethod
    def headlines(self) -> Sequence[str]:
        """Return the result's keys that get scores per row, intervals and p-values."""

    @abc.abstractmethod
    def signature_fields(self) -> Mapping[str, Any]:
        """Return the options that affect the score, in order, under the signature's short names."""

    @abc.abstractmethod
    def bounds(self, counts: Mapping[str, int]) -> Iterable[Bound]:
        """Return the ranges that the counts of a sum, by name, leave for each other; rows are at least 1."""

    def count(self, predictions: list[str], references: References) -> IntArray:
        """Return the statistics of each prediction after `row_columns`, shape (n, len(own_statistic_names())), int64.

        predictions: those of one system for all rows, or of several systems, one after another. They share the
        references, which are tokenized once.
        A metric without references overrides count_columns instead.
        """
        raise NotImplementedError

    def has_few(self, predictions: list[str], references: References) -> bool:
        """Whether `count_few` implements the options for these texts, and is faster than `count`."""
        return False

    def count_few(self, predictions: list[str], references: References) -> list[list[int]]:
        """Return what `count` returns for one system, as lists: arrays take longer than the words of a few texts."""
        raise NotImplementedError

    def cuts_text_by_text(self) -> bool:
        """Whether a function or model tokenizes texts one by one, which large blocks do not make faster."""
        return False

    def is_for_threads(self) -> bool:
        """Whether threads may count blocks: not if they call the caller's function, which may not be made for that."""
        return not self.cuts_text_by_text()

    def warn(self, predictions: list[str], references: References) -> None:
        """Warn about texts that can be scored but look like a mistake."""

    def prepared(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return the given options in the form to keep, compare and pickle."""
        return given

    def check(self) -> None:
        """Raise ValueError for options that contradict each other."""

    def files(self) -> Sequence[Any]:
        """Return the paths among the options whose content affects the statistics."""
        return ()

    def row_fields(self, total: list[int]) -> Mapping[str, Any]:
        """Return the signature's fields that depend on the rows."""
        return references_a_row(total)

    def headline_scores(self, totals: IntArray, resampled: bool) -> FloatArray:
        """Return the headline scores of many sums, shape (sums, headlines); resampled: whether sums are resamples."""
        names = self.headlines()
        scores = map(self.score, totals.tolist())
        return np.array([[score[name] for name in names] for score in scores]).reshape(len(totals), len(names))

    def row_scores(self, rows: IntArray) -> FloatArray:
        """Return the headline scores of single rows, shape (rows, headlines)."""
        return self.headline_scores(rows, resampled=False)

    def rows_drawn(self, statistics: IntArray) -> IntArray:
        """Return the rows to resample from."""
        return statistics

    def needs_rows(self) -> bool:
        """Whether the result of compute has additions that are not a function of the sum of rows."""
        return self._common["per_example"] or self._common["confidence"] is not None

    def refuse_rows(self) -> None:
        """Raise ValueError if an option of the metric needs single rows. Called where only sums are available."""

    def check_paired(self, rows: Sequence[IntArray]) -> None:
        """Raise ValueError if systems cannot be tested; rows: statistics of the baseline, then of each system."""

    def drawn(self) -> dict[str, Any]:
        """Return the signature's fields for the random draws of compute."""
        options = self._common
        if options["confidence"] is None:
            return {}
        # sacrebleu's level is always 95 % and has no field in its signature.
        level = {} if options["confidence"] == 0.95 else {"ci": options["confidence"]}
        return {"bs": options["n_resamples"], **level}

    def finish(self, result: Result, rows: IntArray) -> Result:
        """Return the result of compute with the metric's additions if it needs rows."""
        return result

    # --- shared by all metrics

    def count_columns(self, columns: Mapping[str, Any], executor: Any = None, *, in_threads: bool = True) -> IntArray:
        """Return the statistics of each row, shape (n, len(statistic_names())), int64.

        columns: the values of each column, by name.
        executor: counts blocks of rows in its workers; None: this process counts them.
        in_threads: whether this process may count in several threads.
        Raises ValueError, which names the first invalid row.
        """
        texts, references = _checked(columns)
        if executor is not None or not self.has_few(texts, references):
            return self.count_systems([texts], references, executor, in_threads=in_threads)[0]
        self.warn(texts, references)
        return with_row_columns(references.counts, np.array(self.count_few(texts, references), np.int64))

    def total_of_columns(self, columns: Mapping[str, Any], executor: Any = None) -> list[int]:
        """Return the sum of the rows of `count_columns`; that of a few rows is made without arrays."""
        texts, references = _checked(columns)
        if executor is not None or not self.has_few(texts, references):
            return _total(self.count_systems([texts], references, executor)[0])
        self.warn(texts, references)
        counts, rows = references.counts.tolist(), self.count_few(texts, references)
        return [len(counts), sum(counts), sum(n * n for n in counts), *map(sum, zip(*rows, strict=True))]

    def count_systems(
        self,
        systems: Sequence[list[str]],
        references: References,
        executor: Any = None,
        *,
        in_threads: bool = True,
    ) -> list[IntArray]:
        """Return what `count_columns` returns for each system; systems: checked predictions of the same rows."""
        for texts in systems:
            self.warn(texts, references)
        sizes = row_sizes(systems, references)
        are_threads_faster = in_threads and self._is_faster_in_threads(int(sizes.sum()))
        blocks_of = functools.partial(row_blocks, systems, references, sizes)
        counted = self._counted_blocks(blocks_of, executor, are_threads_faster)
        blocks = [*with_bar(counted, "Count rows", " rows", len, len(systems) * len(references.counts))]
        of_systems = zip(*(block.reshape(len(systems), -1, block.shape[1]) for block in blocks), strict=True)
        return [with_row_columns(references.counts, np.concatenate(own)) for own in of_systems]

    def _counted_blocks(
        self, blocks_of: Callable[[int], Iterator[_Block]], executor: Any, in_threads: bool
    ) -> Iterator[IntArray]:
        """Count rows in blocks. Rows are independent, so blocks bound the memory and can be counted anywhere.

        blocks_of: returns the blocks of about so many characters.
        """
        count = functools.partial(_count_block, self)
        if executor is not None:
            yield from ordered_results(executor, count, blocks_of(_TRAVELLING_CHARACTERS))
        elif in_threads:
            with Threads(_THREADS) as threads:
                size = min(self.block_characters, _THREAD_CHARACTERS)
                yield from ordered_results(threads, count, blocks_of(size), under_way=_THREADS)
        else:
            yield from map(count, blocks_of(_SLOW_CHARACTERS if self.cuts_text_by_text() else self.block_characters))

    def _is_faster_in_threads(self, characters: int) -> bool:
        """Whether threads take less time: they do from two blocks on, though the work in all grows by some 10 %."""
        return characters > _THREADS * _THREAD_CHARACTERS and self.is_for_threads() and usable_cores() > 1

    def compare(self, systems: Sequence[Any], columns: Mapping[str, Any], test: str, n_trials: int | None) -> Result:
        """Test systems against the first one, the baseline; columns: those that all systems share."""
        trials = self.checked_trials(test, n_trials)
        if len(systems) == 1:
            raise ValueError("no system to compare with the baseline: give its predictions as the second argument")
        if "predictions" in columns:
            raise ValueError("predictions= is not an argument of compare: give each system's predictions by position")
        if columns.get("references") is None:
            raise ValueError("references is missing: give references=, by name; what is given by position is a system")
        texts = check_systems(systems[0], systems[1:])
        rows = self.count_systems(texts, check_references(columns["references"], len(texts[0])))
        if not len(rows[0]):
            raise ValueError("nothing to compare: baseline and references are empty")
        return self.tested(rows, test, trials)

    def usual_columns(self, named: Mapping[str, str]) -> Mapping[str, str]:
        """Return the default names of a dataset's columns; named: the columns that the caller named."""
        return {"predictions": "prediction", "references": "references"}

    def statistic_names(self) -> list[str]:
        """Return the names of all statistics of a row."""
        return [*self.row_columns, *self.own_statistic_names()]

    def counting(self) -> tuple[Any, ...]:
        """Return the values of the options that affect the kept statistics."""
        known = declared(self.declaration)["options"]
        return tuple(_as_tuples(self._common[name]) for name, option in known.items() if option.counts)

    def compute(self, columns: Mapping[str, Any], executor: Any = None, groups: Any = None) -> Result:
        """Return the result for a corpus, from its columns by name; None means that a column was not given.

        groups: a label per row; None: the result has no groups.
        """
        self.check_kept()
        labels = self.checked_groups(groups, columns)
        if labels is not None or self.needs_rows():
            return self.scored(self.count_columns(columns, executor), columns, labels)
        total = self.total_of_columns(columns, executor)
        _check_some(total[0], columns)
        return self.visible(self._total_result(total))

    def checked_groups(self, groups: Any, columns: Mapping[str, Any], name: str = "groups") -> list[Hashable] | None:
        """Return the label of each row, or None if there are none. Raises ValueError as `check_groups` does.

        Also raises ValueError if an option leaves no room for the scores of groups.
        """
        if groups is None:
            return None
        for option, value in (("scalars_only", True), ("keep_rows", False)):
            if self._common[option] is value:
                raise ValueError(f"{option}={value} leaves no scores of groups: set {option}={not value}")
        return check_groups(groups, columns, name)

    def check_kept(self) -> None:
        """Raise ValueError if an option needs rows but keep_rows=False keeps only their sum."""
        if not self._common["keep_rows"]:
            self.check_sums()

    def check_sums(self) -> None:
        """Raise ValueError if an option needs rows."""
        self.refuse_rows()
        if self._common["per_example"] or self._common["confidence"] is not None:
            raise ValueError(
                "per_example and confidence need rows, and a sum has none: leave them out, or call compute with "
                "keep_rows=True"
            )

    def scored(
        self, statistics: IntArray, columns: Mapping[str, Any], groups: Sequence[Hashable] | None = None
    ) -> Result:
        """Return the result for counted rows; columns: where the rows come from, for error messages."""
        _check_some(len(statistics), columns)
        if not self._common["keep_rows"]:
            return self.sum_result(statistics.sum(axis=0))
        return self.rows_result(statistics, groups)

    def row_result(self, columns: Mapping[str, Any]) -> Result:
        """Return the result for these rows with their scores and without intervals, whatever the options say."""
        # An interval takes a thousand scores.
        return type(self)(**row_options(self.declaration, self.given), per_example=True).compute(columns)

    def rows_result(self, statistics: IntArray, groups: Sequence[Hashable] | None = None) -> Result:
        """Return the result for counted rows, with intervals and scores per row if the options ask for them.

        groups: a label per row; the result then has the scores of the rows of each label.
        """
        result = {**self._total_result(_total(statistics)), **self._intervals(statistics)}
        if self._common["per_example"]:
            starts = range(0, len(statistics), _ROWS)
            parts = (self.row_scores(statistics[start : start + _ROWS]) for start in starts)
            scores = [*with_bar(parts, "Score rows", " rows", len, len(statistics))]
            names = [f"{name}_per_example" for name in self.headlines()]
            result.update(zip(names, np.concatenate(scores).T.tolist(), strict=True))
        if groups is not None:
            result["groups"] = self._group_results(statistics, groups)
        return self.visible(self.finish(result, statistics))

    def _group_results(self, statistics: IntArray, groups: Sequence[Hashable]) -> dict[Hashable, Result]:
        """Return the number of rows and the headline scores of each group, in the order of their first rows."""
        check_as_many_labels(groups, len(statistics))
        results: dict[Hashable, Result] = {}
        for label, rows in rows_of_groups(groups).items():
            try:
                results[label] = {"rows": len(rows), **self._headline_result(statistics[rows])}
            except ValueError as error:
                raise ValueError(f"group {label!r}: {error}") from error
        return results

    def _headline_result(self, statistics: IntArray) -> Result:
        """Return the headline scores of the result for these rows, and their intervals."""
        intervals = self._intervals(statistics)
        whole = self.finish(self.score(_total(statistics)), statistics)
        return {**{name: whole[name] for name in self.headlines()}, **intervals}

    def sum_result(self, total: Any) -> Result:
        """Return the result for summed statistics, shape (len(statistic_names()),).

        Raises ValueError for another shape or type, for a sum of no rows, for counts that no rows can give, and for
        options that need rows.
        """
        self.check_sums()
        expected, array = len(self.statistic_names()), np.asarray(total)
        if array.shape != (expected,) or array.dtype.kind not in "iu":
            raise ValueError(
                f"total has shape {array.shape} and type {array.dtype}: give statistics(...).sum(axis=0), "
                f"{expected} integers"
            )
        if array[0] < 1:
            raise ValueError(f"total sums up {array[0]} rows: give the sum of at least one row")
        counts = dict(zip(self.statistic_names(), array.tolist(), strict=True))
        check_total(counts, [*self.bounds(counts), *(reference_bounds(counts) if "references" in counts else ())])
        return self.visible(self._total_result(array.tolist()))

    def visible(self, result: Result) -> Result:
        """Return the result, reduced to its numbers if scalars_only is set."""
        if not self._common["scalars_only"]:
            return result
        return {key: value for key, value in result.items() if isinstance(value, (int, float))}

    def checked_trials(self, test: str, n_trials: int | None) -> int:
        """Return the number of trials. Raises ValueError for an unknown test, or if an option needs single rows."""
        check_choice("test", test, tuple(PAIRED_TESTS))
        self.refuse_rows()
        trials = PAIRED_TESTS[test].usual_trials if n_trials is None else n_trials
        check_integer("n_trials", trials, least=1)
        return trials

    def tested(self, rows: Sequence[IntArray], test: str, trials: int) -> Result:
        """Run a paired test; rows: the statistics of the baseline, then those of each system."""
        check_as_many_rows(rows)
        self.check_paired(rows)
        _warn_of_equal(rows)
        paired, seed = PAIRED_TESTS[test], self._common["seed"]
        p_values = paired.run(rows, trials, seed, self.headline_scores)
        scores = [self.score(_total(statistics)) for statistics in rows]
        results: list[Result] = [{name: score[name] for name in self.headlines()} for score in scores]
        for result, statistics in zip(results, rows, strict=True):
            result.update(self._intervals(statistics, of_systems=True))
        names = [f"{name}_p_value" for name in self.headlines()]
        for result, values in zip(results[1:], p_values, strict=True):
            result.update(zip(names, values, strict=True))
        confidence = self._common["confidence"]
        level = {} if confidence is None else {"ci": f"{confidence}[{self._common['n_resamples']}]"}
        signature = self._signature(_total(rows[0]), {paired.field: trials, **level})
        return {"baseline": results[0], "systems": results[1:], "signature": signature}

    def _total_result(self, total: list[int]) -> Result:
        return {**self.score(total), "signature": self._signature(total, self.drawn())}

    def _signature(self, total: list[int], drawn: Mapping[str, Any]) -> str:
        seed = {"seed": self._common["seed"]} if drawn else {}
        # A file may change between two calls.
        options = _joined(self.signature_fields()) if self.files() else self._options_signature
        own = _joined({**self.row_fields(total), **drawn, **seed})
        return "|".join(filter(None, (own, options, f"version:evenscore-{__version__}")))

    @functools.cached_property
    def _options_signature(self) -> str:
        return _joined(self.signature_fields())

    def _intervals(self, statistics: IntArray, of_systems: bool = False) -> Result:
        """Return ends and mean of each headline's interval; of_systems: with the mean of sacrebleu's paired tests."""
        options = self._common
        if options["confidence"] is None:
            return {}
        sums = resampled_sums(self.rows_drawn(statistics), options["n_resamples"], options["seed"])
        result: Result = {}
        for name, column in zip(self.headlines(), self.headline_scores(sums, resampled=True).T, strict=True):
            ends = interval(column, options["confidence"], of_systems)
            result.update(zip((f"{name}_low", f"{name}_mean", f"{name}_high"), ends, strict=True))
        return result


def hints(option: str, kinds: Mapping[str, type[Scorer[Any]]]) -> str:
    """Return what does the same in metrics that all lack the option; an empty string if nothing does in any of them.

    kinds: the scorers of these metrics, by name.
    """
    known = {name: kind.instead[option] for name, kind in kinds.items() if option in kind.instead}
    said = [f"for {name}, {hint}" for name, hint in known.items()]
    others = [name for name in kinds if name not in known]
    if said and others:
        said.append(f"{' and '.join(others)} {'has' if len(others) == 1 else 'have'} nothing like it")
    return "; ".join(said)


def rows_of_groups(groups: Sequence[Hashable]) -> dict[Hashable, IntArray]:
    """Return the rows of each label, in order; the labels are in the order of their first rows.

    >>> {label: rows.tolist() for label, rows in rows_of_groups(["b", "a", "b"]).items()}
    {'b': [0, 2], 'a': [1]}
    """
    numbers: dict[Hashable, int] = {}
    of_rows = np.fromiter((numbers.setdefault(label, len(numbers)) for label in groups), np.int64, len(groups))
    ends = np.cumsum(np.bincount(of_rows, minlength=len(numbers)))
    parts = np.split(np.argsort(of_rows, kind="stable"), ends[:-1])
    return dict(zip(numbers, parts, strict=True)) if numbers else {}


def _joined(fields: Mapping[str, Any]) -> str:
    """Return the fields of a signature as a string, with the separator escaped where a value contains it."""
    return "|".join([f"{name}:{str(value).replace('%', '%25').replace('|', '%7C')}" for name, value in fields.items()])


def _checked(columns: Mapping[str, Any]) -> tuple[list[str], References]:
    texts = check_predictions(columns.get("predictions"))
    return texts, check_references(columns.get("references"), len(texts))


def _check_some(rows: int, columns: Mapping[str, Any]) -> None:
    """Raise ValueError if there are no rows; columns: where they come from."""
    if not rows:
        names = [name for name, column in columns.items() if column is not None]
        raise ValueError(f"nothing to score: {' and '.join(names) or 'all batches'} are empty")


def _total(statistics: IntArray) -> list[int]:
    """Return the sum of rows."""
    total: list[int] = statistics.sum(axis=0).tolist()
    return total


def _count_block(scorer: Scorer[Any], block: _Block) -> IntArray:
    return scorer.count(*block)


def with_row_columns(reference_counts: IntArray, own: IntArray) -> IntArray:
    """Prepend ROW_COLUMNS to a metric's statistics; shape (n, k) becomes (n, 3 + k).

    >>> with_row_columns(np.array([2, 1]), np.array([[7], [8]])).tolist()
    [[1, 2, 4, 7], [1, 1, 1, 8]]
    """
    rows = np.ones((len(own), len(ROW_COLUMNS) + own.shape[1]), np.int64)
    rows[:, 1] = reference_counts
    rows[:, 2] = reference_counts**2
    rows[:, len(ROW_COLUMNS) :] = own
    return rows


def references_a_row(total: list[int]) -> dict[str, str]:
    """Return the signature's field for the number of references per row, "var" if rows differ.

    All rows have the same number if and only if rows * sum of squares == (sum of numbers)**2 (Cauchy-Schwarz).

    >>> references_a_row([2, 4, 8]), references_a_row([2, 4, 10])
    ({'nrefs': '2'}, {'nrefs': 'var'})
    """
    rows, references, squares = total[: len(ROW_COLUMNS)]
    return {"nrefs": str(references // rows) if rows and rows * squares == references**2 else "var"}


def _as_tuples(value: Any) -> Any:
    """Convert lists to tuples, recursively, because options accept either."""
    return tuple(map(_as_tuples, value)) if isinstance(value, (list, tuple)) else value


def _warn_of_equal(rows: Sequence[IntArray]) -> None:
    """Warn if a system equals the baseline: the test then gives the smallest p-value possible, as in sacrebleu."""
    for i, statistics in enumerate(rows[1:]):
        if np.array_equal(statistics, rows[0]):
            warn_caller(
                f"systems[{i}] has the same counts as the baseline in every row, so there is no difference to test. Is "
                f"it the same file?"
            )
