"""What BLEU counts, for a whole corpus at once."""

from __future__ import annotations

import math

import numpy as np

from evenscore.text.ngrams import clipped_matches
from evenscore.text.segments import IntArray, Segments

# Mean lengths are counted in these parts of a token: the mean of up to 20 lengths is a whole number of them.
AVERAGE_PARTS = math.lcm(*range(1, 21))


def reference_lengths(predictions: IntArray, references: IntArray, counts: IntArray, rule: str) -> IntArray:
    """One reference length a row, shape (n,); for the rule "average" in parts of 1 / AVERAGE_PARTS.

    predictions: shape (n,), lengths.  references: lengths of all references.  counts: shape (n,), how many a row has.
    "closest" is the length nearest to the prediction's, the shorter of two as near (sacrebleu, mteval); "shortest"
    is evaluate's; "average" rounds down to a part where a row has more than 20 references.

    >>> reference_lengths(np.array([6]), np.array([4, 8, 9]), np.array([3]), "closest").tolist()
    [4]
    """
    if not len(counts):
        return np.zeros(0, dtype=np.int64)
    first = np.concatenate(([0], np.cumsum(counts)[:-1]))
    if rule == "shortest":
        return np.minimum.reduceat(references, first)
    if rule == "average":
        return np.add.reduceat(references, first) * AVERAGE_PARTS // counts
    # The smallest pair (distance, length), packed into one integer.
    above = int(references.max(initial=0)) + 1
    distance = np.abs(references - np.repeat(predictions, counts))
    return np.minimum.reduceat(distance * above + references, first) % above


def counted(
    predictions: Segments, references: Segments, reference_counts: IntArray, orders: int, reference_length: str
) -> IntArray:
    """Of every row the lengths of both sides, then matches and n-grams of each order, shape (n, 2 + 2 * orders).

    reference_counts: shape (n,), how many of the references belong to each prediction, in order.
    reference_length: the rule of `reference_lengths`.
    """
    lengths = predictions.lengths
    chosen = reference_lengths(lengths, references.lengths, reference_counts, reference_length)
    matches = clipped_matches(predictions, references, reference_counts, orders)
    n_grams = np.maximum(lengths[:, None] - np.arange(orders), 0)
    return np.concatenate((lengths[:, None], chosen[:, None], matches, n_grams), axis=1)
