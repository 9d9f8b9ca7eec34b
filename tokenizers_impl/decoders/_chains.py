"""Decoders that look at neighbouring tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from .._component import unchanging
from ._decoder import Decoder
from ._markers import cleaned_up

# A sign before a single digit is a number to the library as well.
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2}|\+[0-9A-Fa-f])>")


@unchanging
@dataclass(frozen=True, repr=False)
class ByteFallback(Decoder):
    """Tokens such as <0x61> become bytes, and these are read as UTF-8, as `tokenizers.decoders.ByteFallback`.

    A run of them that is no UTF-8 becomes as many U+FFFD as it has bytes.

    >>> ByteFallback().decode_chain(["a", "<0xC3>", "<0xA9>", "<0xC3>"])
    ['a', '�', '�', '�']
    """

    def decode_chain(self, tokens: Sequence[str]) -> list[str]:
        """Every run of bytes as one text or as many; other tokens as they are."""
        if "<0x" not in "".join(tokens):
            return list(tokens)
        decoded: list[str] = []
        data = bytearray()
        for token in tokens:
            if _BYTE.fullmatch(token):
                data.append(int(token[3:5], 16))
                continue
            decoded += [*_read(data), token]
            data.clear()
        return decoded + _read(data)


def _read(data: bytearray) -> list[str]:
    """A run of bytes as text; nothing for none."""
    try:
        return [data.decode("utf-8")] if data else []
    except UnicodeDecodeError:
        return ["\ufffd"] * len(data)


@unchanging
@dataclass(frozen=True, repr=False)
class Fuse(Decoder):
    """All tokens become one, as `tokenizers.decoders.Fuse`.

    >>> Fuse().decode_chain(["low", "er"])
    ['lower']
    """

    def decode_chain(self, tokens: Sequence[str]) -> list[str]:
        """One text."""
        return ["".join(tokens)]


@unchanging
@dataclass(frozen=True, repr=False)
class CTC(Decoder):
    """What connectionist temporal classification puts out, as `tokenizers.decoders.CTC`.

    Of equal neighbours one is kept, then the padding is taken out.  cleanup: the word delimiter becomes a space, and
    spaces before punctuation and English contractions are left out; without it the delimiter stays.

    >>> CTC().decode(["h", "h", "<pad>", "i", "|", "|", "t", "o"])
    'hi to'
    """

    pad_token: str = "<pad>"
    word_delimiter_token: str = "|"
    cleanup: bool = True

    def decode_chain(self, tokens: Sequence[str]) -> list[str]:
        """The tokens that are left."""
        texts = (token.replace(self.pad_token, "") if self.pad_token else token for token, _ in groupby(tokens))
        if self.cleanup:
            texts = (cleaned_up(text).replace(self.word_delimiter_token, " ") for text in texts)
        return list(filter(None, texts))
