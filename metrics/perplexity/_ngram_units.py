"""Texts as the tokens of n-gram models."""

from __future__ import annotations

import abc
import dataclasses
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from ._options import callable_name
from ._progress import with_bar
from ._segments import Segments
from ._source import Token
from ._words import Words, encode, from_token_lists, split_at, split_characters, translate

_SPACES = b" \t\n\v\f\r"
_SPACE_TABLE = bytes(byte in _SPACES for byte in range(256))
_WORD = re.compile(rf"[^{_SPACES.decode()}]+")
_CODE_POINTS = 0x110000


class Unit(abc.ABC):
    """What a token is."""

    # What stands for it in signatures.
    name: str

    @abc.abstractmethod
    def split(self, texts: list[str]) -> Words:
        """The tokens of every text as ids."""

    @abc.abstractmethod
    def tokens(self, text: str) -> list[Token]:
        """The tokens of one text, with their places."""


class WordUnit(Unit):
    """Words between ASCII white space, as bytes.split() finds them, with which KenLM's Python splits."""

    name = "words"

    def split(self, texts: list[str]) -> Words:
        """The words of every text as ids."""
        text = encode(texts)
        return split_at(text, translate(text.data, _SPACE_TABLE).view(np.bool_))

    def tokens(self, text: str) -> list[Token]:
        """The words of one text, with their places."""
        return [Token(match.group(), match.start(), match.end()) for match in _WORD.finditer(text)]


class CharacterUnit(Unit):
    """Code points, white space among them."""

    name = "characters"

    def split(self, texts: list[str]) -> Words:
        """The code points of every text as ids."""
        points = split_characters(texts).segments
        is_used = np.zeros(_CODE_POINTS, dtype=np.bool_)
        is_used[points.ids] = True
        ids = np.cumsum(is_used)[points.ids] - 1
        return Words(Segments(ids, points.offsets), pa.array(map(chr, np.flatnonzero(is_used)), pa.large_string()))

    def tokens(self, text: str) -> list[Token]:
        """The code points of one text, with their places."""
        return [Token(character, i, i + 1) for i, character in enumerate(text)]


@dataclasses.dataclass(frozen=True)
class CallableUnit(Unit):
    """What a function makes of a text: a list of strings."""

    tokenize: Callable[[str], Any]

    @property
    def name(self) -> str:  # type: ignore[override]
        """Where the function is defined."""
        return callable_name(self.tokenize)

    def split(self, texts: list[str]) -> Words:
        """The tokens of every text as ids; ValueError if the function returns anything but lists of strings."""
        return from_token_lists(
            list(with_bar(map(self._tokenized, texts), "Tokenize", " texts", lambda _: 1, len(texts)))
        )

    def tokens(self, text: str) -> list[Token]:
        """The tokens of one text; each at its next place in the text, or at none if the text goes on without it."""
        tokens, end = [], 0
        for token in self._tokenized(text):
            start = text.find(token, end)
            if start >= 0:
                end = start + len(token)
            tokens.append(Token(token, start, end) if start >= 0 else Token(token, None, None))
        return tokens

    def _tokenized(self, text: str) -> list[str]:
        tokens = self.tokenize(text)
        if not isinstance(tokens, (list, tuple)) or not all(isinstance(token, str) for token in tokens):
            raise ValueError(f"{self.name} makes {tokens!r} of {text!r}: a unit's function returns a list of strings")
        return list(tokens)


def as_unit(unit: Any) -> Unit:
    """The unit that "words", "characters" or a function stand for.

    >>> [token.text for token in as_unit("words").tokens("a  b\\u00a0c")]
    ['a', 'b\\xa0c']
    >>> as_unit(str.split).split(["a b", "a"]).segments.ids.tolist()
    [0, 1, 0]
    """
    if callable(unit):
        return CallableUnit(unit)
    for known in (WordUnit(), CharacterUnit()):
        if unit == known.name:
            return known
    raise ValueError(f"unit={unit!r}: give 'words', 'characters', or a function that makes a list of strings of a text")
