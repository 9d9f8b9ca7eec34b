"""What every decoder offers: tokens in, text out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from .._component import component_json


class Decoder(ABC):
    """Undoes a pre-tokenizer."""

    @abstractmethod
    def decode_chain(self, tokens: Sequence[str]) -> list[str]:
        """The texts that the tokens become, which may be more or fewer than they are."""

    def decode(self, tokens: Sequence[str]) -> str:
        """The text of these tokens."""
        return "".join(self.decode_chain(tokens))

    def to_json(self) -> dict[str, Any]:
        """The `decoder` object of tokenizer.json."""
        return component_json(self)


class TokenDecoder(Decoder):
    """A decoder that looks at one token after another, so that many rows of them can be decoded at once."""

    @abstractmethod
    def decode_token(self, token: str, *, is_first: bool, is_last: bool) -> str:
        """The text of a token, which may depend on whether it is the first or last one."""

    def decode_chain(self, tokens: Sequence[str]) -> list[str]:
        """The text of every token."""
        last = len(tokens) - 1
        return [self.decode_token(token, is_first=i == 0, is_last=i == last) for i, token in enumerate(tokens)]

    def token_forms(self, token: str) -> tuple[bytes, bytes, bytes, bytes]:
        """What a token adds to the bytes of its text: as an inner token, the first, the last, the only one."""
        inner, first, last, only = (
            self.decode_token(token, is_first=is_first, is_last=is_last).encode("utf-8")
            for is_last in (False, True)
            for is_first in (False, True)
        )
        return inner, first, last, only

    def read(self, data: bytes) -> str:
        """The bytes of all tokens as text."""
        return data.decode("utf-8")

    def polish(self, text: str) -> str:
        """What is done to a text as a whole at the end."""
        return text
