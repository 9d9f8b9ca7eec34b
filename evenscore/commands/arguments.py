"""What the commands read from their words and files."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evenscore import load
from evenscore.options import unknown_option


def named_values(words: Sequence[str]) -> list[tuple[str, Any]]:
    """The options from `--name value ...`; one that no value follows is True."""
    named: list[tuple[str, list[Any]]] = []
    for word in words:
        if word.startswith("--"):
            name, equals, text = word[2:].partition("=")
            named.append((name.replace("-", "_"), [value(text)] if equals else []))
        elif named:
            named[-1][1].append(value(word))
        else:
            raise ValueError(f"unexpected argument {word!r}: options are given as --name value")
    return [(name, True if not values else values[0] if len(values) == 1 else values) for name, values in named]


def value(word: str) -> Any:
    """Numbers, lists, True, False and None are taken as such, everything else as text."""
    try:
        return ast.literal_eval(word)
    except (ValueError, SyntaxError, TypeError):
        return word


def lines(path: Path | None) -> list[str]:
    """The lines of a file, or of standard input, split at line feeds alone: other characters are the segment's own."""
    data = path.read_bytes() if path else sys.stdin.buffer.read()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = f"{path or 'standard input'} is no UTF-8 text (byte {error.start})"
        raise ValueError(f"{place}: convert it first") from error
    parts = text.split("\n")
    return [part.removesuffix("\r") for part in (parts if parts[-1] else parts[:-1])]


def aligned_lines(paths: Sequence[Path]) -> list[list[str]]:
    """The lines of files that belong together line by line; ValueError for a file that has not as many as the first."""
    columns = [lines(path) for path in paths]
    for path, column in zip(paths, columns, strict=True):
        if len(column) != len(columns[0]):
            raise ValueError(f"{path} has {len(column)} lines but {paths[0]} has {len(columns[0])}")
    return columns


def refuse_others(words: Sequence[str], command: str) -> None:
    """ValueError for the first word that the command does not know."""
    if words:
        raise ValueError(f"unexpected argument {words[0]!r}: see evenscore {command} --help")


def check_output(path: Path) -> None:
    """Before the work, not after it: ValueError if the file cannot be written."""
    folder = path.resolve().parent
    if not folder.is_dir():
        raise ValueError(f"{path}: there is no folder {folder}: make it first")
    if path.is_dir():
        raise ValueError(f"{path} is a folder: name a file")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"{path}: the folder {folder} cannot be written")


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
