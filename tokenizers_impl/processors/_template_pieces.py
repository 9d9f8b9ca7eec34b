"""What a template is written in: its pieces, the tokens they name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .._option_values import choice_of
from .._plain_values import plain

_LARGEST = 2**32 - 1
_SEQUENCES = {"": "A", "A": "A", "a": "A", "B": "B", "b": "B"}


@dataclass(frozen=True)
class TemplatePiece:
    """A sequence, "A" or "B", or the name of a special token.

    >>> TemplatePiece.of("$B:1")
    TemplatePiece(id='B', type_id=1, is_sequence=True)
    """

    id: str
    type_id: int
    is_sequence: bool

    @classmethod
    def of(cls, text: str) -> TemplatePiece:
        """$A, $B, $ and a type for A, or the name of a token; each may have a colon and a type behind it."""
        name, colon, type_text = text.partition(":")
        type_id = _number(type_text) if colon else 0
        if type_id is None:
            raise ValueError(f'Cannot build Piece from string "{text}"')
        if not name.startswith("$"):
            return cls(name, type_id, False)
        if name[1:] in _SEQUENCES:
            return cls(_SEQUENCES[name[1:]], type_id, True)
        own_type = _number(name[1:])
        if own_type is None:
            raise ValueError(f'Cannot build Piece from string "{text}"')
        return cls("A", type_id if colon else own_type, True)

    def to_json(self) -> dict[str, Any]:
        """The piece in tokenizer.json."""
        return {"Sequence" if self.is_sequence else "SpecialToken": {"id": self.id, "type_id": self.type_id}}

    @classmethod
    def from_json(cls, data: Any) -> TemplatePiece:
        """The way back."""
        kind, inner = next(iter(data.items())) if isinstance(data, Mapping) and len(data) == 1 else ("", None)
        if kind in ("Sequence", "SpecialToken") and isinstance(inner, Mapping):
            id = inner.get("id", "")
            piece = cls(choice_of(id) if kind == "Sequence" else id, inner.get("type_id", -1), kind == "Sequence")
            names_one = piece.id in ("A", "B") if piece.is_sequence else isinstance(piece.id, str)
            if names_one and _is_number(piece.type_id):
                return piece
        raise ValueError(f"a piece of the template is {str(data)[:80]}: expected a Sequence or a SpecialToken")


def pieces_of(template: str | Iterable[str]) -> tuple[TemplatePiece, ...]:
    """The pieces of a template: a string with a space between any two, or a list of strings."""
    texts = template.split(" ") if isinstance(template, str) else template
    if not isinstance(texts, (list, tuple)) or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"the template is {template!r}: give a string, or a list of strings")
    return tuple(map(TemplatePiece.of, texts))


@dataclass(frozen=True)
class SpecialToken:
    """What a name in a template stands for: one token or several."""

    id: str
    ids: tuple[int, ...]
    tokens: tuple[str, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not all(isinstance(token, str) for token in self.tokens):
            raise ValueError(f"the special token {self.id!r} has the tokens {self.tokens!r}: give strings")
        try:
            object.__setattr__(self, "ids", tuple(plain(id, int) for id in self.ids))
        except TypeError:
            raise self._wrong_ids() from None
        if not all(map(_is_number, self.ids)):
            raise self._wrong_ids()
        if len(self.ids) != len(self.tokens):
            raise ValueError("SpecialToken: ids and tokens must be of the same length")

    def _wrong_ids(self) -> ValueError:
        return ValueError(f"the special token {self.id!r} has the ids {self.ids!r}: give integers from 0 to 2**32 - 1")

    @classmethod
    def of(cls, value: Any) -> SpecialToken:
        """Of a token and its id, in any order, or of an object with id, ids, tokens."""
        if isinstance(value, Mapping):
            for name in ("id", "ids", "tokens"):
                if name not in value:
                    raise ValueError(f"`{name}` must be specified")
            if not all(isinstance(value[name], (list, tuple)) for name in ("ids", "tokens")):
                raise ValueError(f"the special token is {value!r}: ids and tokens are lists")
            return cls(value["id"], tuple(value["ids"]), tuple(value["tokens"]))
        if isinstance(value, (list, tuple)) and len(value) == 2:
            name, id = value if isinstance(value[0], str) else reversed(value)
            return cls(name, (id,), (name,))
        raise ValueError(f"the special token is {value!r}: give a token and its id, or a dict with id, ids, tokens")

    def to_json(self) -> dict[str, Any]:
        """The token in tokenizer.json."""
        return {"id": self.id, "ids": list(self.ids), "tokens": list(self.tokens)}


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST


def _number(text: str) -> int | None:
    """The number that a text is, as Rust reads it; None for none."""
    digits = text.removeprefix("+")
    # int() would take more: white space, underscores, digits of other scripts, thousands of them.
    if not digits.isascii() or not digits.isdecimal() or len(digits.lstrip("0")) > len(str(_LARGEST)):
        return None
    return int(digits) if int(digits) <= _LARGEST else None
