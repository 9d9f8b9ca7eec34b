"""Where in the words each piece stands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from .._arrays import I32, I64
from .._kernel import kernel
from .._threads import map_in_order
from ._lexicon import UNKNOWN
from ._seed_pieces import Substrings

DROPPED = -1


class Matches(NamedTuple):
    """The pieces that begin at each position of the words' text, the shortest first.

    Where no piece is one character long, UNKNOWN comes last.
    offsets: int64, shape (n + 1,); the pieces at position p of a word are ids[offsets[p]:offsets[p + 1]].
    ids: int32.  Parts of it are unused: at separators, and between two blocks of words.
    """

    offsets: I64
    ids: I32


@kernel
def _walk(order: I32, symbols: I32, substrings: Substrings, names: I32, alphabet: I32, offsets: I64, ids: I32) -> None:
    """Go through the suffix array, the substrings that begin the present suffix on a stack, the shortest at the bottom.

    ids: takes the names for position p from offsets[p] on; if it is empty, their number is put into offsets[p + 1].
    """
    starts, ends = substrings.starts, substrings.ends
    stack = np.empty(len(starts) + 1, np.int32)
    height, following, counting = 0, 0, len(ids) == 0
    for slot in range(len(order)):
        position = order[slot]
        while height > 0 and ends[stack[height - 1]] <= slot:
            height -= 1
        while following < len(starts) and starts[following] == slot:
            stack[height] = following
            height += 1
            following += 1
        if counting:
            offsets[position + 1] = 1 + height
            continue
        at = offsets[position]
        ids[at] = alphabet[symbols[position]]
        for level in range(height):
            ids[at + 1 + level] = names[stack[level]]


def find_matches(order: I32, symbols: I32, substrings: Substrings, names: I32, alphabet: I32) -> Matches:
    """All places of the substrings and of single symbols, read off the suffix array `order` of the symbols.

    substrings: in lexicographic order; names: their numbers; alphabet: the number of each symbol as a piece.
    """
    offsets = np.zeros(len(order) + 1, np.int64)
    _walk(order, symbols, substrings, names, alphabet, offsets, np.empty(0, np.int32))
    np.cumsum(offsets, out=offsets)
    ids = np.empty(int(offsets[-1]), np.int32)
    _walk(order, symbols, substrings, names, alphabet, offsets, ids)
    return Matches(offsets, ids)


@kernel
def _rename(matches: Matches, lengths: I32, start: int, end: int, new_ids: I32) -> None:
    """Rename the pieces of a block in place; those of the dropped ones close up."""
    offsets, ids = matches.offsets, matches.ids
    read, write = offsets[start], offsets[start]
    for position in range(start, end - 1):
        stop = offsets[position + 1]
        offsets[position] = write
        uncovered = False
        while read < stop:
            new_id = new_ids[ids[read]]
            if new_id != DROPPED:
                ids[write] = new_id
                write += 1
            elif lengths[ids[read]] == 1:
                uncovered = True
            read += 1
        if uncovered:
            ids[write] = UNKNOWN
            write += 1
    # The last position is a separator: its offset only ends the word before it.
    offsets[end - 1] = write


def rename(matches: Matches, lengths: I32, blocks: Iterable[tuple[int, int]], new_ids: I32) -> None:
    """Change the matches in place to the new numbers of the pieces, DROPPED for none.

    lengths, new_ids: shape (number of old pieces + 1,); UNKNOWN keeps its number.
    blocks: from which position up to which other; every block ends with a separator.
    """
    for _ in map_in_order(lambda block: _rename(matches, lengths, *block, new_ids), blocks):
        pass
