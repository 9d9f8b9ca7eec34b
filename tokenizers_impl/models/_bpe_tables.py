"""A byte pair encoding as its kernels see it."""

from __future__ import annotations

from typing import NamedTuple

from .._arrays import I32, I64, U32
from .._words import Words

NONE = -1
# What `Tables.unk` says besides an id: unknown characters are dropped; they need a token that the vocabulary lacks.
DROPPED = -1
MISSING = -2


class Tables(NamedTuple):
    """A model as the kernel sees it.

    edges, ids: the trie of the vocabulary (`Trie`).
    merges: the pair table from (left id, right id) to rank; results: int32, shape (merges,), the id that a merge makes.
    rest: the node of continuing_subword_prefix, where symbols that are not first in their word are looked up.
    suffix: the characters of end_of_word_suffix, which close the last symbol of a word.
    end_of_word: the id of the suffix as a symbol of its own, after the last character; NONE where it is glued to that.
    unk: the id for unknown characters, DROPPED or MISSING; fuse_unk: whether neighbours share one.
    bytes: int32, shape (256,), the ids of <0x00>..<0xFF>, NONE where the vocabulary lacks one; shape (0,) without byte
      fallback.  prefix_bytes, suffix_bytes: the same of the bytes of the two affixes.
    whole_words: whether a word that is a token is taken as it is.
    scannable: whether the lowest rank may be found by a scan (see `_merging.merge`).
    """

    edges: I64
    ids: I32
    merges: I64
    results: I32
    rest: int
    suffix: U32
    end_of_word: int
    unk: int
    fuse_unk: bool
    bytes: I32
    prefix_bytes: I32
    suffix_bytes: I32
    whole_words: bool
    scannable: bool


def most_symbols(words: Words, tables: Tables) -> tuple[int, int]:
    """The most symbols that one word, and that all words, can have before anything merges."""
    chars, affixes, ends = words.chars, len(tables.prefix_bytes), len(tables.suffix_bytes) + 1
    in_all, of_one = len(chars), 1
    if len(tables.bytes):
        in_all += int((chars >= 0x80).sum() + (chars >= 0x800).sum() + (chars >= 0x10000).sum()) + affixes * len(chars)
        of_one = 4 + affixes
    return int(words.lengths.max(initial=0)) * of_one + ends, in_all + ends * len(words.lengths)
