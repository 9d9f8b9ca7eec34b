"""Decoders that edit tokens, that show where words begin or end, that look at neighbours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from .._core.component import json_form, unchanging
from .._core.options import choice_of
from .._patterns import Pattern, pattern_from_json, pattern_json
from .._text.splits import Splits, check_room, room_for
from ..normalizers import Replace as ReplaceNormalizer
from ..pre_tokenizers._cuts import Metaspace as MetaspacePreTokenizer
from ._decoder import Decoder, TokenDecoder

# --- Decoders that edit every token by itself


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


# --- Decoders of tokens that show where words begin or end

# What WordPiece's cleanup writes otherwise, in this order: `tokenizers` 0.23.3, decoders/wordpiece.rs, `cleanup`.
_CLEANUP = (
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
)


def cleaned_up(text: str) -> str:
    """The text without spaces before punctuation and English contractions."""
    for before, after in _CLEANUP:
        text = text.replace(before, after)
    return text


@unchanging
@dataclass(frozen=True, repr=False)
class BPEDecoder(TokenDecoder):
    """The suffix becomes a space, or nothing in the last token, as `tokenizers.decoders.BPEDecoder`.

    >>> BPEDecoder().decode(["lo", "w</w>", "er</w>"])
    'low er'
    """

    suffix: str = "</w>"

    def decode_token(self, token: str, *, is_first: bool, is_last: bool) -> str:
        """The token without its suffix."""
        return token.replace(self.suffix, "" if is_last else " ")


@unchanging
@dataclass(frozen=True, repr=False)
class WordPiece(TokenDecoder):
    """The prefix vanishes, every other token gets a space before it, as `tokenizers.decoders.WordPiece`.

    cleanup: leave out spaces before punctuation and English contractions.

    >>> WordPiece().decode(["low", "##er", "!"])
    'lower!'
    """

    prefix: str = "##"
    cleanup: bool = True

    def decode_token(self, token: str, *, is_first: bool, is_last: bool) -> str:
        """The token with a space instead of no prefix."""
        text = token
        if not is_first:
            text = token[len(self.prefix) :] if token.startswith(self.prefix) else f" {token}"
        return cleaned_up(text) if self.cleanup else text


@unchanging
@dataclass(frozen=True, repr=False)
class Metaspace(TokenDecoder):
    """The replacement becomes a space, save in the first token, as `tokenizers.decoders.Metaspace`.

    >>> Metaspace().decode(["▁low", "er", "▁you"])
    'lower you'
    """

    replacement: str = "▁"
    prepend_scheme: str = field(default="always", metadata=json_form(read=choice_of))
    split: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        MetaspacePreTokenizer(self.replacement, self.prepend_scheme, self.split)

    def decode_token(self, token: str, *, is_first: bool, is_last: bool) -> str:
        """The token with spaces."""
        return token.replace(self.replacement, "" if is_first and self.prepend_scheme != "never" else " ")


# --- Decoders that look at neighbouring tokens

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
