"""The decoder of byte characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .._byte_chars import char_to_byte
from .._byte_recovery import recover
from .._component import unchanging
from ._decoder import Decoder, TokenDecoder

# The `type` in tokenizer.json of what the library has not: it ignores keys that it does not know, but not types.
OWN_TYPE = "EvenscoreByteLevel"
ERRORS = ("replace", "strict", "recover")


@unchanging
@dataclass(frozen=True, repr=False)
class ByteLevel(TokenDecoder):
    """Byte characters become bytes, and these are read as UTF-8, as `tokenizers.decoders.ByteLevel`.

    A token with a character that shows no byte stands for itself.  errors: what becomes of bytes that are no UTF-8:
    "replace", as the library, puts U+FFFD; "strict" raises a ValueError that says where; "recover" leaves out as few of
    them as possible (Wang, Cho & Gu 2020).  The other options are the library's, which have no effect in decoding.

    >>> ByteLevel().decode(["ĠHi", "Ãł", "Ã"])
    ' Hià�'
    >>> ByteLevel(errors="recover").decode(["ĠHi", "Ãł", "Ã"])
    ' Hià'
    """

    add_prefix_space: bool = True
    trim_offsets: bool = True
    use_regex: bool = True
    errors: str = "replace"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.errors not in ERRORS:
            raise ValueError(f"errors={self.errors!r}: choose one of {', '.join(ERRORS)}")

    def decode_token(self, token: str, *, is_first: bool, is_last: bool) -> str:
        """The text of a token that stands alone."""
        return self.decode_chain([token])[0]

    def decode_chain(self, tokens: Sequence[str]) -> list[str]:
        """One text: a character may reach over several tokens."""
        return self.polish([self.read(b"".join(map(_bytes, tokens)))])

    def token_forms(self, token: str) -> tuple[bytes, bytes, bytes, bytes]:
        """The bytes that the token shows, wherever it stands."""
        return (_bytes(token),) * 4

    def read(self, data: bytes) -> str:
        """The bytes as UTF-8."""
        if self.errors == "recover":
            return recover(data).text
        try:
            return data.decode("utf-8", self.errors)
        except UnicodeDecodeError as error:
            raise ValueError(
                f"the tokens' bytes are no UTF-8 from byte {error.start} on ({data[error.start : error.end]!r}): "
                'decode with errors="replace" or errors="recover"'
            ) from None

    def to_json(self) -> dict[str, Any]:
        """The `decoder` object of tokenizer.json; with other `errors` one of a type that the library refuses."""
        document = super().to_json()
        if self.errors == "replace":
            return {name: value for name, value in document.items() if name != "errors"}
        return {**document, "type": OWN_TYPE}


@unchanging
@dataclass(frozen=True, repr=False)
class ByteWords(ByteLevel):
    """The bytes as UTF-8, in which the end-of-word symbol becomes a space, or nothing at the very end.

    The way back from `pre_tokenizers.ByteWords`, and ours alone.  By default bytes that are no UTF-8 are left out, as
    few as possible (Wang, Cho & Gu 2020, section 3.3).

    >>> ByteWords().decode(["toÂ", "·b", "eÂ·"])
    'to be'
    """

    errors: str = "recover"
    end_of_word: str = "·"

    def polish(self, texts: list[str]) -> list[str]:
        """Spaces for end-of-word symbols."""
        return [text.removesuffix(self.end_of_word).replace(self.end_of_word, " ") for text in texts]

    def to_json(self) -> dict[str, Any]:
        """The `decoder` object of tokenizer.json, which the library refuses."""
        return Decoder.to_json(self)


def _bytes(token: str) -> bytes:
    table = char_to_byte()
    try:
        return bytes([table[char] for char in token])
    except KeyError:
        return token.encode("utf-8")
