"""Checks of the values that padding, truncation, methods of a tokenizer take."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any

from ._plain_values import plain

LARGEST_COUNT = 2**64 - 1
LARGEST_ID = 2**32 - 1


def checked_count(name: str, value: Any, largest: int = LARGEST_COUNT) -> int:
    """The value as Python's integer; ValueError for what is no integer from 0 to `largest`."""
    try:
        count: int = plain(value, int)
    except TypeError:
        count = -1
    if not 0 <= count <= largest:
        raise ValueError(f"{name}={value!r}: give an integer from 0 to {largest}")
    return count


def checked_flag(name: str, value: Any) -> bool:
    """The value as Python's bool; ValueError for anything else."""
    try:
        flag: bool = plain(value, bool)
    except TypeError:
        raise ValueError(f"{name}={value!r}: give True or False") from None
    return flag


def checked_id(value: Any) -> int:
    """The id of a token as Python's integer; ValueError for what can be none."""
    try:
        id = index(value)
    except TypeError:
        id = -1
    if not 0 <= id <= LARGEST_ID:
        raise ValueError(f"the id is {value!r}: give an integer from 0 to {LARGEST_ID}")
    return id


def checked_token(value: Any) -> str:
    """The text of a token; ValueError for what is no string."""
    if not isinstance(value, str):
        raise ValueError(f"the token is {value!r}: give a string")
    return value


def checked_name(name: str, value: Any, known: tuple[str, ...]) -> None:
    """ValueError for what is none of the names, in the library's words."""
    if value not in known:
        first = "`, `".join(known[:-1])
        comma = "," if len(known) > 2 else ""
        raise ValueError(f"Unknown `{name}`: `{value}`. Use one of `{first}`{comma} or `{known[-1]}`")


def choice_of(written: Any) -> Any:
    """The choice that a tokenizer.json makes, whose name may stand in an object of its own.

    >>> choice_of("Left"), choice_of({"Left": None}), choice_of({"Fixed": 3})
    ('Left', 'Left', {'Fixed': 3})
    """
    is_name = isinstance(written, Mapping) and list(written.values()) == [None]
    return next(iter(written)) if is_name else written


def name_of(name: str, written: Any, names: Mapping[str, str]) -> str:
    """The name of what tokenizer.json writes otherwise; ValueError for what it does not have."""
    for own, other in names.items():
        if choice_of(written) == other:
            return own
    raise ValueError(f"Unknown `{name}` in tokenizer.json: `{written}`. Use one of {', '.join(names.values())}")
