"""What the methods of strings are given by a caller, checked."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from operator import index
from typing import Any

import numpy as np

from ._token import Token


def name_of(func: Any) -> str:
    """What messages call a function."""
    return getattr(func, "__qualname__", None) or repr(func)


def check_callable(method: str, func: Any, given: str) -> None:
    """ValueError for what is no function; given: what it would be called with."""
    if not callable(func):
        raise ValueError(f"{method} is given {func!r}: give a function of {given}")


def told(func: Callable[[str], Any], char: str) -> bool:
    """What the function says of a character; ValueError for anything but True or False."""
    answer = func(char)
    if not isinstance(answer, (bool, np.bool_)):
        raise ValueError(f"the function given to filter says {answer!r} of {char!r}: return True or False")
    return bool(answer)


def mapped(func: Callable[[str], Any], char: str) -> str:
    """What the function makes of a character; ValueError for anything but one character."""
    made = func(char)
    if not isinstance(made, str) or len(made) != 1:
        raise ValueError(f"the function given to map makes {made!r} of {char!r}: return one character")
    return made


def tokens_of(func: Callable[[str], Any], text: str) -> list[Token]:
    """What the function makes of a text; ValueError for anything but a list of Token."""
    tokens = func(text)
    if not isinstance(tokens, list) or not all(isinstance(token, Token) for token in tokens):
        raise ValueError(f"{name_of(func)} returned {tokens!r} for {text!r}: give a list of Token")
    return tokens


def chosen(name: str, value: Any, choices: type[Enum]) -> str:
    """The value that was chosen, by itself or as a member of the enumeration; ValueError for another one."""
    known = [choice.value for choice in choices]
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name}={value!r}: choose one of {', '.join(known)}")
    return str(choices(value).value)


def bounds_of(range: Any, n: int) -> tuple[int, int]:
    """From where to where a range reaches in n characters, which may be beyond the last.

    ValueError for what is no range, has a step, or begins before the first character.

    >>> bounds_of(-1, 3), bounds_of(slice(1, None), 3), bounds_of((2, 9), 3)
    ((2, 3), (1, 3), (2, 9))
    """
    if isinstance(range, slice):
        if range.step not in (None, 1):
            raise ValueError(f"the range {range!r} has a step: take every character, then filter")
        start, end, _ = range.indices(n)
        return start, end
    if isinstance(range, tuple) and len(range) == 2 and all(isinstance(each, int) and each >= 0 for each in range):
        return range
    try:
        number = index(range)
    except TypeError:
        raise ValueError(f"the range is {range!r}: give a number, two numbers from 0 on, or a slice") from None
    if number < -n:
        raise ValueError(f"there is no character {number}: the text has {n}")
    start = number + n if number < 0 else number
    return start, start + 1
