"""Precision, recall and F of a row from the counts of each reference, by one rule per way to combine references."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from evenscore.exact import mean_of_limbs, to_limbs
from evenscore.significance import FloatArray
from evenscore.text.segments import IntArray, offsets_of


class Pairs(NamedTuple):
    """The counts of each pair of a prediction and one of its references, row after row.

    hits, prediction_lengths, reference_lengths: shape (pairs,).
    counts: references per row, at least 1, shape (rows,).
    """

    hits: IntArray
    prediction_lengths: IntArray
    reference_lengths: IntArray
    counts: IntArray

    @property
    def first(self) -> IntArray:
        """The index of each row's first pair, shape (rows,)."""
        return offsets_of(self.counts)[:-1]

    @property
    def row(self) -> IntArray:
        """The row of each pair, shape (pairs,)."""
        return np.repeat(np.arange(len(self.counts)), self.counts)


class Scores(NamedTuple):
    """Precision, recall and F, each from 0 to 1, all of the same shape."""

    precision: FloatArray
    recall: FloatArray
    f: FloatArray

    def take(self, pairs: IntArray) -> Scores:
        """Return the scores of the given pairs."""
        return Scores(self.precision[pairs], self.recall[pairs], self.f[pairs])


Beta = float | str


def row_scores(pairs: Pairs, rule: str, beta: Beta) -> Scores:
    """Return the scores of each row, shape (rows,); 0 if either side is empty.

    rule: a key of RULES.  beta: the weight of recall relative to precision, or "P/R".

    >>> pairs = Pairs(np.array([5]), np.array([7]), np.array([10]), np.array([1]))
    >>> [round(float(score[0]), 3) for score in row_scores(pairs, "best", 1)]
    [0.714, 0.5, 0.588]
    """
    return RULES[rule](pairs, beta) if len(pairs.counts) else Scores(*np.zeros((3, 0)))


def f_measure(precision: FloatArray, recall: FloatArray, beta: Beta) -> FloatArray:
    """Return F of precision P and recall R; 0 if both are 0.

    For a number b, F = (1 + b^2) PR / (R + b^2 P), Lin & Och (2004), section 3.1. The order of operations is that of
    rouge_score (scoring.fmeasure, b = 1) and pycocoevalcap (b = 1.2), so that results agree to the last bit.
    For "P/R", b = P / R as in that section, which gives F = (P^2 + R^2) PR / (P^3 + R^3).
    """
    if beta == "P/R":
        above, below = (precision**2 + recall**2) * precision * recall, precision**3 + recall**3
    else:
        square = float(beta) ** 2
        above, below = (1 + square) * precision * recall, recall + square * precision
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def _pair_scores(pairs: Pairs, beta: Beta) -> Scores:
    # rouge_score also divides by at least 1, so an empty side scores 0.
    precision = pairs.hits / np.maximum(pairs.prediction_lengths, 1)
    recall = pairs.hits / np.maximum(pairs.reference_lengths, 1)
    return Scores(precision, recall, f_measure(precision, recall, beta))


def pair_score(hits: int, prediction_length: int, reference_length: int, beta: float) -> tuple[float, float, float]:
    """Return precision, recall and F of one pair, as `_pair_scores` does for many.

    >>> pair_score(3, 4, 6, 1)
    (0.75, 0.5, 0.6)
    """
    precision, recall = hits / max(prediction_length, 1), hits / max(reference_length, 1)
    square = float(beta) ** 2
    below = recall + square * precision
    return precision, recall, (1 + square) * precision * recall / below if below > 0 else 0.0


def _best(pairs: Pairs, beta: Beta) -> Scores:
    """Select the reference with the highest F, the first one of a tie. Source: rouge_score 0.1.2, score_multi."""
    scores = _pair_scores(pairs, beta)
    return scores.take(_first_highest(scores.f, pairs))


def _best_recall(pairs: Pairs, beta: Beta) -> Scores:
    """Select the reference with the highest recall, the first one of a tie. Source: ROUGE-1.5.5.pl -f B."""
    scores = _pair_scores(pairs, beta)
    return scores.take(_first_highest(scores.recall, pairs))


def _first_highest(values: FloatArray, pairs: Pairs) -> IntArray:
    """Return the first pair of each row that has the row's highest value."""
    highest, row = np.maximum.reduceat(values, pairs.first), pairs.row
    reaching = np.flatnonzero(values == highest[row])
    of_row = row[reaching]
    first: IntArray = reaching[np.append(True, of_row[1:] != of_row[:-1])]
    return first


def _max_pr(pairs: Pairs, beta: Beta) -> Scores:
    """Take the highest precision and the highest recall of all references (Lin & Och 2004, section 3.1)."""
    scores = _pair_scores(pairs, beta)
    precision = np.maximum.reduceat(scores.precision, pairs.first)
    recall = np.maximum.reduceat(scores.recall, pairs.first)
    return Scores(precision, recall, f_measure(precision, recall, beta))


def _row_means(scores: Scores, pairs: Pairs) -> Scores:
    """Return the mean of each row's pairs, rounded once, so that it does not depend on the order of references."""
    counts = pairs.counts.tolist()
    sums = np.add.reduceat(to_limbs(np.stack(scores)), pairs.first, axis=1)
    return Scores(*(np.array(list(map(mean_of_limbs, column, counts))) for column in sums))


def _summed(pairs: Pairs, beta: Beta) -> Scores:
    """Sum hits and lengths over the references, then divide. Source: ROUGE-1.5.5.pl -f A."""
    hits, predictions, references = (np.add.reduceat(column, pairs.first) for column in pairs[:3])
    return _pair_scores(Pairs(hits, predictions, references, np.ones_like(pairs.counts)), beta)


def _jackknife(pairs: Pairs, beta: Beta) -> Scores:
    """Leave out each reference in turn and average the best scores of the others (Lin 2004, section 2.1).

    A row with one reference gets the score of that reference.
    """
    scores = _pair_scores(pairs, beta)
    best = _first_highest(scores.f, pairs)
    # Leaving out the best reference selects the second best; leaving out another one selects the best.
    without_best = scores.f.copy()
    without_best[best[pairs.counts > 1]] = -1.0
    chosen = np.repeat(best, pairs.counts)
    chosen[best] = _first_highest(without_best, pairs)
    return _row_means(scores.take(chosen), pairs)


RULES: dict[str, Callable[[Pairs, Beta], Scores]] = {
    "best": _best,
    "max_pr": _max_pr,
    "average": lambda pairs, beta: _row_means(_pair_scores(pairs, beta), pairs),
    "best_recall": _best_recall,
    "summed": _summed,
    "jackknife": _jackknife,
}
