"""Special tokens put in by a template."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .._component import unchanging
from .._layout import Layout, Piece, SequencePiece, SpecialPiece
from .._token_lists import TokenLists
from ._post_processor import PostProcessor
from ._template_pieces import SpecialToken, TemplatePiece, pieces_of

# Each piece is joined with all others, and whatever overflows from it.
_MOST_PIECES = 100


@unchanging
@dataclass(frozen=True, init=False, repr=False)
class TemplateProcessing(PostProcessor):
    """Rows after a template, as `tokenizers.processors.TemplateProcessing`.

    single, pair: the templates of one sequence and of two, strings with a space between the pieces, or lists of pieces:
    $A and $B are the sequences, $0 or $1 is A with that type, anything else is the name of a special token; ":1" behind
    it is its type.  special_tokens: for each of those names a token and its id in any order, or a dict with `id`, the
    name, `ids` and `tokens`.  ValueError for a name that is not among them, and for a pair that lacks a sequence.

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
            raise ValueError(f"Missing SpecialToken(s) with id(s) `{', '.join(missing)}`")
        object.__setattr__(self, "single", single)
        object.__setattr__(self, "pair", pair)
        # In the order of the file.
        object.__setattr__(self, "special_tokens", tuple(known[name] for name in sorted(known)))

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """The tokens of the template."""
        known = {token.id: len(token.ids) for token in self.special_tokens}
        return sum(known[piece.id] for piece in (self.pair if is_pair else self.single) if not piece.is_sequence)

    def pieces_of(self, sequences: list[TokenLists], *, add_special_tokens: bool) -> list[TokenLists]:
        """The pieces of the template."""
        if len(sequences) not in (1, 2):
            raise ValueError(
                f"a template takes one sequence or two, and is given {len(sequences)} pieces by the "
                "post-processor before it: put the template first"
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
            raise ValueError("the template for a single sequence has $B: encode pairs, or give another one")
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
        """The way back; ValueError names what is wrong."""
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
