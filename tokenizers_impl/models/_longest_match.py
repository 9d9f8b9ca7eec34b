"""The symbols of a word by the longest match anywhere in it."""

from __future__ import annotations

import numpy as np

from .._arrays import I32, I64, U32
from .._kernel import inner_kernel
from .._utf8 import utf8_length
from ._bpe_tables import MISSING, NONE, Tables
from ._first_symbols import add_characters, closed
from ._heap import pop, push
from ._merging import merge
from ._trie import ROOT, step, token_at

# More than any length: lengths are counted down from it, so that the heap has the longest match on top.
LONGEST = 2**31
INSIDE = -1


@inner_kernel
def _longest_symbol(chars: U32, at: int, limit: int, word: tuple[int, int], tables: Tables) -> tuple[int, int]:
    """The longest token that stands at a place of a word, as (letters it covers, id); (0, NONE) if there is none.

    limit: how many letters it may cover.  Letters are the characters, then end of word where that is a symbol.
    """
    start, end = word
    node = ROOT if at in (start, end) else tables.rest
    letters, token = 0, NONE
    for i in range(at, min(at + limit, end)):
        if node != NONE:
            node = step(tables.edges, node, int(chars[i]))
        if node == NONE:
            return letters, token
        glued = i + 1 == end and tables.end_of_word == NONE
        found = token_at(closed(node, tables) if glued else node, tables.ids)
        if found != NONE:
            letters, token = i + 1 - at, found
    if tables.end_of_word != NONE and at + limit > end:
        found = token_at(closed(node, tables), tables.ids)
        if found != NONE:
            letters, token = end + 1 - at, found
    return letters, token


@inner_kernel
def _place_longest(chars: U32, word: tuple[int, int], n: int, tables: Tables, tokens: I32, covers: I32) -> None:
    """Takes the longest symbol of what is left of the n letters of a word, the leftmost of several, until none is left.

    Writes at the letter where a symbol begins its id and how many letters it covers; covers is 0 where a letter stays
    alone and INSIDE where it lies within a symbol.
    """
    heap = np.empty(n, np.int64)
    size = 0
    for i in range(n):
        covers[i] = 0
        letters, _ = _longest_symbol(chars, word[0] + i, n - i, word, tables)
        if letters > 0:
            size = push(heap, size, ((LONGEST - letters) << 32) | i)
    while size > 0:
        entry = int(heap[0])
        size = pop(heap, size)
        i, letters = entry & 0xFFFFFFFF, LONGEST - (entry >> 32)
        room = 0
        while room < letters and covers[i + room] == 0:
            room += 1
        fitting, token = _longest_symbol(chars, word[0] + i, room, word, tables)
        if fitting == letters:
            tokens[i] = token
            covers[i] = letters
            for j in range(i + 1, i + letters):
                covers[j] = INSIDE
        elif fitting > 0:
            size = push(heap, size, ((LONGEST - fitting) << 32) | i)


@inner_kernel
def match_longest(
    chars: U32,
    word: tuple[int, int],
    tables: Tables,
    ids: I32,
    lengths: I32,
    ranks: I64,
    matches: tuple[I32, I32],
    dropout: float,
    rng: np.random.Generator | None,
) -> int:
    """Writes the symbols of a word, the longest first; parts that no symbol covers are merged as words are.

    matches: room for tokens and covers of `_place_longest`.  Returns the number of symbols or MISSING.
    """
    start, end = word
    letters = end - start + (tables.end_of_word != NONE)
    tokens, covers = matches
    _place_longest(chars, word, letters, tables, tokens, covers)
    n, i = 0, 0
    while i < letters:
        after = i + max(1, int(covers[i]))
        if covers[i] > 0:
            ids[n] = tokens[i]
            lengths[n] = 0
            for j in range(start + i, min(start + after, end)):
                lengths[n] += utf8_length(int(chars[j]))
            n += 1
        else:
            while after < letters and covers[after] == 0:
                after += 1
            added = add_characters(chars, start + i, start + after, word, tables, ids[n:], lengths[n:])
            if added == MISSING:
                return MISSING
            n += merge(ids[n:], lengths[n:], added, tables, ranks, dropout, rng)
        i = after
    return n
