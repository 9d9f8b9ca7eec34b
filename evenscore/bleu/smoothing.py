"""Smoothing methods for n-gram precisions."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

# Counts are ints, or numpy float32 where sacrebleu uses them.
Number = Any


class Ratio(NamedTuple):
    """A precision before division. Each convention divides in its own order, which affects the last bit."""

    numerator: Number
    denominator: Number


class Counts(NamedTuple):
    """Summed counts of a corpus per n-gram order, and the summed lengths of predictions and references.

    totals: the divisors of the matches: n_grams, but for nltk at least 1 per prediction.
    The methods nltk5 and nltk7 use one order more than they score, so all lists are longer by one.
    """

    matches: Sequence[Number]
    totals: Sequence[Number]
    n_grams: Sequence[Number]
    prediction_length: int
    reference_length: float


Smoothing = Callable[[Counts, int, float], list[Ratio]]


def smoothed(name: str, counts: Counts, max_order: int, value: float | None) -> list[Ratio]:
    """Return the precisions of orders 1 to max_order; some methods stop before the first order without n-grams.

    name: a key of SMOOTHINGS.  value: the method's parameter; None: its default.

    >>> smoothed("exp", Counts([3, 1, 0], [4, 3, 2], [4, 3, 2], 4, 4), 3, None)[2]
    Ratio(numerator=1, denominator=4)
    """
    method, _ = SMOOTHINGS[name]
    return method(counts, max_order, smoothing_value(name, value))


def smoothing_value(name: str, value: float | None) -> float:
    """Return the method's parameter: the given value, or the default for None."""
    _, default = SMOOTHINGS[name]
    return default if value is None else value


# --- sacrebleu 2.6.0, BLEU.compute_bleu; the names are those of Chen & Cherry (2014)


def _possible(counts: Counts, max_order: int) -> list[Ratio]:
    """Return the precisions before the first order without n-grams."""
    totals = counts.totals[:max_order]
    return _all(counts, totals.index(0) if 0 in totals else max_order)


def _all(counts: Counts, max_order: int) -> list[Ratio]:
    return list(map(Ratio, counts.matches[:max_order], counts.totals[:max_order]))


def _floored(ratios: list[Ratio], value: float) -> list[Ratio]:
    """Replace zero matches by the value."""
    return [ratio if ratio.numerator else Ratio(value, ratio.denominator) for ratio in ratios]


def _add_k(counts: Counts, max_order: int, value: float) -> list[Ratio]:
    matches = [counts.matches[0], *(m + value for m in counts.matches[1:])]
    totals = [counts.totals[0], *(t + value for t in counts.totals[1:])]
    return _possible(counts._replace(matches=matches, totals=totals), max_order)


def _halved(ratios: list[Ratio]) -> list[Ratio]:
    """Replace the k-th precision without a match by 1 / (2**k * total), as in mteval-v13a."""
    zeros = itertools.accumulate(not ratio.numerator for ratio in ratios)
    return [
        ratio if ratio.numerator else Ratio(1, 2**k * ratio.denominator) for ratio, k in zip(ratios, zeros, strict=True)
    ]


# --- evaluate 0.4.6, metrics/bleu: compute_bleu(smooth=True), "add one" of Lin & Och (2004) to every order


def _add_one(counts: Counts, max_order: int, value: float) -> list[Ratio]:
    return [Ratio(ratio.numerator + 1.0, ratio.denominator + 1.0) for ratio in _all(counts, max_order)]


# --- nltk 3.10, SmoothingFunction.method0 .. method7


def _divisible(counts: Counts, max_order: int) -> list[Ratio]:
    """Raise totals of 0 to 1. The convention "nltk" has none, but its smoothing works with other conventions."""
    return [Ratio(ratio.numerator, max(1, ratio.denominator)) for ratio in _all(counts, max_order)]


def _nltk0(counts: Counts, max_order: int, value: float) -> list[Ratio]:
    return [ratio if ratio.numerator else Ratio(sys.float_info.min, 1) for ratio in _divisible(counts, max_order)]


def _nltk2(counts: Counts, max_order: int, value: float) -> list[Ratio]:
    first, *others = _divisible(counts, max_order)
    return [first, *(Ratio(ratio.numerator + 1, ratio.denominator + 1) for ratio in others)]


def _nltk4(counts: Counts, max_order: int, value: float) -> list[Ratio]:
    if counts.prediction_length <= 1:
        return _divisible(counts, max_order)
    zeros, result = 0, []
    for ratio in _divisible(counts, max_order):
        zeros += not ratio.numerator
        shorter = 1 / (2**zeros * value / math.log(counts.prediction_length))
        result.append(ratio if ratio.numerator else Ratio(shorter, ratio.denominator))
    return result


def _averaged(ratios: list[Ratio], counts: Counts) -> list[Ratio]:
    """Replace each precision by the mean of the smoothed one before it, itself and the one after it.

    nltk takes the precision after the last from the last sentence only; here it is that of the corpus.
    """
    exact = [_exact(ratio) for ratio in ratios]
    exact.append(_exact(_divisible(counts, len(ratios) + 1)[-1]))
    before, result = exact[0] + 1, []
    for here, after in itertools.pairwise(exact):
        before = (before + here + after) / 3
        result.append(_ratio(before))
    return result


def _nltk6(counts: Counts, max_order: int, value: float) -> list[Ratio]:
    """nltk takes the number of n-grams from the last sentence only; here it is that of the corpus."""
    ratios = _divisible(counts, max_order)
    if len(ratios) > 2 and not ratios[2].numerator:
        raise ValueError("smoothing='nltk6' needs a matching trigram: choose another smoothing for short texts")
    precisions: list[Any] = [_exact(ratio) for ratio in ratios]
    for i in range(2, len(ratios)):
        prior = 0 if precisions[i - 2] == 0 else precisions[i - 1] ** 2 / precisions[i - 2]
        precisions[i] = (ratios[i].numerator + value * prior) / (counts.n_grams[i] + value)
    return [_ratio(number) for number in precisions]


def _exact(ratio: Ratio) -> Any:
    """Return a Fraction or a float, whichever nltk has."""
    if isinstance(ratio.numerator, float):
        return ratio.numerator / ratio.denominator
    return Fraction(int(ratio.numerator), int(ratio.denominator))


def _ratio(number: Any) -> Ratio:
    return Ratio(number.numerator, number.denominator) if isinstance(number, Fraction) else Ratio(number, 1)


# Each method with the default of its parameter, 0 if it has none.
SMOOTHINGS: dict[str, tuple[Smoothing, float]] = {
    "exp": (lambda counts, max_order, value: _halved(_possible(counts, max_order)), 0),
    "floor": (lambda counts, max_order, value: _floored(_possible(counts, max_order), value), 0.1),
    "add-k": (_add_k, 1),
    "none": (lambda counts, max_order, value: _possible(counts, max_order), 0),
    "add-one": (_add_one, 0),
    "nltk0": (_nltk0, 0),
    "nltk1": (lambda counts, max_order, value: _floored(_divisible(counts, max_order), value), 0.1),
    "nltk2": (_nltk2, 0),
    "nltk3": (lambda counts, max_order, value: _halved(_divisible(counts, max_order)), 0),
    "nltk4": (_nltk4, 5),
    "nltk5": (lambda counts, max_order, value: _averaged(_divisible(counts, max_order), counts), 0),
    "nltk6": (_nltk6, 5),
    "nltk7": (lambda counts, max_order, value: _averaged(_nltk4(counts, max_order, value), counts), 5),
}
# These methods need the counts of one more order.
LOOKING_AHEAD = ("nltk5", "nltk7")
