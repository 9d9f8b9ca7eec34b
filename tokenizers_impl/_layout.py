"""What a post-processor makes of an input: its sequences and what is put around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class SequencePiece:
    """All tokens of a sequence of the input, 0 or 1."""

    sequence: int
    type_id: int


@dataclass(frozen=True)
class SpecialPiece:
    """Tokens that are put in."""

    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    type_id: int


Piece: TypeAlias = SequencePiece | SpecialPiece


@dataclass(frozen=True)
class Layout:
    """The pieces of a row, in order.

    trims: for each time that white space is taken out of the offsets, whether a space was put before texts.
    named: whether the tokens know of what sequence they are.
    """

    pieces: tuple[Piece, ...]
    trims: tuple[bool, ...] = ()
    named: bool = True

    @classmethod
    def plain(cls, is_pair: bool) -> Layout:
        """The sequences alone, each of its own type."""
        return cls(tuple(SequencePiece(sequence, sequence) for sequence in range(1 + is_pair)))
