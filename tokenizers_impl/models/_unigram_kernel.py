"""Kernels of the Unigram model: a trie of its pieces, walked for the best path through a word or for all of them."""

from __future__ import annotations

import numpy as np

from .._arrays import F64, I32, I64, U32
from .._kernel import kernel

# In place of an id: a character that no piece covers alone.
UNKNOWN = -1

# The trie is one open-addressed hash table.  A node is the slot of the edge that leads to it and a slot holds its key,
# (parent + 1) << 21 | character, so a step is one look-up and needs no array of children.  0 is an empty slot.
_ROOT = -1
_CHAR_BITS = 21
# Odd; up to 2**30 slots their products stay below 2**63, so nothing relies on wrap-around.
_NODE_FACTOR = 0x9E3779B1
_CHAR_FACTOR = 0x85EBCA77


@kernel
def _child(keys: I64, node: int, char: int) -> int:
    """The slot of the edge from `node` by `char`, or the empty one where it would stand."""
    key = ((node + 1) << _CHAR_BITS) | char
    mask = len(keys) - 1
    slot = (((node + 1) * _NODE_FACTOR + char * _CHAR_FACTOR) >> 8) & mask
    while keys[slot] != 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@kernel
def _fill(keys: I64, piece_at: I32, chars: U32, offsets: I64) -> bool:
    """Enters every piece, of equal ones the last; False if that takes more than a quarter of the slots."""
    free = len(keys) // 4
    for i in range(len(offsets) - 1):
        node = _ROOT
        for at in range(offsets[i], offsets[i + 1]):
            char = int(chars[at])
            slot = _child(keys, node, char)
            if keys[slot] == 0:
                if free == 0:
                    return False
                free -= 1
                keys[slot] = ((node + 1) << _CHAR_BITS) | char
            node = slot
        # No edge leads to the empty piece, which no text has anyway.
        if node != _ROOT:
            piece_at[node] = i
    return True


@kernel
def trie(chars: U32, offsets: I64) -> tuple[I64, I32]:
    """The trie of pieces: its keys, and the id of the piece that ends at a node, or UNKNOWN."""
    size = 64
    while size < len(chars):
        size *= 2
    while True:
        keys = np.zeros(size, np.int64)
        piece_at = np.full(size, UNKNOWN, np.int32)
        if _fill(keys, piece_at, chars, offsets):
            return keys, piece_at
        size *= 2


@kernel
def best_paths(
    keys: I64, piece_at: I32, scores: F64, unk_score: float, has_unk: bool, chars: U32, offsets: I64
) -> tuple[I32, I64, int]:
    """The best path of every word: rows ids (or UNKNOWN), starts, ends; the offsets of each word's pieces; and -1.

    Without has_unk the first unknown character that a best path needs ends it: its index in chars is the last result.
    """
    longest = 0
    for i in range(len(offsets) - 1):
        longest = max(longest, offsets[i + 1] - offsets[i])
    best = np.zeros(longest + 1)
    source = np.empty(longest + 1, np.int32)
    last = np.empty(longest + 1, np.int32)
    paths = np.empty((3, len(chars)), np.int32)
    firsts = np.zeros(len(offsets), np.int64)
    for i in range(len(offsets) - 1):
        word = chars[offsets[i] : offsets[i + 1]]
        failed = _search(keys, piece_at, scores, unk_score, has_unk, word, best, source, last)
        if failed >= 0:
            return paths[:, :0].copy(), firsts, offsets[i] + failed
        firsts[i + 1] = firsts[i] + _length(source, len(word))
        end = len(word)
        for at in range(firsts[i + 1] - 1, firsts[i] - 1, -1):
            paths[0, at], paths[1, at], paths[2, at] = last[end], source[end], end
            end = source[end]
    return paths[:, : firsts[-1]].copy(), firsts, -1


@kernel
def _search(
    keys: I64, piece_at: I32, scores: F64, unk_score: float, has_unk: bool, word: U32, best: F64, source: I32, last: I32
) -> int:
    """Finds for every end the best score, where its last piece starts and which it is.  The start that fails, or -1.

    The path found first stays unless another is strictly better, and a sum is score + best so far, in that order: as
    `encode_optimized` of tokenizers 0.23.3 has it, so that ties and last bits agree.
    """
    source[: len(word) + 1] = -1
    for start in range(len(word)):
        alone = False
        node = _ROOT
        for end in range(start + 1, len(word) + 1):
            node = _child(keys, node, int(word[end - 1]))
            if keys[node] == 0:
                break
            id = piece_at[node]
            if id != UNKNOWN:
                alone = alone or end == start + 1
                score = scores[id] + best[start]
                if source[end] < 0 or score > best[end]:
                    best[end], source[end], last[end] = score, start, id
        score = unk_score + best[start]
        if not alone and (source[start + 1] < 0 or score > best[start + 1]):
            if not has_unk:
                return start
            best[start + 1], source[start + 1], last[start + 1] = score, start, UNKNOWN
    return -1


