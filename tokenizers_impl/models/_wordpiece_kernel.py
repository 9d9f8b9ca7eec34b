"""WordPiece's greedy longest match, in arrays."""

from __future__ import annotations

from .._arrays import I32, I64, U32
from .._kernel import kernel

NONE = -1


@kernel
def find(slots: I64, left: int, right: int) -> int:
    """`_pair_table.find`, repeated because kernels that call each other stand in one file."""
    key = (left << 32) | right
    mask = len(slots) // 2 - 1
    mixed = (left * 0x9E3779B1) ^ (right * 0x85EBCA6B)
    slot = (mixed ^ (mixed >> 29)) & mask
    while True:
        found = int(slots[2 * slot])
        if found == key:
            return int(slots[2 * slot + 1])
        if found == NONE:
            return NONE
        slot = (slot + 1) & mask


@kernel
def longest_match(chars: U32, at: int, end: int, node: int, children: I64, ids: I32) -> tuple[int, int]:
    """The longest token whose path goes from `node` along chars[at:end], as (where it ends, id); (at, NONE) if none."""
    matched, token = at, NONE
    for i in range(at, end):
        if node != NONE:
            node = find(children, node, int(chars[i]))
        if node == NONE:
            break
        if ids[node] != NONE:
            matched, token = i + 1, int(ids[node])
    return matched, token


@kernel
def encode(
    chars: U32,
    offsets: I64,
    children: I64,
    ids: I32,
    rest: int,
    longest: int,
    unk: int,
    pieces: tuple[I32, I32, I32, I64],
) -> int:
    """Writes the pieces of all words; returns the word that needs an unknown token that is missing, NONE if none does.

    children, ids: the trie of the vocabulary (`Trie`); rest: the node of the prefix of pieces that are not the first.
    longest: longer words are unknown; unk: the unknown token's id or NONE.
    pieces: the arrays of `Pieces`, with room for one piece a character.
    """
    all_ids, starts, ends, firsts = pieces
    at = 0
    firsts[0] = 0
    for word in range(len(offsets) - 1):
        start, end = int(offsets[word]), int(offsets[word + 1])
        first, i = at, start
        while i < end and end - start <= longest:
            matched, token = longest_match(chars, i, end, 0 if i == start else rest, children, ids)
            if token == NONE:
                break
            all_ids[at], starts[at], ends[at] = token, i - start, matched - start
            at += 1
            i = matched
        if i < end:
            if unk == NONE:
                return word
            all_ids[first], starts[first], ends[first] = unk, 0, end - start
            at = first + 1
        firsts[word + 1] = at
    return NONE
