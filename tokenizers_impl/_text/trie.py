"""A trie of strings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from evenscore.kernel import inner_kernel, kernel

from .._core.arrays import I32, I64, U32, code_points
from .words import Words

ROOT = 0
ABSENT = -1
_FREE = -1
_CHAR_BITS = 21


class Trie(NamedTuple):
    """A trie of strings with ids; node ROOT is the empty string.

    The edges are stored in one open-addressed hash table.  A node is 1 + the slot of the edge to it, so that each step
    is one look-up.
    edges: int64, shape (a power of two,); the start node of the edge times 2**21, plus its character.
    ids: int32, shape (len(edges) + 1,); the id of the string that ends at each node, ABSENT if none does.

    >>> trie = Trie.of({"he": 0, "her": 1})
    >>> [int(trie.ids[trie.node(string)]) for string in ("h", "he", "her")]
    [-1, 0, 1]
    """

    edges: I64
    ids: I32

    @classmethod
    def of(cls, ids: Mapping[str, int]) -> Trie:
        """Build the trie of these strings."""
        strings = Words.of(ids)
        # At most half of the slots are used, fewer if strings share prefixes, so failing searches are short.
        edges = np.full(2 << len(strings.chars).bit_length(), _FREE, np.int64)
        ids_of_nodes = np.full(len(edges) + 1, ABSENT, np.int32)
        _fill(edges, ids_of_nodes, *strings, np.fromiter(ids.values(), np.int32, len(ids)))
        return cls(edges, ids_of_nodes)

    def node(self, string: str) -> int:
        """The node of this string; ABSENT if no string of the trie begins with it."""
        chars = code_points(string)
        return follow(ROOT, chars, 0, len(chars), self.edges)


@inner_kernel
def _slot(edges: I64, node: int, char: int) -> int:
    """The slot of the edge from a node by a character, or the free slot for it."""
    edge = (node << _CHAR_BITS) | char
    mask = len(edges) - 1
    # Products stay below 2**63 for up to 2**30 slots, so numba and Python compute the same.
    slot = ((node * 0x9E3779B1 + char * 0x85EBCA77) >> 8) & mask
    while edges[slot] != _FREE and edges[slot] != edge:
        slot = (slot + 1) & mask
    return slot


@kernel
def _fill(edges: I64, ids_of_nodes: I32, chars: U32, offsets: I64, ids: I32) -> None:
    for string in range(len(offsets) - 1):
        node = ROOT
        for i in range(offsets[string], offsets[string + 1]):
            slot = _slot(edges, node, int(chars[i]))
            edges[slot] = (node << _CHAR_BITS) | int(chars[i])
            node = slot + 1
        ids_of_nodes[node] = ids[string]


@inner_kernel
def step(edges: I64, node: int, char: int) -> int:
    """The node reached from `node` by a character; ABSENT if there is none."""
    slot = _slot(edges, node, char)
    return ABSENT if edges[slot] == _FREE else slot + 1


@kernel
def follow(node: int, chars: U32, start: int, end: int, edges: I64) -> int:
    """The node reached from `node` by these characters; ABSENT if there is none."""
    for i in range(start, end):
        if node == ABSENT:
            break
        node = step(edges, node, int(chars[i]))
    return node


@inner_kernel
def token_at(node: int, ids: I32) -> int:
    """The id of the token that ends at this node; ABSENT if none does."""
    return ABSENT if node == ABSENT else int(ids[node])
