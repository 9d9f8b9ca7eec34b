"""The suffix array of a text, sorted up to the length of the longest piece, and the prefixes that neighbours share."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from evenscore.kernel import kernel

from .._core.arrays import I32, I64
from .._core.parallel import map_in_order

# Ends every word of a text.
SEPARATOR = 0


@kernel
def room(symbols: I32) -> I32:
    """The number of symbols from each position to the next separator; 0 at a separator.

    symbols: shape (n,); the last one must be a separator.

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
    """Pack the `width` symbols from each position on into one int64; zeros replace a separator and all after it."""
    keys = np.zeros(len(symbols), np.int64)
    top = bits * (width - 1)
    for position in range(len(symbols) - 2, -1, -1):
        if symbols[position] != SEPARATOR:
            keys[position] = (np.int64(symbols[position]) << top) | (keys[position + 1] >> bits)
    return keys


@kernel
def _rank(order: I32, slots: I32, keys: I64, rank: I32) -> None:
    """Set the rank of the position at each slot to the first slot with the same key.

    keys: shape (len(slots),), ascending.
    """
    for i in range(len(slots)):
        same = i > 0 and keys[i] == keys[i - 1]
        rank[order[slots[i]]] = rank[order[slots[i - 1]]] if same else slots[i]


@kernel
def _undecided(order: I32, rank: I32, reach: I32, known: int) -> I32:
    """The slots whose position shares its rank with others and has no separator in its next `known` symbols."""
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
    """Sort the positions of a text by their next `depth` symbols; the first separator ends the comparison.

    Prefix doubling (Manber & Myers 1993, "Suffix arrays"): the first pass compares as many symbols as fit into 63 bits,
    later passes sort the undecided positions only.  Pieces of up to depth - 1 characters need no longer context.

    symbols: int32, shape (n,), n >= 1, SEPARATOR at the end; reach: `room(symbols)`.  Returns int32, shape (n,).

    >>> symbols = np.array([2, 1, 2, 1, 0], np.int32)
    >>> suffix_array(symbols, room(symbols), 3).tolist()
    [4, 3, 1, 2, 0]
    """
    bits = max(1, int(symbols.max()).bit_length())
    known = 63 // bits
    keys = packed(symbols, bits, known)
    order = _argsort(keys)
    rank = np.empty(len(symbols), np.int32)
    _rank(order, np.arange(len(symbols), dtype=np.int32), keys[order], rank)
    while known < depth:
        slots = _undecided(order, rank, reach, known)
        positions = order[slots]
        keys = (rank[positions].astype(np.int64) << 32) | rank[positions + known]
        by_key = _argsort(keys)
        order[slots] = positions[by_key]
        _rank(order, slots, keys[by_key], rank)
        known *= 2
    return order


# Keys per part that one thread sorts.  Every 1009th key is enough to find the borders of parts of similar size.
_PART, _SAMPLED = 1 << 21, 1009


def _argsort(keys: I64) -> I32:
    """The stable order of keys of 0 or more, shape (n,); threads sort the keys between two borders each.

    >>> _argsort(np.array([3, 1, 3, 2])).tolist()
    [1, 3, 0, 2]
    """
    borders = np.sort(keys[::_SAMPLED])[_PART // _SAMPLED :: _PART // _SAMPLED].tolist()

    def part(above: int, last: int) -> I32:
        inside = np.flatnonzero((above < keys) & (keys <= last)).astype(np.int32)
        return inside[np.argsort(keys[inside], kind="stable")]

    limits = [-1, *borders, np.iinfo(np.int64).max]
    return np.concatenate(list(map_in_order(lambda pair: part(*pair), pairwise(limits))))


# Slots of the suffix array per task.
_SLOTS = 1 << 20


def in_tasks(scan: Callable[[int, int], None], size: int) -> None:
    """Call scan(first, last) in threads for slots that are `size` together."""
    for _ in map_in_order(lambda first: scan(first, min(first + _SLOTS, size)), range(0, size, _SLOTS)):
        pass


def common_prefixes(symbols: I32, order: I32, depth: int) -> I32:
    """The length of the prefix that each suffix shares with the one before it, at most `depth`, separator included.

    >>> symbols = np.array([2, 1, 2, 1, 0], np.int32)
    >>> common_prefixes(symbols, suffix_array(symbols, room(symbols), 3), 3).tolist()
    [0, 0, 1, 0, 2]
    """
    shared = np.zeros(len(order), np.int32)
    in_tasks(lambda first, last: _compare_adjacent(symbols, order, depth, first, last, shared), len(order))
    return shared


@kernel
def _compare_adjacent(symbols: I32, order: I32, depth: int, first: int, last: int, shared: I32) -> None:
    """Write the common prefixes of the slots first to last."""
    for slot in range(max(first, 1), last):
        one, other = order[slot - 1], order[slot]
        length = 0
        while length < depth and symbols[one + length] == symbols[other + length]:
            length += 1
            if symbols[one + length - 1] == SEPARATOR:
                break
        shared[slot] = length
