"""Decoders that edit every token by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .._component import json_form, unchanging
from .._splits import Splits, check_room, room_for
from ..normalizers import Replace as ReplaceNormalizer
from ..patterns import Pattern, pattern_from_json, pattern_json
from ._decoder import Decoder, TokenDecoder


@unchanging
@dataclass(frozen=True, repr=False)
class Replace(Decoder):
    """Every match of a string or a Regex becomes the content, as `tokenizers.decoders.Replace`.

    ValueError in decoding for a Regex that tries too many ways to match, and for texts that grow beyond measure.

    >>> Replace("▁", " ").decode(["▁low", "er"])
    ' lower'
    """

    pattern: Pattern = field(metadata=json_form(write=pattern_json, read=pattern_from_json))
    content: str

    def decode_chain(self, tokens: Sequence[str]) -> list[str]:
        """Every token with the content in it."""
        return self.decode_within(tokens, room_for(sum(map(len, tokens))))

    def decode_within(self, tokens: Sequence[str], room: int) -> list[str]:
        """The same, checked before the texts are made."""
        if not isinstance(self.pattern, str) or not self.pattern:
            splits = Splits.of(tokens, offsets=False)._replace(room=room)
            return ReplaceNormalizer(self.pattern, self.content).normalize_splits(splits).texts()
        if len(self.content) > len(self.pattern):
            check_room(len(self.content) * sum(token.count(self.pattern) for token in tokens), room)
        return [token.replace(self.pattern, self.content) for token in tokens]


@unchanging
@dataclass(frozen=True, repr=False)
class Strip(TokenDecoder):
    """A character is taken off the ends of every token, as `tokenizers.decoders.Strip`.

    left, right: how often at most, at which end.

    >>> Strip("_", left=1, right=1).decode(["__low_", "_er"])
    '_lower'
    """

    content: str = " "
    left: int = field(default=0, metadata=json_form(name="start"))
    right: int = field(default=0, metadata=json_form(name="stop"))

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.content) != 1:
            raise ValueError(f"content={self.content!r}: give one character")
        for name in ("left", "right"):
            number = getattr(self, name)
            if not 0 <= number < 1 << 64:
                raise ValueError(f"{name}={number!r}: give a number of characters, 0 or more")

    @property
    def start(self) -> int:
        """The same as left, as the file and the attribute of the library call it."""
        return self.left

    @property
    def stop(self) -> int:
        """The same as right."""
        return self.right

    def decode_token(self, token: str, *, is_first: bool, is_last: bool) -> str:
        """The token without them."""
        begins = min(len(token) - len(token.lstrip(self.content)), self.left)
        rest = token[begins:]
        ends = min(len(rest) - len(rest.rstrip(self.content)), self.right)
        return rest[: len(rest) - ends]
