"""Decoders: from tokens back to text."""

from __future__ import annotations

from typing import Any

from .._byte_recovery import recover
from .._component import component_from_json, members, without_older_keys
from ._byte_level import OWN_TYPE, ByteLevel, ByteWords
from ._chains import CTC, ByteFallback, Fuse
from ._decode_stream import DecodeStream
from ._decoder import Decoder, TokenDecoder
from ._edits import Replace, Strip
from ._markers import BPEDecoder, Metaspace, WordPiece
from ._sequence import Sequence

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
    """The decoder of that object of tokenizer.json; ValueError names what is not there.

    >>> from_json({"type": "BPEDecoder", "suffix": "</w>"})
    BPEDecoder(suffix="</w>")
    """
    if isinstance(data, dict) and data.get("type") == "Sequence":
        return Sequence(map(from_json, members(data, "decoders")))
    found: Decoder = component_from_json("decoder", _KNOWN, without_older_keys(data))
    return found
