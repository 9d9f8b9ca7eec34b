"""Bootstrap intervals and paired significance tests on sums of statistics."""

from __future__ import annotations

import math
import statistics as stats
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evenscore.parallel import with_bar
from evenscore.text.segments import IntArray

FloatArray = npt.NDArray[np.float64]

# Draws in memory at once: 2 Mi of 8 bytes, in at most four arrays.
_DRAWS = 1 << 21
# float64 represents every integer up to here, so sums of products are exact in any order.
_EXACT = 2**53


def resampled_sums(statistics: IntArray, n_resamples: int, seed: int) -> IntArray:
    """Draw bootstrap resamples of n rows with replacement, and return their sums, int64, shape (n_resamples, columns).

    statistics: shape (n, columns), n at least 1.
    Source: sacrebleu 2.6.0, significance.py, _bootstrap_resample: numpy's default_rng(seed).choice, once per resample.
    Drawing several resamples at once gives the same stream.

    >>> resampled_sums(np.array([[1], [10], [100]]), n_resamples=3, seed=1).tolist()
    [[120], [102], [201]]
    """
    n = len(statistics)
    rng = np.random.default_rng(seed)
    sums = np.empty((n_resamples, statistics.shape[1]), dtype=np.int64)
    for start, stop in _chunks(n_resamples, max(1, _DRAWS // n)):
        drawn = rng.choice(n, size=(stop - start, n), replace=True)
        drawn += np.arange(stop - start)[:, None] * n
        times = np.bincount(drawn.ravel(), minlength=(stop - start) * n).reshape(stop - start, n)
        sums[start:stop] = _exact_product(times, statistics, n)
    return sums


def swapped_sums(baseline: IntArray, system: IntArray, n_trials: int, seed: int) -> tuple[IntArray, IntArray]:
    """Swap each row of two systems with probability 1/2, and return the sums of both, each (n_trials, columns).

    Source: sacrebleu 2.6.0, significance.py, _paired_ar_test, with the same draws.
    """
    n = len(baseline)
    rng = np.random.default_rng(seed)
    first = np.empty((n_trials, baseline.shape[1]), dtype=np.int64)
    # numpy cuts booleans from 32-bit draws: only chunks of a multiple of 32 trials keep the stream unchanged.
    for start, stop in _chunks(n_trials, 32 * max(1, _DRAWS // (32 * n))):
        kept = rng.integers(2, size=(stop - start, n), dtype=bool)
        first[start:stop] = _exact_product(kept, baseline - system, n)
    first += system.sum(axis=0)
    return first, baseline.sum(axis=0) + system.sum(axis=0) - first


def _chunks(n: int, size: int) -> Iterator[tuple[int, int]]:
    starts = with_bar(range(0, n, size), "Resample", " resamples", lambda start: min(size, n - start), n)
    return ((start, min(start + size, n)) for start in starts)


def _exact_product(times: npt.NDArray[np.generic], statistics: IntArray, draws: int) -> IntArray:
    """Return times @ statistics in exact integers; uses BLAS on float64 if no sum can exceed 2**53.

    draws: the highest sum of a row of `times`, none of which is negative.
    """
    largest = np.abs(statistics).max(initial=0)
    if float(largest) * draws < _EXACT:
        return (times.astype(np.float64) @ statistics.astype(np.float64)).astype(np.int64)
    return times.astype(np.int64) @ statistics


def interval(scores: FloatArray, confidence: float, of_system: bool = False) -> tuple[float, float, float]:
    """Return low end, mean and high end of a percentile interval of resampled scores, shape (n,), n at least 1.

    confidence: above 0 and below 1.
    of_system: whether the mean is rounded as in sacrebleu's PairedTest (numpy's mean) and not once, as in corpus_score.
    Source: sacrebleu 2.6.0, significance.py, estimate_ci, and metrics/base.py, Score.estimate_ci, for 0.95: n // 40
    sorted scores are left out on each side.

    >>> interval(np.arange(100.0), 0.95)
    (2.0, 49.5, 97.0)
    """
    ordered = np.sort(scores)
    # The small summand makes up for rounding, as in 1 - 0.9 < 0.1.
    outside = min(math.floor(len(ordered) * (1 - confidence) / 2 + 1e-9), (len(ordered) - 1) // 2)
    mean = float(ordered.mean()) if of_system else stats.mean(ordered.tolist())
    return float(ordered[outside]), mean, float(ordered[len(ordered) - outside - 1])


# Maps sums to scores, shape (sums, scores); the flag tells whether the sums are bootstrap resamples.
ScoreSums = Callable[[IntArray, bool], FloatArray]
# Maps the statistics of baseline and systems, number of trials, seed and ScoreSums to a list of p-values per system.
PairedTest = Callable[[Sequence[IntArray], int, int, ScoreSums], list[list[float]]]


def bootstrap_test(statistics: Sequence[IntArray], trials: int, seed: int, score: ScoreSums) -> list[list[float]]:
    """Paired bootstrap test: how often centred differences of resamples exceed the observed difference.

    statistics: of the baseline, then of each system; shape (n, columns) each, n at least 1.
    Returns p-values, above 0 and at most 1: a list per system, with one per score.
    Source: Koehn (2004); sacrebleu 2.6.0, significance.py, _paired_bs_test.
    """
    # All systems use the same draws, so they are resampled together.
    sums = resampled_sums(np.concatenate(statistics, axis=1), trials, seed)
    baseline, *systems = [score(part, True) for part in np.split(sums, len(statistics), axis=1)]
    real = _real_differences(statistics, score)
    # numpy sums a contiguous column in sacrebleu's order. Another order could change the last bit, and so a p-value.
    columns = [np.ascontiguousarray(np.abs(system - baseline).T) for system in systems]
    centred = [np.stack([column - column.mean() for column in own], axis=1) for own in columns]
    return list(map(_p_values, centred, real))


def randomization_test(statistics: Sequence[IntArray], trials: int, seed: int, score: ScoreSums) -> list[list[float]]:
    """Paired approximate randomization test: how often swapping rows gives more than the observed difference.

    statistics, result: as in `bootstrap_test`.
    Source: Riezler & Maxwell (2005); sacrebleu 2.6.0, significance.py, _paired_ar_test.
    """
    baseline, *systems = statistics
    p_values = []
    for system, row in zip(systems, _real_differences(statistics, score), strict=True):
        first, second = swapped_sums(baseline, system, trials, seed)
        p_values.append(_p_values(np.abs(score(first, False) - score(second, False)), row))
    return p_values


def _real_differences(statistics: Sequence[IntArray], score: ScoreSums) -> FloatArray:
    """Return the absolute differences between the scores of systems and baseline, shape (systems, scores)."""
    scores = score(np.stack([rows.sum(axis=0) for rows in statistics]), False)
    differences: FloatArray = np.abs(scores[1:] - scores[0])
    return differences


def _p_values(differences: FloatArray, real: FloatArray) -> list[float]:
    """Return a p-value per score from shapes (trials, scores) and (scores,), with add-one as in sacrebleu."""
    exceeding = np.count_nonzero(differences > real, axis=0)
    return [(count + 1) / (len(differences) + 1) for count in exceeding.tolist()]


class Test(NamedTuple):
    """A paired test, its default number of trials, and the signature's field for that number."""

    run: PairedTest
    usual_trials: int
    field: str


PAIRED_TESTS = {"bootstrap": Test(bootstrap_test, 1000, "bs"), "randomization": Test(randomization_test, 10000, "ar")}

# The level of p-values from which on a difference is marked.
SIGNIFICANT = 0.05
# Of 2**n ways to swap the rows of two systems, two give the observed difference: fewer rows cannot reach SIGNIFICANT.
FEWEST_ROWS = 6


def differs(system: Mapping[str, float], score: str, baseline: float) -> bool:
    """Whether the system's score differs significantly from the baseline's."""
    p_value = system.get(f"{score}_p_value")
    # A system compared with itself gets the smallest p-value possible, but its score is equal.
    return p_value is not None and p_value < SIGNIFICANT and system[score] != baseline


def without_idle_p_values(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result of compare without the p-values of scores that equal the baseline's, which mean nothing."""
    baseline = result["baseline"]
    return _without(result, lambda own, score: own[score] == baseline[score])


def without_p_values(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result of compare without p-values.

    >>> without_p_values({"baseline": {"wer": 0.5}, "systems": [{"wer": 0.4, "wer_p_value": 0.1}]})
    {'baseline': {'wer': 0.5}, 'systems': [{'wer': 0.4}]}
    """
    return _without(result, lambda own, score: True)


def _without(result: Mapping[str, Any], drop: Callable[[Mapping[str, Any], str], bool]) -> dict[str, Any]:
    end = "_p_value"
    systems = [
        {key: value for key, value in own.items() if not (key.endswith(end) and drop(own, key.removesuffix(end)))}
        for own in result["systems"]
    ]
    return {**result, "systems": systems}


def p_value_text(p_value: float) -> str:
    """Format a p-value with four decimal places, or as "p < 0.0001".

    >>> p_value_text(0.0123), p_value_text(0.00001)
    ('p = 0.0123', 'p < 0.0001')
    """
    return "p < 0.0001" if p_value < 0.0001 else f"p = {p_value:.4f}"
