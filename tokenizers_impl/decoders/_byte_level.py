"""The byte-level decoders, and the recovery of characters from invalid UTF-8."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from evenscore.kernel import inner_kernel, kernel

from .._core.arrays import U8, Bools
from .._core.component import takes_its_type, unchanging
from .._text.bytes import char_to_byte
from ._decoder import Decoder, TokenDecoder

# --- Recovery of characters from invalid UTF-8


class Recovery(NamedTuple):
    """The recovered text, and the positions of the dropped bytes, ascending."""

    text: str
    dropped: tuple[int, ...]


def recover(data: bytes) -> Recovery:
    """Recover the largest number of valid characters from bytes, in linear time.

    `decoders.ByteLevel(errors="recover")` and `decoders.ByteWords()` use it; it also returns the dropped positions.
    `pre_tokenizers.hexadecimal` shows the bytes of a token.

    Algorithm: the dynamic program in "Decoding with Byte-Level Subwords" of Wang, Cho & Gu 2020, "Neural Machine
    Translation with Byte-Level Subwords".  f(k) = max over t = 1..4 of f(k - t) + g(k - t + 1, k), where g is 1 if the
    t bytes are one UTF-8 character (RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF), else 0;
    backtracking gives the bytes to keep.  The bytes of a character must be adjacent.  Ties: the smallest t.  Valid
    characters never overlap, so all are kept, and the rule for ties changes neither text nor positions.
    No bytes give an empty text.  ValueError unless data is bytes or a bytearray.

    >>> recover("né".encode() + b"\\xe3\\x81" + "け".encode())
    Recovery(text='néけ', dropped=(3, 4))
    >>> from tokenizers_impl.pre_tokenizers import hexadecimal
    >>> tokens = ["low", "Ã", "er", "Ã©"]
    >>> recover(bytes.fromhex("".join(map(hexadecimal, tokens))))
    Recovery(text='loweré', dropped=(3,))
    """
    if not isinstance(data, (bytes, bytearray)):
        raise ValueError(f"data is {data!r:.80}: give bytes; `pre_tokenizers.hexadecimal` shows those of a token")
    try:
        return Recovery(data.decode("utf-8"), ())
    except UnicodeDecodeError:
        kept = _kept(np.frombuffer(data, np.uint8))
    text = np.frombuffer(data, np.uint8)[kept].tobytes().decode("utf-8")
    return Recovery(text, tuple(np.flatnonzero(~kept).tolist()))


# --8<-- [start:recovery]
@kernel
def _kept(data: U8) -> Bools:
    """The bytes to keep, shape (len(data),)."""
    # best holds f(k) of the last five k only; step[k] is the t of the maximum, 0 for a dropped byte.
    best = np.zeros(5, np.int64)
    step = np.zeros(len(data) + 1, np.uint8)
    for k in range(1, len(data) + 1):
        best[k % 5] = best[(k - 1) % 5]
        for t in range(1, min(4, k) + 1):
            count = best[(k - t) % 5] + _is_character(data, k - t, t)
            if count > best[k % 5]:
                best[k % 5] = count
                step[k] = t
    kept = np.zeros(len(data), np.bool_)
    k = len(data)
    while k > 0:
        t = int(step[k])
        kept[k - t : k] = True
        k -= max(t, 1)
    return kept


@inner_kernel
def _is_character(data: U8, start: int, length: int) -> int:
    """1 if these bytes are one character of UTF-8 (RFC 3629, section 4), else 0."""
    lead = int(data[start])
    if length == 1:
        return int(lead < 0x80)
    for at in range(start + 1, start + length):
        if int(data[at]) & 0xC0 != 0x80:
            return 0
    second = int(data[start + 1])
    if length == 2:
        return int(0xC2 <= lead <= 0xDF)
    if length == 3:
        lowest = 0xA0 if lead == 0xE0 else 0x80
        highest = 0x9F if lead == 0xED else 0xBF
        return int(0xE0 <= lead <= 0xEF and lowest <= second <= highest)
    lowest = 0x90 if lead == 0xF0 else 0x80
    highest = 0x8F if lead == 0xF4 else 0xBF
    return int(0xF0 <= lead <= 0xF4 and lowest <= second <= highest)


# --8<-- [end:recovery]
# --- Byte-level decoders

# The `type` in tokenizer.json of options that the library lacks; it ignores unknown keys, but not unknown types.
OWN_TYPE = "EvenscoreByteLevel"
ERRORS = ("replace", "strict", "recover")


@takes_its_type
@unchanging
@dataclass(frozen=True, repr=False)
class ByteLevel(TokenDecoder):
    """Converts byte characters to bytes and decodes these as UTF-8, like `tokenizers.decoders.ByteLevel` 0.23.3.

    A token with a character that stands for no byte is kept as it is.
    errors: for invalid UTF-8, "replace", as the library, inserts U+FFFD; "strict" raises ValueError with the position;
      "recover" drops as few bytes as possible (Wang, Cho & Gu 2020).
    add_prefix_space, trim_offsets, use_regex: options of the library without effect on decoding.

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
        """Return the text of a single token."""
        return self.decode_chain([token])[0]

    def decode_chain(self, tokens: Sequence[str]) -> list[str]:
        """Return one text, because a character may extend over several tokens."""
        return self.polish([self.read(b"".join(map(_bytes, tokens)))])

    def token_forms(self, token: str) -> tuple[bytes, bytes, bytes, bytes]:
        """Return the bytes of the token, the same at every position."""
        return (_bytes(token),) * 4

    def read(self, data: bytes) -> str:
        """Decode bytes as UTF-8; ValueError for invalid bytes with errors="strict"."""
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
        """Return the `decoder` object of tokenizer.json; with other `errors`, of a type that the library refuses."""
        document = super().to_json()
        if self.errors == "replace":
            return {name: value for name, value in document.items() if name != "errors"}
        return {**document, "type": OWN_TYPE}


@unchanging
@dataclass(frozen=True, repr=False)
class ByteWords(ByteLevel):
    """Decodes the words of `pre_tokenizers.ByteWords`; the library `tokenizers` lacks it.

    errors: as in ByteLevel; "recover" by default (Wang, Cho & Gu 2020, section 3.3).
    end_of_word: the symbol that becomes a space, or nothing at the end of the text.

    >>> ByteWords().decode(["toÂ", "·b", "eÂ·"])
    'to be'
    """

    errors: str = "recover"
    end_of_word: str = "·"

    def polish(self, texts: list[str]) -> list[str]:
        """Replace end-of-word symbols by spaces."""
        return [text.removesuffix(self.end_of_word).replace(self.end_of_word, " ") for text in texts]

    def to_json(self) -> dict[str, Any]:
        """Return the `decoder` object of tokenizer.json, which the library refuses."""
        return Decoder.to_json(self)


def _bytes(token: str) -> bytes:
    table = char_to_byte()
    try:
        return bytes([table[char] for char in token])
    except KeyError:
        return token.encode("utf-8")
