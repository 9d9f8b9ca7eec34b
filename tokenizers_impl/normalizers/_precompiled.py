"""The character map of SentencePiece, applied as in `tokenizers` and as in SentencePiece."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evenscore.kernel import inner_kernel, kernel

from .._core.arrays import I32, I64, U32, byte_places, code_points
from .._core.component import json_form, unchanging
from .._text.bytes import utf8_byte, utf8_length
from .._text.splits import TEXT, Splits
from .._text.trie import ABSENT, ROOT, Trie, step
from .._text.unicode import CODE_POINTS, grapheme_end, grapheme_kinds
from ._normalizer import Normalizer

# --- The character map of a SentencePiece model, with the normalizers that hold one

# Results of a look-up: no key matches; the map is invalid because it points outside itself.
NO_KEY, BROKEN = -1, -2


class CharsMap(NamedTuple):
    """A character map as arrays.

    units: int64, the double array of the keys.  texts: code points of all replacements, each followed by a 0.
    places: int32, shape (bytes of `texts` + 1,); the index of the character that begins at a byte, -1 inside one.
    """

    units: I64
    texts: U32
    places: I32

    @classmethod
    def read(cls, data: bytes) -> CharsMap:
        """Read a map from bytes; ValueError if they are not a valid map."""
        size = int.from_bytes(data[:4], "little") // 4 * 4
        if len(data) < 4 or size == 0 or len(data) < 4 + size:
            raise ValueError(f"precompiled_charsmap of {len(data)} bytes is cut off, or has no keys")
        try:
            texts = data[4 + size :].decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"the replacements of precompiled_charsmap are not UTF-8: {error}") from None
        chars = code_points(texts)
        places = np.full(len(data) - 4 - size + 1, NO_KEY, np.int32)
        places[byte_places(chars)] = np.arange(len(chars) + 1)
        return cls(np.frombuffer(data, "<u4", size // 4, 4).astype(np.int64), chars, places)


def in_base64(data: bytes) -> str:
    """Encode a map for tokenizer.json."""
    return base64.b64encode(data).decode("ascii")


def from_base64(text: Any) -> bytes:
    """Decode a map of tokenizer.json; ValueError if it is not base64."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, TypeError, ValueError) as error:
        raise ValueError(f"precompiled_charsmap is not base64: {error}") from None


def broken() -> ValueError:
    """The error for a map that points outside itself."""
    return ValueError("the double array of precompiled_charsmap points outside itself")


@unchanging
@dataclass(frozen=True, repr=False)
class CharsMapNormalizer(Normalizer):
    """The base class of normalizers with a character map.

    precompiled_charsmap: the bytes of the model's `normalizer_spec`: the size of a double array (Darts-clone), the
      array, then the replacements.  ValueError if they are not a valid map.
    """

    precompiled_charsmap: bytes = field(metadata=json_form(write=in_base64, read=from_base64))

    def __post_init__(self) -> None:
        super().__post_init__()
        self._map  # noqa: B018

    @cached_property
    def _map(self) -> CharsMap:
        return CharsMap.read(self.precompiled_charsmap)


# --- The map as `tokenizers` applies it

# Graphemes of this many bytes or more are not looked up as a whole.
_LONG = 6


@unchanging
@dataclass(frozen=True, repr=False)
class Precompiled(CharsMapNormalizer):
    """The character map of a SentencePiece model, applied like `tokenizers.normalizers.Precompiled` 0.23.3.

    A grapheme of less than six bytes that begins with a key is replaced as a whole by the replacement of the shortest
    such key.  In other graphemes each character is looked up by itself.
    precompiled_charsmap: the bytes of the model's `normalizer_spec`; ValueError if they are not a valid map.
    """

    @cached_property
    def _alone(self) -> I32:
        """The position of each code point's replacement in `texts`, shape (0x110000,)."""
        return _looked_up_alone(self._map.units, self._map.places)

    def normalize_splits(self, splits: Splits) -> Splits:
        """Apply the map to the splits; ValueError if the map points outside itself."""
        texts = splits.chars, splits.starts, splits.ends, splits.added
        nothing = np.empty(0, np.uint32), np.empty(0, np.int32)
        lengths, same = _rewrite(*texts, grapheme_kinds(), *self._map, self._alone, *nothing)
        if len(lengths) < len(splits.starts):
            raise broken()
        if same:
            return splits
        splits.check_room(int(lengths.sum()))
        ends = np.cumsum(lengths)
        chars, changes = np.empty(lengths.sum(), np.uint32), np.empty(lengths.sum(), np.int32)
        _rewrite(*texts, grapheme_kinds(), *self._map, self._alone, chars, changes)
        sources = _sources(changes, ends - lengths, ends, splits.starts)
        return splits.rewritten(chars, sources, ends - lengths, ends)


