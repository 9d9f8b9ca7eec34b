"""Options: conversion and checks of their values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from inspect import signature
from numbers import Real
from operator import index
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

# --- Conversion by type


def plain(value: Any, kind: Any) -> Any:
    """Convert a value to a type, numpy's numbers to Python's; TypeError for a value of another type.

    Integers are floats; bools are not numbers, and floats are not integers.

    >>> plain(np.int64(7), int | None), plain(np.True_, bool), plain("a", Literal["a", "b"])
    (7, True, 'a')
    """
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return _plain_of_any(value, get_args(kind))
    if origin is Literal:
        return _choice(value, get_args(kind))
    return _CONVERSIONS[kind](value) if kind in _CONVERSIONS else _instance(value, origin or kind)


def of_kind(name: str, value: Any, kind: Any, owner: str) -> Any:
    """Convert a value as `plain` does; ValueError names the option and its owner."""
    try:
        return plain(value, kind)
    except TypeError:
        raise ValueError(f"{name} of the {owner} is {value!r:.200}: expected {described(kind)}") from None


def described(kind: Any) -> str:
    """Describe a type in words.

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


# --- Options as checked attributes

_WORDS = {bool: "True or False", int: "an integer, 0 or more", float: "a number", str: "a string", type(None): "None"}


class CheckedOptions:
    """A class whose attributes are the parameters of its `__init__` (or dataclass fields), checked by their types.

    _fixed: attributes that can be set only once.  _unkept: parameters that are not attributes.
    Other attributes begin with "_" or are declared in the body of the class.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Trainer(CheckedOptions):
    ...     vocab_size: int = 30000
    >>> Trainer().vocab_sz = 5
    Traceback (most recent call last):
    ...
    AttributeError: a Trainer has no attribute vocab_sz: its attributes are vocab_size
    """

    _fixed: ClassVar[frozenset[str]] = frozenset()
    _unkept: ClassVar[frozenset[str]] = frozenset()

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an option; ValueError for an invalid value, AttributeError for an unknown name."""
        super().__setattr__(name, value if name.startswith("_") else self._checked(name, value))

    def _checked(self, name: str, value: Any) -> Any:
        """Check and convert a value."""
        kind: Any = type(self)
        kinds, owner = _kinds(kind), kind.__name__
        if name not in kinds:
            raise AttributeError(f"a {owner} has no attribute {name}: its attributes are {', '.join(kinds)}")
        if name in self._fixed and hasattr(self, name):
            raise AttributeError(f"{name} of the {owner} cannot be set: make a new {owner}")
        return checked_option(name, value, kinds[name])


def checked_option(name: str, value: Any, kind: Any) -> Any:
    """Convert a value as `plain` does; integers must be 0 or more.  ValueError names the option."""
    kinds = (kind, *get_args(kind))
    if Sequence[str] in kinds and not (value is None and NoneType in kinds):
        return _strings(name, value)
    with suppress(TypeError):
        kept = plain(value, kind)
        if not isinstance(kept, int) or kept >= 0:
            return kept
    raise ValueError(f"{name} is {value!r:.200}: give {_words(kind)}")


def _strings(name: str, given: Any) -> list[str]:
    listed = as_list(f"{name} is", given, "strings")
    for i, each in enumerate(listed):
        if not isinstance(each, str):
            raise ValueError(f"{name}[{i}] is {each!r}: give strings")
    return listed


def _words(kind: Any) -> str:
    """Describe a type in words."""
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(repr, get_args(kind)))}"
    if kind in _WORDS:
        return _WORDS[kind]
    kinds = get_args(kind)
    return ", or ".join(map(_words, kinds)) if kinds and get_origin(kind) is not tuple else str(kind)


@cache
def _kinds(owner: Any) -> dict[str, Any]:
    """The types of the attributes, by name."""
    kinds: dict[str, Any] = {}
    declared = {name: kind for name, kind in get_type_hints(owner).items() if get_origin(kind) is not ClassVar}
    for base in reversed(owner.__mro__):
        if base is not object and (made := vars(base).get("__init__")):
            hints = declared if "__dataclass_fields__" in vars(base) else get_type_hints(made)
            kinds |= {name: hints.get(name, object) for name in list(signature(made).parameters)[1:]}
    kinds |= declared
    return {name: kind for name, kind in kinds.items() if name not in owner._unkept and not name.startswith("_")}


K = TypeVar("K")


def options_of(kind: Callable[..., K], given: CheckedOptions, **others: Any) -> K:
    """Build options of another class from the current values of `given`; `others` replaces some of them."""
    there: Any = type(given)
    return kind(**{name: getattr(given, name) for name in _kinds(kind) if name in _kinds(there)} | others)


# --- Checks of arguments

LARGEST_COUNT = 2**64 - 1
LARGEST_ID = 2**32 - 1


def checked_count(name: str, value: Any, largest: int = LARGEST_COUNT) -> int:
    """Convert to a Python integer; ValueError unless it is an integer in 0..largest."""
    with suppress(TypeError):
        count: int = plain(value, int)
        if 0 <= count <= largest:
            return count
    raise ValueError(f"{name}={value!r}: give an integer from 0 to {largest}")


def checked_flag(name: str, value: Any) -> bool:
    """Convert to a Python bool; ValueError for anything else."""
    if isinstance(value, bool):
        return value
    with suppress(TypeError):
        flag: bool = plain(value, bool)
        return flag
    raise ValueError(f"{name}={value!r}: give True or False")


def checked_id(value: Any) -> int:
    """Convert a token's id to a Python integer; ValueError unless it is an integer in 0..2**32 - 1."""
    with suppress(TypeError):
        id = index(value)
        if 0 <= id <= LARGEST_ID:
            return id
    raise ValueError(f"the id is {value!r}: give an integer from 0 to {LARGEST_ID}")


