"""Decoders that edit every token by itself."""

from __future__ import annotations

from dataclasses import dataclass, field

from .._component import json_form
from ..normalizers import Replace as ReplaceNormalizer
from ..patterns import Pattern, pattern_from_json, pattern_json
from ._decoder import TokenDecoder


@dataclass(frozen=True)
class Replace(TokenDecoder):
    """Every match of a string or a Regex becomes the content, as `tokenizers.decoders.Replace`.

    >>> Replace("▁", " ").decode(["▁low", "er"])
    ' lower'
    """

    pattern: Pattern = field(metadata=json_form(write=pattern_json, read=pattern_from_json))
    content: str

    def __post_init__(self) -> None:
        ReplaceNormalizer(self.pattern, self.content)

    def decode_token(self, token: str, *, is_first: bool, is_last: bool) -> str:
        """The token with the content in it."""
        if isinstance(self.pattern, str) and self.pattern:
            return token.replace(self.pattern, self.content)
        return ReplaceNormalizer(self.pattern, self.content).normalize_str(token)


@dataclass(frozen=True)
class Strip(TokenDecoder):
    """A character is taken off the ends of every token, as `tokenizers.decoders.Strip`.

    left, right: how often at most, at which end; the file calls them start and stop.

    >>> Strip("_", left=1, right=1).decode(["__low_", "_er"])
    '_lower'
    """

    content: str = " "
    left: int = field(default=0, metadata=json_form(name="start"))
    right: int = field(default=0, metadata=json_form(name="stop"))

    def __post_init__(self) -> None:
        if not isinstance(self.content, str) or len(self.content) != 1:
            raise ValueError(f"content={self.content!r}: give one character")
        for name in ("left", "right"):
            number = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 1 << 64:
                raise ValueError(f"{name}={number!r}: give a number of characters, 0 or more")

    def decode_token(self, token: str, *, is_first: bool, is_last: bool) -> str:
        """The token without them."""
        begins = min(len(token) - len(token.lstrip(self.content)), self.left)
        rest = token[begins:]
        ends = min(len(rest) - len(rest.rstrip(self.content)), self.right)
        return rest[: len(rest) - ends]
