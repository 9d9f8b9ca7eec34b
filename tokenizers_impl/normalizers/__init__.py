"""Normalizers, which rewrite text before it is split into words."""

from __future__ import annotations

from typing import Any

from .._core.component import component_from_json, members
from ._normalizer import Normalizer, Sequence
from ._precompiled import Precompiled, SentencePieceMap
from ._rewriting import (
    NFC,
    NFD,
    NFKC,
    NFKD,
    NORMALIZERS,
    BertNormalizer,
    ByteLevel,
    Lowercase,
    Nmt,
    Prepend,
    Replace,
    Strip,
    StripAccents,
    unicode_normalizer_from_str,
)

__all__ = [
    "NFC",
    "NFD",
    "NFKC",
    "NFKD",
    "NORMALIZERS",
    "BertNormalizer",
    "ByteLevel",
    "Lowercase",
    "Nmt",
    "Normalizer",
    "Precompiled",
    "Prepend",
    "Replace",
    "SentencePieceMap",
    "Sequence",
    "Strip",
    "StripAccents",
    "unicode_normalizer_from_str",
]


def __dir__() -> list[str]:
    return __all__


_KNOWN = {
    each.__name__: each
    for each in (
        NFC,
        NFD,
        NFKC,
        NFKD,
        BertNormalizer,
        ByteLevel,
        Lowercase,
        Nmt,
        Precompiled,
        Prepend,
        Replace,
        SentencePieceMap,
        Strip,
        StripAccents,
    )
}


def from_json(data: Any) -> Normalizer:
    """Read a normalizer from its object of tokenizer.json; ValueError names what is unknown or invalid.

    >>> from_json({"type": "BertNormalizer", "clean_text": False})
    BertNormalizer(clean_text=False, handle_chinese_chars=True, strip_accents=None, lowercase=True)
    """
    if isinstance(data, dict) and data.get("type") == "Sequence":
        return Sequence.nested(map(from_json, members(data, "normalizers")))
    found: Normalizer = component_from_json("normalizer", _KNOWN, data)
    return found
