"""The character map of SentencePiece as SentencePiece itself applies it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .._arrays import I32, I64, U32
from .._component import json_form, unchanging
from .._kernel import inner_kernel, kernel
from .._splits import TEXT, Splits
from .._utf8 import utf8_byte, utf8_length
from ..models._trie import ABSENT, ROOT, Trie, step
from ._chars_map import BROKEN, NO_KEY, CharsMapNormalizer, broken


def _listed(kept: Any) -> tuple[str, ...]:
    if not isinstance(kept, list) or not all(isinstance(each, str) for each in kept):
        raise ValueError(f"kept is {kept!r:.80}: expected a list of strings")
    return tuple(kept)


@unchanging
@dataclass(frozen=True, repr=False)
class SentencePieceMap(CharsMapNormalizer):
    """From the left on, the longest key that stands there becomes what the map has for it, as SentencePiece 0.2.3.

    Ours alone: a file with it is refused by `tokenizers`, whose `Precompiled` takes the same map grapheme by grapheme,
    the shortest key of each.  The two part on text that is not composed: of "ê" and a dot below, written in three
    characters, `Precompiled` loses an accent.
    precompiled_charsmap: as `Precompiled` has it.  kept: strings that stay as they are wherever one stands at the place
    that has been reached, the longest of several: SentencePiece's user-defined symbols.
    ValueError for what is no such map.
    """

    kept: tuple[str, ...] = field(default=(), metadata=json_form(write=list, read=_listed))

    def __post_init__(self) -> None:
        super().__post_init__()
        _listed(list(self.kept))

    @cached_property
    def _kept(self) -> Trie:
        return Trie.of({string: id for id, string in enumerate(dict.fromkeys(filter(None, self.kept)))})

    def normalize_splits(self, splits: Splits) -> Splits:
        """The splits after the map; ValueError for a map that points outside of itself."""
        given = splits.chars, splits.starts, splits.ends, splits.added, *self._map, *self._kept
        lengths = _rewrite(*given, np.empty(0, np.uint32), np.empty(0, np.int32))
        if len(lengths) < len(splits.starts):
            raise broken()
        ends = np.cumsum(lengths)
        splits.check_room(int(lengths.sum()))
        chars, sources = np.empty(lengths.sum(), np.uint32), np.empty(lengths.sum(), np.int32)
        _rewrite(*given, chars, sources)
        return splits.rewritten(chars, sources, ends - lengths, ends)


@kernel
def _rewrite(
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
    """The new lengths, fewer of them if the map is broken.

    Fills `new`, if not empty, with the characters, `sources` with the character that each came from.
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
                w = _put(chars, i, stop, i, stop, new, sources, w)
            else:
                w = _put(texts, place, _text_end(texts, place), i, stop, new, sources, w)
            i = stop
        lengths[j] = w - begin
    return lengths


@inner_kernel
def _put(source: U32, start: int, end: int, first: int, stop: int, new: U32, sources: I32, w: int) -> int:
    """Writes source[start:end] in place of the characters first..stop - 1 from w on; returns where it ends."""
    for k in range(end - start):
        if len(new):
            new[w + k], sources[w + k] = source[start + k], min(first + k, stop - 1)
    return w + end - start


@inner_kernel
def _text_end(texts: U32, place: int) -> int:
    """Where the replacement ends that begins there."""
    while place < len(texts) and texts[place] != 0:
        place += 1
    return place


@inner_kernel
def _kept_end(chars: U32, start: int, end: int, edges: I64, ids: I32) -> int:
    """Where the longest string to keep ends that begins there; `start` if there is none."""
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
    """Where the longest key ends that begins there, and where its replacement stands.

    start + 1 and NO_KEY if there is none; BROKEN as the place of a map that points outside of itself.
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
