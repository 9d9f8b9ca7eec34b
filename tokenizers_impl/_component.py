"""Steps of a pipeline as objects of tokenizer.json."""

from __future__ import annotations

import copy
import copyreg
import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import Any, ClassVar, NoReturn, TypeVar, get_type_hints

from ._json_text import dumps
from ._plain_values import described, plain
from ._representation import REPR, STR, component


def json_form(
    name: str | None = None, write: Callable[[Any], Any] = copy.copy, read: Callable[[Any], Any] = copy.copy
) -> dict[str, Any]:
    """The metadata of a field of a component that looks otherwise in tokenizer.json.

    name: the key there, if it is not the name of the field.  write, read: from the value to what stands there and back.
    """
    return {"name": name, "write": write, "read": read}


class Component(ABC):
    """What is an object of tokenizer.json."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """That object."""

    def __getstate__(self) -> bytes:
        """The JSON of that object, as the library's gives it; a pickle holds `_state`."""
        return dumps(self.to_json()).encode()

    def __reduce__(self) -> tuple[Any, ...]:
        return copyreg.__newobj__, (type(self),), self._state()  # type: ignore[attr-defined]  # not in typeshed

    def _state(self) -> dict[str, Any]:
        """Its attributes but for what is made at its first use: a pickle is the same before and after it."""
        kind = type(self)
        return {
            name: value
            for name, value in self.__dict__.items()
            if not isinstance(getattr(kind, name, None), cached_property)
        }

    def shown(self) -> Any:
        """What `repr` and `str` show, as `Style.text` takes it."""
        return component(self.to_json())

    def __repr__(self) -> str:
        return REPR.text(self.shown())

    def __str__(self) -> str:
        return STR.text(self.shown())


C = TypeVar("C", bound=type[Component])


def unchanging(cls: C) -> C:
    """The class with a message for the attempt to set or delete an attribute; frozen dataclasses have a shorter one."""

    def refuse(self: Component, name: str, value: object = None) -> NoReturn:
        raise dataclasses.FrozenInstanceError(
            f"{name} of the {type(self).__name__} stays as it is, since components never change: "
            "make a new one and set that"
        )

    for method in ("__setattr__", "__delattr__"):
        setattr(cls, method, refuse)
    return cls


class Step(Component):
    """A component of a pipeline: an unchanging dataclass, whose fields are what that object has.

    role: what such components are called in messages.
    """

    role: ClassVar[str]

    def __post_init__(self) -> None:
        """ValueError for an option of another type than its field's; numbers of numpy become Python's."""
        for name, kind in _kinds(type(self)).items():
            value = _of_kind(name, getattr(self, name), kind, f"{self.role} {type(self).__name__}")
            object.__setattr__(self, name, value)

    def to_json(self) -> dict[str, Any]:
        """The object of tokenizer.json: `type`, the name of the class, then the fields in their order."""
        document = {"type": type(self).__name__}
        for field in dataclasses.fields(self):  # type: ignore[arg-type]  # the subclasses are dataclasses
            value = getattr(self, field.name)
            document[_key(field)] = field.metadata["write"](value) if field.metadata else value
        return document


def component_from_json(kind: str, known: Mapping[str, Any], data: Any) -> Any:
    """The component of that object; ValueError names a type or an option that is not there, or of the wrong type.

    kind: what it is called in messages, such as "pre-tokenizer".  known: from type to class.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("type"), str):
        raise ValueError(f"the {kind} is {repr(data)[:200]}: expected an object with a type, or null")
    if data["type"] not in known:
        there = ", ".join(sorted({*known, "Sequence"}))
        raise ValueError(f"{kind} {data['type']} is not implemented: there are {there}")
    found = known[data["type"]]
    fields = {_key(field): field for field in dataclasses.fields(found)}
    options = {key: value for key, value in data.items() if key != "type"}
    if unknown := sorted(options.keys() - fields):
        raise ValueError(
            f"{kind} {data['type']} has no option {unknown[0]}: there are {', '.join(sorted(fields)) or 'none'}"
        )
    kinds = _kinds(found)
    for key, field in fields.items():
        expected = kinds[field.name]
        if key not in options:
            if field.default is dataclasses.MISSING:
                raise ValueError(f"{kind} {data['type']} lacks {key}: expected {described(expected)}")
            continue
        if field.metadata:
            options[key] = field.metadata["read"](options[key])
        _of_kind(key, options[key], expected, f"{kind} {data['type']}")
    return found(**{fields[key].name: value for key, value in options.items()})


def _key(field: dataclasses.Field[Any]) -> str:
    """The key of a field in tokenizer.json."""
    return field.metadata.get("name") or field.name


@cache
def _kinds(found: type[Step]) -> dict[str, Any]:
    """The type of every field."""
    hints = get_type_hints(found)
    return {field.name: hints[field.name] for field in dataclasses.fields(found)}  # type: ignore[arg-type]


def _of_kind(name: str, value: Any, kind: Any, owner: str) -> Any:
    """The value as that type, a number of numpy as Python's; ValueError names it and its owner."""
    try:
        return plain(value, kind)
    except TypeError:
        raise ValueError(f"{name} of the {owner} is {value!r:.200}: expected {described(kind)}") from None


def members(data: Mapping[str, Any], key: str) -> list[Any]:
    """The components of a Sequence; ValueError if they are no list."""
    if not isinstance(data.get(key), list):
        raise ValueError(f"{key} of a Sequence is {data.get(key)!r}: expected a list")
    listed: list[Any] = data[key]
    return listed


def without_older_keys(data: Any) -> Any:
    """A Metaspace with today's keys: older files have add_prefix_space, and str_rep, which means nothing."""
    if not isinstance(data, Mapping) or data.get("type") != "Metaspace" or "add_prefix_space" not in data:
        return data
    scheme = "always" if data["add_prefix_space"] else "never"
    kept = {key: value for key, value in data.items() if key not in ("add_prefix_space", "str_rep")}
    return {"prepend_scheme": scheme, **kept}
