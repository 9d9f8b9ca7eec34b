"""The character map of SentencePiece as `tokenizers` applies it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .._arrays import I32, I64, U32
from .._component import unchanging
from .._kernel import inner_kernel, kernel
from .._splits import TEXT, Splits
from .._unicode import CODE_POINTS
from .._utf8 import utf8_byte, utf8_length
from ._chars_map import BROKEN, NO_KEY, CharsMapNormalizer, broken
from ._graphemes import grapheme_end, grapheme_kinds

# A grapheme of this many bytes or more is never looked up as a whole.
_LONG = 6


@unchanging
@dataclass(frozen=True, repr=False)
class Precompiled(CharsMapNormalizer):
    """The character map of a SentencePiece model, as `tokenizers.normalizers.Precompiled`.

    A grapheme of less than six bytes that begins with a key becomes what the shortest such key stands for, all of it;
    of any other grapheme each character does.  ValueError for what is no such map.
    """

    @cached_property
    def _alone(self) -> I32:
        """Where the replacement of every code point stands, shape (0x110000,)."""
        return _looked_up_alone(self._map.units, self._map.places)

    def normalize_splits(self, splits: Splits) -> Splits:
        """The splits after the map; ValueError for a map that points outside of itself."""
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
    """Where the replacement of the shortest key that the characters begin with stands; NO_KEY, BROKEN."""
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
    """Where the replacement of every code point stands; NO_KEY, BROKEN."""
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
    """The new lengths, fewer of them if the map is broken, and whether nothing changes.

    Fills `new`, if not empty, with the characters, and `changes` with what `_sources` reads.
    """
    lengths, same, w = ends - starts, True, 0
    for j in range(len(starts)):
        i, begin, end = starts[j], w, starts[j]
        while i < ends[j]:
            # `end` is where the grapheme ends in which i lies.
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
    """Whether the characters are looked up as a whole."""
    size = 0
    for i in range(start, min(end, start + _LONG)):
        size += utf8_length(chars[i])
    return size < _LONG


@inner_kernel
def _put(texts: U32, place: int, replaced: int, new: U32, changes: I32, begin: int, w: int) -> int:
    """Writes the replacement of so many characters from w on; returns where it ends."""
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
    """The character that each came from, in place of its change.

    A positive change puts the character beside the one before it; any other takes the next one, and as many more as it
    is below zero.  What is taken out before any other character stands is not counted, so that all that follow come
    from too early a place: so the library has it.
    """
    for j in range(len(starts)):
        used = former_starts[j]
        for i in range(starts[j], ends[j]):
            change = changes[i]
            changes[i] = used - 1 if change > 0 else used
            used += 0 if change > 0 else 1 - change
    return changes
