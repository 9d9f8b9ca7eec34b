"""Objects as text, as the library's `repr` and `str` have them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, NamedTuple

import numpy as np


class Name(str):
    """The name of a choice, which stands without quotation marks."""

    __slots__ = ()


class Call(NamedTuple):
    """A name with arguments, as an object is made; a mapping has the names of the arguments."""

    name: str
    arguments: Mapping[str, Any] | tuple[Any, ...]


class Style(NamedTuple):
    """How many entries of a list or a mapping are shown, and how many bytes of a string."""

    entries: int
    bytes: int | None

    def text(self, value: Any) -> str:
        """The value as text.

        >>> STR.text(Call("Split", {"pattern": Call("String", ("a",)), "invert": False, "ids": [*range(7)]}))
        'Split(pattern=String("a"), invert=False, ids=[0, 1, 2, 3, 4, ...])'
        """
        match value:
            case Name():
                return value
            case str():
                return f'"{self._cut(value)}"'
            case float():
                from decimal import Decimal

                return f"{Decimal(repr(value)):f}".removesuffix(".0")
            case Call(name, Mapping() as arguments):
                return f"{name}({', '.join(f'{key}={self.text(each)}' for key, each in arguments.items())})"
            case Call(name, arguments):
                return name + self.text(arguments)
            case tuple():
                return f"({', '.join(map(self.text, value))})"
            case list():
                return f"[{self._listed(list(map(self.text, islice(value, self.entries))), len(value))}]"
            case Mapping():
                shown = [f"{self.text(key)}:{self.text(each)}" for key, each in islice(value.items(), self.entries)]
                return f"{{{self._listed(shown, len(value))}}}"
            case _:
                return str(value)

    def _listed(self, shown: list[str], count: int) -> str:
        return ", ".join([*shown, "..."] if count > len(shown) else shown)

    def _cut(self, text: str) -> str:
        # The library fails where a character lies across the limit; here it is left out.
        encoded = text.encode()
        is_whole = self.bytes is None or len(encoded) <= self.bytes
        return text if is_whole else f"{encoded[: self.bytes].decode(errors='ignore')}..."


REPR = Style(entries=99, bytes=None)
STR = Style(entries=5, bytes=100)

# What tokenizer.json writes as a string, the library as a name.
_CHOICES = ("behavior", "direction", "prepend_scheme", "strategy")
_PARAMETERS = {"truncation": "TruncationParams", "padding": "PaddingParams"}


def component(data: Mapping[str, Any]) -> Call:
    """The object of tokenizer.json, with a `type`, as it is shown.

    >>> REPR.text(component({"type": "Punctuation", "behavior": "Isolated"}))
    'Punctuation(behavior=Isolated)'
    """
    return Call(data["type"], _shown_values({key: value for key, value in data.items() if key != "type"}))


def document(data: Mapping[str, Any]) -> Call:
    """The whole of tokenizer.json as it is shown; its components are shown already."""
    return Call("Tokenizer", _shown_values(data))


def _shown_values(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _shown(key, value) for key, value in data.items()}


def _shown(key: str, value: Any) -> Any:
    """The value of that key of tokenizer.json as it is shown."""
    match key, value:
        case _, None:
            return None
        case "dropout", _:
            # The library keeps 32 bits, and shows what they are.
            return float(np.float32(value))
        case _, str():
            return Name(value) if key in _CHOICES else value
        case (("truncation" | "padding"), _):
            return Call(_PARAMETERS[key], _shown_values(value))
        case (("strategy" | "pattern"), _):
            [(name, inner)] = value.items()
            return Call(name, (inner,))
        case (("single" | "pair"), _):
            return [_template_piece(each) for each in value]
        case "special_tokens", _:
            return {id: Call("SpecialToken", token) for id, token in value.items()}
        case (("sep" | "cls"), _):
            return tuple(value)
        case (("merges" | "vocab"), list()):
            return [tuple(each) for each in value]
    return value


def _template_piece(data: Mapping[str, Any]) -> Call:
    [(name, inner)] = data.items()
    id = Name(inner["id"]) if name == "Sequence" else inner["id"]
    return Call(name, {"id": id, "type_id": inner["type_id"]})
