"""Adapts a scorer to evaluate's interface: options, added rows, pickles and dataset columns."""

from __future__ import annotations

import abc
import contextlib
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import datasets
import evaluate
import numpy as np

from evenscore.added_rows import AddedRows
from evenscore.columns import RowScorer, column_rows, grouped_rows
from evenscore.identity import LIBRARY_DIGEST, code_digest, installed_class
from evenscore.options import HostOptions, check_choice, check_known, declared, option_lines, row_options
from evenscore.scorer import COLUMNS, Result, Scorer, rebuilt
from evenscore.significance import FloatArray
from evenscore.text.segments import IntArray

S = TypeVar("S", bound=Scorer[Any])

# Singular names of `add`. evaluate.combine, like many training loops, passes the plural names even for one row.
_COLUMN_OF = {"prediction": "predictions", "reference": "references", "context": "contexts"}
_UNLABELLED = (
    "added rows have no groups: pass all rows and their groups to one compute, or score a dataset by "
    "row_scorer(statistics=True) and score_columns(group_by=...)"
)


class Metric(evaluate.Metric, abc.ABC, Generic[S]):
    """Base class of all metrics: an `evaluate.Metric` that delegates scoring to a `Scorer`.

    A subclass sets the class attributes below and defines `compute` with its own columns and options as keywords.
    Metrics may be shared between threads and pickled.
    """

    scorer_type: type[S]
    description_text: ClassVar[str]
    inputs_text: ClassVar[str]
    citation_text: ClassVar[str]
    sources_text: ClassVar[Sequence[str]]
    # Class attributes, so that evaluate's copy of a metric can look up those of the installed package.
    _rebuilt = staticmethod(rebuilt)
    _row_scorer_type = RowScorer
    code_digest: ClassVar[str] = LIBRARY_DIGEST

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        # A class defined at a prompt has no file and keeps the digest of its base class.
        with contextlib.suppress(OSError, TypeError):
            cls.code_digest = code_digest(Path(inspect.getfile(cls)))

    def __init__(self, config_name: str | None = None, num_process: int = 1, **given: Any) -> None:
        process_id = given.get("process_id", 0)
        if num_process != 1 or process_id != 0:
            raise ValueError(
                f"num_process={num_process}, process_id={process_id}: leave both out. Call statistics(...).sum(axis=0) "
                f"in each process, add the sums, and pass the total to score_statistics"
            )
        host = {name: given.pop(name) for name in HostOptions.__annotations__ if name in given}
        self._scorer = self.scorer_type(**given)
        options = self._scorer.options
        self._added = AddedRows(options["keep_rows"])
        super().__init__(config_name=config_name, seed=options["seed"], **host)
        # evaluate wraps `compute` and loses its signature.
        vars(self)["compute"].__func__.__signature__ = inspect.signature(type(self).compute)

    @abc.abstractmethod
    def compute(self, *args: Any, **columns_and_options: Any) -> Any:
        """Score the given columns together with all rows added before, and clear the added rows.

        If it raises, or is interrupted, the added rows stay.
        """

    # --- added rows

    def add_batch(self, **columns: Any) -> None:
        """Count rows for the next `compute`. The metric keeps their statistics, not their text.

        Takes the columns of `compute`. On a ValueError, no row of the batch is added.

        Examples:
            >>> import evenscore
            >>> wer = evenscore.load("wer_dp")
            >>> wer.add_batch(predictions=["a b", "c"], references=["a x", "c d"])
            >>> len(wer), wer.compute()["wer"], len(wer)
            (2, 0.5, 0)
        """
        self._added.add([counted_batch(self._scorer, columns)])

    def add(self, **row: Any) -> None:
        """Count one row for the next `compute`. Adding a whole batch takes about as long.

        Takes the row's values by the columns' names or their singular, as in `add(prediction="a", reference="b")`.
        """
        columns = self._scorer.columns
        known = {name: column for name, column in _COLUMN_OF.items() if column in columns}
        given = {known.get(name, name): [value] for name, value in row.items()}
        # Other columns are optional, and None leaves them out.
        needed = COLUMNS if "references" in columns else ()
        missing = [column for column in needed if column not in given]
        # A misspelt name is told below.
        if missing and given.keys() <= set(columns):
            raise ValueError(f"{missing[0]} is missing: give both, as in add(prediction='a b', references=['a c'])")
        optional = set(columns) - set(needed)
        self.add_batch(**{name: value for name, value in given.items() if value[0] is not None or name not in optional})

    def merge(self, other: Metric[Any]) -> None:
        """Count the rows added to another metric for the next `compute` of this one. The other metric keeps its rows.

        Merge order changes row order, and so `per_example` lists and which rows a seeded interval samples; scores are
        unaffected.

        Args:
            other: a metric of the same name, with the same options as far as they decide what is counted.

        Raises:
            ValueError: `other` is this metric, another metric, or counts under other options.

        Examples:
            >>> import evenscore
            >>> first, second = evenscore.load("wer_dp"), evenscore.load("wer_dp")
            >>> second.add_batch(predictions=["a b"], references=["a x"])
            >>> first.merge(second)
            >>> len(first), len(second)
            (1, 1)
        """
        # evaluate's copy of a metric is a class of its own, so isinstance would not recognize it.
        if getattr(other, "name", None) != self.name or not hasattr(other, "_added"):
            raise ValueError(f"other is of type {type(other).__name__}: give a {self.name} metric")
        if other is self:
            raise ValueError("other is this metric itself: its rows would count twice; give another metric")
        other._check_added(self._scorer)
        self._added.add(other._added.parts())

    def __len__(self) -> int:
        """Return the number of rows added since the last `compute`."""
        return sum(int(part[:, 0].sum()) for part in self._added.parts())

    def __bool__(self) -> bool:
        return True

    # --- statistics and scores

    def statistics(
        self, predictions: Any = None, references: Any = None, *, executor: Any = None, **columns_and_options: Any
    ) -> IntArray:
        """Count every row. Sums of rows are exact in any order and on any machine, since they are integers.

        Takes the columns, options and executor of `compute`, and raises the same errors. Returns int64, shape
        (rows, `len(statistic_names())`); empty columns give no rows.

        Examples:
            >>> import evenscore
            >>> wer = evenscore.load("wer_dp")
            >>> total = wer.statistics(["a b", "c"], ["a x", "c d"]).sum(axis=0)
            >>> wer.score_statistics(total)["wer"]
            0.5
        """
        given = {"predictions": predictions, "references": references, **columns_and_options}
        columns, options = self._split(given, self.statistics)
        return self._counting(options, executor, self.statistics).count_columns(columns, executor)

    def statistic_names(self, **options: Any) -> list[str]:
        """Return the names of the columns of `statistics`, under the given options."""
        return self._under(options).statistic_names()

    def headlines(self, **options: Any) -> list[str]:
        """Return the result's keys that get scores per row, intervals and p-values, such as ["wer"]."""
        return list(self._under(options).headlines())

    def option_names(self) -> list[str]:
        """Return the names of all options, including the aliases that other libraries use."""
        known = declared(self._scorer.declaration)
        return [*known["options"], *known["aliases"]]

    def score_statistics(self, total: Any, **options: Any) -> Result:
        """Return the result that `compute` gives for these rows, bit for bit, from the sum of their statistics.

        Args:
            total: integers, shape (`len(statistic_names())`,), summed over at least one row.
            **options: those under which the rows were counted. `per_example` and `confidence` need rows, and raise
                ValueError.
        """
        return self._under(options).sum_result(total)

    def row_scores(self, statistics: IntArray, **options: Any) -> FloatArray:
        """Score each row by itself: float64, shape (rows, `len(headlines())`).

        Args:
            statistics: integers, shape (rows, `len(statistic_names())`); ValueError for another shape or type.
            **options: those under which the rows were counted.
        """
        scorer = self._under(options)
        array, expected = np.asarray(statistics), len(scorer.statistic_names())
        if array.ndim != 2 or array.shape[1] != expected or array.dtype.kind not in "iu":
            raise ValueError(
                f"statistics have shape {array.shape} and type {array.dtype}: give what statistics(...) returns, "
                f"rows of {expected} integers"
            )
        return scorer.row_scores(array.astype(np.int64, copy=False))

    def compare(
        self,
        baseline: Any,
        *systems: Any,
        references: Any = None,
        test: str = "bootstrap",
        n_trials: int | None = None,
        **common: Any,
    ) -> Result:
        """Test systems against a baseline on the same references.

        Both tests equal sacrebleu 2.6.0, significance.py. Raises ValueError unless all systems have the same rows.

        Args:
            baseline: predictions, one string per row. For perplexity, a mapping of the baseline's own options or
                columns.
            *systems: one or more systems, each like `baseline`, with as many rows.
            references: one string or a list of strings per row.
            test: "bootstrap" (Koehn 2004) or "randomization" (Riezler & Maxwell 2005).
            n_trials: number of resamples or shuffles; None: 1000 for "bootstrap", 10000 for "randomization".
            **common: options, and for perplexity columns that all systems share.

        Returns:
            `{"baseline": {...}, "systems": [{...}, ...], "signature": ...}`. Each has its headline scores, with
            `<name>_low`, `<name>_mean` and `<name>_high` if `confidence` is set. Each system also has
            `<name>_p_value`, above 0 and at most 1.

        Examples:
            >>> import evenscore
            >>> wer = evenscore.load("wer_dp")
            >>> tested = wer.compare(["a b", "c"], ["a x", "c d"], references=["a x", "c d"], n_trials=100)
            >>> tested["baseline"]["wer"], tested["systems"][0]["wer"]
            (0.5, 0.0)
        """
        columns, options = self._split({"references": references, **common}, self.compare)
        return self._under(options).compare((baseline, *systems), columns, test, n_trials)

    # --- columns of datasets

    def row_scorer(
        self,
        prediction: str | None = None,
        references: str | None = None,
        *,
        prefix: str | None = None,
        scores: Sequence[str] | None = None,
        statistics: bool = False,
        **columns_and_options: Any,
    ) -> RowScorer:
        """Return a function for `Dataset.map(..., batched=True)` that adds a column of scores per row.

        datasets caches the result: the same rows, options and code give the same fingerprint in every process.

        Args:
            prediction: name of the dataset's column of predictions; None: "prediction", for perplexity "text".
            references: name of the dataset's column of references; None: "references".
            prefix: prefix of the new columns' names; None: the metric's name with "_".
            scores: names from `headlines()` that become columns; None: all of them.
            statistics: whether to add the statistics as columns too, for `score_columns`.
            **columns_and_options: options, and for perplexity names of further columns, as in `log_probs="scores"`.

        Examples:
            >>> import evenscore
            >>> score = evenscore.load("wer_dp").row_scorer()
            >>> score({"prediction": ["a b", "c"], "references": ["a x", "c"]})["wer_dp_wer"]
            [0.5, 0.0]
        """
        named, options = self._split({"references": references, **columns_and_options})
        if "predictions" in named and "references" in self._scorer.columns:
            options["predictions"] = named["predictions"]
        if prediction is not None:
            if "predictions" in named:
                raise ValueError("prediction= and predictions= name the same column: give one of them")
            named["predictions"] = prediction
        names = ["prediction", *(name for name in self._scorer.columns if name != "predictions")]
        remedy = f"; name the dataset's columns with {'=, '.join(names)}="
        self._check_options(options, self.row_scorer, names, remedy)
        # A separate scorer, so that neither added rows nor options about many rows change the fingerprint.
        scorer = self._importable(row_options(self._scorer.declaration, self._under(options).given))
        # A fixed order, so that the fingerprint does not depend on the order of the arguments.
        columns = {**scorer.usual_columns(named), **named}
        ordered = {name: columns[name] for name in scorer.columns if name in columns}
        scorer_type = installed_class(type(self))._row_scorer_type
        return scorer_type(scorer, ordered, self._prefix(prefix), _checked_scores(scorer, scores), statistics)

    def score_columns(
        self, data: Any, prefix: str | None = None, *, group_by: str | None = None, **options: Any
    ) -> Any:
        """Score the columns of statistics that `row_scorer(statistics=True)` added.

        The columns do not record their options, so the signature shows the options given here and at load. Raises
        ValueError for a missing column, one that is not of integers, and no rows.

        Args:
            data: a Dataset, IterableDataset, pandas data frame, arrow table or mapping of columns; each split of a
                DatasetDict is scored by itself.
            prefix: prefix of the columns' names, as in `row_scorer`.
            group_by: the name of a column of labels, which adds the scores of each group as `groups` of `compute` does.
            **options: those under which the rows were counted.

        Returns:
            The result of `compute`; for a DatasetDict one per split, by name.

        Examples:
            >>> import evenscore
            >>> wer = evenscore.load("wer_dp")
            >>> data = wer.row_scorer(statistics=True)({"prediction": ["a b", "c"], "references": ["a x", "c d"]})
            >>> wer.score_columns(data)["wer"]
            0.5
            >>> wer.score_columns({**data, "speaker": ["ann", "bob"]}, group_by="speaker")["groups"]
            {'ann': {'rows': 1, 'wer': 0.5}, 'bob': {'rows': 1, 'wer': 0.5}}
        """
        if isinstance(data, dict) and data and all(hasattr(split, "column_names") for split in data.values()):
            return {
                name: self.score_columns(split, prefix, group_by=group_by, **options) for name, split in data.items()
            }
        if not isinstance(group_by, str | None):
            raise ValueError(f"group_by={group_by!r}: give the name of one column")
        scorer = self._under(options, self.score_columns)
        rows, labels = grouped_rows(scorer, data, self._prefix(prefix), group_by)
        groups = None if group_by is None else scorer.checked_groups(labels, {}, group_by)
        return scorer.rows_result(rows, groups)

    def compare_columns(
        self,
        baseline: Any,
        *systems: Any,
        prefix: str | Sequence[str] | None = None,
        test: str = "bootstrap",
        n_trials: int | None = None,
        **options: Any,
    ) -> Result:
        """Compare systems by the columns of statistics that `row_scorer(statistics=True)` added.

        Args:
            baseline: data with the baseline's columns, as in `score_columns`.
            *systems: data of one or more systems, with as many rows.
            prefix: prefix of the columns' names, or a list of prefixes: the baseline's, then each system's. Systems in
                one dataset are compared by `compare_columns(data, data, prefix=["a_", "b_"])`.
            test: as in `compare`, like `n_trials` and the result.
            **options: those under which the rows were counted.
        """
        scorer, given = self._under(options, self.compare_columns), (baseline, *systems)
        prefixes = [self._prefix(own) for own in _prefixes(prefix, len(given))]
        trials = scorer.checked_trials(test, n_trials)
        if not systems:
            raise ValueError("no system to compare with the baseline: give its columns as the second argument")
        rows = [column_rows(scorer, data, own) for data, own in zip(given, prefixes, strict=True)]
        return scorer.tested(rows, test, trials)

    # --- hooks of evaluate, pickle and datasets

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        several = datasets.Features({"predictions": text, "references": [text]})
        one = datasets.Features({"predictions": text, "references": text})
        has_references = "references" in self.scorer_type.columns
        options = textwrap.indent("\n".join(option_lines(self.scorer_type.declaration)), 4 * " ")
        return evaluate.MetricInfo(
            description=self.description_text,
            citation=self.citation_text,
            inputs_description=self.inputs_text.replace("{options}", options),
            features=[several, one] if has_references else datasets.Features({"predictions": text}),
            reference_urls=list(self.sources_text),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # evaluate's own state has locks and a seed from numpy's global state. A copy needs the options alone, and so
        # does the fingerprint that datasets computes from the pickle.
        added = self._added.parts()
        kind = installed_class(type(self))
        hashed = kind.code_digest, self._scorer.stamps()
        given = {"config_name": self.config_name, **dict(sorted(self._scorer.given.items()))}
        return kind._rebuilt, (kind, given, hashed), {"_added": added} if added else None

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._added.add(state["_added"])

    def _build_data_dir(self) -> str:
        # evaluate calls this at every load to create a cache folder, which this class never uses.
        return str(self._data_dir_root)

    # --- helpers

    def _under(self, options: Mapping[str, Any], method: Callable[..., Any] | None = None) -> S:
        """Return a scorer whose options are those at load, overridden by the given ones, which `method` got."""
        self._check_options(options, method)
        return self._scorer.under(options)

    def _counting(self, options: Mapping[str, Any], executor: Any, method: Callable[..., Any]) -> Scorer[Any]:
        """Return the scorer that counts rows, one that workers can import if there is an executor."""
        scorer = self._under(options, method)
        return scorer if executor is None else self._importable(scorer.given)

    def _importable(self, given: Mapping[str, Any]) -> Scorer[Any]:
        """Return a scorer of a class that other processes can import."""
        scorer: Scorer[Any] = installed_class(type(self)).scorer_type(**given)
        return scorer

    def _compute(
        self, columns: Mapping[str, Any], options: Mapping[str, Any], executor: Any = None, groups: Any = None
    ) -> Result:
        """Score these columns together with everything added before."""
        scorer = self._counting(options, executor, self.compute)
        if not self._added.parts():
            return scorer.compute(columns, executor, groups)
        self._check_added(scorer)
        if groups is not None:
            raise ValueError(_UNLABELLED)
        scorer.check_kept()
        has_own = any(column is not None for column in columns.values())
        own = [scorer.count_columns(columns, executor)] if has_own else []
        # Another thread may have added or scored rows meanwhile.
        return self._added.scored(lambda rows: scorer.scored(np.concatenate([*rows, *own]), columns))

    def _split(
        self, given: Mapping[str, Any], method: Callable[..., Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Split the keyword arguments of `method` into columns and options, without the columns that are None."""
        known = self._scorer.columns
        columns = {name: value for name, value in given.items() if name in known and value is not None}
        # Shared methods pass predictions and references even if the caller left them out.
        shared = {name for name in COLUMNS if given.get(name) is None}
        options = {name: value for name, value in given.items() if name not in {*known, *shared}}
        if method is not None:
            self._check_options(options, method, known)
        return columns, options

    def _check_options(
        self,
        options: Mapping[str, Any],
        method: Callable[..., Any] | None,
        columns: Sequence[str] = (),
        remedy: str = "",
    ) -> None:
        """Raise ValueError for a name that is no option, see `check_known`."""
        check_known(options, self._scorer.declaration, method, columns, self._scorer.instead, remedy)

    def _prefix(self, prefix: str | None) -> str:
        if prefix is not None and not isinstance(prefix, str):
            raise ValueError(f"prefix={prefix!r}: give a string, the prefix of the columns' names")
        return f"{self.name}_" if prefix is None else prefix

    def _check_added(self, scorer: Scorer[Any]) -> None:
        if scorer.counting() != self._scorer.counting():
            raise ValueError(
                "rows were added under other options: set the options at load, or pass all rows to compute"
            )


def counted_batch(scorer: Scorer[Any], columns: Mapping[str, Any]) -> IntArray:
    """Return the statistics of each row that is to be added; ValueError for an unknown column."""
    known = scorer.columns
    if "groups" in columns:
        raise ValueError(_UNLABELLED)
    if unknown := sorted(columns.keys() - set(known)):
        names = " and ".join(known) if len(known) == 2 else ", ".join(known)
        raise ValueError(f"unknown columns {unknown}: give {names}")
    return scorer.count_columns(columns)


def _prefixes(prefix: str | Sequence[str] | None, n: int) -> Sequence[str | None]:
    """Return one prefix for each of n systems."""
    if prefix is None or isinstance(prefix, str):
        return [prefix] * n
    if not isinstance(prefix, (list, tuple)):
        raise ValueError(f"prefix={prefix!r}: give a string, or a list of strings, the baseline's first")
    if len(prefix) != n:
        raise ValueError(
            f"prefix={prefix!r} has {len(prefix)} items for {n} columns of data: give the baseline's prefix, then each "
            f"system's, or one string for all"
        )
    return prefix


def _checked_scores(scorer: Scorer[Any], scores: Sequence[str] | None) -> list[str]:
    known = scorer.headlines()
    if isinstance(scores, str):
        raise ValueError(f"scores={scores!r}: give a list, as in [{scores!r}]")
    chosen = list(known if scores is None else scores)
    for name in chosen:
        check_choice("scores", name, tuple(known))
    return chosen
