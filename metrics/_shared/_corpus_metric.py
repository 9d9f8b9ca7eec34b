"""The base of every metric's class: a counted score as evaluate calls it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import datasets
import evaluate
import numpy as np

from ._counted_score import CountedScore, Result
from ._inputs import check_predictions, check_references, check_systems, row_blocks
from ._options import (
    HOST_OPTIONS,
    Options,
    build,
    check_choice,
    check_integer,
    known_options,
    translate,
)
from ._paired_tests import PAIRED_TESTS
from ._row_columns import ROW_COLUMNS, with_row_columns
from ._segments import IntArray
from ._version import __version__

# What evaluate.Metric itself takes.
_EVALUATE_OPTIONS = frozenset(
    {"keep_in_memory", "cache_dir", "process_id", "experiment_id", "hash", "max_concurrent_cache_files", "timeout"}
)


class CorpusMetric(CountedScore, evaluate.Metric):
    """A counted score as an evaluate.Metric: options, input, streaming, pickling."""

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
        trials = PAIRED_TESTS[test].usual_trials if n_trials is None else n_trials
        check_integer("n_trials", trials, least=1)
        if not systems:
            raise ValueError("no system to compare with the baseline: give its predictions as second argument")
        columns = check_systems(baseline, systems)
        rows = [self._statistics(column, references, chosen) for column in columns]
        if not len(rows[0]):
            raise ValueError("nothing to compare: baseline and references are empty")
        return self._tested(rows, test, trials, chosen)

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
