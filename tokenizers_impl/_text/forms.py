"""Unicode normalization forms: decomposition, ordering and composition of text (Unicode Standard Annex 15)."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from evenscore.kernel import inner_kernel, kernel

from .._core.arrays import I32, I64, U8, U32, Bools
from .char_map import BLOCK, EXPANDED, LENGTH_MASK, LENGTH_SHIFT, START_MASK, CharMap, each, holds_any
from .splits import TEXT, Splits
from .unicode import combining_classes, compositions, decompositions

# A pair of characters as one number: first << PAIR_SHIFT | second.
PAIR_SHIFT = 21


class Form(NamedTuple):
    """A normalization form.

    Text is divided into segments.  A character begins one if it never swaps or composes with characters before it.

    alone: the map of characters that are a segment by themselves.
    decomposed: the map of the characters of longer segments, before marks are ordered and composed.
    begins: bool, shape (0x110000,): whether a code point begins a segment.
    restless: bool, shape (0x110000,): whether a code point begins no segment or changes even alone.  Text without such
      code points is in this form.
    ranks: uint8, shape (0x110000,): combining classes.
    seconds: bool, shape (0x110000,): whether a code point is second in a pair that composes.
    pairs: int64, sorted, see PAIR_SHIFT: the pairs that compose.  composites: uint32: their composites.
    """

    alone: CharMap
    decomposed: CharMap
    begins: Bools
    restless: Bools
    ranks: U8
    seconds: Bools
    pairs: I64
    composites: U32

    def apply(self, splits: Splits) -> Splits:
        """Normalize the text of the splits.

        Origins are those of the library.  The first part of a decomposed character consumes one original character, the
        other parts none; a composite consumes as many as its parts together.  New characters consume the original ones
        in order, even if marks have swapped.  The origin of a new character is the first one that it consumes, or else
        the last one consumed before it.
        """
        texts = splits.chars, splits.starts, splits.ends, splits.added
        lengths = _measure(*texts, self)
        splits.check_room(int(lengths.sum()))
        ends = np.cumsum(lengths)
        chars = np.empty(lengths.sum(), np.uint32)
        uses = np.empty(len(chars) if len(splits.origins) else 0, np.int32)
        _decompose(*texts, self, chars, uses)
        _order(chars, uses, ends - lengths, ends, splits.added, self.ranks)
        if len(self.pairs):
            lengths = _compose(chars, uses, ends - lengths, ends, splits.added, self)
            ends = np.cumsum(lengths)
        starts, size = ends - lengths, lengths.sum()
        return splits.rewritten(chars[:size], _sources(uses[:size], starts, ends, splits.starts), starts, ends)


@cache
def form(*, compatibility: bool, composes: bool) -> Form:
    """The normalization form: NFC and NFKC compose, NFD and NFKD do not; NFKC and NFKD use compatibility mappings.

    >>> from tokenizers_impl._text.splits import Splits
    >>> form(compatibility=False, composes=True).apply(Splits.of(["e\u0301"], offsets=False)).texts()
    ['é']
    """
    ranks = combining_classes()
    composed = {first << PAIR_SHIFT | second: code for code, (first, second) in compositions().items() if composes}
    pairs = np.array(sorted(composed), np.int64)
    composites = np.array([composed[pair] for pair in pairs.tolist()], np.uint32)
    seconds = np.zeros(len(ranks), np.bool_)
    seconds[pairs & ((1 << PAIR_SHIFT) - 1)] = True
    decomposed = decomposition(compatibility=compatibility)
    codes = decomposed.changed()
    parts = decomposed.apply(each(codes))
    begins = ~(seconds | (ranks > 0))
    begins[codes] = begins[parts.chars[parts.starts]]
    slow = Form(decomposed, decomposed, begins, ~begins, ranks, seconds, pairs, composites)
    alone = CharMap.of_splits(codes, slow.apply(each(codes)))
    restless = ~begins
    restless[alone.changed()] = True
    return slow._replace(alone=alone, restless=restless)


@cache
def alone_table(*, compatibility: bool, composes: bool) -> dict[int, str]:
    """The characters that change even alone in a form, as a table for `str.translate`: see `Form.alone`."""
    alone = form(compatibility=compatibility, composes=composes).alone
    codes = alone.changed()
    return dict(zip(codes.tolist(), alone.apply(each(codes)).texts(), strict=True))


def in_form(splits: Splits, *, compatibility: bool, composes: bool) -> Splits:
    """Normalize each split by itself."""
    wanted = form(compatibility=compatibility, composes=composes)
    return wanted.apply(splits) if holds_any(splits.chars, wanted.restless) else splits


def decomposition(*, compatibility: bool) -> CharMap:
    """The map from every code point to its decomposition."""
    return CharMap.of_dict(decompositions(compatibility=compatibility))


@kernel
def _measure(chars: U32, starts: I64, ends: I64, added: I32, form: Form) -> I64:
    """The length of every split after `_decompose`."""
    begins, (alone_blocks, alone, _), (blocks, decomposed, _) = form.begins, form.alone, form.decomposed
    lengths = ends - starts
    for j in range(len(starts)):
        if added[j] == TEXT:
            for i in range(starts[j], ends[j]):
                # Written out here and below: a call with arrays costs 20 ns per character for reference counting.
                joined = (i > starts[j] and not begins[chars[i]]) or (i + 1 < ends[j] and not begins[chars[i + 1]])
                block, place = chars[i] // BLOCK, chars[i] % BLOCK
                entry = chars[i] ^ (decomposed[blocks[block] + place] if joined else alone[alone_blocks[block] + place])
                if entry >= EXPANDED:
                    lengths[j] += np.int64(entry >> LENGTH_SHIFT & LENGTH_MASK) - 1
    return lengths


@kernel
def _decompose(chars: U32, starts: I64, ends: I64, added: I32, form: Form, new: U32, uses: I32) -> None:
    """Write the decomposed characters to `new`, and unless `uses` is empty, how many originals each consumes to it."""
    begins = form.begins
    (alone_blocks, alone, alone_parts), (blocks, decomposed, decomposed_parts) = form.alone, form.decomposed
    w = 0
    for j in range(len(starts)):
        for i in range(starts[j], ends[j]):
            joined = (i > starts[j] and not begins[chars[i]]) or (i + 1 < ends[j] and not begins[chars[i + 1]])
            block, place = chars[i] // BLOCK, chars[i] % BLOCK
            entry = chars[i] ^ (decomposed[blocks[block] + place] if joined else alone[alone_blocks[block] + place])
            if added[j] != TEXT:
                entry = chars[i]
            new[w] = entry
            if len(uses):
                uses[w] = 1
            length = np.int64(1)
            if entry >= EXPANDED:
                first, length = np.int64(entry & START_MASK), np.int64(entry >> LENGTH_SHIFT & LENGTH_MASK)
                for e in range(length):
                    new[w + e] = decomposed_parts[first + e] if joined else alone_parts[first + e]
                    if e and len(uses):
                        uses[w + e] = 0
            w += int(length)


@kernel
def _order(chars: U32, uses: I32, starts: I64, ends: I64, added: I32, ranks: U8) -> None:
    """Sort adjacent marks by their combining classes, stably."""
    for j in range(len(starts)):
        first, ordered = int(starts[j]), True
        for i in range(int(starts[j]), int(ends[j])):
            rank = ranks[chars[i]]
            if rank == 0:
                if not ordered:
                    _sort(chars, uses, first, i, ranks)
                first, ordered = i + 1, True
            elif i > first and ranks[chars[i - 1]] > rank and added[j] == TEXT:
                ordered = False
        if not ordered:
            _sort(chars, uses, first, ends[j], ranks)


@inner_kernel
def _sort(chars: U32, uses: I32, first: int, last: int, ranks: U8) -> None:
    """Sort the marks first:last by a counting sort, in linear time."""
    places = np.zeros(257, np.int64)
    for i in range(first, last):
        places[ranks[chars[i]] + 1] += 1
    for rank in range(256):
        places[rank + 1] += places[rank]
    run, run_uses = chars[first:last].copy(), uses[first:last].copy()
    for i in range(len(run)):
        rank = ranks[run[i]]
        place = first + places[rank]
        places[rank] += 1
        chars[place] = run[i]
        if len(uses):
            uses[place] = run_uses[i]


@kernel
def _compose(chars: U32, uses: I32, starts: I64, ends: I64, added: I32, form: Form) -> I64:
    """Compose in place and close the gaps; returns the new lengths.

    A character composes with the last starter unless a mark of an equal or higher class is between them.
    """
    ranks, seconds, pairs, composites = form.ranks, form.seconds, form.pairs, form.composites
    lengths = ends - starts
    w = 0
    for j in range(len(starts)):
        begin, starter, between = w, -1, 0
        for i in range(starts[j], ends[j]):
            char = chars[i]
            rank = ranks[char]
            if seconds[char] and starter >= 0 and (between == 0 or between < rank):
                pair = np.int64(chars[starter]) << PAIR_SHIFT | np.int64(char)
                place = np.searchsorted(pairs, pair)
                if place < len(pairs) and pairs[place] == pair:
                    chars[starter] = composites[place]
                    if len(uses):
                        uses[starter] += uses[i]
                    continue
            if rank == 0 and added[j] == TEXT:
                starter = w
            between = rank
            chars[w] = char
            if len(uses):
                uses[w] = uses[i]
            w += 1
        lengths[j] = w - begin
    return lengths


@kernel
def _sources(uses: I32, starts: I64, ends: I64, former_starts: I64) -> I32:
    """The index of each character's origin, from the numbers of characters consumed: see `Form.apply`."""
    if len(uses):
        for j in range(len(starts)):
            used = former_starts[j]
            for i in range(starts[j], ends[j]):
                used, uses[i] = used + uses[i], used if uses[i] else used - 1
    return uses
