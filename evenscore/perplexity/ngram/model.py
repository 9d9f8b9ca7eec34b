"""Stores back-off n-gram models as arrays, and computes log probabilities."""

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
    """Return the distinct keys in ascending order, shape (d,), and the index of each key among them, shape (n,).

    keys: int64, at least 0, shape (n,).
    Equals numpy.unique(keys, return_inverse=True), in a half to a quarter of its time: if they fit into 63 bits, it
    sorts the keys with their indices in the low bits, instead of the indices.

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
    """Yield ranges of rows with at most `most` words each, or of one longer row.

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
# KenLM treats it like UNKNOWN_WORD.
OTHER_UNKNOWN_WORD = "<UNK>"


class Level(NamedTuple):
    """The m n-grams of one order. An n-gram's index is its place here.

    keys: int64, ascending, shape (m,): the index of the n-gram's context among the n-grams one word shorter, times the
        size of the vocabulary, plus the id of its last word. Contexts and vocabulary are in memory, so the product is
        far below 2**63.
    log_probs: log10 of the probability of the last word after the others, shape (m,).
    backoffs: log10 of the back-off weight after these words, shape (m,); 0 at the highest order.
    """

    keys: IntArray
    log_probs: Float32Array
    backoffs: Float32Array

    def find(self, keys: IntArray) -> IntArray:
        """Return the indices of the n-grams with these keys, -1 for missing ones; shape of `keys`.

        It looks up distinct keys in ascending order. On 10 MB of running text this takes a fifth of the time of
        numpy.searchsorted on all keys, half of that after numpy.unique, and for words a seventh of pyarrow's index_in,
        which hashes the level at each call (and is faster if a level has less than 100,000 n-grams).
        """
        if not len(self.keys):
            return np.full(len(keys), -1)
        wanted, numbers = distinct(keys)
        places = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        places[self.keys[places] != wanted] = -1
        found: IntArray = places[numbers]
        return found


class WordScores(NamedTuple):
    """What a model says of each word of sentences.

    log_probs: log10 of the probability of the word after the words before it, shape (words,).
    lengths: int64, shape (words,): the number of words of the longest n-gram in the model that ends at the word, 1 or
        more.
    """

    log_probs: Float32Array
    lengths: IntArray


class NgramModel(NamedTuple):
    """A back-off n-gram model.

    vocabulary: the words, including UNKNOWN_WORD; a word's id is its place here, and its index at order 1.
    levels: the n-grams of each order, from 1 up.
    """

    vocabulary: pa.LargeStringArray
    levels: tuple[Level, ...]

    @property
    def order(self) -> int:
        """The highest n-gram order."""
        return len(self.levels)

    def id_of(self, word: str) -> int:
        """Return the id of a word, -1 if the vocabulary lacks it."""
        return int(pc.index(self.vocabulary, word).as_py())

    def ids(self, words: Words) -> Segments:
        """Return the ids of words in this vocabulary, that of UNKNOWN_WORD for unknown words."""
        known = pc.index_in(words.vocabulary, value_set=self.vocabulary)
        own = known.fill_null(self.id_of(UNKNOWN_WORD)).to_numpy().astype(np.int64)
        return Segments(own[words.segments.ids], words.segments.offsets)

    def find(self, ngrams: IntArray) -> IntArray:
        """Return the indices of n-grams among those of their order, -1 for missing ones, shape (m,).

        ngrams: word ids, shape (m, n).
        """
        numbers = ngrams[:, 0]
        for level, words in zip(self.levels[1:], ngrams.T[1:], strict=False):
            found = level.find(np.maximum(numbers, 0) * len(self.vocabulary) + words)
            numbers = np.where(numbers < 0, -1, found)
        return numbers

    def log_probs(self, sentences: Segments) -> Float32Array:
        """Return log10 P(word | the words before it in its sentence), float32, shape of sentences.ids; see scores."""
        return self.scores(sentences).log_probs

    def scores(self, sentences: Segments) -> WordScores:
        """Return the log10 probability of each word, and the length of the n-gram that it comes from.

        Adds the log probability of the longest n-gram in the model and the back-off weights of longer contexts,
        shortest first, in float32 and in the order of KenLM (lm/model.cc, FullScore), so that all bits agree.
        sentences: word ids of this vocabulary; no sentences give empty arrays.

        Here P(a) = 0.1, P(a | a) = 0.5, and "a" has the back-off weight 0.1 for the unknown word, of P 0.01:

        >>> one = Level(np.arange(2), np.array([-2, -1], np.float32), np.array([0, -1], np.float32))
        >>> two = Level(np.array([3]), np.log10([0.5], dtype=np.float32), np.zeros(1, np.float32))
        >>> model = NgramModel(pa.array(["<unk>", "a"], pa.large_string()), (one, two))
        >>> scores = model.scores(Segments(np.array([1, 1, 0]), np.array([0, 3])))
        >>> scores.log_probs.round(2).tolist(), scores.lengths.tolist()
        ([-1.0, -0.30000001192092896, -3.0], [1, 2, 1])
        """
        words = sentences.ids
        starts = sentences.offsets[:-1][sentences.lengths > 0]
        # The index of the n-gram that ends at each word; -1 if the model does not have it.
        numbers = words
        log_probs = self.levels[0].log_probs[words]
        lengths = np.ones(len(words), np.int64)
        for n, (shorter, level) in enumerate(itertools.pairwise(self.levels), 2):
            contexts = np.full(len(words), -1)
            contexts[1:] = numbers[:-1]
            contexts[starts] = -1
            places = np.flatnonzero(contexts >= 0)
            contexts = contexts[places]
            found = level.find(contexts * len(self.vocabulary) + words[places])
            is_found = found >= 0
            log_probs[places] += shorter.backoffs[contexts]
            hits = places[is_found]
            log_probs[hits] = level.log_probs[found[is_found]]
            lengths[hits] = n
            numbers = np.full(len(words), -1)
            numbers[places] = found
        return WordScores(log_probs, lengths)
