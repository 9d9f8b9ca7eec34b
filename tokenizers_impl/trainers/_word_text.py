"""The distinct words as one text of numbered symbols, with a separator after each."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .._arrays import I32, I64, U32, code_points
from .._kernel import kernel
from .._words import WordCounts
from ._suffix_array import packed

# Positions a block of words holds before the next one begins: enough work for a thread, few enough to share out evenly.
_BLOCK = 1 << 19


class WordText(NamedTuple):
    """n symbols of w words.

    symbols: int32, shape (n,); 0 after each word and in place of U+0000, else the index in `alphabet`.
    alphabet: uint32, ascending; the code points of the words after an entry 0.
    starts: int64, shape (w + 1,); word i is at the positions starts[i] up to, without, starts[i + 1] - 1.
    counts: int64, shape (w,).
    The words are sorted by their first 9 or more characters, so that neighbours share much, which saves time; those
    that are equal so far are in the order given.
    """

    symbols: I32
    alphabet: U32
    starts: I64
    counts: I64

    @classmethod
    def of(cls, counted: WordCounts) -> WordText:
        """The text of these words.

        >>> text = WordText.of(WordCounts.of({"ba": 2, "b": 1}))
        >>> text.symbols.tolist(), text.alphabet.tolist(), text.starts.tolist(), text.counts.tolist()
        ([2, 0, 2, 1, 0], [0, 97, 98], [0, 2, 5], [1, 2])
        """
        words, counts = counted
        seen = np.zeros(0x110000, np.bool_)
        seen[words.chars] = True
        seen[0] = True
        numbers = np.cumsum(seen, dtype=np.int32) - np.int32(1)
        order = _sorted(_separated(words.chars, words.offsets, numbers, np.arange(len(counts))), words.offsets)
        symbols = _separated(words.chars, words.offsets, numbers, order)
        starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(words.lengths[order] + 1)))
        return cls(symbols, np.flatnonzero(seen).astype(np.uint32), starts, counts[order])

    def chars(self, start: int, length: int) -> str:
        """The characters from a position on, none of them a separator."""
        return "".join(map(chr, self.alphabet[self.symbols[start : start + length]].tolist()))

    def numbers(self, string: str) -> I32:
        """The symbols of a string of characters that the words have."""
        return np.searchsorted(self.alphabet, code_points(string)).astype(np.int32)

    def blocks(self) -> list[tuple[int, int]]:
        """The words in runs of about equal size, from which word up to which; they depend on the words alone."""
        borders = np.arange(0, len(self.symbols), _BLOCK)
        cuts = np.unique(np.append(np.searchsorted(self.starts, borders), len(self.counts))).tolist()
        return list(pairwise(cuts))


@kernel
def _separated(chars: U32, offsets: I64, numbers: I32, order: I64) -> I32:
    """The number of each character, the words in this order, a separator after each."""
    symbols = np.zeros(len(chars) + len(order), np.int32)
    to = 0
    for word in order:
        for at in range(offsets[word], offsets[word + 1]):
            symbols[to] = numbers[chars[at]]
            to += 1
        to += 1
    return symbols


def _sorted(symbols: I32, offsets: I64) -> I64:
    """The order of the words in these symbols by the characters that fit into three 63-bit numbers."""
    bits = max(1, int(symbols.max()).bit_length())
    width = 63 // bits
    keys = packed(symbols, bits, width)
    starts = offsets[:-1] + np.arange(len(offsets) - 1)
    # Behind the end of a word stands its separator, whose key is 0.
    columns = [keys[starts + np.minimum(np.diff(offsets), part * width)] for part in (2, 1, 0)]
    return np.lexsort(columns)


@kernel
def char_counts(symbols: I32, starts: I64, counts: I64, size: int) -> I64:
    """How often each symbol below `size` comes in the corpus, shape (size,), the separator not counted."""
    result = np.zeros(size, np.int64)
    for word in range(len(counts)):
        for position in range(starts[word], starts[word + 1] - 1):
            result[symbols[position]] += counts[word]
    result[0] = 0
    return result