@kernel
def _length(source: I32, end: int) -> int:
    """Number of pieces of the path to `end`."""
    count = 0
    while end > 0:
        end = source[end]
        count += 1
    return count


@kernel
def lattice(keys: I64, piece_at: I32, has_unk: bool, chars: U32, offsets: I64) -> tuple[I64, I64, I32]:
    """Every piece wherever it fits: arcs grouped by the node they lead to, as firsts, sources, ids of `Lattice`."""
    # The same walk twice: first how many arcs lead to a node, then which.
    filled = np.zeros(len(chars) + len(offsets), np.int64)
    sources = np.empty(0, np.int64)
    ids = np.empty(0, np.int32)
    _walk(keys, piece_at, has_unk, chars, offsets, filled, sources, ids)
    firsts = np.zeros(len(filled), np.int64)
    firsts[1:] = np.cumsum(filled)[:-1]
    filled = firsts[:-1].copy()
    sources = np.empty(firsts[-1], np.int64)
    ids = np.empty(firsts[-1], np.int32)
    _walk(keys, piece_at, has_unk, chars, offsets, filled, sources, ids)
    return firsts, sources, ids


@kernel
def _walk(
    keys: I64, piece_at: I32, has_unk: bool, chars: U32, offsets: I64, filled: I64, sources: I64, ids: I32
) -> None:
    """Counts the arcs that lead to each node up in `filled`, and writes them there unless `sources` is empty."""
    # An arc is written in two places: as a function of its own this took four times as long.
    write = len(sources) > 0
    for i in range(len(offsets) - 1):
        word = chars[offsets[i] : offsets[i + 1]]
        root = offsets[i] + i
        for start in range(len(word)):
            alone = not has_unk
            node = _ROOT
            for end in range(start + 1, len(word) + 1):
                node = _child(keys, node, int(word[end - 1]))
                if keys[node] == 0:
                    break
                id = piece_at[node]
                if id != UNKNOWN:
                    alone = alone or end == start + 1
                    if write:
                        sources[filled[root + end]], ids[filled[root + end]] = root + start, id
                    filled[root + end] += 1
            if not alone:
                if write:
                    sources[filled[root + start + 1]], ids[filled[root + start + 1]] = root + start, UNKNOWN
                filled[root + start + 1] += 1


@kernel
def join_unknown(
    keys: I64, piece_at: I32, unk_id: int, byte_ids: I32, chars: U32, begins: I64, paths: I32, firsts: I64, size: int
) -> tuple[I32, I64]:
    """Paths with each stretch of UNKNOWN as the model shows it; their pieces are at most `size`.

    Path i has the pieces firsts[i]:firsts[i + 1] and runs from chars[begins[i]] on.  byte_ids: shape (256,), UNKNOWN
    for bytes that have no piece.
    """
    joined = np.empty((3, size), np.int32)
    joined_firsts = np.zeros(len(firsts), np.int64)
    m = 0
    for i in range(len(firsts) - 1):
        at = firsts[i]
        while at < firsts[i + 1]:
            first = at
            at += 1
            count = 1
            joined[0, m] = paths[0, first]
            if paths[0, first] == UNKNOWN:
                while at < firsts[i + 1] and paths[0, at] == UNKNOWN:
                    at += 1
                stretch = chars[begins[i] + paths[1, first] : begins[i] + paths[2, at - 1]]
                count = _write_unknown(keys, piece_at, unk_id, byte_ids, stretch, joined[0, m:])
            joined[1, m : m + count] = paths[1, first]
            joined[2, m : m + count] = paths[2, at - 1]
            m += count
        joined_firsts[i + 1] = m
    return joined[:, :m].copy(), joined_firsts


@kernel
def _write_unknown(keys: I64, piece_at: I32, unk_id: int, byte_ids: I32, stretch: U32, out: I32) -> int:
    """The ids of an unknown stretch: the piece that it is as a whole, after all; or all its bytes; or unk_id."""
    node = _ROOT
    for char in stretch:
        node = _child(keys, node, int(char))
        if keys[node] == 0:
            break
    if keys[node] != 0 and piece_at[node] != UNKNOWN:
        out[0] = piece_at[node]
        return 1
    count = 0
    for char in stretch:
        # numba's int() of a uint32 is a uint32, and a list of these no list[int].
        for byte in _utf8(int(np.int64(char))):
            if byte_ids[byte] == UNKNOWN:
                out[0] = unk_id
                return 1
            out[count] = byte_ids[byte]
            count += 1
    return count


@kernel
def _utf8(char: int) -> list[int]:
    """The bytes of a character."""
    if char < 0x80:
        return [char]
    if char < 0x800:
        return [0xC0 | char >> 6, 0x80 | char & 0x3F]
    if char < 0x10000:
        return [0xE0 | char >> 12, 0x80 | char >> 6 & 0x3F, 0x80 | char & 0x3F]
    return [0xF0 | char >> 18, 0x80 | char >> 12 & 0x3F, 0x80 | char >> 6 & 0x3F, 0x80 | char & 0x3F]
