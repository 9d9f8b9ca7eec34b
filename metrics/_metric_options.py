"""Metrics with the options that a command's words give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import load
from ._command_line import named_values
from ._shared._options import unknown_option


def load_metrics(
    names: Sequence[str], words: Sequence[str], own: Sequence[str], common: Mapping[str, Any]
) -> dict[str, Any]:
    """The metrics of these names under the options of `--name value ...`.

    own: the names of the command's own options, for the message about a name that there is not.
    common: options that every metric gets.
    """
    given = _options(words, list(dict.fromkeys(names)), own)
    for name, options in given.items():
        if twice := sorted(options.keys() & common.keys()):
            raise ValueError(f"--{name}.{twice[0]} contradicts --{twice[0]}, which every metric gets: give one of them")
    return {name: _load(name, {**options, **common}, len(given)) for name, options in given.items()}


def check_references(metrics: Mapping[str, Any], paths: Sequence[Path]) -> None:
    """ValueError for files of references that none of the metrics has, or for none where one needs them."""
    needed = [name for name, metric in metrics.items() if has_references(metric)]
    if needed and not paths:
        raise ValueError(f"{needed[0]} needs references: give --references FILE")
    if paths and not needed:
        raise ValueError(f"{', '.join(metrics)} has no references: leave --references out")


def check_sources(metrics: Mapping[str, Any]) -> None:
    """ValueError for a perplexity of texts without a model."""
    for name, metric in metrics.items():
        if not has_references(metric) and metric._options.kind is None:
            raise ValueError(f"{name} needs a model: give --model_id FOLDER, or --source ngram --train-texts FILE")


def has_references(metric: Any) -> bool:
    """Whether predictions are scored against references."""
    return "references" in metric._feature_names()


def _load(name: str, options: Mapping[str, Any], n_metrics: int) -> Any:
    try:
        return load(name, **options)
    except ValueError as error:
        remedy = f"; an option for {name} alone is --{name}.OPTION" if n_metrics > 1 else ""
        raise ValueError(f"{name}: {error}{remedy}") from error


def _options(words: Sequence[str], metrics: Sequence[str], own: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The options of every metric from `--name value ...`; one that no value follows is True."""
    options: dict[str, dict[str, Any]] = {name: {} for name in metrics}
    known = {name: load(name).option_names() for name in metrics}
    for name, values in named_values(words):
        metric, dot, option = name.rpartition(".")
        if dot and metric not in options:
            raise ValueError(f"--{name}: {metric} is not among the metrics {', '.join(metrics)}")
        asked = [metric] if dot else metrics
        takers = [taker for taker in asked if option in known[taker]]
        if not takers:
            raise ValueError(unknown_option(option, [*own, *(each for taker in asked for each in known[taker])]))
        for taker in takers:
            if option in options[taker]:
                raise ValueError(f"--{name} is given twice for {taker}: give it once, with all its values")
            options[taker][option] = values
    return options
