"""The positions of a text in the order of what follows them, as far as a piece can reach."""

from __future__ import annotations

import numpy as np

from .._arrays import I32, I64
from .._kernel import kernel

SEPARATOR = 0


@kernel
def room(symbols: I32) -> I32:
    """How many symbols stand from each position on before the next separator: 0 at a separator.

    symbols: shape (n,), the last one a separator.

    >>> room(np.array([3, 1, 0, 2, 0], np.int32)).tolist()
    [2, 1, 0, 1, 0]
    """
    result = np.zeros(len(symbols), np.int32)
    for position in range(len(symbols) - 2, -1, -1):
        if symbols[position] != SEPARATOR:
            result[position] = result[position + 1] + 1
    return result


@kernel
def packed(symbols: I32, bits: int, width: int) -> I64:
    """The first `width` symbols from each position on as one number, a separator and what follows it as zeros."""
    keys = np.zeros(len(symbols), np.int64)
    top = bits * (width - 1)
    for position in range(len(symbols) - 2, -1, -1):
        if symbols[position] != SEPARATOR:
            keys[position] = (np.int64(symbols[position]) << top) | (keys[position + 1] >> bits)
    return keys


@kernel
def _rank(order: I32, slots: I32, keys: I64, rank: I32) -> None:
    """Give the positions at these slots of the order the rank of the first of them that has the same key.

    keys: shape (len(slots),), ascending.
    """
    for i in range(len(slots)):
        same = i > 0 and keys[i] == keys[i - 1]
        rank[order[slots[i]]] = rank[order[slots[i - 1]]] if same else slots[i]


@kernel
def _undecided(order: I32, rank: I32, reach: I32, known: int) -> I32:
    """The slots of positions that share their rank with others and have no separator in the `known` next symbols."""
    slots = np.empty(len(order), np.int32)
    count = 0
    for i in range(len(order)):
        mine = rank[order[i]]
        before = i > 0 and rank[order[i - 1]] == mine
        after = i + 1 < len(order) and rank[order[i + 1]] == mine
        if (before or after) and reach[order[i]] >= known:
            slots[count] = i
            count += 1
    return slots[:count].copy()


def suffix_array(symbols: I32, reach: I32, depth: int) -> I32:
    """The positions of a text sorted by their next `depth` symbols, the first separator ending the comparison.

    Prefix doubling (Manber & Myers 1993, "Suffix arrays") that starts from as many symbols as fit into 63 bits and
    goes on with the undecided positions alone.  No longer context matters to
    pieces of up to depth - 1 characters.

    symbols: int32, shape (n,), n >= 1, SEPARATOR at the end; reach: `room(symbols)`.  Returns int32, shape (n,).

    >>> symbols = np.array([2, 1, 2, 1, 0], np.int32)
    >>> suffix_array(symbols, room(symbols), 3).tolist()
    [4, 3, 1, 2, 0]
    """
    bits = max(1, int(symbols.max()).bit_length())
    known = 63 // bits
    keys = packed(symbols, bits, known)
    order = np.argsort(keys, kind="stable").astype(np.int32)
    rank = np.empty(len(symbols), np.int32)
    _rank(order, np.arange(len(symbols), dtype=np.int32), keys[order], rank)
    while known < depth:
        slots = _undecided(order, rank, reach, known)
        positions = order[slots]
        keys = (rank[positions].astype(np.int64) << 32) | rank[positions + known]
        by_key = np.argsort(keys, kind="stable")
        order[slots] = positions[by_key]
        _rank(order, slots, keys[by_key], rank)
        known *= 2
    return order


@kernel
def common_prefixes(symbols: I32, order: I32, depth: int) -> I32:
    """How many symbols, at most `depth`, each suffix shares with the one before it; a shared separator is the last.

    >>> symbols = np.array([2, 1, 2, 1, 0], np.int32)
    >>> common_prefixes(symbols, suffix_array(symbols, room(symbols), 3), 3).tolist()
    [0, 0, 1, 0, 2]
    """
    shared = np.zeros(len(order), np.int32)
    for slot in range(1, len(order)):
        one, other = order[slot - 1], order[slot]
        length = 0
        while length < depth and symbols[one + length] == symbols[other + length]:
            length += 1
            if symbols[one + length - 1] == SEPARATOR:
                break
        shared[slot] = length
    return shared
