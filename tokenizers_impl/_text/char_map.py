"""Rewrites text character by character."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from evenscore.kernel import kernel

from .._core.arrays import I32, I64, U32, Bools
from .splits import TEXT, Splits, room_for
from .unicode import CODE_POINTS, code_points_by_char

# --- Rewriting text character by character

# An entry below EXPANDED is the one character that replaces another.  Any other entry describes a slice of
# `expansions`: EXPANDED | length << LENGTH_SHIFT | start.
EXPANDED = 1 << 31
LENGTH_SHIFT = 24
LENGTH_MASK = (1 << 7) - 1
START_MASK = (1 << LENGTH_SHIFT) - 1
# The number of code points per block; all blocks without changes share the same entries.
BLOCK = 256


class CharMap(NamedTuple):
    """The characters that replace each code point: none, one or several.

    blocks: int32, shape (0x110000 / BLOCK,); the start of each block of BLOCK entries.
    entries: uint32; code point c has entries[blocks[c // BLOCK] + c % BLOCK] ^ c, so that all blocks without changes
      share the same entries, zeros.  This takes about 100 KB; one entry per code point would take 4 MB.
    expansions: uint32; see EXPANDED.

    >>> from tokenizers_impl._text.splits import Splits
    >>> CharMap.of_dict({ord("ß"): [115, 115], ord("!"): []}).apply(Splits.of(["Maß!"], offsets=False)).texts()[0]
    'Mass'
    """

    blocks: I32
    entries: U32
    expansions: U32

    @classmethod
    def of(cls, codes: I64, chars: U32, lengths: I64) -> CharMap:
        """Build a map that replaces codes[i] by the next lengths[i] characters of `chars`."""
        starts = np.cumsum(lengths) - lengths
        single = lengths == 1
        new = (EXPANDED | lengths << LENGTH_SHIFT | starts).astype(np.uint32)
        new[single] = chars[starts[single]]
        changed = np.zeros(CODE_POINTS // BLOCK, np.bool_)
        changed[codes // BLOCK] = True
        blocks = np.where(changed, np.cumsum(changed, dtype=np.int32), 0) * np.int32(BLOCK)
        entries = np.zeros(BLOCK * (1 + np.count_nonzero(changed)), np.uint32)
        entries[blocks[codes // BLOCK] + codes % BLOCK] = new ^ codes.astype(np.uint32)
        return cls(blocks, entries, chars)

    @classmethod
    def of_dict(cls, replaced: dict[int, list[int]]) -> CharMap:
        """Build a map that replaces each key by its list of code points."""
        chars = np.fromiter(chain.from_iterable(replaced.values()), np.uint32)
        lengths = np.fromiter(map(len, replaced.values()), np.int64, len(replaced))
        return cls.of(np.fromiter(replaced, np.int64, len(replaced)), chars, lengths)

    @classmethod
    def of_splits(cls, codes: I64, splits: Splits) -> CharMap:
        """Build a map that replaces codes[i] by split i; the splits must have no gaps between them."""
        return cls.of(codes, splits.chars, splits.ends - splits.starts)

    @classmethod
    def removing(cls, codes: I64) -> CharMap:
        """Build a map that removes these code points."""
        return cls.of(codes, np.empty(0, np.uint32), np.zeros(len(codes), np.int64))

    @classmethod
    def composed(cls, maps: Sequence[CharMap]) -> CharMap:
        """Compose maps, which apply in this order."""
        changed = np.zeros(CODE_POINTS, np.bool_)
        for one in maps:
            changed |= one._changes()
        codes = np.flatnonzero(changed)
        splits = each(codes)
        for one in maps:
            splits = one.apply(splits)
        return cls.of_splits(codes, splits)

    def changed(self) -> I64:
        """The code points that the map changes, ascending."""
        return np.flatnonzero(self._changes())

    def _changes(self) -> Bools:
        changed: Bools = (self.entries != 0).reshape(-1, BLOCK)[self.blocks // BLOCK].ravel()
        return changed

    def apply(self, splits: Splits) -> Splits:
        """Replace every character of the splits' text; the results have the origins of the replaced characters."""
        texts = splits.chars, splits.starts, splits.ends, splits.added
        lengths, same, one_to_one = _measure(*texts, self.blocks, self.entries)
        if same:
            return splits
        if one_to_one:
            return splits.recoded(_replaced(*texts, self.blocks, self.entries))
        splits.check_room(int(lengths.sum()))
        ends = np.cumsum(lengths)
        chars = np.empty(lengths.sum(), np.uint32)
        source = np.empty(len(chars) if len(splits.origins) else 0, np.int32)
        _write(*texts, self.blocks, self.entries, self.expansions, chars, source)
        return splits.rewritten(chars, source, ends - lengths, ends)


def each(codes: I64) -> Splits:
    """Build splits of one code point each."""
    places = np.arange(len(codes) + 1)
    added = np.full(len(codes), TEXT, np.int32)
    nowhere = np.empty((0, 2), np.int32)
    room = room_for(len(codes))
    return Splits(codes.astype(np.uint32), places[:-1], places[1:], added, places[[0, -1]], nowhere, room=room)


@kernel
def _measure(chars: U32, starts: I64, ends: I64, added: I32, blocks: I32, entries: U32) -> tuple[I64, bool, bool]:
    """The new length of every split, whether no character changes, and whether each is replaced by one character."""
    lengths = ends - starts
    same = one_to_one = True
    for j in range(len(starts)):
        if added[j] == TEXT:
            for i in range(starts[j], ends[j]):
                # Written out here and below: a call with arrays costs 20 ns per character for reference counting.
                entry = entries[blocks[chars[i] // BLOCK] + chars[i] % BLOCK] ^ chars[i]
                if entry != chars[i]:
                    same = False
                if entry >= EXPANDED:
                    one_to_one = False
                    lengths[j] += np.int64(entry >> LENGTH_SHIFT & LENGTH_MASK) - 1
    return lengths, same, one_to_one


@kernel
def _replaced(chars: U32, starts: I64, ends: I64, added: I32, blocks: I32, entries: U32) -> U32:
    """Replace each character of the text by one character."""
    new = chars.copy()
    for j in range(len(starts)):
        if added[j] == TEXT:
            for i in range(starts[j], ends[j]):
                new[i] = entries[blocks[chars[i] // BLOCK] + chars[i] % BLOCK] ^ chars[i]
    return new


@kernel
def _write(
    chars: U32, starts: I64, ends: I64, added: I32, blocks: I32, entries: U32, expansions: U32, new: U32, source: I32
) -> None:
    """Write the new characters to `new`, and unless `source` is empty, the index of each one's original to it."""
    w = 0
    for j in range(len(starts)):
        for i in range(starts[j], ends[j]):
            entry = chars[i]
            if added[j] == TEXT:
                entry ^= entries[blocks[entry // BLOCK] + entry % BLOCK]
            if entry < EXPANDED:
                new[w] = entry
                if len(source):
                    source[w] = i
                w += 1
            else:
                first = np.int64(entry & START_MASK)
                for e in range(first, first + np.int64(entry >> LENGTH_SHIFT & LENGTH_MASK)):
                    new[w] = expansions[e]
                    if len(source):
                        source[w] = i
                    w += 1


# --- Whether text holds any character of a set


@kernel
def holds_any(chars: U32, wanted: Bools) -> bool:
    """Whether the code point of any character is marked in `wanted`, shape (0x110000,)."""
    for char in chars:  # noqa: SIM110
        if wanted[char]:
            return True
    return False


# --- Lower and upper case; the library has no normalizer for upper case, but a method of its strings


@cache
def lower_case() -> CharMap:
    """The map to lower case, character by character: without the rule for a sigma at the end of a word."""
    return CharMap.of_dict(code_points_by_char("unicode_lowercase.txt"))


@cache
def lower_case_table() -> dict[int, str]:
    """`lower_case` as a table for `str.translate`."""
    return _table("unicode_lowercase.txt")


@cache
def upper_case_table() -> dict[int, str]:
    """The map to upper case, character by character, as a table for `str.translate`."""
    return _table("unicode_uppercase.txt")


def _table(name: str) -> dict[int, str]:
    return {code: "".join(map(chr, parts)) for code, parts in code_points_by_char(name).items()}
