"""The figures that are made of the summed surprise of tokens."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ._token_statistics import Surprise


def exp(mean: float) -> float:
    """exp, infinite where a float cannot hold it.

    >>> exp(0.0), exp(1000.0)
    (1.0, inf)
    """
    try:
        return math.exp(mean)
    except OverflowError:
        return math.inf


def perplexity(surprise: Surprise) -> float | None:
    """exp of the mean; None without a token, which has no perplexity."""
    return exp(surprise.per(surprise.tokens)) if surprise.tokens else None


def mean(values: Sequence[float]) -> float:
    """The mean, rounded once, so that no order of rows moves it."""
    try:
        return math.fsum(values) / len(values)
    except OverflowError:
        return math.inf


def per_size(every: Surprise, sizes: Mapping[str, int]) -> dict[str, float]:
    """What does not depend on how a text is cut into tokens; as lm-eval 0.4 defines it."""
    per_word, per_character, per_byte = (every.per(count) if count else math.inf for count in sizes.values())
    return {
        "word_perplexity": exp(per_word),
        "byte_perplexity": exp(per_byte),
        "bits_per_byte": per_byte / math.log(2),
        "bits_per_character": per_character / math.log(2),
        **sizes,
    }
