"""What every decoder offers; custom ones, one after another, and text from tokens that arrive a few at a time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from collections.abc import Sequence as Rows
from operator import index
from typing import Any, Protocol

from .._core.component import CustomComponent, Step, StepSequence
from .._text.splits import check_room, room_for

# --- What every decoder offers: tokens in, text out


class Decoder(Step):
    """Undoes a pre-tokenizer."""

    role = "decoder"

    @abstractmethod
    def decode_chain(self, tokens: Rows[str]) -> list[str]:
        """The texts that the tokens become, which may be more or fewer than they are."""

    def decode_within(self, tokens: Rows[str], room: int) -> list[str]:
        """The same; ValueError for texts that grow to more characters than `room`."""
        texts = self.decode_chain(tokens)
        check_room(sum(map(len, texts)), room)
        return texts

    def decode(self, tokens: Rows[str]) -> str:
        """The text of these tokens; ValueError for what is no list of strings."""
        if isinstance(tokens, str) or not isinstance(tokens, Iterable):
            raise ValueError(f"the tokens are {tokens!r}: give a list of strings")
        listed = list(tokens)
        for i, token in enumerate(listed):
            if not isinstance(token, str):
                raise ValueError(f"tokens[{i}] is {token!r}: give strings; Tokenizer.decode takes ids")
        return "".join(self.decode_chain(listed))

    @staticmethod
    def custom(decoder: Any) -> Decoder:
        """A decoder of the user's own: an object whose decode_chain(tokens) returns the texts that tokens become.

        It can be used wherever a decoder can, but not saved or pickled.  What it raises comes out as it is.  ValueError
        for an object without that method; in use, if it returns anything but a list of strings.

        >>> class Dashes:
        ...     def decode_chain(self, tokens):
        ...         return [f"-{token}" for token in tokens]
        >>> Decoder.custom(Dashes()).decode(["low", "er"])
        '-low-er'
        """
        # Imported late: it is a Decoder itself.

        return CustomDecoder(decoder)


class TokenDecoder(Decoder):
    """A decoder that looks at one token after another, so that many rows of them can be decoded at once.

    What it makes of a token is always the same: a Tokenizer asks for it once.
    """

    @abstractmethod
    def decode_token(self, token: str, *, is_first: bool, is_last: bool) -> str:
        """The text of a token, which may depend on whether it is the first or last one."""

    def decode_chain(self, tokens: Rows[str]) -> list[str]:
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

    def polish(self, texts: list[str]) -> list[str]:
        """What is done to whole texts at the end."""
        return texts


# --- A decoder of the user's own


class CustomDecoder(CustomComponent, Decoder):
    """An object whose method `decode_chain` makes texts of tokens; see `Decoder.custom`."""

    base, part, method = "Decoder", "decoder", "decode_chain"

    def decode_chain(self, tokens: Rows[str]) -> list[str]:
        """The texts that the object makes; ValueError if it makes anything else."""
        texts = self.component.decode_chain(list(tokens))
        is_list = isinstance(texts, Rows) and not isinstance(texts, str)
        if not is_list or not all(isinstance(text, str) for text in texts):
            raise ValueError(f"{self.name} returned {texts!r} from decode_chain: give a list of strings")
        return list(texts)


# --- Decoders one after another


class Sequence(StepSequence[Decoder], Decoder):
    """Each takes what the one before it left, as `tokenizers.decoders.Sequence`.

    >>> from tokenizers_impl.decoders import Replace, Strip
    >>> Sequence([Replace("▁", " "), Strip(" ", left=1)]).decode(["▁▁low", "er"])
    ' lower'
    """

    kind, key = Decoder, "decoders"

    def __init__(self, decoders: Iterable[Decoder]) -> None:
        super().__init__(decoders)

    def decode_chain(self, tokens: Rows[str]) -> list[str]:
        """The texts after the last of them; ValueError for those that grow beyond measure."""
        return self.decode_within(tokens, room_for(sum(map(len, tokens))))

    def decode_within(self, tokens: Rows[str], room: int) -> list[str]:
        """The same for every one of them."""
        texts = list(tokens)
        for each in self.steps:
            texts = each.decode_within(texts, room)
        return texts


# --- Text from tokens that arrive a few at a time

_BROKEN = "\ufffd"


class _Decodes(Protocol):
    """A tokenizer, as far as it is needed here."""

    def decode(self, ids: Rows[int], skip_special_tokens: bool = True) -> str:
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
