"""What an Encoding shows: rows of tokens, in columns that are made when they are asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._token_lists import TokenLists


class TokenRows(ABC):
    """The tokens of n rows, one after another; a part is a slice of all of them."""

    @property
    @abstractmethod
    def bounds(self) -> list[int]:
        """Where each row begins, then where the last one ends: n + 1 numbers."""

    @abstractmethod
    def ids(self, part: slice) -> list[int]:
        """The ids."""

    @abstractmethod
    def tokens(self, part: slice) -> list[str]:
        """The tokens as text."""

    @abstractmethod
    def offsets(self, part: slice) -> list[tuple[int, int]]:
        """From where to where each token reaches in its text, in characters; (0, 0) for none."""

    @abstractmethod
    def word_ids(self, part: slice) -> list[int | None]:
        """The number of the word, in its text, that each token is of; None for none."""

    @abstractmethod
    def type_ids(self, part: slice) -> list[int]:
        """The type of each token, which says of what sequence it is, as the model will see it."""

    @abstractmethod
    def special_tokens_mask(self, part: slice) -> list[int]:
        """1 for a token that was put in, 0 for one of the text."""

    @abstractmethod
    def attention_mask(self, part: slice) -> list[int]:
        """0 for padding, else 1."""

    @abstractmethod
    def ranges(self, row: int) -> Mapping[int, tuple[int, int]]:
        """From the number of a sequence to the tokens of the row that are its own; empty where that was never said."""

    @abstractmethod
    def overflow(self, row: int) -> tuple[TokenLists, ...]:
        """What truncation cut off the row, in rows that overlap by its stride."""
