"""Steps of a pipeline as objects of tokenizer.json."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, get_type_hints


def component_json(component: Any) -> dict[str, Any]:
    """`type`, the name of the class, then the fields of the dataclass in their order."""
    return {"type": type(component).__name__, **dataclasses.asdict(component)}


def component_from_json(kind: str, known: Mapping[str, Any], data: Any) -> Any:
    """The component of that object; ValueError names a type or an option that is not there.

    kind: what it is called in messages, such as "pre-tokenizer".  known: from type to class.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("type"), str):
        raise ValueError(f"the {kind} is {data!r}: expected an object with a type, or null")
    if data["type"] not in known:
        raise ValueError(f"{kind} {data['type']} is not implemented: there are {', '.join(sorted(known))}")
    found = known[data["type"]]
    options = {name: value for name, value in data.items() if name != "type"}
    names = {field.name for field in dataclasses.fields(found)}
    if unknown := sorted(options.keys() - names):
        raise ValueError(
            f"{kind} {data['type']} has no option {unknown[0]}: there are {', '.join(sorted(names)) or 'none'}"
        )
    for name, kinds in get_type_hints(found).items():
        if name in options and not isinstance(options[name], kinds):
            raise ValueError(f"{name} of the {kind} {data['type']} is {options[name]!r}: expected {_named(kinds)}")
    return found(**options)


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
