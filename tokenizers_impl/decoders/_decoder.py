"""The base classes of decoders, custom decoders, Sequence, and DecodeStream."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from collections.abc import Sequence as Rows
from operator import index
from typing import Any, Protocol

from .._core.component import CustomComponent, Step, StepSequence
from .._text.splits import check_room, room_for

# --- The base classes of decoders


class Decoder(Step):
    """The base class of all decoders, which turn tokens into text."""

    role = "decoder"

    @property
    def grows(self) -> bool:
        """Whether the texts may have more characters than the tokens."""
        return True

    @abstractmethod
    def decode_chain(self, tokens: Rows[str]) -> list[str]:
        """Return the texts of the tokens, whose number may differ from that of the tokens."""

    def decode_within(self, tokens: Rows[str], room: int) -> list[str]:
        """Decode like `decode_chain`; ValueError if the texts have more than `room` characters."""
        texts = self.decode_chain(tokens)
        check_room(sum(map(len, texts)), room)
        return texts

    def decode(self, tokens: Rows[str]) -> str:
        """Decode tokens to one text; no tokens give "".  ValueError unless they are a list of strings."""
        if isinstance(tokens, str) or not isinstance(tokens, Iterable):
            raise ValueError(f"the tokens are {tokens!r}: give a list of strings")
        listed = list(tokens)
        for i, token in enumerate(listed):
            if not isinstance(token, str):
                raise ValueError(f"tokens[{i}] is {token!r}: give strings; Tokenizer.decode takes ids")
        return "".join(self.decode_chain(listed))

    @staticmethod
    def custom(decoder: Any) -> Decoder:
        """Build a decoder from your own object, whose decode_chain(tokens) returns the texts of the tokens.

        It works wherever a decoder does, but cannot be saved or pickled.  Its exceptions are raised unchanged.
        ValueError for an object without that method, and in use if it returns anything but a list of strings.

        >>> class Dashes:
        ...     def decode_chain(self, tokens):
        ...         return [f"-{token}" for token in tokens]
        >>> Decoder.custom(Dashes()).decode(["low", "er"])
        '-low-er'
        """
        return CustomDecoder(decoder)


class TokenDecoder(Decoder):
    """The base class of decoders that decode every token by itself, so that many rows can be decoded at once.

    The text of a token depends only on the token and on whether it is first or last; a Tokenizer computes it once.
    """

    @abstractmethod
    def decode_token(self, token: str, *, is_first: bool, is_last: bool) -> str:
        """Return the text of a token, which may depend on whether it is the first or the last."""

    def decode_chain(self, tokens: Rows[str]) -> list[str]:
        """Return the text of every token."""
        last = len(tokens) - 1
        return [self.decode_token(token, is_first=i == 0, is_last=i == last) for i, token in enumerate(tokens)]

    def token_forms(self, token: str) -> tuple[bytes, bytes, bytes, bytes]:
        """Return the bytes that a token adds to a text as an inner, first, last and only token."""
        inner, first, last, only = (
            self.decode_token(token, is_first=is_first, is_last=is_last).encode("utf-8")
            for is_last in (False, True)
            for is_first in (False, True)
        )
        return inner, first, last, only

    def read(self, data: bytes) -> str:
        """Decode the joined bytes of all tokens."""
        return data.decode("utf-8")

    def polish(self, texts: list[str]) -> list[str]:
        """Edit whole texts after decoding; by default they stay as they are."""
        return texts


# --- Custom decoders


class CustomDecoder(CustomComponent, Decoder):
    """A decoder that calls the user's `decode_chain`; see `Decoder.custom`."""

    base, part, method = "Decoder", "decoder", "decode_chain"

    def decode_chain(self, tokens: Rows[str]) -> list[str]:
        """Return the object's texts; ValueError if it returns anything but a list of strings."""
        texts = self.component.decode_chain(list(tokens))
        is_list = isinstance(texts, Rows) and not isinstance(texts, str)
        if not is_list or not all(isinstance(text, str) for text in texts):
            raise ValueError(f"{self.name} returned {texts!r} from decode_chain: give a list of strings")
        return list(texts)


# --- Sequences of decoders


class Sequence(StepSequence[Decoder], Decoder):
    """Applies decoders one after another, like `tokenizers.decoders.Sequence`.

    >>> from tokenizers_impl.decoders import Replace, Strip
    >>> Sequence([Replace("▁", " "), Strip(" ", left=1)]).decode(["▁▁low", "er"])
    ' lower'
    """

    kind, key = Decoder, "decoders"

    def __init__(self, decoders: Iterable[Decoder]) -> None:
        super().__init__(decoders)

    @property
    def grows(self) -> bool:
        """Whether one of them makes texts longer."""
        return any(each.grows for each in self.steps)

    def decode_chain(self, tokens: Rows[str]) -> list[str]:
        """Apply all decoders; ValueError if the texts grow beyond a limit (see `room_for`)."""
        return self.decode_within(tokens, room_for(sum(map(len, tokens))))

    def decode_within(self, tokens: Rows[str], room: int) -> list[str]:
        """Apply all decoders, each within `room` characters."""
        texts = list(tokens)
        for each in self.steps:
            texts = each.decode_within(texts, room)
        return texts


# --- Streams of tokens

_BROKEN = "\ufffd"


class _Decodes(Protocol):
    """The part of a Tokenizer that a stream needs."""

    def decode(self, ids: Rows[int], skip_special_tokens: bool = True) -> str:
        """Decode ids to a text."""


class DecodeStream:
    """Decodes a stream of tokens step by step, like `tokenizers.decoders.DecodeStream` 0.23.3.

    ids: the tokens before the stream, such as a prompt; their text is returned only if it ends inside a character.
    skip_special_tokens: whether special tokens are skipped.
    A text that ends in U+FFFD is held back, because the next token may complete the character.

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
        # The text of the first `_given` ids, which the caller knows.
        self._prefix, self._given = "", 0

    def step(self, tokenizer: _Decodes, id: int | Iterable[int]) -> str | None:
        """Add one or more tokens; returns the new text, None if there is none yet.

        ValueError for a value that is not an id, and if the decoder changes text that was returned already; the stream
        then keeps the tokens so far.
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
        # Keep the last returned part and the new part, because a decoder may look at adjacent tokens.
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
    """Convert ids to integers; ValueError for a value that is not an id."""
    listed = list(ids)
    try:
        numbers = list(map(index, listed))
    except TypeError:
        numbers = [-1]
    if numbers and not 0 <= min(numbers) <= max(numbers) < 1 << 32:
        raise ValueError(f"the ids are {str(listed)[:80]}: give an integer from 0 to 2**32 - 1, or a list of them")
    return numbers
