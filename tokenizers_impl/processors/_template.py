"""The post-processor with templates, and the pieces of a template."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .._core.component import unchanging
from .._core.options import choice_of, plain
from .._core.token_lists import TokenLists
from ._post_processor import Layout, Piece, PostProcessor, SequencePiece, SpecialPiece

# --- The pieces and the special tokens of a template

_LARGEST = 2**32 - 1
_SEQUENCES = {"": "A", "A": "A", "a": "A", "B": "B", "b": "B"}


@dataclass(frozen=True)
class TemplatePiece:
    """A piece of a template: a sequence, "A" or "B", or the name of a special token.

    >>> TemplatePiece.of("$B:1")
    TemplatePiece(id='B', type_id=1, is_sequence=True)
    """

    id: str
    type_id: int
    is_sequence: bool

    @classmethod
    def of(cls, text: str) -> TemplatePiece:
        """Parse $A, $B, $ and a type id (for A), or the name of a token; each may end with a colon and a type id."""
        name, colon, type_text = text.partition(":")
        type_id = _number(type_text) if colon else 0
        if type_id is None:
            raise _no_piece(text)
        if not name.startswith("$"):
            return cls(name, type_id, False)
        if name[1:] in _SEQUENCES:
            return cls(_SEQUENCES[name[1:]], type_id, True)
        own_type = _number(name[1:])
        if own_type is None:
            raise _no_piece(text)
        return cls("A", type_id if colon else own_type, True)

    def to_json(self) -> dict[str, Any]:
        """Return the piece's object of tokenizer.json."""
        return {"Sequence" if self.is_sequence else "SpecialToken": {"id": self.id, "type_id": self.type_id}}

    @classmethod
    def from_json(cls, data: Any) -> TemplatePiece:
        """Read such an object; ValueError if it is invalid."""
        kind, inner = next(iter(data.items())) if isinstance(data, Mapping) and len(data) == 1 else ("", None)
        if kind in ("Sequence", "SpecialToken") and isinstance(inner, Mapping):
            id = inner.get("id", "")
            piece = cls(choice_of(id) if kind == "Sequence" else id, inner.get("type_id", -1), kind == "Sequence")
            names_one = piece.id in ("A", "B") if piece.is_sequence else isinstance(piece.id, str)
            if names_one and _is_number(piece.type_id):
                return piece
        raise ValueError(f"a piece of the template is {str(data)[:80]}: expected a Sequence or a SpecialToken")


def pieces_of(template: str | Iterable[str]) -> tuple[TemplatePiece, ...]:
    """Parse a template: a string of pieces with single spaces between them, or a list of strings."""
    texts = template.split(" ") if isinstance(template, str) else template
    if not isinstance(texts, (list, tuple)) or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"the template is {template!r}: give a string, or a list of strings")
    return tuple(map(TemplatePiece.of, texts))


@dataclass(frozen=True)
class SpecialToken:
    """The one or more tokens that a name in a template stands for."""

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
        """Build from a token and its id, in any order, or from a mapping with id, ids and tokens."""
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
        """Return the token's object of tokenizer.json."""
        return {"id": self.id, "ids": list(self.ids), "tokens": list(self.tokens)}


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST


def _no_piece(text: str) -> ValueError:
    """The error for a piece that cannot be parsed, which begins as in the library."""
    return ValueError(
        f'Cannot build Piece from string "{text}": write $A, $B or the name of a special token; a type id as in $B:1'
    )


def _number(text: str) -> int | None:
    """Parse an integer as Rust does; None if the text is not an integer."""
    digits = text.removeprefix("+")
    # int() accepts more: white space, underscores, digits of other scripts, thousands of digits.
    if not digits.isascii() or not digits.isdecimal() or len(digits.lstrip("0")) > len(str(_LARGEST)):
        return None
    return int(digits) if int(digits) <= _LARGEST else None


# --- The post-processor

# The overflow of each piece is joined with all other pieces, so long templates would take too much memory.
_MOST_PIECES = 100


