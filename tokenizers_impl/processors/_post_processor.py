"""What every post-processor offers: sequences in, a row with special tokens out."""

from __future__ import annotations

from abc import abstractmethod

from .._component import Step
from .._encoding_object import Encoding, lists_of
from .._layout import Layout
from .._option_values import checked_flag
from .._token_lists import TokenLists, check_size, room_for


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
