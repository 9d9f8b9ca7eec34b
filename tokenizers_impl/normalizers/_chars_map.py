"""The character map of a SentencePiece model, with the normalizers that hold one."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .._arrays import I32, I64, U32, byte_places, code_points
from .._component import json_form, unchanging
from ._normalizer import Normalizer

# In place of a place: no key begins there; the map points outside of itself.
NO_KEY, BROKEN = -1, -2


class CharsMap(NamedTuple):
    """units: int64, the double array of the keys.  texts: code points of all replacements, a 0 behind each.

    places: int32, shape (number of bytes of `texts` + 1,): the character that begins at a byte, -1 inside of one.
    """

    units: I64
    texts: U32
    places: I32

    @classmethod
    def read(cls, data: bytes) -> CharsMap:
        """The arrays of these bytes; ValueError for what is no such map."""
        size = int.from_bytes(data[:4], "little") // 4 * 4
        if len(data) < 4 or size == 0 or len(data) < 4 + size:
            raise ValueError(f"precompiled_charsmap of {len(data)} bytes is cut off, or has no keys")
        try:
            texts = data[4 + size :].decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"the replacements of precompiled_charsmap are no UTF-8: {error}") from None
        chars = code_points(texts)
        places = np.full(len(data) - 4 - size + 1, NO_KEY, np.int32)
        places[byte_places(chars)] = np.arange(len(chars) + 1)
        return cls(np.frombuffer(data, "<u4", size // 4, 4).astype(np.int64), chars, places)


def in_base64(data: bytes) -> str:
    """The bytes as tokenizer.json has them."""
    return base64.b64encode(data).decode("ascii")


def from_base64(text: Any) -> bytes:
    """Those bytes; ValueError for what is no base64."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, TypeError, ValueError) as error:
        raise ValueError(f"precompiled_charsmap is no base64: {error}") from None


def broken() -> ValueError:
    """What is raised for a map that points outside of itself."""
    return ValueError("the double array of precompiled_charsmap points outside of itself")


@unchanging
@dataclass(frozen=True, repr=False)
class CharsMapNormalizer(Normalizer):
    """A normalizer by such a map.

    precompiled_charsmap: what `normalizer_spec` of the model has: the size of a double array (Darts-clone), the array,
    then the replacements.  ValueError for what is no such map.
    """

    precompiled_charsmap: bytes = field(metadata=json_form(write=in_base64, read=from_base64))

    def __post_init__(self) -> None:
        super().__post_init__()
        self._map  # noqa: B018

    @cached_property
    def _map(self) -> CharsMap:
        return CharsMap.read(self.precompiled_charsmap)
