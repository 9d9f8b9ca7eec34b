"""Kernels of the Unigram model: the trie of its pieces walked for the best path through a word, or for all of them."""

from __future__ import annotations

import numpy as np

from .._arrays import F64, I32, I64, U32
from .._kernel import inner_kernel, kernel
from .._utf8 import utf8_byte, utf8_length
from ._trie import ABSENT, ROOT, step

# In place of an id: a character that no piece covers alone.
UNKNOWN = -1


@kernel
def best_paths(
    edges: I64, piece_at: I32, scores: F64, unk_score: float, has_unk: bool, chars: U32, offsets: I64
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
        failed = _search(edges, piece_at, scores, unk_score, has_unk, word, best, source, last)
        if failed >= 0:
            return paths[:, :0].copy(), firsts, offsets[i] + failed
        firsts[i + 1] = firsts[i] + _length(source, len(word))
        end = len(word)
        for at in range(firsts[i + 1] - 1, firsts[i] - 1, -1):
            paths[0, at], paths[1, at], paths[2, at] = last[end], source[end], end
            end = source[end]
    return paths[:, : firsts[-1]].copy(), firsts, -1


@inner_kernel
def _search(
    edges: I64,
    piece_at: I32,
    scores: F64,
    unk_score: float,
    has_unk: bool,
    word: U32,
    best: F64,
    source: I32,
    last: I32,
) -> int:
    """Finds for every end the best score, where its last piece starts and which it is.  The start that fails, or -1.

    The path found first stays unless another is strictly better, and a sum is score + best so far, in that order: as
    `encode_optimized` of tokenizers 0.23.3 has it, so that ties and last bits agree.
    """
    source[: len(word) + 1] = -1
    for start in range(len(word)):
        alone = False
        node = ROOT
        for end in range(start + 1, len(word) + 1):
            node = step(edges, node, int(word[end - 1]))
            if node == ABSENT:
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


@inner_kernel
def _length(source: I32, end: int) -> int:
    """Number of pieces of the path to `end`."""
    count = 0
    while end > 0:
        end = source[end]
        count += 1
    return count


@kernel
def lattice(edges: I64, piece_at: I32, has_unk: bool, chars: U32, offsets: I64) -> tuple[I64, I64, I32]:
    """Every piece wherever it fits: arcs grouped by the node they lead to, as firsts, sources, ids of `Lattice`."""
    # The same walk twice: first how many arcs lead to a node, then which.
    filled = np.zeros(len(chars) + len(offsets), np.int64)
    sources = np.empty(0, np.int64)
    ids = np.empty(0, np.int32)
    _walk(edges, piece_at, has_unk, chars, offsets, filled, sources, ids)
    firsts = np.zeros(len(filled), np.int64)
    firsts[1:] = np.cumsum(filled)[:-1]
    filled = firsts[:-1].copy()
    sources = np.empty(firsts[-1], np.int64)
    ids = np.empty(firsts[-1], np.int32)
    _walk(edges, piece_at, has_unk, chars, offsets, filled, sources, ids)
    return firsts, sources, ids


@kernel
def _walk(
    edges: I64, piece_at: I32, has_unk: bool, chars: U32, offsets: I64, filled: I64, sources: I64, ids: I32
) -> None:
    """Counts the arcs that lead to each node up in `filled`, and writes them there unless `sources` is empty."""
    # An arc is written in two places: as a function of its own this took four times as long.
    write = len(sources) > 0
    for i in range(len(offsets) - 1):
        word = chars[offsets[i] : offsets[i + 1]]
        root = offsets[i] + i
        for start in range(len(word)):
            alone = not has_unk
            node = ROOT
            for end in range(start + 1, len(word) + 1):
                node = step(edges, node, int(word[end - 1]))
                if node == ABSENT:
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
    edges: I64, piece_at: I32, unk_id: int, byte_ids: I32, chars: U32, begins: I64, paths: I32, firsts: I64, size: int
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
                count = _write_unknown(edges, piece_at, unk_id, byte_ids, stretch, joined[0, m:])
            joined[1, m : m + count] = paths[1, first]
            joined[2, m : m + count] = paths[2, at - 1]
            m += count
        joined_firsts[i + 1] = m
    return joined[:, :m].copy(), joined_firsts


@inner_kernel
def _write_unknown(edges: I64, piece_at: I32, unk_id: int, byte_ids: I32, stretch: U32, out: I32) -> int:
    """The ids of an unknown stretch: the piece that it is as a whole, after all; or all its bytes; or unk_id."""
    node = ROOT
    for char in stretch:
        node = step(edges, node, int(char))
        if node == ABSENT:
            break
    if node != ABSENT and piece_at[node] != UNKNOWN:
        out[0] = piece_at[node]
        return 1
    count = 0
    for char in stretch:
        length = utf8_length(int(char))
        for i in range(length):
            byte = utf8_byte(int(char), length, i)
            if byte_ids[byte] == UNKNOWN:
                out[0] = unk_id
                return 1
            out[count] = byte_ids[byte]
            count += 1
    return count
