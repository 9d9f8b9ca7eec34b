"""Decoders: from tokens back to text."""

from __future__ import annotations

from typing import Any

from .._component import component_from_json, without_older_keys
from ._byte_level import OWN_TYPE, ByteLevel, ByteWords
from ._decoder import Decoder
from ._markers import BPEDecoder, Metaspace, WordPiece

__all__ = ["BPEDecoder", "ByteLevel", "ByteWords", "Decoder", "Metaspace", "WordPiece", "from_json"]

_KNOWN = {OWN_TYPE: ByteLevel} | {
    each.__name__: each for each in (BPEDecoder, ByteLevel, ByteWords, Metaspace, WordPiece)
}


def from_json(data: Any) -> Decoder:
    """The decoder of that object of tokenizer.json; ValueError names what is not there.

    >>> from_json({"type": "BPEDecoder", "suffix": "</w>"})
    BPEDecoder(suffix='</w>')
    """
    found: Decoder = component_from_json("decoder", _KNOWN, without_older_keys(data))
    return found
