"""Back-off n-gram models as arrays."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from evenscore.text.segments import IntArray, Segments
from evenscore.text.words import Words

_KEY_BITS = 63


def distinct(keys: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct keys in ascending order, shape (d,), and the number 0 .. d - 1 of every key, shape (n,).

    keys: shape (n,), int64, none negative.
    numpy.unique has the same answer, at two to four times the price: it sorts indices, here the keys themselves are
    sorted with the indices in their low bits, wherever both have room.

    >>> values, numbers = distinct(np.array([7, 5, 7]))
    >>> values.tolist(), numbers.tolist()
    ([5, 7], [1, 0, 1])
    """
    index_bits = len(keys).bit_length()
    if int(keys.max(initial=0)).bit_length() + index_bits <= _KEY_BITS:
        packed = keys << index_bits
        packed |= np.arange(len(keys))
        packed.sort()
        places = packed & ((1 << index_bits) - 1)
        packed >>= index_bits
        ordered = packed
    else:
        places = np.argsort(keys)
        ordered = keys[places]
    is_first = np.empty(len(keys), dtype=np.bool_)
    is_first[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    numbers = np.empty(len(keys), dtype=np.int64)
    numbers[places] = np.cumsum(is_first) - 1
    return ordered[is_first], numbers


def blocks(sentences: Segments, most: int) -> Iterator[tuple[int, int]]:
    """Ranges of rows with at most so many words each, or of one row.

    >>> list(blocks(Segments(np.array([1, 2] * 3), np.array([0, 2, 4, 6])), 4))
    [(0, 2), (2, 3)]
    """
    ends, start, done = sentences.offsets[1:], 0, 0
    while start < len(ends):
        stop = max(start + 1, int(np.searchsorted(ends, done + most, side="right")))
        yield start, stop
        start, done = stop, int(ends[stop - 1])


Float32Array = npt.NDArray[np.float32]

UNKNOWN_WORD, START_WORD, END_WORD = "<unk>", "<s>", "</s>"
# KenLM takes it for UNKNOWN_WORD.
OTHER_UNKNOWN_WORD = "<UNK>"


class Level(NamedTuple):
    """The m n-grams of one order, whose numbers are their places.

    keys: shape (m,), int64, ascending: the number of the n-gram's context among the n-grams one word shorter, times the
        size of the vocabulary, plus the id of its last word.  Both factors number things that are in memory, so that
        their product is far below 2^63.
    log_probs: shape (m,), log10 of the probability of the last word after the others.
    backoffs: shape (m,), log10 of the weight of shorter contexts after these words; 0 at the highest order.
    """

    keys: IntArray
    log_probs: Float32Array
    backoffs: Float32Array

    def find(self, keys: IntArray) -> IntArray:
        """The numbers of the n-grams with these keys, -1 for those that are not here; shape of `keys`.

        Distinct keys in ascending order walk through the level once.  On 10 MB of running text that takes a fifth of
        numpy.searchsorted key by key, half of what it takes after numpy.unique, and with words a seventh of pyarrow's
        index_in, which hashes the level at every call (and is ahead where a level has less than 100,000 n-grams).
        """
        if not len(self.keys):
            return np.full(len(keys), -1)
        wanted, numbers = distinct(keys)
        places = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        places[self.keys[places] != wanted] = -1
        found: IntArray = places[numbers]
        return found


class NgramModel(NamedTuple):
    """A back-off model of words.

    vocabulary: the words, UNKNOWN_WORD among them; a word's id is its place here, and its number at order 1.
    levels: the n-grams of every order, from 1 up.
    """

    vocabulary: pa.LargeStringArray
    levels: tuple[Level, ...]

    @property
    def order(self) -> int:
        """The number of words of the longest n-grams."""
        return len(self.levels)

    def id_of(self, word: str) -> int:
        """The id of a word, -1 if the vocabulary lacks it."""
        return int(pc.index(self.vocabulary, word).as_py())

    def ids(self, words: Words) -> Segments:
        """Words by their ids here, unknown ones by that of UNKNOWN_WORD."""
        known = pc.index_in(words.vocabulary, value_set=self.vocabulary)
        own = known.fill_null(self.id_of(UNKNOWN_WORD)).to_numpy().astype(np.int64)
        return Segments(own[words.segments.ids], words.segments.offsets)

    def find(self, ngrams: IntArray) -> IntArray:
        """The numbers of n-grams among those of their order, shape (m,), -1 for those that are not here.

        ngrams: word ids, shape (m, n).
        """
        numbers = ngrams[:, 0]
        for level, words in zip(self.levels[1:], ngrams.T[1:], strict=False):
            found = level.find(np.maximum(numbers, 0) * len(self.vocabulary) + words)
            numbers = np.where(numbers < 0, -1, found)
        return numbers

    def log_probs(self, sentences: Segments) -> Float32Array:
        """log10 P(word | the words before it in its sentence), shape of sentences.ids.

        That of the longest n-gram that the model has, plus the back-off weights of the longer contexts, shortest first,
        in float32: the sum and its order are those of KenLM (lm/model.cc, FullScore), so that every bit is the same.
        """
        words = sentences.ids
        starts = sentences.offsets[:-1][sentences.lengths > 0]
        # The longest n-gram so far that ends at each word, as its number; -1 where the model does not have it.
        numbers = words
        log_probs = self.levels[0].log_probs[words]
        for shorter, level in itertools.pairwise(self.levels):
            contexts = np.full(len(words), -1)
            contexts[1:] = numbers[:-1]
            contexts[starts] = -1
            places = np.flatnonzero(contexts >= 0)
            contexts = contexts[places]
            found = level.find(contexts * len(self.vocabulary) + words[places])
            is_found = found >= 0
            log_probs[places] += shorter.backoffs[contexts]
            log_probs[places[is_found]] = level.log_probs[found[is_found]]
            numbers = np.full(len(words), -1)
            numbers[places] = found
        return log_probs
