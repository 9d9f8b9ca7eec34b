"""What every post-processor makes of an input: its layout; post-processors one after another."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from .._core.component import FlatSequence, Step
from .._core.encoding import Encoding, lists_of
from .._core.options import checked_flag
from .._core.token_lists import TokenLists, check_size, room_for

# --- What a post-processor makes of an input: its sequences and what is put around them


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


# --- What every post-processor offers: sequences in, a row with special tokens out


class PostProcessor(Step):
    """Puts special tokens around the sequences of an input."""

    role = "post-processor"

    @abstractmethod
    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """How many tokens are put in."""

    @abstractmethod
    def pieces_of(self, sequences: list[TokenLists], *, add_special_tokens: bool) -> list[TokenLists]:
        """What stands one after another in the row; the sequences may be pieces that another one has made."""

    @abstractmethod
    def layout(self, is_pair: bool, *, add_special_tokens: bool) -> Layout | None:
        """The same of any input with this number of sequences, but for what overflows; None where that is not all."""

    def process_lists(self, sequences: list[TokenLists], *, add_special_tokens: bool) -> TokenLists:
        """The row of one sequence or two."""
        named = [_named(each, i) for i, each in enumerate(sequences)]
        pieces = self.pieces_of(named, add_special_tokens=add_special_tokens)
        check_size("a row", sum(map(len, pieces)), room_for(sum(map(len, named))))
        return TokenLists.joined(pieces)

    def process(self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True) -> Encoding:
        """The row of one Encoding or two."""
        sequences = [lists_of("encoding", encoding)] + ([] if pair is None else [lists_of("pair", pair)])
        is_adding = checked_flag("add_special_tokens", add_special_tokens)
        return Encoding(self.process_lists(sequences, add_special_tokens=is_adding))


def _named(row: TokenLists, sequence: int) -> TokenLists:
    """The row as this sequence, what overflows from it too; its type is that of the sequence."""
    named = row.of_sequence(sequence).of_type(sequence)
    return named.with_changed_overflow(row, lambda part: part.of_sequence(sequence))


# --- Post-processors one after another


class Sequence(FlatSequence[PostProcessor], PostProcessor):
    """Each works on the pieces of the one before it, as `tokenizers.processors.Sequence`."""

    kind, key = PostProcessor, "processors"

    def __init__(self, processors: Iterable[PostProcessor]) -> None:
        super().__init__(processors)

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """What all of them put in."""
        return sum(each.num_special_tokens_to_add(is_pair) for each in self.steps)

    def pieces_of(self, sequences: list[TokenLists], *, add_special_tokens: bool) -> list[TokenLists]:
        """The pieces that the last of them makes."""
        for each in self.steps:
            sequences = each.pieces_of(sequences, add_special_tokens=add_special_tokens)
        return sequences

    def layout(self, is_pair: bool, *, add_special_tokens: bool) -> Layout | None:
        """That of the last one, if those before it put nothing in."""
        plain = Layout.plain(is_pair)
        done = plain
        for each in self.steps:
            layout = each.layout(is_pair, add_special_tokens=add_special_tokens)
            if layout is None or done.pieces != plain.pieces:
                return None
            done = replace(layout, trims=(*done.trims, *layout.trims))
        return done
