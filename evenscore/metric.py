"""evaluate's interface over a scorer: options at load and in calls, added rows, pickles, columns of datasets."""

from __future__ import annotations

import abc
import contextlib
import inspect
import os
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, Generic, TypeVar

import datasets
import evaluate
import numpy as np

from evenscore.columns import RowScorer, column_rows
from evenscore.identity import LIBRARY_DIGEST, code_digest, file_stamp, installed_class
from evenscore.options import HostOptions, check_choice, declared, option_lines, row_options, unknown_option
from evenscore.scorer import COLUMNS, Result, Scorer, rebuilt
from evenscore.significance import FloatArray
from evenscore.text.segments import IntArray

S = TypeVar("S", bound=Scorer[Any])

# evaluate.combine, and many a loop, name a single row as a column.
_COLUMN_OF = {"prediction": "predictions", "reference": "references", "context": "contexts"}


class Metric(evaluate.Metric, abc.ABC, Generic[S]):
    """A scorer as an evaluate.Metric.

    A script names its scorer, describes it for evaluate, and has its own `compute`, with columns and options by name.
    """

    scorer_type: type[S]
    description_text: ClassVar[str]
    inputs_text: ClassVar[str]
    citation_text: ClassVar[str]
    sources_text: ClassVar[Sequence[str]]
    # By the class, so that a copy of evaluate's finds those of the installed package.
    _rebuilt = staticmethod(rebuilt)
    _row_scorer_type = RowScorer
    code_digest: ClassVar[str] = LIBRARY_DIGEST

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        # A class that was typed at a prompt has no file; it keeps the digest of the one it comes from.
        with contextlib.suppress(OSError, TypeError):
            cls.code_digest = code_digest(Path(inspect.getfile(cls)))

    def __init__(self, config_name: str | None = None, num_process: int = 1, **given: Any) -> None:
        process_id = given.get("process_id", 0)
        if num_process != 1 or process_id != 0:
            raise ValueError(
                f"num_process={num_process}, process_id={process_id}: not needed here. Let each process call "
                f"statistics(...).sum(axis=0), add the sums, and call score_statistics(total) once"
            )
        host = {name: given.pop(name) for name in HostOptions.__annotations__ if name in given}
        self._scorer = self.scorer_type(**given)
        options = self._scorer.options
        self._added = AddedRows(options["keep_rows"])
        super().__init__(config_name=config_name, seed=options["seed"], **host)
        # evaluate copies the function, but not what it says of its parameters.
        vars(self)["compute"].__func__.__signature__ = inspect.signature(type(self).compute)

    @abc.abstractmethod
    def compute(self, *args: Any, **columns_and_options: Any) -> Any:
        """The result for these columns, together with everything added before."""

    # --- rows that are added

    def add_batch(self, **columns: Any) -> None:
        """Count a batch of rows, columns as in compute, towards the next compute(); kept are their statistics alone."""
        known = self._scorer.columns
        if unknown := sorted(columns.keys() - set(known)):
            names = " and ".join(known) if len(known) == 2 else ", ".join(known)
            raise ValueError(f"unknown columns {unknown}: give {names}")
        self._added.add([self._scorer.count_columns(columns)])

    def add(self, **row: Any) -> None:
        """Count one row towards the next compute(), names in the singular or as columns; a batch costs little more."""
        known = {name: column for name, column in _COLUMN_OF.items() if column in self._scorer.columns}
        # Of pairs a value that is missing is refused, given or not; other columns may be left out.
        needed = {column: [None] for column in COLUMNS if "references" in known.values()}
        named = {**needed, **{known.get(name, name): [value] for name, value in row.items()}}
        optional = set(self._scorer.columns) - set(needed)
        self.add_batch(
            **{name: column for name, column in named.items() if column[0] is not None or name not in optional}
        )

    def merge(self, other: Metric[Any]) -> None:
        """Count the rows that were added to another metric towards the next compute() of this one.

        The other keeps them.  Merged in any order, metrics give the same scores; the order of the rows is that of the
        merges, and it shows in lists of rows and decides which rows an interval's seed draws.
        Raises ValueError for the metric itself, one of another kind, or with other options that decide what is counted.
        """
        # evaluate's copy of a metric has a class of its own.
        if getattr(other, "name", None) != self.name or not hasattr(other, "_added"):
            raise ValueError(f"other is of type {type(other).__name__}: give a metric {self.name}, as this one is")
        if other is self:
            raise ValueError("other is this metric itself, whose rows would count twice: give another one")
        other._check_added(self._scorer)
        self._added.add(other._added.parts())

    def __len__(self) -> int:
        """How many rows are added and not yet scored."""
        return sum(int(part[:, 0].sum()) for part in self._added.parts())

    def __bool__(self) -> bool:
        return True

    # --- what is counted, and what is made of it

    def statistics(
        self, predictions: Any = None, references: Any = None, *, executor: Any = None, **columns_and_options: Any
    ) -> IntArray:
        """The statistics of every row, shape (n, len(statistic_names())), int64.

        Rows may be added up in any order, on any machine: integers have no rounding.  executor: as in compute.
        """
        columns, options = self._split({"predictions": predictions, "references": references, **columns_and_options})
        return self._counting(options, executor).count_columns(columns, executor)

    def statistic_names(self, **options: Any) -> list[str]:
        """The names of the columns of `statistics`."""
        return self._under(options).statistic_names()

    def headlines(self, **options: Any) -> list[str]:
        """The keys of the result that get rows, intervals and p-values."""
        return list(self._under(options).headlines())

    def option_names(self) -> list[str]:
        """The names of all options, those of the stock metrics among them."""
        known = declared(self._scorer.declaration)
        return [*known["options"], *known["aliases"]]

    def score_statistics(self, total: Any, **options: Any) -> Result:
        """The scores of summed statistics, shape (len(statistic_names()),), as compute gives them.

        A sum has no rows any more: what is made of rows (per_example, confidence) is refused.
        """
        return self._under(options).sum_result(total)

    def row_scores(self, statistics: IntArray, **options: Any) -> FloatArray:
        """The headlines of single rows, shape (n, len(headlines())), from their statistics.

        Raises ValueError for what are no statistics under these options.
        """
        scorer = self._under(options)
        array, expected = np.asarray(statistics), len(scorer.statistic_names())
        if array.ndim != 2 or array.shape[1] != expected or array.dtype.kind not in "iu":
            raise ValueError(
                f"statistics have shape {array.shape} and type {array.dtype}: give statistics(...), "
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
        """Paired significance tests of systems against a baseline, all on the same references.

        baseline, systems: columns of predictions; for perplexity, mappings of what is theirs alone: options or columns.
        test: "bootstrap" (Koehn 2004) or "randomization" (Riezler & Maxwell 2005), both as sacrebleu 2.6.0 has them.
        n_trials: 1000 for bootstrap and 10000 for randomization if not given.
        common: options; for perplexity also columns that all share.
        Returns {"baseline": {...}, "systems": [{...}, ...], "signature": ...}: for every headline score its value,
        for every system `<name>_p_value` beside it, and the interval if `confidence` is set.
        """
        columns, options = self._split({"references": references, **common})
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
        """A function for Dataset.map(..., batched=True): scores of rows as new columns.

        prediction, references: the names of the dataset's columns, "prediction" and "references" by default; for
          perplexity, whose texts are in "text" by default, further columns as in log_probs="scores".
        prefix: begins the new columns' names; None: the metric's name with "_".
        scores: which of headlines() become columns; None: all of them.
        statistics: whether what is counted becomes columns, too, from which score_columns makes corpus scores.

        The same rows with the same options and code are found in datasets' cache, in other processes too.
        """
        named, options = self._split({"references": references, **columns_and_options})
        if "predictions" in named and "references" in self._scorer.columns:
            options["predictions"] = named["predictions"]
        if prediction is not None:
            if "predictions" in named:
                raise ValueError("prediction= and predictions= name the same column: give one of them")
            named["predictions"] = prediction
        self._check_options(options)
        # Of its own, so that neither rows added to this one nor options about many rows change the hash.
        scorer = self._importable(row_options(self._scorer.declaration, self._under(options).given))
        # In one order, so that the hash does not depend on that of the arguments.
        columns = {**scorer.usual_columns(named), **named}
        ordered = {name: columns[name] for name in scorer.columns if name in columns}
        scorer_type = installed_class(type(self))._row_scorer_type
        return scorer_type(scorer, ordered, self._prefix(prefix), _checked_scores(scorer, scores), statistics)

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
        scorer = self._under(options)
        return scorer.rows_result(column_rows(scorer, data, self._prefix(prefix)))

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
        scorer, given = self._under(options), (baseline, *systems)
        prefixes = [self._prefix(own) for own in _prefixes(prefix, len(given))]
        trials = scorer.checked_trials(test, n_trials)
        if not systems:
            raise ValueError("no system to compare with the baseline: give its columns as second argument")
        rows = [column_rows(scorer, data, own) for data, own in zip(given, prefixes, strict=True)]
        return scorer.tested(rows, test, trials)

    # --- what evaluate, pickle and datasets ask for

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
        # evaluate's own state holds locks and a seed drawn from numpy's global state; what a copy needs, and what
        # datasets hashes for its cache, are the options.
        added = self._added.parts()
        kind = installed_class(type(self))
        hashed = kind.code_digest, [file_stamp(file) for file in self._scorer.files()]
        given = {"config_name": self.config_name, **dict(sorted(self._scorer.given.items()))}
        return kind._rebuilt, (kind, given, hashed), {"_added": added} if added else None

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._added.add(state["_added"])

    def _build_data_dir(self) -> str:
        # evaluate makes this folder at every load; nothing here is ever written to it.
        return str(self._data_dir_root)

    # --- inside

    def _under(self, options: Mapping[str, Any]) -> S:
        """The scorer with these options over those at load."""
        return self._scorer.under(options)

    def _counting(self, options: Mapping[str, Any], executor: Any) -> Scorer[Any]:
        """The scorer that counts."""
        scorer = self._under(options)
        return scorer if executor is None else self._importable(scorer.given)

    def _importable(self, given: Mapping[str, Any]) -> Scorer[Any]:
        """A scorer of a class that other processes can import."""
        scorer: Scorer[Any] = installed_class(type(self)).scorer_type(**given)
        return scorer

    def _compute(self, columns: Mapping[str, Any], options: Mapping[str, Any], executor: Any = None) -> Result:
        """Score these columns together with everything added before."""
        scorer = self._under(options)
        added = self._added.parts()
        if added:
            self._check_added(scorer)
        scorer.check_kept()
        own = []
        if not added or any(column is not None for column in columns.values()):
            own.append(self._counting(options, executor).count_columns(columns, executor))
        # Threads may have added others meanwhile, or scored those.
        return scorer.scored(np.concatenate([*self._added.take(), *own]), columns)

    def _split(self, given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Columns and options; a column that is None is not given."""
        known = self._scorer.columns
        columns = {name: value for name, value in given.items() if name in known and value is not None}
        # Parameters of methods that all metrics share stand here whether somebody gave them or not.
        shared = {name for name in COLUMNS if given.get(name) is None}
        return columns, {name: value for name, value in given.items() if name not in {*known, *shared}}

    def _check_options(self, options: Mapping[str, Any]) -> None:
        """Raise ValueError for what row_scorer is given that is neither an option nor the name of a column."""
        names = ["prediction", *(name for name in self._scorer.columns if name != "predictions")]
        for name in options:
            if name not in self.option_names():
                said = unknown_option(name, [*self.option_names(), *names])
                raise ValueError(f"{said}; the dataset's columns are given as {'=, '.join(names)}=")

    def _prefix(self, prefix: str | None) -> str:
        if prefix is not None and not isinstance(prefix, str):
            raise ValueError(f"prefix={prefix!r}: give a string with which the names of columns begin")
        return f"{self.name}_" if prefix is None else prefix

    def _check_added(self, scorer: Scorer[Any]) -> None:
        if scorer.counting() != self._scorer.counting():
            raise ValueError(
                "rows were added under other options: give options when the metric is loaded, or all rows to compute"
            )


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


def _checked_scores(scorer: Scorer[Any], scores: Sequence[str] | None) -> list[str]:
    known = scorer.headlines()
    if isinstance(scores, str):
        raise ValueError(f"scores={scores!r}: give a list, as in [{scores!r}]")
    chosen = list(known if scores is None else scores)
    for name in chosen:
        check_choice("scores", name, tuple(known))
    return chosen


class AddedRows:
    """Statistics of rows in the order in which they were added, or their sum alone; threads may share them.

    >>> rows = AddedRows(keep_rows=True)
    >>> rows.add([np.array([[1, 7]]), np.array([[1, 8]])])
    >>> [part.tolist() for part in rows.take()], rows.take()
    ([[[1, 7], [1, 8]]], [])
    """

    def __init__(self, keep_rows: bool) -> None:
        """keep_rows: False keeps the sum, so that memory does not grow."""
        self._keep_rows = keep_rows
        self._parts: list[IntArray] = []
        self._locks: dict[int, Lock] = {}

    def add(self, parts: Sequence[IntArray]) -> None:
        """Add rows, in parts of shape (n, columns)."""
        with self._lock:
            if self._keep_rows:
                self._parts.extend(parts)
            elif parts:
                self._parts = [np.concatenate([*self._parts, *parts]).sum(axis=0, keepdims=True)]

    def parts(self) -> list[IntArray]:
        """All of them: one part, none if nothing was added."""
        with self._lock:
            # Parts of a row each would be copied anew by whoever asks next.
            self._parts = _joined(self._parts)
            return [*self._parts]

    def take(self) -> list[IntArray]:
        """All of them, as `parts` gives them, each to one caller alone."""
        with self._lock:
            taken, self._parts = self._parts, []
        return _joined(taken)

    @property
    def _lock(self) -> Lock:
        """That of this process: a lock that some thread holds while another one forks stays locked in the copy."""
        return self._locks.setdefault(os.getpid(), Lock())


def _joined(parts: list[IntArray]) -> list[IntArray]:
    return [np.concatenate(parts)] if len(parts) > 1 else parts
