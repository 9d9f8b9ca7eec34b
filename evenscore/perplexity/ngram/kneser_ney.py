"""Estimates n-gram models with interpolated modified Kneser-Ney smoothing."""

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

    keys: shape (m,), as in Level.
    counts: adjusted counts, shape (m,): the number of distinct words before the n-gram, or its number of occurrences if
        it starts a sentence or has the highest order.
    suffixes: index of the n-gram without its first word, shape (m,); empty at order 1.
    """

    keys: IntArray
    counts: IntArray
    suffixes: IntArray


def count_ngrams(sentences: Segments, vocabulary_size: int, order: int) -> list[NgramCounts]:
    """Return adjusted counts of all n-grams of 1 to `order` words (Heafield et al. 2013, section 3.2).

    sentences: word ids below vocabulary_size. All sentences start with the same word, which occurs nowhere else; its
    count is 0, because it is never predicted.

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
    # The index of the n-gram that ends at each word; -1 if it would start before the sentence.
    numbers = words
    for _ in with_bar(range(1, order), "Count n-grams", " orders", lambda _: 1, order - 1):
        places = np.flatnonzero((numbers[:-1] >= 0) & ~begins[1:]) + 1
        keys, longer = distinct(numbers[places - 1].astype(np.int64) * vocabulary_size + words[places])
        suffixes = np.empty(len(keys), dtype=np.int64)
        suffixes[longer] = numbers[places]
        # Only n-grams at the start of a sentence have no word before them.
        words_before = np.bincount(suffixes, minlength=len(counted[-1].keys))
        counts = np.where(words_before > 0, words_before, counted[-1].counts)
        counted[-1] = counted[-1]._replace(counts=counts)
        counted.append(NgramCounts(keys, np.bincount(longer, minlength=len(keys)), suffixes))
        numbers = np.full(len(words), -1)
        numbers[places] = longer
    return counted


# Discounts of n-grams counted once, twice and more often.
Discounts: TypeAlias = tuple[float, float, float]

# The defaults of lmplz --discount_fallback.
FALLBACK: Discounts = (0.5, 1.0, 1.5)

_UNKNOWN, _START, _END = 0, 1, 2


class Estimate(NamedTuple):
    """A model and the discounts of each order; `fallback_orders` use FALLBACK, as their counts give no discounts."""

    model: NgramModel
    discounts: tuple[Discounts, ...]
    fallback_orders: tuple[int, ...]


def estimate(texts: Words, order: int, discounts: Discounts | None) -> Estimate:
    """Estimate a model of the given order from texts, each a sentence between START_WORD and END_WORD.

    discounts: used for all orders; None: estimated per order from its counts of counts.

    The probabilities equal those of KenLM's lmplz (Heafield et al. 2013, "Scalable Modified Kneser-Ney Language Model
    Estimation", section 3), after Chen & Goodman 1998, section 4.1.6 and equation 26, with these exceptions:
    - UNKNOWN_WORD in a text counts as the unknown word. lmplz refuses it.
    - START_WORD, which is never predicted, has log10 probability -99 as in SRILM. lmplz writes 0.
    - A discount of exactly 0 is not used (see estimated_discounts).
    - For the counts of counts, lmplz uses the occurrences of the n-grams that its sort puts last, not their adjusted
      counts (adjust_counts.cc, below the loop). In texts of a few dozen words, this may change a discount.
    Raises ValueError for a text that contains START_WORD or END_WORD, and for texts without words.
    """
    vocabulary, sentences = _sentences(texts)
    counted = count_ngrams(sentences, len(vocabulary), order)
    estimated = [discounts or estimated_discounts(level.counts) for level in counted]
    fallback_orders = tuple(n for n, found in enumerate(estimated, 1) if found is None)
    used = tuple(found or FALLBACK for found in estimated)
    return Estimate(NgramModel(vocabulary, _levels(counted, used, len(vocabulary))), used, fallback_orders)


def estimated_discounts(counts: IntArray) -> Discounts | None:
    """Return D1, D2, D3+ = j - (j + 1) Y n_j+1 / n_j, with Y = n1 / (n1 + 2 n2), for n_j n-grams counted j times.

    Returns None if n1, n2 or n3 is 0, or if a discount would be 0 or less. (lmplz stops there, but accepts 0, which can
    give a back-off weight of 0 that KenLM cannot read.)

    >>> estimated_discounts(np.repeat([1, 2, 3, 4], [6, 3, 2, 1]))
    (0.5, 1.0, 2.0)
    >>> estimated_discounts(np.array([1, 1, 2]))
    """
    n = np.bincount(np.minimum(counts, 5), minlength=6).tolist()
    # Integers, so that rounding cannot affect whether a discount is 0.
    over = [(n[1] + 2 * n[2]) * n[j] for j in (1, 2, 3)]
    one, two, more = (j * over[j - 1] - (j + 1) * n[1] * n[j + 1] for j in (1, 2, 3))
    if not all(n[1:4]) or min(one, two, more) <= 0:
        return None
    return one / over[0], two / over[1], more / over[2]


def _sentences(texts: Words) -> tuple[pa.LargeStringArray, Segments]:
    """Return the vocabulary, special words first, and the ids of each text between START_WORD and END_WORD."""
    if not len(texts.segments.ids):
        raise ValueError("the training texts have no token: give texts with at least one")
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
                f"training text {text} has the token {marker!r}, which marks the start or end of a text: "
                f"remove it, since each text gets both marks automatically"
            )


def _levels(counted: list[NgramCounts], discounts: tuple[Discounts, ...], vocabulary_size: int) -> tuple[Level, ...]:
    # In the empty context, all words except START_WORD are equally probable.
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
        # Rounding may lift a probability of 1 above 1.
        log_probs = np.minimum(np.log10(probs), 0).astype(np.float32)
        levels.append(Level(ngrams.keys, log_probs, np.zeros(len(probs), np.float32)))
    levels[0].log_probs[_START] = -99
    return tuple(levels)


def _interpolated(
    counts: IntArray, contexts: IntArray, discounts: Discounts, shorter_probs: FloatArray, suffixes: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the back-off weight of each context, 1 if no word follows it, and the probability of each n-gram.

    counts, contexts, suffixes: of the n-grams; contexts and suffixes are indices into shorter_probs, the probabilities
    of n-grams one word shorter.
    """
    taken_off = np.array((0, *discounts))[np.minimum(counts, 3)]
    totals = np.bincount(contexts, counts, len(shorter_probs))
    weights = np.ones(len(shorter_probs))
    np.divide(np.bincount(contexts, taken_off, len(shorter_probs)), totals, out=weights, where=totals > 0)
    own = (counts - taken_off) / totals[contexts]
    return weights, own + weights[contexts] * shorter_probs[suffixes]
