"""Combines several metrics; each gets the options that it has."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import evaluate

from evenscore.options import unknown_option


class Combined(evaluate.CombinedEvaluations):
    """Like the result of evaluate.combine, but compute passes an option only to the metrics that have it."""

    def compute(self, predictions: Any = None, references: Any = None, **given: Any) -> dict[str, Any]:
        """Compute all metrics; returns one dictionary, where shared names get the metric's name as a prefix.

        given: options and further columns; each is passed to every metric that has it.
        Raises ValueError for a name that no metric has, and for values that a metric does not accept.
        """
        known = [_names(metric) for metric in self.evaluation_modules]
        for name in given:
            if not any(name in names for names in known):
                raise ValueError(unknown_option(name, [each for names in known for each in names]))
        results = []
        for metric, names in zip(self.evaluation_modules, known, strict=True):
            own = {name: value for name, value in given.items() if name in names}
            results.append(metric.compute(predictions=predictions, references=references, **own))
        merged: dict[str, Any] = self._merge_results(results)
        return merged


def _names(metric: Any) -> Sequence[str]:
    """The options and further columns that a metric's compute takes."""
    if hasattr(metric, "option_names"):
        return [*metric.option_names(), *metric.scorer_type.columns]
    # A metric of evaluate itself.
    return [*inspect.signature(metric._compute).parameters, *metric._feature_names()]
