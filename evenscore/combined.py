"""Combines several metrics; each gets the options that it has."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import evaluate

from evenscore.options import unknown_option
from evenscore.scorer import hints


class Combined(evaluate.CombinedEvaluations):
    """Like the result of evaluate.combine, but compute passes an option only to the metrics that have it."""

    def compute(self, predictions: Any = None, references: Any = None, **given: Any) -> dict[str, Any]:
        """Compute all metrics; returns one dictionary, where shared names get the metric's name as a prefix.

        given: options, further columns and groups; each is passed to every metric that has it.
        Raises ValueError for a name that no metric has, and for values that a metric does not accept. If a metric
        raises, the rows added to the metrics of this package stay.
        """
        known = [_names(metric) for metric in self.evaluation_modules]
        for name in given:
            if not any(name in names for names in known):
                ours = {each.name: each.scorer_type for each in self.evaluation_modules if hasattr(each, "scorer_type")}
                raise ValueError(unknown_option(name, [each for names in known for each in names], hints(name, ours)))
        results: list[dict[str, Any]] = []
        added = [metric._added.parts() if hasattr(metric, "_added") else [] for metric in self.evaluation_modules]
        try:
            for metric, names in zip(self.evaluation_modules, known, strict=True):
                own = {name: value for name, value in given.items() if name in names}
                results.append(metric.compute(predictions=predictions, references=references, **own))
        except BaseException:
            # The metric that raised has kept its rows.
            for metric, parts in list(zip(self.evaluation_modules, added, strict=True))[: len(results)]:
                if parts:
                    metric._added.put_back(parts)
            raise
        merged: dict[str, Any] = self._merge_results(results)
        return merged


def _names(metric: Any) -> Sequence[str]:
    """The options, further columns and other arguments that a metric's compute takes."""
    if hasattr(metric, "option_names"):
        return [*metric.option_names(), *metric.scorer_type.columns, "groups"]
    # A metric of evaluate itself.
    return [*inspect.signature(metric._compute).parameters, *metric._feature_names()]
