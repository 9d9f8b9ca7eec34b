"""Turns messages of the library into the command's words: `max_order=2` is `--max-order 2`, and rows count from 1."""

from __future__ import annotations

import ast
import re
import shlex
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from evenscore.inputs import rows_from_one
from evenscore.options import declared
from evenscore.scorer import Scorer

# Options of the command that have another name than the library's.
_OTHER_NAMES = {"n_trials": "--trials", "n_rows": "--rows"}
# What an option of the library may be, but no word of a command.
_FUNCTION = re.compile(r",( or)? a function( from a text to (its tokens|a list of strings))?")
_VALUE = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\[[^\]]*\]|\([^)]*\)|[^\s,;:)]*[^\s,;:.)]|"""


def option_word(name: str) -> str:
    """How the command spells an option.

    >>> option_word("max_order")
    '--max-order'
    """
    return _OTHER_NAMES.get(name, f"--{name.replace('_', '-')}")


def command_words(message: str, names: Sequence[str]) -> str:
    """The message with these options as the command spells them.

    A name without a value is only recognized with an underscore, because others are also words of English.

    >>> command_words("unit='x': per_token and a unit, or lowercase=True, or costs=[4, 3]", ["unit", "per_token",
    ...               "lowercase", "costs"])
    '--unit x: --per-token and a unit, or --lowercase, or --costs 4 3'
    """
    known = "|".join(re.escape(name) for name in (*names, *_OTHER_NAMES))
    # (?!) matches nothing.
    bare = "|".join(re.escape(name) for name in names if "_" in name) or "(?!)"
    found = rf"(?<![\w/.=\"'-])(?:(?P<name>{known})=(?P<value>{_VALUE})|(?P<bare>{bare})(?![\w/.-]))"
    return re.sub(found, lambda part: _spelled(part["name"] or part["bare"], part["value"] or ""), message)


@contextmanager
def reworded(change: Callable[[str], str]) -> Iterator[None]:
    """Pass warnings and errors on with other words, which `change` returns for a message."""
    caught: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            yield
    except ValueError as error:
        raise ValueError(change(str(error))) from error
    except ImportError as error:
        raise ImportError(change(str(error))) from error
    finally:
        for each in caught:
            warnings.warn(change(str(each.message)), each.category, stacklevel=2)


@contextmanager
def worded(scorer: type[Scorer[Any]]) -> Iterator[None]:
    """Turn the warnings and errors of a metric into the command's words."""
    known = declared(scorer.declaration)
    names = [*known["options"], *known["aliases"]]
    with reworded(lambda message: rows_from_one(command_words(_FUNCTION.sub("", message), names))):
        yield


def _spelled(name: str, value: str) -> str:
    """An option with the Python text of its value."""
    try:
        meant = ast.literal_eval(value) if value else True
    except (ValueError, SyntaxError):
        return f"{option_word(name)} {value}"
    parts = meant if isinstance(meant, (list, tuple)) else [] if meant is True else [meant]
    return " ".join([option_word(name), *(shlex.quote(str(part)) for part in parts)])
