"""Steps of a pipeline as objects of tokenizer.json."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any


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
    return found(**options)
