"""Text from tokens that arrive a few at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any, Protocol

_BROKEN = "\ufffd"


class _Decodes(Protocol):
    """A tokenizer, as far as it is needed here."""

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = True) -> str:
        """The text of these ids."""


class DecodeStream:
    """Gives the text of tokens as soon as no later token can change it, as `tokenizers.decoders.DecodeStream` 0.23.3.

    ids: tokens that came before, such as those of a prompt; their text is not given, unless it ends inside a character.
    skip_special_tokens: leaves special tokens out.
    Text that ends in U+FFFD is held back, because the next token may complete the character.

    >>> from tokenizers_impl import Tokenizer, decoders, models
    >>> tokenizer = Tokenizer(models.WordLevel({"<0xC3>": 0, "<0xA9>": 1, "a": 2}, "a"))
    >>> tokenizer.decoder = decoders.ByteFallback()
    >>> stream = DecodeStream()
    >>> [stream.step(tokenizer, id) for id in (2, 0, 1)], stream.step(tokenizer, [0, 1, 2])
    (['a', None, 'é'], 'éa')
    """

    def __init__(self, ids: Iterable[int] | None = None, skip_special_tokens: bool | None = False) -> None:
        self._ids = [] if ids is None else _checked(ids)
        self._skip_special_tokens = bool(skip_special_tokens)
        # The text of the first ids, as many as _given, which is known to the caller.
        self._prefix, self._given = "", 0

    def step(self, tokenizer: _Decodes, id: int | Iterable[int]) -> str | None:
        """The text that these tokens make certain, None if they make none.

        ValueError for what is no id, and where the decoder changes text that was given already: then the stream stays
        with the tokens that it has.
        """
        new = _checked(id if isinstance(id, Iterable) else [id])
        if not self._prefix and self._ids:
            self._read_prompt(tokenizer)
        self._ids = [*self._ids, *new]
        text, prefix = self._decoded(tokenizer), self._prefix
        if len(text.encode()) <= len(prefix.encode()) or text.endswith(_BROKEN):
            return None
        if not text.startswith(prefix):
            raise ValueError(
                f"Invalid prefix encountered while decoding stream. Token ID: {self._ids[-1]}, Expected prefix: "
                f"'{prefix}', Actual string: '{text}'"
            )
        # Two stretches are kept, because a decoder looks at neighbours: one that is given, one that is new.
        self._ids, self._given = self._ids[self._given :], len(self._ids) - self._given
        self._prefix = self._decoded(tokenizer)
        return text[len(prefix) :]

    def _read_prompt(self, tokenizer: _Decodes) -> None:
        text = self._decoded(tokenizer)
        if not text.endswith(_BROKEN):
            self._prefix, self._given = text, len(self._ids)

    def _decoded(self, tokenizer: _Decodes) -> str:
        return tokenizer.decode(self._ids, skip_special_tokens=self._skip_special_tokens)


def _checked(ids: Iterable[Any]) -> list[int]:
    """The ids as integers; ValueError for one that is none."""
    listed = list(ids)
    try:
        numbers = list(map(index, listed))
    except TypeError:
        numbers = [-1]
    if numbers and not 0 <= min(numbers) <= max(numbers) < 1 << 32:
        raise ValueError(f"the ids are {str(listed)[:80]}: give an integer from 0 to 2**32 - 1, or a list of them")
    return numbers
