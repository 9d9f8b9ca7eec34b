"""Options as attributes, checked where they are set."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from inspect import signature
from typing import Any, ClassVar, Literal, get_args, get_origin, get_type_hints

from ._plain_values import plain

_WORDS = {bool: "True or False", int: "an integer, 0 or more", float: "a number", str: "a string", type(None): "None"}


class CheckedOptions:
    """What has the parameters of its `__init__` as attributes, of the types that they have there.

    _fixed: those that are set once.  _unkept: those that no attribute keeps.
    An attribute of another name begins with "_", or is declared in the body of the class.

    >>> class Trainer(CheckedOptions):
    ...     def __init__(self, vocab_size: int = 30000) -> None:
    ...         self.vocab_size = vocab_size
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
    with suppress(TypeError):
        kept = plain(value, kind)
        if not isinstance(kept, int) or kept >= 0:
            return kept
    raise ValueError(f"{name} is {value!r:.200}: take {_words(kind)}")


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
    for base in reversed(owner.__mro__):
        if base is not object and (made := vars(base).get("__init__")):
            hints = get_type_hints(made)
            kinds |= {name: hints.get(name, object) for name in list(signature(made).parameters)[1:]}
    kinds |= {name: kind for name, kind in get_type_hints(owner).items() if get_origin(kind) is not ClassVar}
    return {name: kind for name, kind in kinds.items() if name not in owner._unkept and not name.startswith("_")}
