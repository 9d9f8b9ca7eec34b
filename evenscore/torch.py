"""Scores that run along with an evaluation in torch, as torchmetrics users know them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from evenscore import METRICS, load
from evenscore.metric import counted_batch
from evenscore.parallel import require
from evenscore.scorer import Result, Scorer
from evenscore.text.segments import IntArray

if TYPE_CHECKING:
    import torch
else:
    torch = require("torch", "torch", "evenscore.torch")


_ONLY_A_SUM = "Running keeps only the sum of the rows"


class Running(torch.nn.Module):
    """A metric that adds up batches, over all processes of torch.distributed too.

    It keeps one sum of integers, whatever the number of rows, so `compute` gives the bits that the metric gives for
    all rows at once, in any order and with any number of processes. It is used like a metric of torchmetrics 1.9
    (`update`, `compute`, `reset`, a call), but results are the dictionaries of the metric. As a `torch.nn.Module` it is
    saved with the module that holds it. It holds no tensors that `to` or DistributedDataParallel would touch.

    Args:
        metric: a key of `evenscore.METRICS`, or a loaded metric, which stays as it is: its added rows do not count.
        process_group: the processes of torch.distributed to add up; None: all.
        **options: those of the metric; they override those at load.

    Raises:
        ValueError: unknown metric or option, or an option that needs single rows, of which only the sum is kept:
            `per_example`, `confidence`, `keep_rows=True`, and `aggregate` of rouge_l_multi unless it is "mean".

    Examples:
        >>> wer = Running("wer_dp", unit="word")
        >>> wer.update(["a b", "c"], ["a x", "c"])
        >>> wer.update(["d"], ["e"])
        >>> wer.compute()["wer"]
        0.5
        >>> wer.reset()
    """

    def __init__(self, metric: Any, *, process_group: Any = None, **options: Any) -> None:
        super().__init__()
        if not isinstance(metric, str) and not hasattr(metric, "scorer_type"):
            raise ValueError(f"metric is of type {type(metric).__name__}: give one of {', '.join(METRICS)}")
        if options.get("keep_rows"):
            raise ValueError(f"keep_rows=True: leave it out, since {_ONLY_A_SUM}")
        loaded = load(metric) if isinstance(metric, str) else metric
        self._scorer: Scorer[Any] = loaded._under({**options, "keep_rows": False})
        self._check_sums()
        self._group = process_group
        self._counted = _counted_as(self._scorer)
        self.reset()

    def update(self, predictions: Any = None, references: Any = None, **columns: Any) -> None:
        """Count a batch of rows.

        Args:
            predictions: one string per row.
            references: one string or a list of strings per row.
            **columns: other columns of the metric; those of perplexity are `log_probs`, `logits`, `labels` and so on.

        Raises:
            ValueError: a row that cannot be scored, or an unknown column. Nothing of the batch is counted.
        """
        self._add(self._count(predictions, references, columns))

    def forward(self, predictions: Any = None, references: Any = None, **columns: Any) -> Result:
        """Count a batch like `update`, and return its own result, that of this process.

        Raises ValueError as `update` does, and for a batch without rows.

        Examples:
            >>> wer = Running("wer_dp")
            >>> wer(["a b"], ["a x"])["wer"], wer(["c d"], ["c d"])["wer"], wer.compute()["wer"]
            (0.5, 0.0, 0.25)
        """
        batch = self._count(predictions, references, columns)
        if not batch[0]:
            raise ValueError("nothing to score: the batch is empty: give at least one row")
        result = self._scorer.sum_result(batch)
        self._add(batch)
        return result

    def compute(self, **options: Any) -> Result:
        """Return the result for all rows since the last `reset`; they stay counted.

        It is what `compute` of the metric gives for these rows with `keep_rows=False`. If torch.distributed is
        initialized, every process of the group must call this, and gets the result for the rows of all; some of them
        may have none.

        Raises:
            ValueError: no process has counted a row, or processes count different metrics or under other options. The
                error is the same in every process. Any option is refused too: options are given at the start.
        """
        if options:
            names = ", ".join(options)
            raise ValueError(
                f"compute takes no {names}: give options as in Running({self._scorer.name!r}, ...); those that need "
                f"rows, such as confidence, to {self._whole()}, since {_ONLY_A_SUM}"
            )
        total = np.array(self._total_of_all())
        if not total[0]:
            raise ValueError("nothing to score: no row is counted since the start or the last reset: call update first")
        return self._scorer.sum_result(total)

    def reset(self) -> None:
        """Forget all rows."""
        self._total: IntArray = np.zeros(len(self._scorer.statistic_names()), np.int64)

    # --- as a module of torch

    def get_extra_state(self) -> dict[str, Any]:
        """Return what `state_dict` holds: the sum of this process, int64, and under which options it was counted.

        A sum is that of one process. To go on with several processes, save and load the state of each.
        """
        return {**self._counted, "total": torch.from_numpy(self._total.copy())}

    def set_extra_state(self, state: Mapping[str, Any]) -> None:
        """Continue from a state, for `load_state_dict`. Raises ValueError for one counted under other options.

        Examples:
            >>> first, second = Running("wer_dp"), Running("wer_dp")
            >>> first.update(["a b"], ["a x"])
            >>> second.load_state_dict(first.state_dict())
            <All keys matched successfully>
            >>> second.compute()["wer"]
            0.5
        """
        _check_alike(self._counted, state, "the state")
        self._total = state["total"].cpu().numpy().astype(np.int64)

    def extra_repr(self) -> str:
        """Return the metric and its options, which `repr` shows."""
        shown = [f"{name}={value}" for name, value in self._counted["options"].items()]
        return ", ".join([self._counted["metric"], *shown])

    # --- helpers

    def _count(self, predictions: Any, references: Any, columns: Mapping[str, Any]) -> IntArray:
        """Return the sum of the statistics of a batch."""
        named = {"predictions": predictions, "references": references}
        given = {name: column for name, column in named.items() if column is not None}
        if unknown := [name for name in given if name not in self._scorer.columns]:
            known = ", ".join(f"{name}=" for name in self._scorer.columns)
            raise ValueError(f"{self._scorer.name} has no {' and '.join(unknown)}: name the columns, among {known}")
        total: IntArray = counted_batch(self._scorer, {**given, **columns}).sum(axis=0)
        return total

    def _add(self, batch: IntArray) -> None:
        # A new array, so that a state that was taken before does not change.
        self._total = self._total + batch

    def _total_of_all(self) -> list[int]:
        """Return the sum over all processes."""
        distributed = torch.distributed
        own: list[int] = self._total.tolist()
        if not (distributed.is_available() and distributed.is_initialized()):
            return own
        # Objects, because integers of Python cannot overflow, and any backend can send them.
        states: list[Any] = [None] * distributed.get_world_size(self._group)
        distributed.all_gather_object(states, (self._counted, own), group=self._group)
        for rank, (counted, _) in enumerate(states):
            _check_alike(states[0][0], counted, f"process {rank}")
        return [sum(counts) for counts in zip(*(total for _, total in states), strict=True)]

    def _check_sums(self) -> None:
        """Raise ValueError for an option that needs rows."""
        try:
            self._scorer.check_sums()
        except ValueError as error:
            needs, _, _ = str(error).partition(",")
            said = f"{needs}: leave them out, or give all rows to {self._whole()}, since {_ONLY_A_SUM}"
            raise ValueError(said) from error

    def _whole(self) -> str:
        """How a caller scores all rows at once."""
        return f"compute of evenscore.load({self._scorer.name!r})"


def _counted_as(scorer: Scorer[Any]) -> dict[str, Any]:
    """Return the metric, its options, and the names of its statistics, in values that any process can read."""
    # The signature of a scorer that has loaded a model says more.
    fresh = type(scorer)(**scorer.given)
    options = {name: str(value) for name, value in fresh.signature_fields().items()}
    return {"metric": scorer.name, "options": options, "statistics": scorer.statistic_names()}


def _check_alike(own: Mapping[str, Any], other: Mapping[str, Any], where: str) -> None:
    """Raise ValueError unless both sums were counted by the same metric under the same options."""
    for name in own:
        if other.get(name) != own[name]:
            raise ValueError(
                f"{where} has counted with {name} {other.get(name)}, not {own[name]}: give the same metric and options"
            )
