"""Values of options as Python's own, by their types."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from operator import index
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np


def plain(value: Any, kind: Any) -> Any:
    """The value as that type, a number of numpy as Python's; TypeError for a value of another type.

    True and False are no numbers, what has a fraction is no integer, an integer is a float.

    >>> plain(np.int64(7), int | None), plain(np.True_, bool), plain("a", Literal["a", "b"])
    (7, True, 'a')
    """
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return _plain_of_any(value, get_args(kind))
    if origin is Literal:
        return _choice(value, get_args(kind))
    return _CONVERSIONS[kind](value) if kind in _CONVERSIONS else _instance(value, origin or kind)


def described(kind: Any) -> str:
    """What values that type has.

    >>> described(bool | None)
    'bool or None'
    """
    if get_origin(kind) in (Union, UnionType):
        return " or ".join(map(described, get_args(kind)))
    if kind is NoneType:
        return "None"
    return kind.__name__ if isinstance(kind, type) and not get_args(kind) else str(kind)


def _plain_of_any(value: Any, kinds: tuple[Any, ...]) -> Any:
    for kind in kinds:
        try:
            return plain(value, kind)
        except TypeError:
            continue
    raise TypeError


def _choice(value: Any, choices: tuple[Any, ...]) -> Any:
    if not isinstance(value, (str, NoneType)) or value not in choices:
        raise TypeError
    return value


def _instance(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise TypeError
    return value


def _bool(value: Any) -> bool:
    return bool(_instance(value, (bool, np.bool_)))  # type: ignore[arg-type]


def _int(value: Any) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise TypeError
    return index(value)


def _float(value: Any) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError
    try:
        return float(value)
    except OverflowError:
        raise TypeError from None


_CONVERSIONS: dict[Any, Callable[[Any], Any]] = {bool: _bool, int: _int, float: _float}
