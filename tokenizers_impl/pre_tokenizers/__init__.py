"""Pre-tokenizers, which split text into words."""

from __future__ import annotations

from typing import Any

from .._core.component import component_from_json, members, without_older_keys
from ._byte_level import ByteLevel, ByteWords, hexadecimal
from ._cuts import (
    BertPreTokenizer,
    CharDelimiterSplit,
    Digits,
    FixedLength,
    Metaspace,
    Punctuation,
    Split,
    UnicodeScripts,
    Whitespace,
    WhitespaceSplit,
)
from ._pre_tokenizer import PreTokenizer, Sequence

__all__ = [
    "BertPreTokenizer",
    "ByteLevel",
    "ByteWords",
    "CharDelimiterSplit",
    "Digits",
    "FixedLength",
    "Metaspace",
    "PreTokenizer",
    "Punctuation",
    "Sequence",
    "Split",
    "UnicodeScripts",
    "Whitespace",
    "WhitespaceSplit",
    "hexadecimal",
]


def __dir__() -> list[str]:
    return __all__


_KNOWN = {
    each.__name__: each
    for each in (
        BertPreTokenizer,
        ByteLevel,
        ByteWords,
        CharDelimiterSplit,
        Digits,
        FixedLength,
        Metaspace,
        Punctuation,
        Split,
        UnicodeScripts,
        Whitespace,
        WhitespaceSplit,
    )
}


def from_json(data: Any) -> PreTokenizer:
    """Read a pre-tokenizer from its object of tokenizer.json; ValueError names what is unknown or invalid.

    >>> from_json({"type": "Metaspace", "replacement": "_", "prepend_scheme": "first", "split": True})
    Metaspace(replacement="_", prepend_scheme=first, split=True)
    """
    if isinstance(data, dict) and data.get("type") == "Sequence":
        return Sequence.nested(map(from_json, members(data, "pretokenizers")))
    found: PreTokenizer = component_from_json("pre-tokenizer", _KNOWN, without_older_keys(data))
    return found