@inner_kernel
def _looked_up(chars: U32, start: int, end: int, units: I64, places: I32) -> int:
    """The position of the replacement of the shortest key that the characters begin with; NO_KEY or BROKEN."""
    node = (units[0] >> 10) << ((units[0] & 512) >> 6)
    for i in range(start, end):
        char = int(chars[i])
        length = utf8_length(char)
        for k in range(length):
            byte = utf8_byte(char, length, k)
            node ^= byte
            if byte == 0 or node >= len(units):
                return NO_KEY if byte == 0 else BROKEN
            unit = units[node]
            if unit & (1 << 31 | 0xFF) != byte:
                return NO_KEY
            node ^= (unit >> 10) << ((unit & 512) >> 6)
            if unit >> 8 & 1:
                if node >= len(units):
                    return BROKEN
                place = units[node] & 0x7FFFFFFF
                return places[place] if place < len(places) and places[place] >= 0 else BROKEN
    return NO_KEY


@kernel
def _looked_up_alone(units: I64, places: I32) -> I32:
    """The position of each code point's replacement; NO_KEY or BROKEN."""
    alone, char = np.empty(CODE_POINTS, np.int32), np.empty(1, np.uint32)
    for code in range(CODE_POINTS):
        char[0] = code
        alone[code] = _looked_up(char, 0, 1, units, places)
    return alone


@kernel
def _rewrite(
    chars: U32,
    starts: I64,
    ends: I64,
    added: I32,
    kinds: npt.NDArray[np.uint16],
    units: I64,
    texts: U32,
    places: I32,
    alone: I32,
    new: U32,
    changes: I32,
) -> tuple[I64, bool]:
    """The new length of each split, and whether nothing changes; fewer lengths if the map is broken.

    Unless `new` is empty, also writes the new characters to `new`, and to `changes` the input of `_sources`.
    """
    lengths, same, w = ends - starts, True, 0
    for j in range(len(starts)):
        i, begin, end = starts[j], w, starts[j]
        while i < ends[j]:
            # `end` is the end of the grapheme that contains i.
            stop, place = i + 1, NO_KEY
            if added[j] == TEXT:
                if i == end:
                    is_alone = stop == ends[j] or not kinds[chars[i]] | kinds[chars[stop]]
                    end = stop if is_alone else grapheme_end(chars, i, ends[j], kinds)
                    if end > stop and _is_short(chars, i, end):
                        place = _looked_up(chars, i, end, units, places)
                        stop = end if place >= 0 else stop
                if place == NO_KEY:
                    place = alone[chars[i]]
                if place == BROKEN:
                    return lengths[:j], same
            if place >= 0:
                same = False
                w = _put(texts, place, stop - i, new, changes, begin, w)
            else:
                if len(new):
                    new[w], changes[w] = chars[i], 0
                w += 1
            i = stop
        lengths[j] = w - begin
    return lengths, same


@inner_kernel
def _is_short(chars: U32, start: int, end: int) -> bool:
    """Whether a grapheme is looked up as a whole."""
    size = 0
    for i in range(start, min(end, start + _LONG)):
        size += utf8_length(chars[i])
    return size < _LONG


@inner_kernel
def _put(texts: U32, place: int, replaced: int, new: U32, changes: I32, begin: int, w: int) -> int:
    """Write the replacement of `replaced` characters from w on; returns its end."""
    first = w
    while place + w - first < len(texts) and texts[place + w - first] != 0:
        if len(new):
            new[w], changes[w] = texts[place + w - first], 1 if w - first >= replaced else 0
        w += 1
    fewer = replaced - (w - first)
    if len(new) and fewer > 0 and w > begin:
        changes[w - 1] -= fewer
    return w


@kernel
def _sources(changes: I32, starts: I64, ends: I64, former_starts: I64) -> I32:
    """Replace each character's change by the index of its source; returns the same array.

    A character with a positive change has the source of the character before it.  Any other change takes the next
    source, and a change of -n skips n more.  Characters removed at the beginning of a split are not counted, so the
    following sources are too small, as in the library.
    """
    for j in range(len(starts)):
        used = former_starts[j]
        for i in range(starts[j], ends[j]):
            change = changes[i]
            changes[i] = used - 1 if change > 0 else used
            used += 0 if change > 0 else 1 - change
    return changes


# --- The map as SentencePiece applies it


def _listed(kept: Any) -> tuple[str, ...]:
    if not isinstance(kept, list) or not all(isinstance(each, str) for each in kept):
        raise ValueError(f"kept is {kept!r:.80}: expected a list of strings")
    return tuple(kept)


