"""WordPiece's greedy longest match, in arrays."""

from __future__ import annotations

from .._arrays import I32, I64, U32
from .._kernel import inner_kernel, kernel
from ._trie import ROOT, step

NONE = -1
# In place of an unknown token's id: characters that no token covers are left out.
LEFT_OUT = -2


@inner_kernel
def _longest_match(chars: U32, at: int, end: int, node: int, edges: I64, ids: I32) -> tuple[int, int]:
    """The longest token whose path goes from `node` along chars[at:end], as (where it ends, id); (at, NONE) if none."""
    matched, token = at, NONE
    for i in range(at, end):
        if node != NONE:
            node = step(edges, node, int(chars[i]))
        if node == NONE:
            break
        if ids[node] != NONE:
            matched, token = i + 1, int(ids[node])
    return matched, token


@kernel
def encode(
    chars: U32,
    offsets: I64,
    edges: I64,
    ids: I32,
    rest: int,
    longest: int,
    unk: int,
    pieces: tuple[I32, I32, I32, I64],
) -> int:
    """Writes the pieces of all words; returns the word that needs an unknown token that is missing, NONE if none does.

    edges, ids: the trie of the vocabulary (`Trie`); rest: the node of the prefix of pieces that are not the first.
    longest: longer words are unknown; unk: the unknown token's id, NONE or LEFT_OUT.
    pieces: the arrays of `Pieces`, with room for one piece a character.
    """
    all_ids, starts, ends, firsts = pieces
    at = 0
    firsts[0] = 0
    for word in range(len(offsets) - 1):
        start, end = int(offsets[word]), int(offsets[word + 1])
        first, i = at, start
        while i < end and end - start <= longest:
            matched, token = _longest_match(chars, i, end, ROOT if i == start else rest, edges, ids)
            if token != NONE:
                all_ids[at], starts[at], ends[at] = token, i - start, matched - start
                at += 1
                i = matched
            elif unk == LEFT_OUT:
                i += 1
            else:
                break
        if i < end:
            if unk == NONE:
                return word
            all_ids[first], starts[first], ends[first] = unk, 0, end - start
            at = first + 1
        firsts[word + 1] = at
    return NONE
