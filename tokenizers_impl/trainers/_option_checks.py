"""Checks of what trainers are given: a ValueError names the option that cannot be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

from .._added_token import AddedToken
from .._unordered import refuse_unordered


def check_integers(options: Any, *names: str, may_be_none: Sequence[str] = ()) -> None:
    """Integers from 0 on, or None where that means something."""
    for name in (*names, *may_be_none):
        value = getattr(options, name)
        is_size = isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0
        if not is_size and (value is not None or name not in may_be_none):
            raise ValueError(f"{name} is {value!r}: take an integer, 0 or more")


def check_choices(options: Any, **choices: Sequence[Any]) -> None:
    """One of those that there are."""
    for name, allowed in choices.items():
        if getattr(options, name) not in allowed:
            raise ValueError(f"{name} is {getattr(options, name)!r}: take one of {', '.join(map(repr, allowed))}")


def check_strings(options: Any, *names: str) -> None:
    """A string, or None."""
    for name in names:
        if not isinstance(getattr(options, name), (str, type(None))):
            raise ValueError(f"{name} is {getattr(options, name)!r}: take a string, or None")


def strings(name: str, given: Any) -> list[str]:
    """A list of strings; a string alone, whose letters would each count, is none."""
    refuse_unordered(f"{name} is", given)
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(f"{name} is {given!r}: give a list of strings")
    listed = list(given)
    for i, each in enumerate(listed):
        if not isinstance(each, str):
            raise ValueError(f"{name}[{i}] is {each!r}: give strings")
    return listed


def contents(tokens: Iterable[str | AddedToken]) -> tuple[str, ...]:
    """The special tokens as strings; they may have been set anew as such."""
    return tuple(token.content for token in AddedToken.special_tokens(tokens))
