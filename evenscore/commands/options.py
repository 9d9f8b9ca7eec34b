"""`evenscore options`: lists the options of a metric."""

from __future__ import annotations

import argparse
import os
import textwrap
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from evenscore import METRICS
from evenscore.commands.arguments import metric_name, refuse_others, scorer_type
from evenscore.options import declared

HELP = "list the options of a metric"
DESCRIPTION = "Print every option of a metric: its type, its default and its meaning."
EPILOG = """
evenscore score and evenscore compare take these options.  A function, or an
object, can only be given in Python.

example:
  evenscore options wer_dp
"""
_WIDTH = 100


def add_arguments(options: argparse.ArgumentParser) -> None:
    names = ", ".join(METRICS)
    options.add_argument("metric", type=metric_name, metavar="METRIC", help=names)


def run(known: argparse.Namespace, others: Sequence[str]) -> str:
    refuse_others(others, "options")
    said = declared(scorer_type(known.metric).declaration)
    entries = [
        _entry(name, said["types"][name], option.default, option.meaning) for name, option in said["options"].items()
    ]
    if said["aliases"]:
        names = ", ".join(f"--{_dashed(name)}" for name in said["aliases"])
        entries.append(_wrapped(f"The names of other libraries are understood, too: {names}", ""))
    return "\n\n".join(entries) + "\n"


def _entry(name: str, kind: Any, default: Any, meaning: str) -> str:
    shown = f'"{default}"' if isinstance(default, str) else repr(default)
    facts = f"type: {type_words(kind)}; default: {shown}"
    return "\n".join([f"--{_dashed(name)}", _wrapped(facts, "    "), _wrapped(meaning.replace("`", ""), "    ")])


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _wrapped(text: str, indent: str) -> str:
    return textwrap.fill(
        text, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )


def type_words(kind: Any) -> str:
    """Describe the values that an annotation allows, in words.

    >>> type_words(Literal["a", "b"] | None), type_words(float | Sequence[float])
    ('"a", "b" or None', 'number or list')
    """
    words = list(dict.fromkeys(_kind_words(kind)))
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _kind_words(kind: Any) -> list[str]:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return [word for each in get_args(kind) for word in _kind_words(each)]
    if origin is Literal:
        return [f'"{choice}"' if isinstance(choice, str) else repr(choice) for choice in get_args(kind)]
    return [_TYPE_WORDS[origin or kind]]


_TYPE_WORDS: Mapping[Any, str] = {
    Any: "any value",
    bool: "True or False",
    int: "whole number",
    float: "number",
    str: "text",
    Sequence: "list",
    Callable: "function",
    Path: "path",
    os.PathLike: "path",
    type(None): "None",
}
