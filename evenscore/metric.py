"""evaluate's interface over metrics that count rows and score their sum."""

from __future__ import annotations

import abc
import functools
import inspect
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

import datasets
import evaluate
import numpy as np

from evenscore.columns import ColumnScores, RowScorer, check_arguments
from evenscore.identity import code_digest, file_stamp, installed_class
from evenscore.inputs import References, check_predictions, check_references, check_systems, row_blocks
from evenscore.options import HOST_OPTIONS, Options, build, check_choice, known_options, row_options, translate
from evenscore.parallel import ordered_results, with_bar
from evenscore.scorer import ROW_COLUMNS, Result, references_a_row, with_row_columns
from evenscore.significance import FloatArray
from evenscore.text.segments import IntArray


class AddedRows:
    """Statistics of rows in the order in which they were added, or their sum alone.

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


# What evaluate.Metric itself takes.
_EVALUATE_OPTIONS = frozenset(
    {"keep_in_memory", "cache_dir", "process_id", "experiment_id", "hash", "max_concurrent_cache_files", "timeout"}
)


def _rebuild(metric_type: type[HostedMetric], config_name: str, given: Mapping[str, Any], hashed: Any) -> HostedMetric:
    """`hashed` is not used: it is there so that other code, or other files, miss what these have cached."""
    return metric_type(config_name, **given)


class HostedMetric(ColumnScores, evaluate.Metric):
    """A counted score as an evaluate.Metric: options, streaming, pickling.

    A subclass names its columns in the signatures of compute, add_batch, statistics, and counts them in
    `_count_columns`.
    """

    _options_type: ClassVar[type[Options]]
    # By the class, so that a copy of evaluate's finds those of the installed package.
    _rebuild = staticmethod(_rebuild)
    # By these, pickles and caches know the metric's code.
    metric_name: ClassVar[str]
    code_digest: ClassVar[str]

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        cls.code_digest = code_digest(Path(inspect.getfile(cls)))

    def __init__(self, config_name: str | None = None, num_process: int = 1, **given: Any) -> None:
        process_id = given.get("process_id", 0)
        if num_process != 1 or process_id != 0:
            raise ValueError(
                f"num_process={num_process}, process_id={process_id}: not needed here. Let each process call "
                f"statistics(...).sum(axis=0), add the sums, and call score_statistics(total) once"
            )
        host = {name: value for name, value in given.items() if name in _EVALUATE_OPTIONS}
        own = {name: value for name, value in given.items() if name not in _EVALUATE_OPTIONS | HOST_OPTIONS}
        self._given = translate(self._options_type, own)
        self._options = build(self._options_type, self._given)
        self._added = AddedRows(self._options.keep_rows)
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
        """The headlines of single rows, shape (n, len(headlines())), from their statistics.

        Raises ValueError for what are no statistics under these options.
        """
        array, expected = np.asarray(statistics), len(self.statistic_names(**options))
        if array.ndim != 2 or array.shape[1] != expected or array.dtype.kind not in "iu":
            raise ValueError(
                f"statistics have shape {array.shape} and type {array.dtype}: give statistics(...), "
                f"rows of {expected} integers"
            )
        return self._row_scores(array.astype(np.int64, copy=False), self._chosen(options))

    def _travelling(self, given: Mapping[str, Any]) -> HostedMetric:
        """A metric with these options, without rows, of a class that other processes can import."""
        return installed_class(type(self))(self.config_name, **given)

    def _prefix(self, prefix: str | None) -> str:
        if prefix is not None and not isinstance(prefix, str):
            raise ValueError(f"prefix={prefix!r}: give a string with which the names of columns begin")
        return f"{self.name}_" if prefix is None else prefix

    def _row_scorer(
        self,
        columns: Mapping[str, str],
        prefix: str | None,
        scores: Sequence[str] | None,
        statistics: bool,
        given: Mapping[str, Any],
    ) -> RowScorer:
        # Of its own, so that neither rows added to this one nor options about many rows change the hash.
        all_given = {**self._given, **translate(self._options_type, given)}
        metric = self._travelling(row_options(self._options_type, all_given))
        return metric._own_row_scorer(columns, prefix, scores, statistics)

    def _own_row_scorer(
        self, columns: Mapping[str, str], prefix: str | None, scores: Sequence[str] | None, statistics: bool
    ) -> RowScorer:
        known = self.headlines()
        if isinstance(scores, str):
            raise ValueError(f"scores={scores!r}: give a list, as in [{scores!r}]")
        for name in known if scores is None else scores:
            check_choice("scores", name, tuple(known))
        return RowScorer(self, columns, self._prefix(prefix), known if scores is None else scores, statistics)

    def _compute_columns(self, columns: Mapping[str, Any], given: Mapping[str, Any], executor: Any = None) -> Result:
        """Score these columns together with everything added before."""
        chosen = self._chosen(given)
        added = self._added.parts()
        if added:
            self._check_added(chosen)
        if not chosen.keep_rows:
            self._check_sums(chosen)
        own = []
        if not added or any(column is not None for column in columns.values()):
            metric = self if executor is None else self._travelling(self._given)
            own.append(metric._count_columns(columns, metric._chosen(given), executor))
        # Threads may have added others meanwhile, or scored those.
        statistics = np.concatenate([*self._added.take(), *own])
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
        metric = self if executor is None else self._travelling(self._given)
        return metric._count_columns(columns, metric._chosen(given), executor)

    def _add_columns(self, columns: Mapping[str, Any]) -> None:
        """Count rows towards the next compute(); what is kept are their statistics, not their text."""
        self._added.add([self._count_columns(columns, self._options)])

    def merge(self, other: HostedMetric) -> None:
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
        other._check_added(self._options)
        self._added.add(other._added.parts())

    # --- what evaluate, pickle and datasets ask for

    def __len__(self) -> int:
        """How many rows are added and not yet scored."""
        return sum(int(part[:, 0].sum()) for part in self._added.parts())

    def __bool__(self) -> bool:
        return True

    def __reduce__(self) -> tuple[Any, ...]:
        # evaluate's own state holds locks and a seed drawn from numpy's global state; what a copy needs, and what
        # datasets hashes for its cache, are the options.
        added = self._added.parts()
        kind = installed_class(type(self))
        hashed = kind.code_digest, [file_stamp(file) for file in self._options.files()]
        return (
            kind._rebuild,
            (kind, self.config_name, dict(sorted(self._given.items())), hashed),
            {"_added": added} if added else None,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._added.add(state["_added"])

    def _build_data_dir(self) -> str:
        # evaluate makes this folder at every load; nothing here is ever written to it.
        return str(self._data_dir_root)

    # --- inside

    def _chosen(self, given: Mapping[str, Any]) -> Any:
        if not given:
            return self._options
        return build(self._options_type, {**self._given, **translate(self._options_type, given)})

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


# A block that an executor gets: enough work to be worth the way, little enough for every worker to have some.
_TRAVELLING_CHARACTERS = 1 << 20
# Seconds of work for a slow tokenizer, so that a bar can move.
_SLOW_CHARACTERS = 1 << 17


class CorpusMetric(HostedMetric):
    """Predictions against one reference a row, or several."""

    _row_columns = ROW_COLUMNS
    # Rows are counted in blocks of about so many characters: the fewer, the smaller the arrays; the more, the less
    # often a word is looked at anew.
    _block_characters = 1 << 23

    @abc.abstractmethod
    def _count(self, predictions: list[str], references: References, options: Any) -> IntArray:
        """The metric's own statistics of every row, shape (n, number of names), int64, additive."""

    def _cuts_text_by_text(self, options: Any) -> bool:
        """Whether a function or a model cuts texts one by one, which may be slow and gains nothing by large blocks."""
        return False

    def _warn(self, predictions: list[str], references: References, options: Any) -> None:
        """Warn of texts that can be scored, but hardly as they were meant."""

    def compute(
        self, *, predictions: Any = None, references: Any = None, executor: Any = None, **options: Any
    ) -> Result:
        """Score predictions against references, together with everything added before.

        executor: counts blocks of rows elsewhere: anything with the `submit` of concurrent.futures, such as a pool of
          processes, Dask's client.get_executor(), mpi4py's MPIPoolExecutor.  The result is the same to the last bit.
        Options given here override those given at load.
        """
        return self._compute_columns({"predictions": predictions, "references": references}, options, executor)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Count a batch of rows towards the next compute(); what is kept are their statistics, not their text."""
        if kwargs:
            raise ValueError(f"unknown columns {sorted(kwargs)}: give predictions and references")
        self._add_columns({"predictions": predictions, "references": references})

    def add(self, *, prediction: Any = None, reference: Any = None, **kwargs: Any) -> None:
        """Count one row towards the next compute(); a batch of them costs little more than one."""
        # evaluate.combine, and many a loop, name a single row as a column.
        row = {"predictions": prediction, "references": reference, **kwargs}
        self.add_batch(**{name: [value] for name, value in row.items()})

    def statistics(self, predictions: Any, references: Any, *, executor: Any = None, **options: Any) -> IntArray:
        """The statistics of every row, shape (n, len(statistic_names())), int64.

        Rows may be added up in any order, on any machine: integers have no rounding.  executor: as in compute.
        """
        return self._statistics_of({"predictions": predictions, "references": references}, options, executor)

    def row_scorer(
        self,
        prediction: str = "prediction",
        references: str = "references",
        *,
        prefix: str | None = None,
        scores: Sequence[str] | None = None,
        statistics: bool = False,
        **options: Any,
    ) -> RowScorer:
        """A function for Dataset.map(..., batched=True): scores of rows as new columns.

        prediction, references: the names of the dataset's columns.
        prefix: begins the new columns' names; None: the metric's name with "_".
        scores: which of headlines() become columns; None: all of them.
        statistics: whether what is counted becomes columns, too, from which score_columns makes corpus scores.

        The same rows with the same options and code are found in datasets' cache, in other processes too.
        """
        check_arguments(options, self.option_names(), ("prediction", "references"))
        columns = {"predictions": prediction, "references": references}
        return self._row_scorer(columns, prefix, scores, statistics, options)

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
        trials = self._checked_trials(test, n_trials, chosen)
        if not systems:
            raise ValueError("no system to compare with the baseline: give its predictions as second argument")
        columns = check_systems(baseline, systems)
        rows = [self._count_columns({"predictions": column, "references": references}, chosen) for column in columns]
        if not len(rows[0]):
            raise ValueError("nothing to compare: baseline and references are empty")
        return self._tested(rows, test, trials, chosen)

    def _count_columns(self, columns: Mapping[str, Any], options: Any, executor: Any = None) -> IntArray:
        texts = check_predictions(columns["predictions"])
        checked = check_references(columns["references"], len(texts))
        self._warn(texts, checked, options)
        counted = self._counted_blocks(texts, checked, options, executor)
        own = [*with_bar(counted, "Count rows", " rows", len, len(texts))]
        return with_row_columns(checked.counts, np.concatenate(own))

    def _counted_blocks(
        self, texts: list[str], references: References, options: Any, executor: Any
    ) -> Iterator[IntArray]:
        # Rows know nothing of each other, so blocks of them keep memory flat, and may be counted anywhere.
        if executor is None:
            characters = _SLOW_CHARACTERS if self._cuts_text_by_text(options) else self._block_characters
            return (self._count(*block, options) for block in row_blocks(texts, references, characters))
        count = functools.partial(_count_block, self, options)
        return ordered_results(executor, count, row_blocks(texts, references, _TRAVELLING_CHARACTERS))

    def _row_fields(self, total: IntArray) -> Mapping[str, Any]:
        return {"nrefs": references_a_row(total)}


def _count_block(metric: CorpusMetric, options: Any, block: tuple[list[str], References]) -> IntArray:
    return metric._count(*block, options)


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
