"""Steps of a pipeline as objects of tokenizer.json."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints


def json_form(
    name: str | None = None, write: Callable[[Any], Any] = copy.copy, read: Callable[[Any], Any] = copy.copy
) -> dict[str, Any]:
    """The metadata of a field of a component that looks otherwise in tokenizer.json.

    name: the key there, if it is not the name of the field.  write, read: from the value to what stands there and back.
    """
    return {"name": name, "write": write, "read": read}


def component_json(component: Any) -> dict[str, Any]:
    """`type`, the name of the class, then the fields of the dataclass in their order."""
    document = {"type": type(component).__name__}
    for field in dataclasses.fields(component):
        value = getattr(component, field.name)
        document[_key(field)] = field.metadata["write"](value) if field.metadata else value
    return document


def component_from_json(kind: str, known: Mapping[str, Any], data: Any) -> Any:
    """The component of that object; ValueError names a type or an option that is not there, or of the wrong type.

    kind: what it is called in messages, such as "pre-tokenizer".  known: from type to class.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("type"), str):
        raise ValueError(f"the {kind} is {repr(data)[:200]}: expected an object with a type, or null")
    if data["type"] not in known:
        raise ValueError(f"{kind} {data['type']} is not implemented: there are {', '.join(sorted(known))}")
    found = known[data["type"]]
    fields = {_key(field): field for field in dataclasses.fields(found)}
    options = {key: value for key, value in data.items() if key != "type"}
    if unknown := sorted(options.keys() - fields):
        raise ValueError(
            f"{kind} {data['type']} has no option {unknown[0]}: there are {', '.join(sorted(fields)) or 'none'}"
        )
    kinds = get_type_hints(found)
    for key, field in fields.items():
        expected = kinds[field.name]
        if key not in options:
            if field.default is dataclasses.MISSING:
                raise ValueError(f"{kind} {data['type']} lacks {key}: expected {_named(expected)}")
            continue
        if field.metadata:
            options[key] = field.metadata["read"](options[key])
        if not _is_of(options[key], expected):
            raise ValueError(f"{key} of the {kind} {data['type']} is {options[key]!r}: expected {_named(expected)}")
    return found(**{fields[key].name: value for key, value in options.items()})


def _key(field: dataclasses.Field[Any]) -> str:
    """The key of a field in tokenizer.json."""
    return field.metadata.get("name") or field.name


def _is_of(value: Any, kinds: Any) -> bool:
    """Whether the value is of that type; true and false are no numbers."""
    return isinstance(value, kinds) and (kinds is not int or not isinstance(value, bool))


def _named(kinds: Any) -> str:
    return kinds.__name__ if isinstance(kinds, type) else str(kinds)


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
