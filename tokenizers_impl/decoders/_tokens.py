"""The other decoders of the library."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from .._core.component import json_form, unchanging
from .._core.options import check_character, choice_of
from .._patterns import Pattern, pattern_from_json, pattern_json
from .._text.splits import Splits, check_room, room_for
from ..normalizers import Replace as ReplaceNormalizer
from ..pre_tokenizers._cuts import Metaspace as MetaspacePreTokenizer
from ._decoder import Decoder, TokenDecoder

# --- Decoders that edit single tokens


@unchanging
@dataclass(frozen=True, repr=False)
class Replace(Decoder):
    """Replaces every match of a pattern in a token, like `tokenizers.decoders.Replace` 0.23.3.

    pattern: a string or a Regex.  content: the replacement.
    Decoding raises ValueError for a Regex that backtracks too long, and for texts that grow beyond a limit.

    >>> Replace("▁", " ").decode(["▁low", "er"])
    ' lower'
    """

    pattern: Pattern = field(metadata=json_form(write=pattern_json, read=pattern_from_json))
    content: str

    @property
    def grows(self) -> bool:
        """Whether the replacement may be longer than what it replaces."""
        return not isinstance(self.pattern, str) or len(self.content) > len(self.pattern)

    def decode_chain(self, tokens: Sequence[str]) -> list[str]:
        """Return the edited tokens."""
        return self.decode_within(tokens, room_for(sum(map(len, tokens))))

    def decode_within(self, tokens: Sequence[str], room: int) -> list[str]:
        """Return the edited tokens; checks their size before they are made."""
        if not isinstance(self.pattern, str) or not self.pattern:
            splits = Splits.of(tokens, offsets=False)._replace(room=room)
            return ReplaceNormalizer(self.pattern, self.content).normalize_splits(splits).texts()
        if len(self.content) > len(self.pattern):
            check_room(len(self.content) * sum(token.count(self.pattern) for token in tokens), room)
        return [token.replace(self.pattern, self.content) for token in tokens]


@unchanging
@dataclass(frozen=True, repr=False)
class Strip(TokenDecoder):
    """Strips a character from the ends of every token, like `tokenizers.decoders.Strip` 0.23.3.

    content: the character.  left, right: how many to strip at most at each end, 0 or more.

    >>> Strip("_", left=1, right=1).decode(["__low_", "_er"])
    '_lower'
    """

    content: str = " "
    left: int = field(default=0, metadata=json_form(name="start"))
    right: int = field(default=0, metadata=json_form(name="stop"))

    def __post_init__(self) -> None:
        super().__post_init__()
        check_character("content", self.content)
        for name in ("left", "right"):
            number = getattr(self, name)
            if not 0 <= number < 1 << 64:
                raise ValueError(f"{name}={number!r}: give a number of characters, 0 or more")

    @property
    def grows(self) -> bool:
        """Always False."""
        return False

    @property
    def start(self) -> int:
        """The library's name of `left`."""
        return self.left

    @property
    def stop(self) -> int:
        """The library's name of `right`."""
        return self.right

    def decode_token(self, token: str, *, is_first: bool, is_last: bool) -> str:
        """Return the stripped token."""
        begins = min(len(token) - len(token.lstrip(self.content)), self.left)
        rest = token[begins:]
        ends = min(len(rest) - len(rest.rstrip(self.content)), self.right)
        return rest[: len(rest) - ends]


# --- Decoders of tokens that mark the beginning or the end of words

# The replacements of WordPiece's cleanup, in order; source: `cleanup` in decoders/wordpiece.rs of tokenizers 0.23.3.
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
    """Remove spaces before punctuation and English contractions."""
    for before, after in _CLEANUP:
        text = text.replace(before, after)
    return text


@unchanging
@dataclass(frozen=True, repr=False)
class BPEDecoder(TokenDecoder):
    """Replaces the suffix by a space, in the last token by nothing, like `tokenizers.decoders.BPEDecoder` 0.23.3.

    >>> BPEDecoder().decode(["lo", "w</w>", "er</w>"])
    'low er'
    """

    suffix: str = "</w>"

    def decode_token(self, token: str, *, is_first: bool, is_last: bool) -> str:
        """Return the token with its suffix replaced."""
        return token.replace(self.suffix, "" if is_last else " ")


