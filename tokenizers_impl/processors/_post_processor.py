"""What every post-processor offers: sequences in, a row with special tokens out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from .._component import component_json
from .._encoding_object import Encoding
from .._layout import Layout
from .._token_lists import TokenLists


class PostProcessor(ABC):
    """Puts special tokens around the sequences of an input."""

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
        return TokenLists.joined(self.pieces_of(named, add_special_tokens=add_special_tokens))

    def process(self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True) -> Encoding:
        """The row of one Encoding or two."""
        sequences = [each.lists() for each in (encoding, pair) if each is not None]
        return Encoding(self.process_lists(sequences, add_special_tokens=add_special_tokens))

    def to_json(self) -> dict[str, Any]:
        """The `post_processor` object of tokenizer.json."""
        return component_json(self)


def _named(row: TokenLists, sequence: int) -> TokenLists:
    """The row as this sequence, what overflows from it too; its type is that of the sequence."""
    named = row.of_sequence(sequence).of_type(sequence)
    return named.with_changed_overflow(row, lambda part: part.of_sequence(sequence))
