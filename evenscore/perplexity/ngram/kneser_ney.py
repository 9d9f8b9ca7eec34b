"""Interpolated modified Kneser-Ney estimation of n-gram models."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from evenscore.parallel import with_bar
from evenscore.perplexity.ngram.model import (
    END_WORD,
    OTHER_UNKNOWN_WORD,
    START_WORD,
    UNKNOWN_WORD,
    Level,
    NgramModel,
    distinct,
)
from evenscore.perplexity.source import FloatArray
from evenscore.text.segments import IntArray, Segments, repeated, side_by_side
from evenscore.text.words import Words


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
        # Nothing stands before what begins a sentence, something before all else.
        words_before = np.bincount(suffixes, minlength=len(counted[-1].keys))
        counts = np.where(words_before > 0, words_before, counted[-1].counts)
        counted[-1] = counted[-1]._replace(counts=counts)
        counted.append(NgramCounts(keys, np.bincount(longer, minlength=len(keys)), suffixes))
        numbers = np.full(len(words), -1)
        numbers[places] = longer
    return counted


# What is taken off n-grams that are counted once, twice, more often.
Discounts: TypeAlias = tuple[float, float, float]

# As lmplz --discount_fallback has them.
FALLBACK: Discounts = (0.5, 1.0, 1.5)

_UNKNOWN, _START, _END = 0, 1, 2


class Estimate(NamedTuple):
    """A model, with the discounts of every order; orders whose counts gave none have FALLBACK, and are listed."""

    model: NgramModel
    discounts: tuple[Discounts, ...]
    fallback_orders: tuple[int, ...]


def estimate(texts: Words, order: int, discounts: Discounts | None) -> Estimate:
    """The model of `order` that texts give, each a sentence between START_WORD and END_WORD.

    discounts: for every order; None to estimate them of each order's counts of counts.

    The probabilities are those of KenLM's lmplz (Heafield et al. 2013, "Scalable Modified Kneser-Ney Language Model
    Estimation", section 3), which follow Chen & Goodman 1998, section 4.1.6 and equation 26, but for this:
    - UNKNOWN_WORD in a text, which lmplz refuses, is counted as the word that stands for unknown ones.
    - START_WORD, which is never predicted, has log10 probability -99 as with SRILM, where lmplz writes 0.
    - A discount of exactly 0 is not used (see estimated_discounts).
    - For the counts of counts, lmplz takes the n-grams that its sort puts last by how often they occur, not by their
      adjusted counts (adjust_counts.cc, below the loop).  In texts of a few dozen words that may change a discount.
    ValueError for a text with START_WORD or END_WORD inside, for texts without a word.
    """
    vocabulary, sentences = _sentences(texts)
    counted = count_ngrams(sentences, len(vocabulary), order)
    estimated = [discounts or estimated_discounts(level.counts) for level in counted]
    fallback_orders = tuple(n for n, found in enumerate(estimated, 1) if found is None)
    used = tuple(found or FALLBACK for found in estimated)
    return Estimate(NgramModel(vocabulary, _levels(counted, used, len(vocabulary))), used, fallback_orders)


def estimated_discounts(counts: IntArray) -> Discounts | None:
    """D1, D2, D3+ = j - (j + 1) Y n_j+1 / n_j, with Y = n1 / (n1 + 2 n2), of the n_j n-grams that are counted j times.

    None where there is no n-gram counted once, twice or three times, or where a discount would be 0 or less.  (lmplz
    stops there, but lets 0 pass: the back-off weight might then be 0, which it writes and KenLM does not read.)

    >>> estimated_discounts(np.repeat([1, 2, 3, 4], [6, 3, 2, 1]))
    (0.5, 1.0, 2.0)
    >>> estimated_discounts(np.array([1, 1, 2]))
    """
    n = np.bincount(np.minimum(counts, 5), minlength=6).tolist()
    # In whole numbers, so that no rounding decides whether a discount is 0.
    over = [(n[1] + 2 * n[2]) * n[j] for j in (1, 2, 3)]
    one, two, more = (j * over[j - 1] - (j + 1) * n[1] * n[j + 1] for j in (1, 2, 3))
    if not all(n[1:4]) or min(one, two, more) <= 0:
        return None
    return one / over[0], two / over[1], more / over[2]


def _sentences(texts: Words) -> tuple[pa.LargeStringArray, Segments]:
    """The vocabulary, special words first, and every text as ids between those of START_WORD and END_WORD."""
    if not len(texts.segments.ids):
        raise ValueError("the training texts hold no token: there is nothing to estimate a model from")
    words = texts.vocabulary.to_pylist()
    _refuse_markers(texts, words)
    kept = [i for i, word in enumerate(words) if word not in (UNKNOWN_WORD, OTHER_UNKNOWN_WORD)]
    own_ids = np.full(len(words), _UNKNOWN)
    own_ids[kept] = np.arange(3, 3 + len(kept))
    vocabulary = pa.array([UNKNOWN_WORD, START_WORD, END_WORD, *(words[i] for i in kept)], pa.large_string())
    own = Segments(own_ids[texts.segments.ids], texts.segments.offsets)
    n = len(own.lengths)
    return vocabulary, side_by_side(repeated([_START], n), own, repeated([_END], n))


def _refuse_markers(texts: Words, words: list[str]) -> None:
    for marker in (START_WORD, END_WORD):
        if marker in words:
            place = int((texts.segments.ids == words.index(marker)).argmax())
            text = int(np.searchsorted(texts.segments.offsets, place, side="right")) - 1
            raise ValueError(
                f"training text {text} has the token {marker!r}, which marks where a text starts or ends: "
                f"take it out, every text gets both marks by itself"
            )


def _levels(counted: list[NgramCounts], discounts: tuple[Discounts, ...], vocabulary_size: int) -> tuple[Level, ...]:
    # The empty context: all words but START_WORD are equally probable.
    probs: FloatArray = np.array([1 / (vocabulary_size - 1)])
    levels: list[Level] = []
    orders = with_bar(zip(counted, discounts, strict=True), "Estimate", " orders", lambda _: 1, len(counted))
    for n, (ngrams, taken_off) in enumerate(orders, 1):
        contexts, suffixes = ngrams.keys // vocabulary_size, ngrams.suffixes
        if n == 1:
            contexts = suffixes = np.zeros(vocabulary_size, np.int64)
        weights, probs = _interpolated(ngrams.counts, contexts, taken_off, probs, suffixes)
        if levels:
            levels[-1] = levels[-1]._replace(backoffs=np.log10(weights).astype(np.float32))
        # Rounding may lift a certain word above 1.
        log_probs = np.minimum(np.log10(probs), 0).astype(np.float32)
        levels.append(Level(ngrams.keys, log_probs, np.zeros(len(probs), np.float32)))
    levels[0].log_probs[_START] = -99
    return tuple(levels)


def _interpolated(
    counts: IntArray, contexts: IntArray, discounts: Discounts, shorter_probs: FloatArray, suffixes: IntArray
) -> tuple[FloatArray, FloatArray]:
    """The weight of shorter contexts beside every context, 1 where nothing follows it; every n-gram's probability.

    counts, contexts, suffixes: of the n-grams; contexts and suffixes number those one word shorter, as shorter_probs
    does.
    """
    taken_off = np.array((0, *discounts))[np.minimum(counts, 3)]
    totals = np.bincount(contexts, counts, len(shorter_probs))
    weights = np.ones(len(shorter_probs))
    np.divide(np.bincount(contexts, taken_off, len(shorter_probs)), totals, out=weights, where=totals > 0)
    own = (counts - taken_off) / totals[contexts]
    return weights, own + weights[contexts] * shorter_probs[suffixes]
