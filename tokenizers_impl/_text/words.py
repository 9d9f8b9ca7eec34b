"""Words as one array of code points, the distinct words of a corpus, and counts that add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from evenscore.kernel import inner_kernel, kernel

from .._core.arrays import I32, I64, U32, code_points, packed, text_of
from .._core.options import checked_count

# --- Words as one array of code points, the form that trainers and models read


class Words(NamedTuple):
    """n words as concatenated code points.

    chars: shape (number of characters,), uint32 code points.
    offsets: shape (n + 1,), int64; word i is chars[offsets[i]:offsets[i + 1]].

    >>> Words.of(["low", "er"]).texts()
    ['low', 'er']
    """

    chars: U32
    offsets: I64

    @classmethod
    def of(cls, texts: Iterable[str]) -> Words:
        """Convert strings to words."""
        listed = list(texts)
        lengths = np.fromiter(map(len, listed), np.int64, len(listed))
        return cls(code_points("".join(listed)), np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths))))

    @property
    def lengths(self) -> I64:
        """The number of characters of each word, shape (n,)."""
        return self.offsets[1:] - self.offsets[:-1]

    def text(self, i: int) -> str:
        """Return word i as a string."""
        return text_of(self.chars[self.offsets[i] : self.offsets[i + 1]])

    def texts(self) -> list[str]:
        """Return every word as a string."""
        joined, ends = text_of(self.chars), self.offsets.tolist()
        return [joined[start:end] for start, end in pairwise(ends)]


class WordCounts(NamedTuple):
    """Distinct words in order of first occurrence in the corpus, and their counts: int64, shape (n,)."""

    words: Words
    counts: I64

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> WordCounts:
        """Convert a mapping from words to counts, in its order."""
        return cls(Words.of(counts), np.fromiter(counts.values(), np.int64, len(counts)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as UTF-8 with the smallest integer types, which takes at most a quarter of the size."""
        words, counts = self
        return _unpacked, (text_of(words.chars), packed(words.lengths), packed(counts))


def _unpacked(text: str, lengths: Any, counts: Any) -> WordCounts:
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)))
    return WordCounts(Words(code_points(text), offsets), counts.astype(np.int64))


# --- The distinct words of a corpus, in a hash table

_EMPTY = -1
# The columns of the table, which has one row per word, so that a look-up touches one place in memory.
_HASH, _START, _LENGTH, _COUNT = range(4)


class WordTable:
    """Numbers distinct words in order of first occurrence, and counts them.

    >>> table = WordTable()
    >>> table.add(np.array([97, 98, 97], np.uint32), np.array([0, 1, 2]), np.array([1, 2, 3])).tolist()
    [0, 1, 0]
    >>> table.counted().words.texts(), table.counted().counts.tolist()
    (['a', 'b'], [2, 1])
    """

    def __init__(self, words: int = 1 << 10, characters: int = 1 << 13) -> None:
        """Allocate room for this number of words and characters; the table grows as needed."""
        self._rows: I64 = np.empty((words, 4), np.int64)
        self._chars: U32 = np.empty(characters, np.uint32)
        self._slots: I32 = np.full(2 << max(words, 1).bit_length(), _EMPTY, np.int32)
        self._n, self._used = 0, 0

    def add(self, chars: U32, starts: I64, ends: I64, weights: I64 | None = None) -> I32:
        """Count the words chars[starts[j]:ends[j]] weights[j] times, or once; returns their numbers, shape (k,)."""
        numbers = np.empty(len(starts), np.int32)
        times = np.empty(0, np.int64) if weights is None else weights
        done = 0
        while True:
            done, self._n, self._used = _intern(
                chars, starts, ends, times, done, self._slots, self._rows, self._chars, self._n, self._used, numbers
            )
            if done == len(starts):
                return numbers
            self._grow(int(ends[done] - starts[done]))

    def counted(self) -> WordCounts:
        """The words so far and their counts, in order of first occurrence."""
        rows = self._rows[: self._n]
        offsets = np.empty(self._n + 1, np.int64)
        offsets[:-1], offsets[-1] = rows[:, _START], self._used
        return WordCounts(Words(self._chars[: self._used].copy(), offsets), rows[:, _COUNT].copy())

    def _grow(self, length: int) -> None:
        """Double the room for words, or for characters, so that one more word of this length fits."""
        if self._n == len(self._rows):
            self._rows = _longer(self._rows, max(2 * self._n, 1))
            self._slots = _slots(self._rows[: self._n], 2 << len(self._rows).bit_length())
        if self._used + length > len(self._chars):
            self._chars = _longer(self._chars, max(2 * len(self._chars), self._used + length))