@unchanging
@dataclass(frozen=True, repr=False)
class WordPiece(TokenDecoder):
    """Removes the prefix, and puts a space before tokens without it, like `tokenizers.decoders.WordPiece` 0.23.3.

    The first token stays as it is.  cleanup: whether to remove spaces before punctuation and English contractions.

    >>> WordPiece().decode(["low", "##er", "!"])
    'lower!'
    """

    prefix: str = "##"
    cleanup: bool = True

    def decode_token(self, token: str, *, is_first: bool, is_last: bool) -> str:
        """Return the token without prefix, or after a space."""
        text = token
        if not is_first:
            text = token[len(self.prefix) :] if token.startswith(self.prefix) else f" {token}"
        return cleaned_up(text) if self.cleanup else text


@unchanging
@dataclass(frozen=True, repr=False)
class Metaspace(TokenDecoder):
    """Replaces `replacement` by a space, in the first token by nothing, like `tokenizers.decoders.Metaspace` 0.23.3.

    prepend_scheme: "always", "first" or "never"; with "never" the first token gets spaces, too.
    split: an option of the library without effect on decoding.

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
        """Return the token with spaces."""
        return token.replace(self.replacement, "" if is_first and self.prepend_scheme != "never" else " ")


# --- Decoders that look at several tokens

# The library also accepts a plus sign before a single digit.
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2}|\+[0-9A-Fa-f])>")


@unchanging
@dataclass(frozen=True, repr=False)
class ByteFallback(Decoder):
    """Decodes runs of tokens such as <0x61> as UTF-8 bytes, like `tokenizers.decoders.ByteFallback` 0.23.3.

    A run that is not valid UTF-8 becomes one U+FFFD per byte.

    >>> ByteFallback().decode_chain(["a", "<0xC3>", "<0xA9>", "<0xC3>"])
    ['a', '�', '�', '�']
    """

    @property
    def grows(self) -> bool:
        """Always False."""
        return False

    def decode_chain(self, tokens: Sequence[str]) -> list[str]:
        """Return the texts of runs of bytes; other tokens stay as they are."""
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
    """The texts of a run of bytes; an empty run has none."""
    try:
        return [data.decode("utf-8")] if data else []
    except UnicodeDecodeError:
        return ["\ufffd"] * len(data)


@unchanging
@dataclass(frozen=True, repr=False)
class Fuse(Decoder):
    """Joins all tokens to one text, like `tokenizers.decoders.Fuse` 0.23.3.

    >>> Fuse().decode_chain(["low", "er"])
    ['lower']
    """

    @property
    def grows(self) -> bool:
        """Always False."""
        return False

    def decode_chain(self, tokens: Sequence[str]) -> list[str]:
        """Return the joined text in a list."""
        return ["".join(tokens)]


@unchanging
@dataclass(frozen=True, repr=False)
class CTC(Decoder):
    """Decodes the output of connectionist temporal classification, like `tokenizers.decoders.CTC` 0.23.3.

    Merges equal adjacent tokens, then removes pad_token.
    cleanup: whether to replace word_delimiter_token by a space, and to remove spaces before punctuation and English
      contractions.

    >>> CTC().decode(["h", "h", "<pad>", "i", "|", "|", "t", "o"])
    'hi to'
    """

    pad_token: str = "<pad>"
    word_delimiter_token: str = "|"
    cleanup: bool = True

    def decode_chain(self, tokens: Sequence[str]) -> list[str]:
        """Return the remaining texts."""
        texts = (token.replace(self.pad_token, "") if self.pad_token else token for token, _ in groupby(tokens))
        if self.cleanup:
            texts = (cleaned_up(text).replace(self.word_delimiter_token, " ") for text in texts)
        return list(filter(None, texts))
