"""What BLEU counts, for a whole corpus at once."""

from __future__ import annotations

import math

import numpy as np

from evenscore.text.segments import IntArray

REFERENCE_LENGTHS = ("closest", "shortest", "average")
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
