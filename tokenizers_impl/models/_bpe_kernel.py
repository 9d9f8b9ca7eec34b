"""Byte pair encoding of words, in arrays."""

from __future__ import annotations

import numpy as np

from .._arrays import I32, I64, U32
from .._kernel import inner_kernel, kernel
from .._utf8 import utf8_length
from ._bpe_tables import MISSING, NONE, Tables
from ._first_symbols import add_characters
from ._longest_match import match_longest
from ._merging import SHORT, merge
from ._trie import ROOT, follow, token_at


@inner_kernel
def _encode_word(
    chars: U32,
    word: tuple[int, int],
    tables: Tables,
    ids: I32,
    lengths: I32,
    ranks: I64,
    matches: tuple[I32, I32] | None,
    dropout: float,
    rng: np.random.Generator | None,
) -> int:
    """Writes the symbols of one word that is not empty; returns how many there are, or MISSING."""
    start, end = word
    if tables.whole_words:
        token = token_at(follow(ROOT, chars, start, end, tables.edges), tables.ids)
        if token != NONE:
            ids[0] = token
            lengths[0] = 0
            for i in range(start, end):
                lengths[0] += utf8_length(int(chars[i]))
            return 1
    # numba drops this branch where matches is None: nobody waits for code to be compiled that is not used.
    if matches is not None:
        return match_longest(chars, word, tables, ids, lengths, ranks, matches, dropout, rng)
    n = add_characters(chars, start, end, word, tables, ids, lengths)
    if n == MISSING:
        return MISSING
    if tables.end_of_word != NONE:
        ids[n] = tables.end_of_word
        lengths[n] = 0
        n += 1
    return merge(ids, lengths, n, tables, ranks, dropout, rng)


@inner_kernel
def _write_places(chars: U32, word: tuple[int, int], lengths: I32, n: int, starts: I32, ends: I32, at: int) -> None:
    """Writes from where to where in the word n symbols reach, from index `at` on.

    As in the library symbols lie one after another in the bytes of the word, whatever was dropped between them; a
    symbol reaches over every character of which it has a byte.
    """
    start, end = word
    char, reached = start, utf8_length(int(chars[start]))
    byte = 0
    for k in range(n):
        if lengths[k] == 0:
            starts[at + k] = ends[at + k] = end - start
            continue
        while byte >= reached and char + 1 < end:
            char += 1
            reached += utf8_length(int(chars[char]))
        starts[at + k] = char - start
        byte += int(lengths[k])
        while byte > reached and char + 1 < end:
            char += 1
            reached += utf8_length(int(chars[char]))
        ends[at + k] = char + 1 - start


@inner_kernel
def _write_bytes(lengths: I32, n: int, starts: I32, ends: I32, at: int) -> None:
    """The same in bytes."""
    byte = 0
    for k in range(n):
        starts[at + k] = byte
        byte += int(lengths[k])
        ends[at + k] = byte


@kernel
def encode(
    chars: U32,
    offsets: I64,
    tables: Tables,
    symbols: int,
    pieces: tuple[I32, I32, I32, I64],
    in_bytes: bool,
    matches: tuple[I32, I32] | None,
    dropout: float,
    rng: np.random.Generator | None,
) -> int:
    """Writes the pieces of all words; returns the word that needs an unknown token that is missing, NONE if none does.

    symbols: the most symbols that a word can have before it is merged.
    pieces: the arrays of `Pieces`, with room for as many symbols as the words can have.
    in_bytes: whether their places are bytes of UTF-8, not characters.
    matches: room for the matches of a word (`match_longest`); None: symbols are merged, not matched.
    dropout, rng: the probability that a merge is left out and what is drawn from; None: no merge is.
    """
    all_ids, starts, ends, firsts = pieces
    ids = np.empty(symbols, np.int32)
    lengths = np.empty(symbols, np.int32)
    ranks = np.empty(SHORT, np.int64)
    at = 0
    firsts[0] = 0
    for i in range(len(offsets) - 1):
        word = (int(offsets[i]), int(offsets[i + 1]))
        if word[0] < word[1]:
            n = _encode_word(chars, word, tables, ids, lengths, ranks, matches, dropout, rng)
            if n == MISSING:
                return i
            for k in range(n):
                all_ids[at + k] = ids[k]
            if in_bytes:
                _write_bytes(lengths, n, starts, ends, at)
            else:
                _write_places(chars, word, lengths, n, starts, ends, at)
            at += n
        firsts[i + 1] = at
    return NONE
