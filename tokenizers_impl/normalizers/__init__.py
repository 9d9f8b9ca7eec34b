"""Normalizers: how text is rewritten before it is cut into words."""

from __future__ import annotations

from typing import Any

from .._component import component_from_json, members
from ._bert_normalizer import BertNormalizer
from ._byte_level import ByteLevel
from ._lowercase import Lowercase
from ._nmt import Nmt
from ._normalizer import Normalizer
from ._precompiled import Precompiled
from ._prepend import Prepend
from ._replace import Replace
from ._sentencepiece_map import SentencePieceMap
from ._sequence import Sequence
from ._strip import Strip
from ._strip_accents import StripAccents
from ._unicode_forms import NFC, NFD, NFKC, NFKD, NORMALIZERS, unicode_normalizer_from_str

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
    """The normalizer of that object of tokenizer.json; ValueError names what is not there.

    >>> from_json({"type": "BertNormalizer", "clean_text": False})
    BertNormalizer(clean_text=False, handle_chinese_chars=True, strip_accents=None, lowercase=True)
    """
    if isinstance(data, dict) and data.get("type") == "Sequence":
        return Sequence.nested(map(from_json, members(data, "normalizers")))
    found: Normalizer = component_from_json("normalizer", _KNOWN, data)
    return found