def _longer(array: Any, size: int) -> Any:
    """A new array of `size` rows that begins with this array; the other rows are uninitialized."""
    result = np.empty((size, *array.shape[1:]), array.dtype)
    result[: len(array)] = array
    return result


@kernel
def _slots(rows: I64, n: int) -> I32:
    """An open-addressed hash table of n slots, a power of two, with every word in it."""
    slots = np.full(n, _EMPTY, np.int32)
    for word in range(len(rows)):
        slot = rows[word, _HASH] & (n - 1)
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
    rows: I64,
    pool: U32,
    n: int,
    used: int,
    numbers: I32,
) -> tuple[int, int, int]:
    """Number the words from `begin` on; returns the first without room, and the numbers of words and characters."""
    for j in range(begin, len(starts)):
        start, length = starts[j], ends[j] - starts[j]
        code = _hash(chars, start, ends[j])
        slot = code & (len(slots) - 1)
        while slots[slot] != _EMPTY:
            word = slots[slot]
            if (
                rows[word, _HASH] == code
                and rows[word, _LENGTH] == length
                and _equal(chars, start, pool, rows[word, _START], length)
            ):
                break
            slot = (slot + 1) & (len(slots) - 1)
        if slots[slot] == _EMPTY:
            if n == len(rows) or used + length > len(pool):
                return j, n, used
            # A loop, because numba takes more than a second to compile the assignment of a slice to a slice.
            for k in range(length):
                pool[used + k] = chars[start + k]
            rows[n, _HASH], rows[n, _START], rows[n, _LENGTH], rows[n, _COUNT] = code, used, length, 0
            slots[slot] = n
            n += 1
            used += length
        numbers[j] = slots[slot]
        rows[slots[slot], _COUNT] += weights[j] if len(weights) > 0 else 1
    return len(starts), n, used


@inner_kernel
def _hash(chars: U32, start: int, end: int) -> int:
    """The hash of a word, below 2**32; every product stays below 2**63, so numba and Python compute the same."""
    code = 0
    for i in range(start, end):
        code = ((code ^ int(chars[i])) * 0x5BD1E995) & 0xFFFFFFFF
        code ^= code >> 15
    return code


@inner_kernel
def _equal(chars: U32, start: int, pool: U32, pool_start: int, length: int) -> bool:
    i = 0
    while i < length and chars[start + i] == pool[pool_start + i]:
        i += 1
    return i == length


# --- Counted words that can be sent to another machine and added up


class WordCounter(Counter[str]):
    """The words of texts and their counts, in order of first occurrence; a `collections.Counter`.

    counts: a mapping from word to count, or words to count; none by default.
    min_count: words with a smaller count were dropped; 1: none was.

    The sum of two counters has the words of the first one before the new words of the second one.  So parts that are
    added in order give the order of first occurrence in all texts.  Its min_count is the larger of the two: a word that
    was rarer in a part lacks that part's occurrences.  To drop only words that are rare in all texts, count the parts
    without a threshold, and call `at_least` on the sum.

    >>> parts = [WordCounter({"low": 2, "new": 1}), WordCounter({"new": 1, "er": 1})]
    >>> total = sum(parts, WordCounter())
    >>> total, total.at_least(2)
    (WordCounter({'low': 2, 'new': 2, 'er': 1}), WordCounter({'low': 2, 'new': 2}, min_count=2))
    """

    def __init__(self, counts: Mapping[str, int] | Iterable[str] = (), /, *, min_count: int = 1) -> None:
        super().__init__(counts)
        self.min_count = min_count

    def at_least(self, min_count: int) -> WordCounter:
        """Return a counter of the words with this count or more; ValueError unless it is an integer of 0 or more."""
        least = checked_count("min_count", min_count)
        kept = {word: count for word, count in self.items() if count >= least}
        return WordCounter(kept, min_count=max(self.min_count, least))

    def __add__(self, other: Counter[Any]) -> WordCounter:  # type: ignore[override]
        total = self.copy()
        total += other
        return total

    def __iadd__(self, other: Counter[Any]) -> WordCounter:  # type: ignore[override]
        self.update(other)
        self.min_count = max(self.min_count, getattr(other, "min_count", 1))
        return self

    def copy(self) -> WordCounter:
        """Return a counter with the same words, counts and threshold."""
        return WordCounter(self, min_count=self.min_count)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (dict(self), self.min_count)

    def __repr__(self) -> str:
        threshold = f", min_count={self.min_count}" if self.min_count > 1 else ""
        return f"WordCounter({dict(self)}{threshold})"


def _unpickled(counts: dict[str, int], min_count: int) -> WordCounter:
    return WordCounter(counts, min_count=min_count)
