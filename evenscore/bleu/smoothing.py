"""Smoothing of n-gram precisions: what stands for a precision when counts are small."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

# Counts are ints, or numpy float32 where sacrebleu takes them so.
Number = Any


class Ratio(NamedTuple):
    """A precision, not yet divided: each convention divides in its own order, which decides the last bit."""

    numerator: Number
    denominator: Number


class Counts(NamedTuple):
    """Summed counts of a corpus, by n-gram order, and the lengths of all predictions and of their references.

    totals: what matches are divided by: n_grams, but for nltk, which counts one for a prediction that has none.
    Methods 5 and 7 of nltk also look at the order beyond the last: there all lists are one longer.
    """

    matches: Sequence[Number]
    totals: Sequence[Number]
    n_grams: Sequence[Number]
    prediction_length: int
    reference_length: float


Smoothing = Callable[[Counts, int, float], list[Ratio]]


def smoothed(name: str, counts: Counts, max_order: int, value: float | None) -> list[Ratio]:
    """The precisions of orders 1 .. max_order, at most; orders past the first without n-grams may be left out.

    name: a key of SMOOTHINGS.  value: what the method takes, or None for its default.

    >>> smoothed("exp", Counts([3, 1, 0], [4, 3, 2], [4, 3, 2], 4, 4), 3, None)[2]
    Ratio(numerator=1, denominator=4)
    """
    method, _ = SMOOTHINGS[name]
    return method(counts, max_order, smoothing_value(name, value))


def smoothing_value(name: str, value: float | None) -> float:
    """What a method takes: the value, or its default."""
    _, default = SMOOTHINGS[name]
    return default if value is None else value


# --- sacrebleu 2.6.0, BLEU.compute_bleu; the names are those of Chen & Cherry (2014)


def _possible(counts: Counts, max_order: int) -> list[Ratio]:
    """Precisions up to the first order of which the predictions hold no n-gram."""
    totals = counts.totals[:max_order]
    return _all(counts, totals.index(0) if 0 in totals else max_order)


def _all(counts: Counts, max_order: int) -> list[Ratio]:
    return list(map(Ratio, counts.matches[:max_order], counts.totals[:max_order]))


def _floored(ratios: list[Ratio], value: float) -> list[Ratio]:
    """The value stands for matches where there are none."""
    return [ratio if ratio.numerator else Ratio(value, ratio.denominator) for ratio in ratios]


def _add_k(counts: Counts, max_order: int, value: float) -> list[Ratio]:
    matches = [counts.matches[0], *(m + value for m in counts.matches[1:])]
    totals = [counts.totals[0], *(t + value for t in counts.totals[1:])]
    return _possible(counts._replace(matches=matches, totals=totals), max_order)


def _halved(ratios: list[Ratio]) -> list[Ratio]:
    """The k-th precision without a match becomes 1 / (2^k total), as in mteval-v13a."""
    zeros = itertools.accumulate(not ratio.numerator for ratio in ratios)
    return [
        ratio if ratio.numerator else Ratio(1, 2**k * ratio.denominator) for ratio, k in zip(ratios, zeros, strict=True)
    ]


# --- evaluate 0.4.6, metrics/bleu: compute_bleu(smooth=True), "add one" of Lin & Och (2004) to every order


def _add_one(counts: Counts, max_order: int, value: float) -> list[Ratio]:
    return [Ratio(ratio.numerator + 1.0, ratio.denominator + 1.0) for ratio in _all(counts, max_order)]


# --- nltk 3.10, SmoothingFunction.method0 .. method7


def _divisible(counts: Counts, max_order: int) -> list[Ratio]:
    """In nltk no total is 0; in other conventions, it can be."""
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
    """Each precision becomes the mean of the smoothed one before it, itself and the one after it.

    nltk takes the order beyond the last from the last sentence of a corpus; here it is the corpus's.
    """
    exact = [_exact(ratio) for ratio in ratios]
    exact.append(_exact(_divisible(counts, len(ratios) + 1)[-1]))
    before, result = exact[0] + 1, []
    for here, after in itertools.pairwise(exact):
        before = (before + here + after) / 3
        result.append(_ratio(before))
    return result


def _nltk6(counts: Counts, max_order: int, value: float) -> list[Ratio]:
    """nltk takes the number of n-grams from the last sentence of a corpus; here it is the corpus's."""
    ratios = _divisible(counts, max_order)
    if len(ratios) > 2 and not ratios[2].numerator:
        raise ValueError("smoothing='nltk6' needs a trigram that matches: choose another smoothing for short texts")
    precisions: list[Any] = [_exact(ratio) for ratio in ratios]
    for i in range(2, len(ratios)):
        prior = 0 if precisions[i - 2] == 0 else precisions[i - 1] ** 2 / precisions[i - 2]
        precisions[i] = (ratios[i].numerator + value * prior) / (counts.n_grams[i] + value)
    return [_ratio(number) for number in precisions]


def _exact(ratio: Ratio) -> Any:
    """A Fraction where nltk has one, else the float that it has."""
    if isinstance(ratio.numerator, float):
        return ratio.numerator / ratio.denominator
    return Fraction(int(ratio.numerator), int(ratio.denominator))


def _ratio(number: Any) -> Ratio:
    return Ratio(number.numerator, number.denominator) if isinstance(number, Fraction) else Ratio(number, 1)


# The method of each name, with the default of its value; 0 if it takes none.
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
# These need counts of one order more.
LOOKING_AHEAD = ("nltk5", "nltk7")
