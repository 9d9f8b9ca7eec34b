"""Decoders, which turn tokens back into text."""

from __future__ import annotations

from typing import Any

from .._core.component import component_from_json, members, without_older_keys
from ._byte_level import OWN_TYPE, ByteLevel, ByteWords, recover
from ._decoder import Decoder, DecodeStream, Sequence, TokenDecoder
from ._tokens import CTC, BPEDecoder, ByteFallback, Fuse, Metaspace, Replace, Strip, WordPiece

__all__ = [
    "CTC",
    "BPEDecoder",
    "ByteFallback",
    "ByteLevel",
    "ByteWords",
    "DecodeStream",
    "Decoder",
    "Fuse",
    "Metaspace",
    "Replace",
    "Sequence",
    "Strip",
    "TokenDecoder",
    "WordPiece",
    "recover",
]


def __dir__() -> list[str]:
    return __all__


_KNOWN = {OWN_TYPE: ByteLevel} | {
    each.__name__: each
    for each in (BPEDecoder, ByteFallback, ByteLevel, ByteWords, CTC, Fuse, Metaspace, Replace, Strip, WordPiece)
}


def from_json(data: Any) -> Decoder:
    """Read a decoder from its object of tokenizer.json; ValueError names what is unknown or invalid.

    >>> from_json({"type": "BPEDecoder", "suffix": "</w>"})
    BPEDecoder(suffix="</w>")
    """
    if isinstance(data, dict) and data.get("type") == "Sequence":
        return Sequence(map(from_json, members(data, "decoders")))
    found: Decoder = component_from_json("decoder", _KNOWN, without_older_keys(data))
    return found
