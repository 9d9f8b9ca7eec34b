"""Bootstrap intervals and paired significance tests on sums of statistics."""

from __future__ import annotations

import math
import statistics as stats
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evenscore.parallel import with_bar
from evenscore.text.segments import IntArray

FloatArray = npt.NDArray[np.float64]

# Draws held at once: 2 Mi of 8 bytes, four arrays of them at most.
_DRAWS = 1 << 21
# Up to here a float64 holds every integer, so that a sum of products is exact in any order.
_EXACT = 2**53


def resampled_sums(statistics: IntArray, n_resamples: int, seed: int) -> IntArray:
    """Sums over as many segments as there are, drawn with replacement; shape (n_resamples, columns).

    The draws are those of numpy's default_rng(seed).choice, row by row, as sacrebleu 2.6.0 takes them
    (significance.py, _bootstrap_resample); drawing them in parts gives the same stream.
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
    """Sums of two pseudo-systems that exchange each segment with probability 1/2; each (n_trials, columns).

    The draws are those of sacrebleu 2.6.0 (significance.py, _paired_ar_test).
    """
    n = len(baseline)
    rng = np.random.default_rng(seed)
    first = np.empty((n_trials, baseline.shape[1]), dtype=np.int64)
    # Booleans are cut from 32-bit draws: only parts of 32 rows, or multiples, leave the stream as it is.
    for start, stop in _chunks(n_trials, 32 * max(1, _DRAWS // (32 * n))):
        kept = rng.integers(2, size=(stop - start, n), dtype=bool)
        first[start:stop] = _exact_product(kept, baseline - system, 1)
    first += system.sum(axis=0)
    return first, baseline.sum(axis=0) + system.sum(axis=0) - first


def _chunks(n: int, size: int) -> Iterator[tuple[int, int]]:
    starts = with_bar(range(0, n, size), "Resample", " resamples", lambda start: min(size, n - start), n)
    return ((start, min(start + size, n)) for start in starts)


def _exact_product(times: npt.NDArray[np.generic], statistics: IntArray, most: int) -> IntArray:
    """times @ statistics in integers; through float64, where BLAS is, if no sum can pass 2^53."""
    if np.abs(statistics).sum(axis=0, dtype=np.float64).max(initial=0) * most < _EXACT:
        return (times.astype(np.float64) @ statistics.astype(np.float64)).astype(np.int64)
    return times.astype(np.int64) @ statistics


def interval(scores: FloatArray, confidence: float) -> tuple[float, float, float]:
    """Low end, mean, high end of resampled scores, shape (n,).

    At 0.95 the ends are those of sacrebleu 2.6.0 (estimate_ci): of n sorted scores, n // 40 are left out on each side.

    >>> interval(np.arange(100.0), 0.95)
    (2.0, 49.5, 97.0)
    """
    ordered = np.sort(scores)
    # A hair more than the product, so that 1 - 0.9 in binary does not fall short of 1/10.
    outside = min(math.floor(len(ordered) * (1 - confidence) / 2 + 1e-9), (len(ordered) - 1) // 2)
    return float(ordered[outside]), stats.mean(ordered.tolist()), float(ordered[len(ordered) - outside - 1])


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
    # Column by column: numpy sums a contiguous column in sacrebleu's order, and the last bit may decide.
    columns = [np.ascontiguousarray(np.abs(system - baseline).T) for system in systems]
    centred = [np.stack([column - column.mean() for column in own], axis=1) for own in columns]
    return list(map(_p_values, centred, real))


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


def _p_values(differences: FloatArray, real: FloatArray) -> list[float]:
    """Shape (trials, scores) and (scores,); one is added to both counts, as sacrebleu has it."""
    exceeding = np.count_nonzero(differences > real, axis=0)
    return [(count + 1) / (len(differences) + 1) for count in exceeding.tolist()]


class Test(NamedTuple):
    """A paired test with its usual number of trials, and the name of that number in signatures."""

    run: PairedTest
    usual_trials: int
    field: str


PAIRED_TESTS = {"bootstrap": Test(bootstrap_test, 1000, "bs"), "randomization": Test(randomization_test, 10000, "ar")}

# The level of p-values from which on a difference is marked.
SIGNIFICANT = 0.05


def differs(system: Mapping[str, float], score: str, baseline: float) -> bool:
    """Whether the system's score is significantly another one than the baseline's."""
    p_value = system.get(f"{score}_p_value")
    # Equal scores do not differ, though the test of a system and itself gives the least p-value there is.
    return p_value is not None and p_value < SIGNIFICANT and system[score] != baseline


def p_value_text(p_value: float) -> str:
    """With four digits, or as less than the least of them.

    >>> p_value_text(0.0123), p_value_text(0.00001)
    ('p = 0.0123', 'p < 0.0001')
    """
    return "p < 0.0001" if p_value < 0.0001 else f"p = {p_value:.4f}"
