"""The arguments that several commands share, and what they read from words and files."""

from __future__ import annotations

import argparse
import ast
import os
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from evenscore import METRICS, unknown_metric
from evenscore.commands.texts import (
    GROUPS,
    REFERENCES,
    STANDARD_INPUT,
    TRAINING_TEXTS,
    Arguments,
    Column,
    Files,
    Lines,
    list_column,
    shown_name,
    text_column,
)
from evenscore.commands.wording import command_words, option_word, worded
from evenscore.inputs import warn_caller
from evenscore.options import declared, unknown_option
from evenscore.scorer import Scorer, hints


def named_values(words: Sequence[str]) -> list[tuple[str, Any]]:
    """The options from `--name value ...`; an option without a value is True."""
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
    """The value of a word: numbers, lists, True, False and None are parsed; anything else is a string."""
    try:
        return ast.literal_eval(word)
    except (ValueError, SyntaxError, TypeError):
        return word


def refuse_others(words: Sequence[str], command: str) -> None:
    """ValueError for the first word that the command does not know."""
    if words:
        raise ValueError(f"unexpected argument {words[0]!r}: see evenscore {command} --help")


def printable(text: str) -> str:
    r"""Escape control characters and undecodable bytes, which names of files may contain.

    >>> print(printable("a\nb \x1b[31mé"))
    a\nb \x1b[31mé
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def check_output(path: Path, read: Iterable[Path]) -> None:
    """Raise ValueError if the file cannot be written; called before any work.

    read: the files that the command reads, which it must not replace.
    """
    if path.resolve() in [other.resolve() for other in read]:
        raise ValueError(f"{path} is a file that the command reads, and would be replaced: name another file")
    folder = path.resolve().parent
    if not folder.is_dir():
        raise ValueError(f"{path}: there is no folder {folder}: make it first")
    if path.is_dir():
        raise ValueError(f"{path} is a folder: name a file")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"{path}: the folder {folder} cannot be written")


def distinct_names(paths: Sequence[Path]) -> list[str]:
    """The base names of files; if some are equal, with as many folders as make them distinct, or numbers."""
    names = []
    for path in paths:
        others = [other.parts for other in paths if other != path]
        ends = [path.parts[-n:] for n in range(1, len(path.parts) + 1)]
        own = (end for end in ends if all(parts[-len(end) :] != end for parts in others))
        names.append(printable(shown_name(Path(*next(own, path.parts)))))
    return numbered(names)


def numbered(names: Sequence[str]) -> list[str]:
    """The same names, where equal ones get their places among all, from 1.

    >>> numbered(["a", "b", "a"])
    ['a (1)', 'b', 'a (3)']
    """
    return [name if names.count(name) == 1 else f"{name} ({k})" for k, name in enumerate(names, 1)]


# --- metrics and their options

_SCORERS = {
    "bleu_corpus": ("evenscore.bleu.scorer", "Bleu"),
    "rouge_l_multi": ("evenscore.rouge.scorer", "Rouge"),
    "wer_dp": ("evenscore.wer.scorer", "Wer"),
    "perplexity": ("evenscore.perplexity.scorer", "Perplexity"),
}


def scorer_type(name: str) -> type[Scorer[Any]]:
    """Import the scorer of a metric; this does not import evaluate, which takes a second or more."""
    module, kind = _SCORERS[name]
    imported: type[Scorer[Any]] = getattr(import_module(module), kind)
    return imported


def metric_name(name: str) -> str:
    """Check the name of a metric and return it; argparse's error suggests the nearest name."""
    if name not in METRICS:
        raise argparse.ArgumentTypeError(unknown_metric(name))
    return name


def load_scorers(
    names: Sequence[str], words: Sequence[str], own: Sequence[str], known: argparse.Namespace, files: Files
) -> dict[str, Scorer[Any]]:
    """The scorers of these metrics with the options of `--name value ...`.

    own: the names of the command's own options, for messages about unknown names.
    known: the values of the command's own options; every metric gets the confidence.
    files: reads training texts from tables.
    """
    if (known.references or known.reference_column) and not any(has_references(scorer_type(name)) for name in names):
        option = "--references" if known.references else REFERENCES.option
        raise ValueError(f"{', '.join(names)} has no references: leave {option} out")
    common = {} if known.confidence is None else {"confidence": known.confidence}
    given, notes = _options(words, list(dict.fromkeys(names)), own)
    for name, options in given.items():
        if twice := sorted(options.keys() & common.keys()):
            raise ValueError(f"--{name}.{twice[0]} contradicts --{twice[0]}, which every metric gets: give one of them")
        for option in ("synonyms", "train_texts"):
            _check_file(option, options.get(option))
        if isinstance(options.get("train_texts"), str):
            options["train_texts"] = _train_texts(Path(options["train_texts"]), known, files)
    scorers = {name: _load(name, {**options, **common}, len(given)) for name, options in given.items()}
    for note in notes:
        warn_caller(note)
    return scorers


