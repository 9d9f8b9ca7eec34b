"""The symbols of a word before any merge, unknown characters among them."""

from __future__ import annotations

from .._arrays import I32, U32
from .._kernel import inner_kernel
from .._utf8 import utf8_byte, utf8_length
from ._bpe_tables import DROPPED, MISSING, NONE, Tables
from ._trie import ROOT, follow, step, token_at


@inner_kernel
def closed(node: int, tables: Tables) -> int:
    """The node reached from `node` by the end-of-word suffix."""
    return follow(node, tables.suffix, 0, len(tables.suffix), tables.edges)


@inner_kernel
def _add_bytes(char: int, first: bool, last: bool, tables: Tables, ids: I32, lengths: I32, n: int) -> int:
    """Writes the byte tokens of an unknown character and its affixes after n symbols; n if the vocabulary lacks one."""
    end = n
    length = utf8_length(char)
    before = 0 if first else len(tables.prefix_bytes)
    after = len(tables.suffix_bytes) if last else 0
    for i in range(before + length + after):
        if i < before:
            token = int(tables.prefix_bytes[i])
        elif i < before + length:
            token = int(tables.bytes[utf8_byte(char, length, i - before)])
        else:
            token = int(tables.suffix_bytes[i - before - length])
        if token == NONE:
            return n
        ids[end] = token
        lengths[end] = 1
        end += 1
    return end


@inner_kernel
def add_characters(
    chars: U32, start: int, end: int, word: tuple[int, int], tables: Tables, ids: I32, lengths: I32
) -> int:
    """Writes the symbols of these characters of a word, before any merge.

    word: from where to where the word goes.  lengths: how many UTF-8 bytes of the word each symbol stands for.
    Returns the number of symbols, MISSING if one would be an unknown token that the vocabulary lacks.  As in the
    library an unknown character waits until a known one or the end comes: characters that fall back to bytes
    overtake it.
    """
    n, waiting = 0, 0
    for i in range(start, end):
        char = int(chars[i])
        first, last = i == word[0], i == word[1] - 1
        length = utf8_length(char)
        node = ROOT if first else tables.rest
        if node != NONE:
            node = step(tables.edges, node, char)
        if last and tables.end_of_word == NONE:
            node = closed(node, tables)
        token = token_at(node, tables.ids)
        if token == NONE and len(tables.bytes) > 0:
            added = _add_bytes(char, first, last, tables, ids, lengths, n)
            if added > n:
                n = added
                continue
        if token == NONE and tables.unk == MISSING:
            return MISSING
        if waiting > 0 and (token != NONE or (tables.unk != DROPPED and not tables.fuse_unk)):
            ids[n] = tables.unk
            lengths[n] = waiting
            n += 1
            waiting = 0
        if token != NONE:
            ids[n] = token
            lengths[n] = length
            n += 1
        elif tables.unk != DROPPED:
            waiting += length
    if waiting > 0:
        ids[n] = tables.unk
        lengths[n] = waiting
        n += 1
    return n
