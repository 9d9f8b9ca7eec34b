"""The base class of post-processors, their layouts, and Sequence."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from .._core.component import FlatSequence, Step
from .._core.encoding import Encoding, lists_of
from .._core.options import checked_flag
from .._core.token_lists import TokenLists, check_size, room_for

# --- The layout of a row: sequences and special tokens


@dataclass(frozen=True)
class SequencePiece:
    """All tokens of a sequence of the input, 0 or 1."""

    sequence: int
    type_id: int


@dataclass(frozen=True)
class SpecialPiece:
    """Special tokens, which the post-processor adds."""

    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    type_id: int


Piece: TypeAlias = SequencePiece | SpecialPiece


@dataclass(frozen=True)
class Layout:
    """The pieces of a row, in order.

    trims: one add_prefix_space for each step that trims white space from the offsets.
    named: whether the row records which tokens belong to which sequence.
    """

    pieces: tuple[Piece, ...]
    trims: tuple[bool, ...] = ()
    named: bool = True

    @cached_property
    def special_count(self) -> int:
        """The number of special tokens."""
        return sum(len(piece.ids) for piece in self.pieces if isinstance(piece, SpecialPiece))

    @cached_property
    def sequences(self) -> tuple[int, ...]:
        """The sequences, in the order of the row; one may come twice."""
        return tuple(piece.sequence for piece in self.pieces if isinstance(piece, SequencePiece))

    @classmethod
    def plain(cls, is_pair: bool) -> Layout:
        """The sequences without special tokens, with type ids 0 and 1."""
        return cls(tuple(SequencePiece(sequence, sequence) for sequence in range(1 + is_pair)))


# --- The base class of post-processors


class PostProcessor(Step):
    """The base class of all post-processors, which add special tokens to the sequences of an input."""

    role = "post-processor"

    @abstractmethod
    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Return the number of tokens that are added to a text, or to a pair."""

    @abstractmethod
    def pieces_of(self, sequences: list[TokenLists], *, add_special_tokens: bool) -> list[TokenLists]:
        """The pieces of the row; the sequences may be pieces of another post-processor."""

    @abstractmethod
    def layout(self, is_pair: bool, *, add_special_tokens: bool) -> Layout | None:
        """The layout of the row of any text, or any pair, without overflow; None if there is no fixed layout."""

    def process_lists(self, sequences: list[TokenLists], *, add_special_tokens: bool) -> TokenLists:
        """Build the row of one or two sequences."""
        named = [_named(each, i) for i, each in enumerate(sequences)]
        pieces = self.pieces_of(named, add_special_tokens=add_special_tokens)
        check_size("a row", sum(map(len, pieces)), room_for(sum(map(len, named))))
        return TokenLists.joined(pieces)

    def process(self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True) -> Encoding:
        """Build the row of one or two Encodings; add_special_tokens: whether to add special tokens.

        ValueError for anything else than an Encoding, and for a row that grows beyond a limit.

        >>> from tokenizers_impl import Tokenizer, models, processors
        >>> encoding = Tokenizer(models.BPE({"a": 0, "b": 1}, [])).encode("ab")
        >>> processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2)).process(encoding).tokens
        ['[CLS]', 'a', 'b', '[SEP]']
        """
        sequences = [lists_of("encoding", encoding)] + ([] if pair is None else [lists_of("pair", pair)])
        is_adding = checked_flag("add_special_tokens", add_special_tokens)
        return Encoding(self.process_lists(sequences, add_special_tokens=is_adding))


def _named(row: TokenLists, sequence: int) -> TokenLists:
    """Assign a row and its overflow to a sequence; the type id of the row is the sequence's index."""
    named = row.of_sequence(sequence).of_type(sequence)
    return named.with_changed_overflow(row, lambda part: part.of_sequence(sequence))


# --- Sequences of post-processors


class Sequence(FlatSequence[PostProcessor], PostProcessor):
    """Applies post-processors one after another to pieces, like `tokenizers.processors.Sequence` 0.23.3.

    >>> from tokenizers_impl.processors import BertProcessing, ByteLevel
    >>> Sequence([ByteLevel(), BertProcessing(("[SEP]", 3), ("[CLS]", 2))]).num_special_tokens_to_add(False)
    2
    """

    kind, key = PostProcessor, "processors"

    def __init__(self, processors: Iterable[PostProcessor]) -> None:
        super().__init__(processors)

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Return the number of tokens that all of them add."""
        return sum(each.num_special_tokens_to_add(is_pair) for each in self.steps)

    def pieces_of(self, sequences: list[TokenLists], *, add_special_tokens: bool) -> list[TokenLists]:
        """The pieces of the last one."""
        for each in self.steps:
            sequences = each.pieces_of(sequences, add_special_tokens=add_special_tokens)
        return sequences

    def layout(self, is_pair: bool, *, add_special_tokens: bool) -> Layout | None:
        """The layout of the last one, None if one before it adds tokens."""
        plain = Layout.plain(is_pair)
        done = plain
        for each in self.steps:
            layout = each.layout(is_pair, add_special_tokens=add_special_tokens)
            if layout is None or done.pieces != plain.pieces:
                return None
            done = replace(layout, trims=(*done.trims, *layout.trims))
        return done