def read_references(
    scorers: Mapping[str, Scorer[Any]], predictions: Path, known: argparse.Namespace, files: Files
) -> list[Column]:
    """A column of lists of references for each file that has some; empty if no metric takes references.

    Without --references, the references are in the table of the predictions.
    Raises ValueError if a metric needs references, or a model, and has none.
    """
    needed = [name for name, scorer in scorers.items() if has_references(scorer)]
    if needed and not known.references and isinstance(files.read(predictions), Lines):
        raise ValueError(f"{needed[0]} needs references: give --references FILE")
    for name, scorer in scorers.items():
        if name not in needed and not any(scorer.options[each] for each in ("source", "model_id", "model")):
            raise ValueError(f"{name} needs a model: give --model-id FOLDER, or --source ngram --train-texts FILE")
    paths = (known.references or [predictions]) if needed else []
    if predictions == STANDARD_INPUT and STANDARD_INPUT in known.references and files.kind(predictions) == "lines":
        raise ValueError(
            "standard input cannot be both the predictions and the references: give a file for one of them"
        )
    return [list_column(files.read(path), REFERENCES, known.reference_column) for path in paths]


def joined_rows(columns: Sequence[Column]) -> list[list[str]]:
    """Join columns of lists: all texts of every row."""
    return [[text for texts in row for text in texts] for row in zip(*(column.rows for column in columns), strict=True)]


def has_references(scorer: Scorer[Any] | type[Scorer[Any]]) -> bool:
    """Whether the metric takes references."""
    return "references" in scorer.columns


# --- arguments of several commands

# An argument with several values, which may be given more than once.
SEVERAL: dict[str, Any] = {"nargs": "+", "action": "extend"}


# For --help, which names no options of metrics.
OPTIONS_OF_METRICS = """Give options of metrics by name, as in --lowercase or --max-order 2:
`evenscore options METRIC` explains them all. An option goes to every metric
that has it; --wer_dp.unit char is for wer_dp alone."""


def add_references(group: Arguments) -> None:
    """Add --references."""
    meaning = "one file or several (default: the table of the predictions)"
    group.add_argument("--references", **SEVERAL, default=[], type=Path, metavar="FILE", help=meaning)


def add_confidence(group: Arguments, usual: float | None, meaning: str) -> None:
    """Add --confidence, which metrics check."""
    group.add_argument("--confidence", default=usual, type=value, metavar="LEVEL", help=meaning)


def add_metric(group: Arguments, **usual: Any) -> None:
    """Add --metric, which takes one or several names."""
    group.add_argument("--metric", **SEVERAL, type=metric_name, metavar="NAME", **usual)


def _load(name: str, options: Mapping[str, Any], n_metrics: int) -> Scorer[Any]:
    try:
        with worded(scorer_type(name)):
            return scorer_type(name)(**options)
    except ValueError as error:
        remedy = f"; an option for {name} alone is --{name}.OPTION" if n_metrics > 1 else ""
        raise ValueError(f"{name}: {error}{remedy}") from error


def _check_file(option: str, given: Any) -> None:
    """Raise ValueError for an option of one file that has no value, several, or the name of none.

    Lists of pairs, as Python writes synonyms, are left to the metric.
    """
    if given is None or (isinstance(given, list) and all(isinstance(each, (list, tuple)) for each in given)):
        return
    word = option_word(option)
    if not isinstance(given, str):
        raise ValueError(f"{word} takes one file: write {word} FILE")
    path = Path(given)
    if path.is_dir() or not (path == STANDARD_INPUT or path.exists()):
        what = "is a folder" if path.is_dir() else "is no file that exists"
        raise ValueError(f"{word}: {given} {what}: write {word} FILE")


def _train_texts(path: Path, known: argparse.Namespace, files: Files) -> Any:
    """The texts of a table or of standard input; for a file of lines the path, because the metric reads it."""
    if path != STANDARD_INPUT and files.kind(path) == "lines":
        return str(path)
    return text_column(files.read(path), TRAINING_TEXTS, known.text_column).rows


def _options(
    words: Sequence[str], metrics: Sequence[str], own: Sequence[str]
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """The options of every metric from `--name value ...`, and notes on those that do not reach all metrics.

    An option without a value is True.
    """
    options: dict[str, dict[str, Any]] = {name: {} for name in metrics}
    notes: list[str] = []
    known = {name: declared(scorer_type(name).declaration) for name in metrics}
    names = {name: [*each["options"], *each["aliases"]] for name, each in known.items()}
    for name, values in named_values(words):
        metric, dot, option = name.rpartition(".")
        if dot and metric not in options:
            raise ValueError(f"--{name}: {metric} is not among the metrics {', '.join(metrics)}")
        asked = [metric] if dot else metrics
        takers = [taker for taker in asked if option in names[taker]]
        said = _hints(option, [each for each in asked if each not in takers])
        if not takers:
            found = [*own, *(each for taker in asked for each in names[taker])]
            raise ValueError(unknown_option(option, found, said or _group_hint(option, own), option_word))
        if said:
            notes.append(f"{option_word(option)} reaches {' and '.join(takers)} only: {said}")
        for taker in takers:
            if option in options[taker]:
                raise ValueError(f"--{name} is given twice for {taker}: give it once, with all its values")
            options[taker][option] = values
    return options, notes


def _group_hint(option: str, own: Sequence[str]) -> str:
    """Which option, or which command, divides the rows into groups, for names that ask for it."""
    if option not in ("group_column", "group", "groups", "group_by"):
        return ""
    if "group_column" in own:
        return f"give {GROUPS.option} and the name of a column"
    return f"evenscore score and evenscore report have {GROUPS.option}"


def _hints(option: str, metrics: Sequence[str]) -> str:
    """What does the same in metrics that all lack the option, in the command's words."""
    kinds = {name: scorer_type(name) for name in metrics}
    return command_words(
        hints(option, kinds), [name for kind in kinds.values() for name in declared(kind.declaration)["options"]]
    )