@unchanging
@dataclass(frozen=True, repr=False)
class SentencePieceMap(CharsMapNormalizer):
    """The character map of a SentencePiece model, applied as SentencePiece 0.2.3 does: longest match from the left.

    The library `tokenizers` lacks it and refuses a file with it.  Its `Precompiled` applies the same map by graphemes,
    with the shortest key of each, and gives other results on decomposed text: from "ê" with a dot below, written as
    three characters, it drops an accent.
    precompiled_charsmap: as in `Precompiled`; ValueError if it is not a valid map.
    kept: strings that are never replaced, the longest match first: SentencePiece's user-defined symbols.
    """

    kept: tuple[str, ...] = field(default=(), metadata=json_form(write=list, read=_listed))

    def __post_init__(self) -> None:
        super().__post_init__()
        _listed(list(self.kept))

    @cached_property
    def _kept(self) -> Trie:
        return Trie.of({string: id for id, string in enumerate(dict.fromkeys(filter(None, self.kept)))})

    def normalize_splits(self, splits: Splits) -> Splits:
        """Apply the map to the splits; ValueError if the map points outside itself."""
        given = splits.chars, splits.starts, splits.ends, splits.added, *self._map, *self._kept
        lengths = _rewrite_longest(*given, np.empty(0, np.uint32), np.empty(0, np.int32))
        if len(lengths) < len(splits.starts):
            raise broken()
        ends = np.cumsum(lengths)
        splits.check_room(int(lengths.sum()))
        chars, sources = np.empty(lengths.sum(), np.uint32), np.empty(lengths.sum(), np.int32)
        _rewrite_longest(*given, chars, sources)
        return splits.rewritten(chars, sources, ends - lengths, ends)


@kernel
def _rewrite_longest(
    chars: U32,
    starts: I64,
    ends: I64,
    added: I32,
    units: I64,
    texts: U32,
    places: I32,
    kept_edges: I64,
    kept_ids: I32,
    new: U32,
    sources: I32,
) -> I64:
    """The new length of each split; fewer lengths if the map is broken.

    Unless `new` is empty, also writes the new characters to `new` and the index of each one's source to `sources`.
    """
    lengths, w = np.empty(len(starts), np.int64), 0
    for j in range(len(starts)):
        i, begin = starts[j], w
        while i < ends[j]:
            stop, place = ends[j], NO_KEY
            if added[j] == TEXT:
                stop = _kept_end(chars, i, ends[j], kept_edges, kept_ids)
                if stop == i:
                    stop, place = _longest(chars, i, ends[j], units, places)
            if place == BROKEN:
                return lengths[:j]
            if place == NO_KEY:
                w = _put_longest(chars, i, stop, i, stop, new, sources, w)
            else:
                w = _put_longest(texts, place, _text_end(texts, place), i, stop, new, sources, w)
            i = stop
        lengths[j] = w - begin
    return lengths


@inner_kernel
def _put_longest(source: U32, start: int, end: int, first: int, stop: int, new: U32, sources: I32, w: int) -> int:
    """Write source[start:end] as the replacement of the characters first:stop from w on; returns its end."""
    for k in range(end - start):
        if len(new):
            new[w + k], sources[w + k] = source[start + k], min(first + k, stop - 1)
    return w + end - start


@inner_kernel
def _text_end(texts: U32, place: int) -> int:
    """The end of the replacement that begins at this position."""
    while place < len(texts) and texts[place] != 0:
        place += 1
    return place


@inner_kernel
def _kept_end(chars: U32, start: int, end: int, edges: I64, ids: I32) -> int:
    """The end of the longest string to keep that begins at `start`; `start` if there is none."""
    node, found = ROOT, start
    for i in range(start, end):
        node = step(edges, node, int(chars[i]))
        if node == ABSENT:
            break
        if ids[node] != ABSENT:
            found = i + 1
    return found


@inner_kernel
def _longest(chars: U32, start: int, end: int, units: I64, places: I32) -> tuple[int, int]:
    """The end of the longest key that begins at `start`, and the position of its replacement.

    Without a key, start + 1 and NO_KEY.  The position is BROKEN if the map points outside itself.
    """
    stop, place = start + 1, NO_KEY
    node = (units[0] >> 10) << ((units[0] & 512) >> 6)
    for i in range(start, end):
        char = int(chars[i])
        length = utf8_length(char)
        for k in range(length):
            byte = utf8_byte(char, length, k)
            node ^= byte
            if node >= len(units):
                return stop, BROKEN
            unit = units[node]
            if byte == 0 or unit & (1 << 31 | 0xFF) != byte:
                return stop, place
            node ^= (unit >> 10) << ((unit & 512) >> 6)
        if unit >> 8 & 1:
            if node >= len(units):
                return stop, BROKEN
            at = units[node] & 0x7FFFFFFF
            if at >= len(places) or places[at] < 0:
                return stop, BROKEN
            stop, place = i + 1, places[at]
    return stop, place
