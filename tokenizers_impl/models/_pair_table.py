"""A table from pairs of numbers to a number, in one array: from merges to their ranks."""

from __future__ import annotations

import numpy as np

from .._arrays import I32, I64
from .._kernel import inner_kernel, kernel

EMPTY = -1
ABSENT = -1


@kernel
def find(slots: I64, left: int, right: int) -> int:
    """The number at (left, right), ABSENT where there is none.

    slots: shape (2 * a power of two,), key and number side by side, so that a look-up touches one cache line; the key
    of (left, right), both in 0..2**31 - 1, is left * 2**32 + right, that of a free slot EMPTY.
    """
    key = (left << 32) | right
    mask = len(slots) // 2 - 1
    # Products of a 31-bit and a 32-bit number: below 2**63, so that Python's integers and the machine's agree.
    mixed = (left * 0x9E3779B1) ^ (right * 0x85EBCA6B)
    slot = (mixed ^ (mixed >> 29)) & mask
    while True:
        found = int(slots[2 * slot])
        if found == key:
            return int(slots[2 * slot + 1])
        if found == EMPTY:
            return ABSENT
        slot = (slot + 1) & mask


@inner_kernel
def put(slots: I64, left: int, right: int, number: int) -> None:
    """Sets the number at (left, right); there must be a free slot."""
    key = (left << 32) | right
    mask = len(slots) // 2 - 1
    mixed = (left * 0x9E3779B1) ^ (right * 0x85EBCA6B)
    slot = (mixed ^ (mixed >> 29)) & mask
    while int(slots[2 * slot]) != EMPTY and int(slots[2 * slot]) != key:
        slot = (slot + 1) & mask
    slots[2 * slot] = key
    slots[2 * slot + 1] = number


@kernel
def put_in_order(slots: I64, lefts: I32, rights: I32) -> None:
    """Puts every pair with its index; of equal pairs the last one counts."""
    for i in range(len(lefts)):
        put(slots, int(lefts[i]), int(rights[i]), i)


def free_slots(pairs: int) -> I64:
    """An empty table with room for this many pairs, at most four fifths full.

    >>> free_slots(4).tolist()
    [-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1]
    """
    return np.full(2 << (pairs * 5 // 4 + 1).bit_length(), EMPTY, np.int64)


def pair_table(lefts: I32, rights: I32) -> I64:
    """The table from pair i, (lefts[i], rights[i]), to i; of equal pairs the last one counts.

    >>> table = pair_table(np.array([1, 1, 1], np.int32), np.array([2, 3, 2], np.int32))
    >>> find(table, 1, 2), find(table, 1, 3), find(table, 2, 2)
    (2, 1, -1)
    """
    slots = free_slots(2 * len(lefts))
    put_in_order(slots, lefts, rights)
    return slots
