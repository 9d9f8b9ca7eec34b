"""Counts of n-grams as Kneser-Ney smoothing takes them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ._ngram_keys import distinct
from ._progress import with_bar
from ._segments import IntArray, Segments


class NgramCounts(NamedTuple):
    """The m distinct n-grams of one order, in ascending order of their keys.

    keys: shape (m,), as those of a Level.
    counts: shape (m,), adjusted: how many different words stand before the n-gram; how often it occurs if it begins a
        sentence or has the highest order.
    suffixes: shape (m,), the number of the n-gram without its first word; empty at order 1.
    """

    keys: IntArray
    counts: IntArray
    suffixes: IntArray


def count_ngrams(sentences: Segments, vocabulary_size: int, order: int) -> list[NgramCounts]:
    """Adjusted counts of all n-grams of 1 .. order words (Heafield et al. 2013, section 3.2).

    sentences: word ids below vocabulary_size; every sentence begins with one and the same word, which has no other
    place and is not predicted itself: its count is 0.

    >>> one, two = count_ngrams(Segments(np.array([0, 2, 2, 1]), np.array([0, 4])), 3, 2)
    >>> one.counts.tolist(), two.keys.tolist(), two.counts.tolist(), two.suffixes.tolist()
    ([0, 1, 2], [2, 7, 8], [1, 1, 1], [2, 1, 2])
    """
    words = sentences.ids
    begins = np.zeros(len(words), dtype=np.bool_)
    begins[sentences.offsets[:-1]] = True
    occurrences = np.bincount(words, minlength=vocabulary_size)
    occurrences[words[:1]] = 0
    counted = [NgramCounts(np.arange(vocabulary_size), occurrences, np.empty(0, np.int64))]
    # The n-gram that ends at each word, as its number; -1 where the sentence has not had that many words.
    numbers = words
    for _ in with_bar(range(1, order), "Count n-grams", " orders", lambda _: 1, order - 1):
        places = np.flatnonzero((numbers[:-1] >= 0) & ~begins[1:]) + 1
        keys, longer = distinct(numbers[places - 1].astype(np.int64) * vocabulary_size + words[places])
        suffixes = np.empty(len(keys), dtype=np.int64)
        suffixes[longer] = numbers[places]
        counted[-1] = _adjusted(counted[-1], suffixes)
        counted.append(NgramCounts(keys, np.bincount(longer, minlength=len(keys)), suffixes))
        numbers = np.full(len(words), -1)
        numbers[places] = longer
    return counted


def _adjusted(shorter: NgramCounts, suffixes: IntArray) -> NgramCounts:
    """The counts that hold once the n-grams one word longer are known by their suffixes."""
    words_before = np.bincount(suffixes, minlength=len(shorter.keys))
    # Nothing stands before what begins a sentence, something before all else.
    return shorter._replace(counts=np.where(words_before > 0, words_before, shorter.counts))
