"""The base of every metric of predictions against references."""

from __future__ import annotations

import abc
import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import datasets
import evaluate
import numpy as np

from ._counted_score import Result
from ._executors import ordered_results
from ._hosted_metric import HostedMetric
from ._inputs import References, check_predictions, check_references, check_systems, row_blocks
from ._progress import with_bar
from ._row_columns import ROW_COLUMNS, references_a_row, with_row_columns
from ._row_scorer import RowScorer, check_arguments
from ._segments import IntArray

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
