"""The distinct words of a corpus, found by hashing."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import I32, I64, U32
from ._kernel import kernel
from ._words import WordCounts, Words

_EMPTY = -1


class WordTable:
    """Numbers words as they first come, and counts them.

    >>> table = WordTable()
    >>> table.add(np.array([97, 98, 97], np.uint32), np.array([0, 1, 2]), np.array([1, 2, 3])).tolist()
    [0, 1, 0]
    >>> table.counted().words.texts(), table.counted().counts.tolist()
    (['a', 'b'], [2, 1])
    """

    def __init__(self, words: int = 1 << 10, characters: int = 1 << 13) -> None:
        """Room for so many words with so many characters in all; more is made where it is needed."""
        self._hashes: I64 = np.empty(words, np.int64)
        self._offsets: I64 = np.zeros(words + 1, np.int64)
        self._counts: I64 = np.empty(words, np.int64)
        self._chars: U32 = np.empty(characters, np.uint32)
        self._slots: I32 = np.full(2 << max(words, 1).bit_length(), _EMPTY, np.int32)
        self._n = 0

    def add(self, chars: U32, starts: I64, ends: I64, weights: I64 | None = None) -> I32:
        """The numbers of the words chars[starts[j]:ends[j]], shape (k,); each is counted weights[j] times, or once."""
        numbers = np.empty(len(starts), np.int32)
        times = np.empty(0, np.int64) if weights is None else weights
        done = 0
        while True:
            done, self._n = _intern(
                chars, starts, ends, times, done, self._slots, self._hashes, self._offsets, self._chars,
                self._counts, self._n, numbers,
            )  # fmt: skip
            if done == len(starts):
                return numbers
            self._grow(int(ends[done] - starts[done]))

    def counted(self) -> WordCounts:
        """The words so far, in the order in which they first came; views, valid until the next `add`."""
        offsets = self._offsets[: self._n + 1]
        return WordCounts(Words(self._chars[: offsets[-1]], offsets), self._counts[: self._n])

    def _grow(self, length: int) -> None:
        """Room for twice as many words, or for twice as many characters, one more word of that length among them."""
        if self._n == len(self._counts):
            words = max(2 * self._n, 1)
            self._hashes = _enlarged(self._hashes, words)
            self._offsets = _enlarged(self._offsets, words + 1)
            self._counts = _enlarged(self._counts, words)
            self._slots = _slots(self._hashes[: self._n], 2 << words.bit_length())
        used = int(self._offsets[self._n])
        if used + length > len(self._chars):
            self._chars = _enlarged(self._chars, max(2 * len(self._chars), used + length))


def _enlarged(array: Any, size: int) -> Any:
    larger = np.empty(size, array.dtype)
    larger[: len(array)] = array
    return larger


@kernel
def _slots(hashes: I64, n: int) -> I32:
    """An open-addressed table of n slots, a power of two, with every word in it."""
    slots = np.full(n, _EMPTY, np.int32)
    for word in range(len(hashes)):
        slot = hashes[word] & (n - 1)
        while slots[slot] != _EMPTY:
            slot = (slot + 1) & (n - 1)
        slots[slot] = word
    return slots


@kernel
def _intern(
    chars: U32,
    starts: I64,
    ends: I64,
    weights: I64,
    begin: int,
    slots: I32,
    hashes: I64,
    offsets: I64,
    pool: U32,
    counts: I64,
    n: int,
    numbers: I32,
) -> tuple[int, int]:
    """Number the words from `begin` on; returns the first that found no room, and how many words there are now."""
    for j in range(begin, len(starts)):
        start, length = starts[j], ends[j] - starts[j]
        code = _hash(chars, start, ends[j])
        slot = code & (len(slots) - 1)
        while slots[slot] != _EMPTY:
            word = slots[slot]
            if hashes[word] == code and _equal(chars, start, length, pool, offsets[word], offsets[word + 1]):
                break
            slot = (slot + 1) & (len(slots) - 1)
        if slots[slot] == _EMPTY:
            if n == len(counts) or offsets[n] + length > len(pool):
                return j, n
            pool[offsets[n] : offsets[n] + length] = chars[start : ends[j]]
            offsets[n + 1] = offsets[n] + length
            hashes[n], counts[n], slots[slot] = code, 0, n
            n += 1
        numbers[j] = slots[slot]
        counts[slots[slot]] += weights[j] if len(weights) > 0 else 1
    return len(starts), n


@kernel
def _hash(chars: U32, start: int, end: int) -> int:
    """A number below 2**32; every product stays below 2**63."""
    code = 0
    for i in range(start, end):
        code = ((code ^ int(chars[i])) * 0x5BD1E995) & 0xFFFFFFFF
        code ^= code >> 15
    return code


@kernel
def _equal(chars: U32, start: int, length: int, pool: U32, pool_start: int, pool_end: int) -> bool:
    if pool_end - pool_start != length:
        return False
    i = 0
    while i < length and chars[start + i] == pool[pool_start + i]:
        i += 1
    return i == length
