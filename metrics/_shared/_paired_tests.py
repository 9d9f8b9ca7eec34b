"""Paired significance tests of systems against a baseline, on any scores of summed statistics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ._resampling import FloatArray, resampled_sums, swapped_sums
from ._segments import IntArray

# Scores of sums, shape (sums, scores); the flag says that the sums are of a bootstrap.
ScoreSums = Callable[[IntArray, bool], FloatArray]
# From the statistics of the baseline and of every system, trials, seed and scores to each system's p-values.
PairedTest = Callable[[Sequence[IntArray], int, int, ScoreSums], list[list[float]]]


def bootstrap_test(statistics: Sequence[IntArray], trials: int, seed: int, score: ScoreSums) -> list[list[float]]:
    """How often resampled differences, centred on their mean, exceed the real absolute difference.

    Source: Koehn (2004); sacrebleu 2.6.0, significance.py, _paired_bs_test.
    """
    # Every system is resampled with the same draws, so one pass over them serves all.
    sums = resampled_sums(np.concatenate(statistics, axis=1), trials, seed)
    baseline, *systems = [score(part, True) for part in np.split(sums, len(statistics), axis=1)]
    real = _real_differences(statistics, score)
    return [_p_values(_centred(system - baseline), row) for system, row in zip(systems, real, strict=True)]


def randomization_test(statistics: Sequence[IntArray], trials: int, seed: int, score: ScoreSums) -> list[list[float]]:
    """How often two systems that exchange their segments at random differ by more than the real ones do.

    Source: Riezler & Maxwell (2005); sacrebleu 2.6.0, significance.py, _paired_ar_test.
    """
    baseline, *systems = statistics
    p_values = []
    for system, row in zip(systems, _real_differences(statistics, score), strict=True):
        first, second = swapped_sums(baseline, system, trials, seed)
        p_values.append(_p_values(np.abs(score(first, False) - score(second, False)), row))
    return p_values


def _real_differences(statistics: Sequence[IntArray], score: ScoreSums) -> FloatArray:
    """Absolute differences of each system's scores from the baseline's, shape (systems, scores)."""
    scores = score(np.stack([rows.sum(axis=0) for rows in statistics]), False)
    differences: FloatArray = np.abs(scores[1:] - scores[0])
    return differences


def _centred(differences: FloatArray) -> FloatArray:
    absolute = np.abs(differences)
    # Column by column: numpy sums a contiguous column in sacrebleu's order, and the last bit may decide.
    return np.stack([column - column.mean() for column in np.ascontiguousarray(absolute.T)], axis=1)


def _p_values(differences: FloatArray, real: FloatArray) -> list[float]:
    """Shape (trials, scores) and (scores,); one is added to both counts, as sacrebleu has it."""
    exceeding = np.count_nonzero(differences > real, axis=0)
    return [(count + 1) / (len(differences) + 1) for count in exceeding.tolist()]


class Test(NamedTuple):
    """A paired test with its usual number of trials, and the name of that number in signatures."""

    run: PairedTest
    usual_trials: int
    field: str


PAIRED_TESTS = {
    "bootstrap": Test(bootstrap_test, 1000, "bs"),
    "randomization": Test(randomization_test, 10000, "ar"),
}