def checked_token(value: Any) -> str:
    """Check the text of a token; ValueError unless it is a string."""
    if not isinstance(value, str):
        raise ValueError(f"the token is {value!r}: give a string")
    return value


def check_character(name: str, value: str) -> None:
    """ValueError, in the library's words, for a string that is not one character."""
    if len(value) != 1:
        raise ValueError(f"{name}={value!r}: expected a string of length 1")


def checked_name(name: str, value: Any, known: tuple[str, ...]) -> None:
    """ValueError, in the library's words, for a value that is not one of the names."""
    if value not in known:
        first = "`, `".join(known[:-1])
        comma = "," if len(known) > 2 else ""
        raise ValueError(f"Unknown `{name}`: `{value}`. Use one of `{first}`{comma} or `{known[-1]}`")


def choice_of(written: Any) -> Any:
    """Read a choice of tokenizer.json, which is a name, or an object with that name as its only key.

    >>> choice_of("Left"), choice_of({"Left": None}), choice_of({"Fixed": 3})
    ('Left', 'Left', {'Fixed': 3})
    """
    is_name = isinstance(written, Mapping) and list(written.values()) == [None]
    return next(iter(written)) if is_name else written


def name_of(name: str, written: Any, names: Mapping[str, str]) -> str:
    """The name of a choice that tokenizer.json spells differently; ValueError for an unknown choice."""
    for own, other in names.items():
        if choice_of(written) == other:
            return own
    raise ValueError(f"Unknown `{name}` in tokenizer.json: `{written}`. Use one of {', '.join(names.values())}")


# --- Checks of lists

UNORDERED = (Mapping, set, frozenset)


def refuse_unordered(what: str, given: Any) -> None:
    """ValueError for a mapping, of which only the keys would be used, and for a set, which has no order.

    >>> refuse_unordered("the tokens are", {"pad_token": "[PAD]"})
    Traceback (most recent call last):
    ...
    ValueError: the tokens are {'pad_token': '[PAD]'}: give a list, such as list(it.values())
    """
    if isinstance(given, Mapping):
        raise ValueError(f"{what} {given!r:.200}: give a list, such as list(it.values())")
    if isinstance(given, UNORDERED):
        raise ValueError(f"{what} {given!r:.200}: give a list, because a set has no order")


def as_list(what: str, given: Any, members: str, error: type[ValueError] = ValueError) -> list[Any]:
    """Convert an iterable to a list; `error` for anything else, and ValueError for a mapping or a set."""
    refuse_unordered(what, given)
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise error(f"{what} {given!r}: give a list of {members}")
    return list(given)
