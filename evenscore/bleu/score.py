"""The formula of BLEU: BP * exp(sum_n w_n log p_n), Papineni et al. (2002), section 2.3.

p_n is the smoothed clipped precision of n-grams. BP, the brevity penalty, is 1 if the predictions are longer than the
references (c > r), else exp(1 - r / c). Each convention divides and takes logarithms in its own order, which affects
the last bit.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evenscore.bleu.options import BleuOptions, highest_order, orders
from evenscore.bleu.plain import Tokens, closest_length
from evenscore.bleu.smoothing import LOOKING_AHEAD, Counts, Ratio, smoothed, smoothing_value
from evenscore.significance import FloatArray
from evenscore.text.segments import IntArray, offsets_of

_SMOOTHINGS = ("exp", "floor", "add-k", "none")
Numbers = npt.NDArray[np.number]
# Average lengths are integers in units of 1 / AVERAGE_PARTS token, exact for up to 20 references.
AVERAGE_PARTS = math.lcm(*range(1, 21))


# --- counting


def reference_lengths(predictions: IntArray, references: IntArray, counts: IntArray, rule: str) -> IntArray:
    """Return one reference length per row, shape (n,), in units of 1 / AVERAGE_PARTS for the rule "average".

    predictions: lengths, shape (n,).  references: lengths of all references.  counts: references per row, shape (n,).
    rule: "closest" to the prediction, the shorter one of a tie (sacrebleu, mteval); "shortest" (evaluate); "average",
      rounded down if a row has more than 20 references.

    >>> reference_lengths(np.array([6]), np.array([4, 8, 9]), np.array([3]), "closest").tolist()
    [4]
    """
    if len(references) == len(counts):
        return references * AVERAGE_PARTS if rule == "average" else references
    first = offsets_of(counts)[:-1]
    if rule == "shortest":
        return np.minimum.reduceat(references, first)
    if rule == "average":
        return np.add.reduceat(references, first) * AVERAGE_PARTS // counts
    # Pack each pair (distance, length) into one integer to find the smallest.
    above = int(references.max(initial=0)) + 1
    distance = np.abs(references - np.repeat(predictions, counts))
    return np.minimum.reduceat(distance * above + references, first) % above


def reference_length(prediction: Tokens, references: Sequence[Tokens], rule: str) -> int:
    """Return what `reference_lengths` returns for one row.

    >>> reference_length("abcdef", ["abcd", "abcdefgh", "abcdefghi"], "closest")
    4
    """
    if rule == "closest":
        return closest_length(prediction, references)
    if rule == "shortest":
        return min(map(len, references))
    return sum(map(len, references)) * AVERAGE_PARTS // len(references)


# --- scoring many rows


def can_score_rows(options: BleuOptions) -> bool:
    """Whether `row_percents` implements these options; other rows are scored one at a time."""
    return (
        options["convention"] in ("sacrebleu", "paper")
        and not options["weights"]
        and options["smoothing"] in _SMOOTHINGS
        and options["reference_length"] != "average"
    )


def row_percents(counts: IntArray, options: BleuOptions) -> FloatArray:
    """Return the BLEU of each row, from 0 to 100, shape (n,).

    counts: shape (n, 2 + 2 * orders): prediction length, reference length, matches and n-grams of each order.

    >>> from evenscore.options import resolve
    >>> row_percents(np.array([[6, 6, 5, 3, 2, 1, 6, 5, 4, 3]]), resolve(BleuOptions, {})).round(2).tolist()
    [53.73]
    """
    n_orders, best = orders(options), highest_order(options)
    matches, n_grams = counts[:, 2 : 2 + best], counts[:, 2 + n_orders : 2 + n_orders + best]
    # 1. A row without a match scores 0. The mean uses the orders before the first one without n-grams.
    scored = (matches[:, 0] > 0).nonzero()[0]
    numerators, denominators = _smoothed(matches[scored], n_grams[scored], options)
    has_part = np.logical_and.accumulate(denominators > 0, axis=1)
    # 2. Take the geometric mean of the percentages, which is 0 if one of them is 0.
    percentages = np.ones(has_part.shape)
    # A huge smoothing_value overflows to infinity, as with Python's floats.
    with np.errstate(over="ignore"):
        percentages[has_part] = 100.0 * numerators[has_part] / denominators[has_part]
    is_zero = (percentages == 0).any(axis=1)
    logarithms: FloatArray = np.zeros(has_part.shape)
    summed = has_part & ~is_zero[:, None]
    logarithms[summed] = list(map(math.log, percentages[summed].tolist()))
    # sacrebleu uses Python's sum, whose rounding depends on the Python version.
    sums = np.array([sum(row) for row in logarithms.tolist()], np.float64)
    means = list(map(math.exp, (sums / has_part.sum(axis=1)).tolist()))
    scores = np.where(is_zero, 0.0, means)
    # 3. Apply the brevity penalty to predictions not longer than their reference. All have a match, so none is empty.
    lengths, references = counts[scored, 0], counts[scored, 1]
    shorter = (lengths <= references).nonzero()[0]
    scores[shorter] *= list(map(math.exp, (1 - references[shorter] / lengths[shorter]).tolist()))
    percents = np.zeros(len(counts))
    percents[scored] = scores
    return percents


def _smoothed(matches: IntArray, totals: IntArray, options: BleuOptions) -> tuple[Numbers, Numbers]:
    """Return numerators and denominators of the precisions, as evenscore.bleu.smoothing computes them for one row."""
    value = float(smoothing_value(options["smoothing"], options["smoothing_value"]))
    is_zero = matches == 0
    if options["smoothing"] == "exp":
        # With more than fifty orders without a match, the denominators would overflow int64.
        return matches + is_zero, np.ldexp(totals.astype(np.float64), is_zero * np.cumsum(is_zero, axis=1))
    if options["smoothing"] == "floor":
        return np.where(is_zero, value, matches), totals
    if options["smoothing"] == "add-k":
        added = np.where(np.arange(matches.shape[1]) > 0, value, 0)
        return matches + added, totals + added
    return matches, totals


def read(total: list[Any], options: BleuOptions) -> Counts:
    """Unpack a sum of the statistics that `Bleu.count` returns."""
    n = orders(options)
    length, reference_length, *rest = total
    matches, n_grams, without = rest[:n], rest[n : 2 * n], rest[2 * n :]
    # nltk divides by at least 1 in each prediction (bleu_score.py, modified_precision).
    floored = list(map(operator.add, n_grams, without)) if without else n_grams
    parts = AVERAGE_PARTS if options["reference_length"] == "average" else 1
    whole = int(reference_length) if parts == 1 else int(reference_length) / parts
    return Counts(matches, floored, n_grams, int(length), whole)


# --- scoring a sum


def brevity_penalty(sums: Counts, options: BleuOptions) -> float:
    """Return 1 if the predictions are longer than the references, else exp(1 - r / c); 0 if they are empty."""
    c, r = sums.prediction_length, sums.reference_length
    if c > r or r == 0:
        return 1.0
    if c == 0:
        return 0.0
    # evaluate divides twice, which can change the last bit.
    return math.exp(1 - 1.0 / (c / r)) if options["convention"] == "evaluate" else math.exp(1 - r / c)


def all_ratios(sums: Counts, options: BleuOptions) -> list[list[Ratio]]:
    """Return the smoothed precisions for each highest order from 1 to n."""
    best = highest_order(options)
    if options["smoothing"] in LOOKING_AHEAD:
        return [ratios_of(sums, n, options) for n in range(1, best + 1)]
    longest = ratios_of(sums, best, options)
    return [longest[:n] for n in range(1, best + 1)]


def ratios_of(sums: Counts, max_order: int, options: BleuOptions) -> list[Ratio]:
    """Return the smoothed precisions of orders 1 to max_order, empty if the score is 0 anyway."""
    if _is_hopeless(sums, options):
        return []
    return smoothed(options["smoothing"], sums, max_order, options["smoothing_value"])


def precisions(ratios: list[Ratio], max_order: int) -> list[float]:
    """Divide the ratios; orders without n-grams get 0. Shape (max_order,)."""
    given = [float(ratio.numerator / ratio.denominator) if ratio.denominator else 0.0 for ratio in ratios]
    return given + [0.0] * (max_order - len(given))


def _is_hopeless(sums: Counts, options: BleuOptions) -> bool:
    """Whether no unigram matches, so that BLEU is 0 with any smoothing, except in evaluate."""
    return sums.matches[0] == 0 and options["convention"] != "evaluate"


class BleuScore(NamedTuple):
    """BLEU from 0 to 100 and from 0 to 1. The convention decides which one is computed first."""

    percent: float
    fraction: float


def bleu(
    sums: Counts, ratios: list[Ratio], max_order: int, weights: list[float] | None, options: BleuOptions
) -> BleuScore:
    """Return the brevity penalty times the geometric mean of the precisions; weights: None for uniform weights."""
    if _is_hopeless(sums, options):
        return BleuScore(0.0, 0.0)
    penalty = brevity_penalty(sums, options)
    if options["convention"] in ("sacrebleu", "paper") and weights is None:
        percent = penalty * _mean_percent(ratios, max_order, options["effective_order"])
        return BleuScore(percent, percent / 100)
    if options["convention"] == "evaluate" and weights is None:
        fraction = _equal_weights_mean(ratios, max_order) * penalty
    else:
        given = weights or [1 / max_order] * max_order
        zero = options["convention"] != "nltk" and _has_weighty_zero(ratios, given)
        fraction = 0.0 if zero else penalty * _weighted_mean(ratios, given)
    return BleuScore(100 * fraction, fraction)


def _mean_percent(ratios: list[Ratio], max_order: int, effective_order: bool) -> float:
    """Geometric mean of percentages, 0 if one is 0. Source: sacrebleu 2.6.0, BLEU.compute_bleu."""
    order = len(ratios) if effective_order else max_order
    percentages = [100.0 * numerator / denominator for numerator, denominator in ratios[:order]]
    if len(percentages) < order or not all(percentages):
        return 0.0
    return math.exp(sum(map(math.log, percentages)) / order)


def _equal_weights_mean(ratios: list[Ratio], max_order: int) -> float:
    """Geometric mean of precisions, 0 if one is 0. Source: evaluate 0.4.6, metrics/bleu, compute_bleu."""
    if len(ratios) < max_order or not all(ratio.numerator for ratio in ratios):
        return 0.0
    return math.exp(sum((1.0 / max_order) * math.log(ratio.numerator / ratio.denominator) for ratio in ratios))


def _has_weighty_zero(ratios: list[Ratio], weights: list[float]) -> bool:
    """Whether an order with a weight above 0 has no match or no n-grams."""
    without = any(w and not ratio.numerator for w, ratio in zip(weights, ratios, strict=False))
    return without or any(weights[len(ratios) :])


def _weighted_mean(ratios: list[Ratio], weights: list[float]) -> float:
    """Weighted geometric mean without the orders that have no match. Source: nltk 3.10, corpus_bleu."""
    given = [ratio.numerator / ratio.denominator for ratio in ratios]
    return math.exp(math.fsum(w * math.log(p) for w, p in zip(weights, given, strict=False) if p > 0))
