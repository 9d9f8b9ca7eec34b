"""BLEU of many rows at once, each with the orders that it has n-grams of, as sacrebleu 2.6.0 scores sentences."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ._bleu_options import BleuOptions
from ._resampling import FloatArray
from ._segments import IntArray
from ._smoothing import SMOOTHINGS

_SMOOTHINGS = ("exp", "floor", "add-k", "none")
Numbers = npt.NDArray[np.number]


def can_score_rows(options: BleuOptions) -> bool:
    """Whether the formula is the one here; others are computed a row at a time."""
    return (
        options.convention in ("sacrebleu", "paper")
        and not options.weights
        and options.smoothing in _SMOOTHINGS
        and options.reference_length != "average"
    )


def row_percents(counts: IntArray, options: BleuOptions) -> FloatArray:
    """BLEU of every row from 0 to 100, shape (n,).

    counts: shape (n, 2 + 2 * orders): lengths of predictions and references, matches, n-grams.

    >>> row_percents(np.array([[6, 6, 5, 3, 2, 1, 6, 5, 4, 3]]), BleuOptions()).round(2).tolist()
    [53.73]
    """
    orders, best = options.orders, options.highest_order
    matches, n_grams = counts[:, 2 : 2 + best], counts[:, 2 + orders : 2 + orders + best]
    # 1. A row without a match has 0.  From the first order on without n-grams, no precision has part in a mean.
    scored = (matches[:, 0] > 0).nonzero()[0]
    numerators, denominators = _smoothed(matches[scored], n_grams[scored], options)
    has_part = np.logical_and.accumulate(denominators > 0, axis=1)
    # 2. The geometric mean of percentages, 0 if one of them is.
    percentages = np.ones(has_part.shape)
    # A huge smoothing_value gives infinities, as Python's floats do.
    with np.errstate(over="ignore"):
        percentages[has_part] = 100.0 * numerators[has_part] / denominators[has_part]
    is_zero = (percentages == 0).any(axis=1)
    logarithms: FloatArray = np.zeros(has_part.shape)
    summed = has_part & ~is_zero[:, None]
    logarithms[summed] = list(map(math.log, percentages[summed].tolist()))
    # Python's own sum, which newer versions round otherwise, as sacrebleu has it on each of them.
    sums = np.array([sum(row) for row in logarithms.tolist()], np.float64)
    means = list(map(math.exp, (sums / has_part.sum(axis=1)).tolist()))
    scores = np.where(is_zero, 0.0, means)
    # 3. The brevity penalty.
    percents = np.zeros(len(counts))
    percents[scored] = _brevity_penalties(counts[scored, 0], counts[scored, 1]) * scores
    return percents


def _smoothed(matches: IntArray, totals: IntArray, options: BleuOptions) -> tuple[Numbers, Numbers]:
    """Numerators and denominators of the precisions, as the functions of SMOOTHINGS have them for one row."""
    default = SMOOTHINGS[options.smoothing][1]
    value = float(default if options.smoothing_value is None else options.smoothing_value)
    is_zero = matches == 0
    if options.smoothing == "exp":
        # Floats: halved more than fifty times, totals are integers beyond 64 bits.
        return matches + is_zero, np.ldexp(totals.astype(np.float64), is_zero * np.cumsum(is_zero, axis=1))
    if options.smoothing == "floor":
        return np.where(is_zero, value, matches), totals
    if options.smoothing == "add-k":
        added = np.where(np.arange(matches.shape[1]) > 0, value, 0)
        return matches + added, totals + added
    return matches, totals


def _brevity_penalties(lengths: IntArray, references: IntArray) -> FloatArray:
    """1 where a prediction is longer than its reference, else exp(1 - r / c); no prediction is empty."""
    penalties = np.ones(len(lengths))
    shorter = (lengths <= references).nonzero()[0]
    penalties[shorter] = list(map(math.exp, (1 - references[shorter] / lengths[shorter]).tolist()))
    return penalties
