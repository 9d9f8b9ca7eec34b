"""Words as one array of code points: the form in which trainers and models see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ._arrays import I64, U32, code_points, packed, text_of


class Words(NamedTuple):
    """n words, one after another.

    chars: shape (number of characters,), uint32 code points.
    offsets: shape (n + 1,), int64; word i is chars[offsets[i]:offsets[i + 1]].

    >>> Words.of(["low", "er"]).texts()
    ['low', 'er']
    """

    chars: U32
    offsets: I64

    @classmethod
    def of(cls, texts: Iterable[str]) -> Words:
        """The words of these strings."""
        listed = list(texts)
        lengths = np.fromiter(map(len, listed), np.int64, len(listed))
        return cls(code_points("".join(listed)), np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths))))

    @property
    def lengths(self) -> I64:
        """Number of characters of each word, shape (n,)."""
        return self.offsets[1:] - self.offsets[:-1]

    def text(self, i: int) -> str:
        """Word i as a string."""
        return text_of(self.chars[self.offsets[i] : self.offsets[i + 1]])

    def texts(self) -> list[str]:
        """Every word as a string."""
        joined, ends = text_of(self.chars), self.offsets.tolist()
        return [joined[start:end] for start, end in pairwise(ends)]


class WordCounts(NamedTuple):
    """Distinct words in the order in which the corpus first has them, and how often each comes: int64, shape (n,)."""

    words: Words
    counts: I64

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> WordCounts:
        """The words of a mapping from word to count, in its order."""
        return cls(Words.of(counts), np.fromiter(counts.values(), np.int64, len(counts)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as UTF-8 with small integers, a quarter of the size or less."""
        words, counts = self
        return _unpacked, (text_of(words.chars), packed(words.lengths), packed(counts))


def _unpacked(text: str, lengths: Any, counts: Any) -> WordCounts:
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)))
    return WordCounts(Words(code_points(text), offsets), counts.astype(np.int64))