@unchanging
@dataclass(frozen=True, init=False, repr=False)
class TemplateProcessing(PostProcessor):
    """Adds special tokens by templates, like `tokenizers.processors.TemplateProcessing` 0.23.3.

    single, pair: the templates of a text and of a pair: strings of pieces with single spaces between them, or lists of
      at most 100 pieces.  $A and $B are the sequences, $0 and $1 are A with this type id, any other piece is the name
      of a special token.  A piece may end with a type id, as in "$B:1".  None: "$0" and "$A:0 $B:1".
    special_tokens: per name a (token, id) pair in any order, or a mapping with `id` (the name), `ids`, `tokens`.
    ValueError for a name without special token, and for a pair that does not have both sequences.

    >>> tokens = [("[CLS]", 1), ("[SEP]", 2)]
    >>> template = TemplateProcessing("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", tokens)
    >>> template.num_special_tokens_to_add(False), template.num_special_tokens_to_add(True)
    (2, 3)
    """

    single: tuple[TemplatePiece, ...]
    pair: tuple[TemplatePiece, ...]
    special_tokens: tuple[SpecialToken, ...]

    def __init__(
        self,
        single: str | Iterable[str] | None = None,
        pair: str | Iterable[str] | None = None,
        special_tokens: Iterable[Any] | None = None,
    ) -> None:
        pieces = [pieces_of("$0" if single is None else single), pieces_of("$A:0 $B:1" if pair is None else pair)]
        if {piece.id for piece in pieces[1] if piece.is_sequence} != {"A", "B"}:
            raise ValueError("Template for `pair` must use both sequences")
        if special_tokens is not None and (isinstance(special_tokens, str) or not isinstance(special_tokens, Iterable)):
            raise ValueError(f"special_tokens={special_tokens!r}: give a list of tokens with their ids")
        self._set(pieces[0], pieces[1], map(SpecialToken.of, special_tokens or ()))

    def _set(
        self, single: tuple[TemplatePiece, ...], pair: tuple[TemplatePiece, ...], tokens: Iterable[SpecialToken]
    ) -> None:
        for name, pieces in (("single", single), ("pair", pair)):
            if len(pieces) > _MOST_PIECES:
                raise ValueError(f"the template for {name} has {len(pieces)} pieces: give {_MOST_PIECES} at most")
        known = {token.id: token for token in tokens}
        named = dict.fromkeys(piece.id for piece in (*single, *pair) if not piece.is_sequence)
        if missing := [name for name in named if name not in known]:
            raise ValueError(
                f"Missing SpecialToken(s) with id(s) `{', '.join(missing)}`: give each in special_tokens, with its id"
            )
        object.__setattr__(self, "single", single)
        object.__setattr__(self, "pair", pair)
        # In the order of the file.
        object.__setattr__(self, "special_tokens", tuple(known[name] for name in sorted(known)))

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Return the number of special tokens of the template."""
        known = {token.id: len(token.ids) for token in self.special_tokens}
        return sum(known[piece.id] for piece in (self.pair if is_pair else self.single) if not piece.is_sequence)

    def pieces_of(self, sequences: list[TokenLists], *, add_special_tokens: bool) -> list[TokenLists]:
        """The pieces of the template."""
        if len(sequences) not in (1, 2):
            raise ValueError(
                f"a template takes one or two sequences, but the post-processor before it gives {len(sequences)} "
                "pieces: put the template first"
            )
        layout = self.layout(len(sequences) == 2, add_special_tokens=add_special_tokens)
        return [
            sequences[piece.sequence].of_type(piece.type_id).of_sequence(piece.sequence)
            if isinstance(piece, SequencePiece)
            else TokenLists.of_special(piece.ids, piece.tokens, piece.type_id)
            for piece in layout.pieces
        ]

    def layout(self, is_pair: bool, *, add_special_tokens: bool) -> Layout:
        """The pieces of the template."""
        known = {token.id: token for token in self.special_tokens}
        pieces: list[Piece] = []
        for piece in self.pair if is_pair else self.single:
            if piece.is_sequence:
                pieces.append(SequencePiece("AB".index(piece.id), piece.type_id))
            elif add_special_tokens:
                token = known[piece.id]
                pieces.append(SpecialPiece(token.ids, token.tokens, piece.type_id))
        if not is_pair and any(isinstance(piece, SequencePiece) and piece.sequence for piece in pieces):
            raise ValueError("the template for a single sequence has $B: encode pairs, or use another template")
        return Layout(tuple(pieces))

    def to_json(self) -> dict[str, Any]:
        """The `post_processor` object of tokenizer.json."""
        return {
            "type": "TemplateProcessing",
            "single": [piece.to_json() for piece in self.single],
            "pair": [piece.to_json() for piece in self.pair],
            "special_tokens": {token.id: token.to_json() for token in self.special_tokens},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TemplateProcessing:
        """Read such an object; ValueError names what is invalid."""
        for name, kind in (("single", list), ("pair", list), ("special_tokens", Mapping)):
            if not isinstance(data.get(name), kind):
                raise ValueError(f"{name} of the TemplateProcessing is {str(data.get(name))[:80]}")
        template = cls.__new__(cls)
        single, pair = (tuple(map(TemplatePiece.from_json, data[name])) for name in ("single", "pair"))
        template._set(single, pair, _tokens(data["special_tokens"]))
        return template


def _tokens(data: Mapping[str, Any]) -> Iterable[SpecialToken]:
    for name, value in data.items():
        token = SpecialToken.of(value)
        if token.id != name:
            raise ValueError(f"the special token {name!r} of the template has the id {token.id!r}")
        yield token
