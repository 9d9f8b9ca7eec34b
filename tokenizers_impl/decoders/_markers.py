"""Decoders of tokens that show where words begin or end."""

from __future__ import annotations

from dataclasses import dataclass, field

from .._component import json_form, unchanging
from .._option_values import choice_of
from ..pre_tokenizers._metaspace import Metaspace as MetaspacePreTokenizer
from ._decoder import TokenDecoder

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
