"""Strings found character by character."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from .._arrays import I32, I64
from .._words import Words
from ._pair_table import ABSENT, find, free_slots, put_strings


class Trie(NamedTuple):
    """Strings with an id each; node 0 is the empty string.

    children: table from (node, character) to the node that is one character longer (`_pair_table.find`).
    ids: int32, shape (nodes,); the id of the string that ends at a node, -1 where none does.

    >>> trie = Trie.of({"he": 0, "her": 1})
    >>> [int(trie.ids[trie.node(string)]) for string in ("h", "he", "her")]
    [-1, 0, 1]
    """

    children: I64
    ids: I32

    @classmethod
    def of(cls, ids: Mapping[str, int]) -> Trie:
        """The trie of these strings."""
        strings = Words.of(ids)
        values = np.fromiter(ids.values(), np.int32, len(ids))
        children = free_slots(len(strings.chars))
        ids_of_nodes = np.full(len(strings.chars) + 1, ABSENT, np.int32)
        nodes = put_strings(children, strings.chars, strings.offsets, values, ids_of_nodes)
        return cls(children, ids_of_nodes[:nodes].copy())

    def node(self, string: str) -> int:
        """The node of this string, -1 if no string of the trie begins with it."""
        node = 0
        for character in string:
            node = find(self.children, node, ord(character))
            if node == ABSENT:
                break
        return node
