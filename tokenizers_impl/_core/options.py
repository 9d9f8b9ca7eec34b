"""Options: their values as Python's own, checked where they are set."""

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

# --- Values of options as Python's own, by their types


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


def of_kind(name: str, value: Any, kind: Any, owner: str) -> Any:
    """The value as that type, a number of numpy as Python's; ValueError names it and its owner."""
    try:
        return plain(value, kind)
    except TypeError:
        raise ValueError(f"{name} of the {owner} is {value!r:.200}: expected {described(kind)}") from None


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


# --- Options as attributes, checked where they are set

_WORDS = {bool: "True or False", int: "an integer, 0 or more", float: "a number", str: "a string", type(None): "None"}


class CheckedOptions:
    """What has the parameters of its `__init__` as attributes, of the types that they have there; so has a dataclass.

    _fixed: those that are set once.  _unkept: those that no attribute keeps.
    An attribute of another name begins with "_", or is declared in the body of the class.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Trainer(CheckedOptions):
    ...     vocab_size: int = 30000
    >>> Trainer().vocab_sz = 5
    Traceback (most recent call last):
    ...
    AttributeError: a Trainer has no attribute vocab_sz: there are vocab_size
    """

    _fixed: ClassVar[frozenset[str]] = frozenset()
    _unkept: ClassVar[frozenset[str]] = frozenset()

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an option; ValueError for a value that it cannot have, AttributeError for a name that is none."""
        super().__setattr__(name, value if name.startswith("_") else self._checked(name, value))

    def _checked(self, name: str, value: Any) -> Any:
        """The value as it is kept."""
        kind: Any = type(self)
        kinds, owner = _kinds(kind), kind.__name__
        if name not in kinds:
            raise AttributeError(f"a {owner} has no attribute {name}: there are {', '.join(kinds)}")
        if name in self._fixed and name in vars(self):
            raise AttributeError(f"{name} of the {owner} stays as it is: make a new one")
        return checked_option(name, value, kinds[name])


def checked_option(name: str, value: Any, kind: Any) -> Any:
    """The value as that type, a number of numpy as Python's; ValueError names the option. Integers are 0 or more."""
    kinds = (kind, *get_args(kind))
    if Sequence[str] in kinds and not (value is None and NoneType in kinds):
        return _strings(name, value)
    with suppress(TypeError):
        kept = plain(value, kind)
        if not isinstance(kept, int) or kept >= 0:
            return kept
    raise ValueError(f"{name} is {value!r:.200}: take {_words(kind)}")


def _strings(name: str, given: Any) -> list[str]:
    listed = as_list(f"{name} is", given, "strings")
    for i, each in enumerate(listed):
        if not isinstance(each, str):
            raise ValueError(f"{name}[{i}] is {each!r}: give strings")
    return listed


def _words(kind: Any) -> str:
    """What values that type has."""
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(repr, get_args(kind)))}"
    if kind in _WORDS:
        return _WORDS[kind]
    kinds = get_args(kind)
    return ", or ".join(map(_words, kinds)) if kinds and get_origin(kind) is not tuple else str(kind)


@cache
def _kinds(owner: Any) -> dict[str, Any]:
    """The types of the attributes, by their names."""
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
    """Options of that kind with the values that the given ones have now, but for the others; ValueError as ever."""
    there: Any = type(given)
    return kind(**{name: getattr(given, name) for name in _kinds(kind) if name in _kinds(there)} | others)


# --- Checks of the values that padding, truncation, methods of a tokenizer take

LARGEST_COUNT = 2**64 - 1
LARGEST_ID = 2**32 - 1


def checked_count(name: str, value: Any, largest: int = LARGEST_COUNT) -> int:
    """The value as Python's integer; ValueError for what is no integer from 0 to `largest`."""
    with suppress(TypeError):
        count: int = plain(value, int)
        if 0 <= count <= largest:
            return count
    raise ValueError(f"{name}={value!r}: give an integer from 0 to {largest}")


def checked_flag(name: str, value: Any) -> bool:
    """The value as Python's bool; ValueError for anything else."""
    with suppress(TypeError):
        flag: bool = plain(value, bool)
        return flag
    raise ValueError(f"{name}={value!r}: give True or False")


def checked_id(value: Any) -> int:
    """The id of a token as Python's integer; ValueError for what can be none."""
    with suppress(TypeError):
        id = index(value)
        if 0 <= id <= LARGEST_ID:
            return id
    raise ValueError(f"the id is {value!r}: give an integer from 0 to {LARGEST_ID}")


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


# --- Lists, and what is none, though it can be gone through

UNORDERED = (Mapping, set, frozenset)


def refuse_unordered(what: str, given: Any) -> None:
    """ValueError for a mapping, of which the keys alone would be taken, for a set, which has no order.

    >>> refuse_unordered("the tokens are", {"pad_token": "[PAD]"})
    Traceback (most recent call last):
    ...
    ValueError: the tokens are {'pad_token': '[PAD]'}: give a list of its values, list(it.values()), not of its keys
    """
    if isinstance(given, Mapping):
        raise ValueError(f"{what} {given!r:.200}: give a list of its values, list(it.values()), not of its keys")
    if isinstance(given, UNORDERED):
        raise ValueError(f"{what} {given!r:.200}: give a list, since a set has no order")


def as_list(what: str, given: Any, members: str) -> list[Any]:
    """A list of them; ValueError for what is none, such as a string, whose letters would each count."""
    refuse_unordered(what, given)
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(f"{what} {given!r}: give a list of {members}")
    return list(given)
