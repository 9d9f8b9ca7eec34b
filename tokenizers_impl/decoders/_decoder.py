"""What every decoder offers; decoders of the user's own, and one after another."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from collections.abc import Sequence as Rows
from typing import Any

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
