"""The M step: the score of each piece from its expected count."""

from __future__ import annotations

import math

import numpy as np

from .._arrays import F64, I64
from .._kernel import kernel

# Pieces that are expected less often leave the vocabulary.
RARE = 0.5


@kernel
def digamma(x: float) -> float:
    """The derivative of log Gamma at x > 0; within 1e-8 of it, and bit for bit what tokenizers 0.23.3 has.

    Recurrence up to 7, then the asymptotic series at x - 1/2.

    >>> round(digamma(1.0), 8)
    -0.57721566
    """
    result = 0.0
    while x < 7.0:
        result -= 1.0 / x
        x += 1.0
    x -= 0.5
    inverse = 1.0 / x
    square = inverse * inverse
    fourth = square * square
    return result + (
        math.log(x)
        + (1.0 / 24.0) * square
        - 7.0 / 960.0 * fourth
        + (31.0 / 8064.0) * fourth * square
        - (127.0 / 30720.0) * fourth * fourth
    )


@kernel
def _scores(expected: F64, kept: I64, bayes: bool) -> F64:
    """The score of each kept piece; the sum is taken in their order."""
    total = 0.0
    for piece in kept:
        total += expected[piece]
    scores = np.empty(len(kept))
    for i in range(len(kept)):
        if bayes:
            scores[i] = digamma(expected[kept[i]]) - digamma(total)
        else:
            scores[i] = math.log(expected[kept[i]]) - math.log(total)
    return scores


def maximization(expected: F64, em: str) -> tuple[I64, F64]:
    """The numbers of the pieces that stay, and their new scores; number 0 is left out.

    em: "bayes", digamma(e) - digamma(sum of e), a sparse prior (Liang & Klein 2007, "Structured Bayesian nonparametric
      models with variational inference"); "plain", log(e / sum of e) (Kudo 2018).  Both drop pieces with e < 0.5.

    >>> kept, scores = maximization(np.array([0.0, 6.0, 0.25, 2.0]), "plain")
    >>> kept.tolist(), scores.round(4).tolist()
    ([1, 3], [-0.2877, -1.3863])
    """
    kept = 1 + np.flatnonzero(expected[1:] >= RARE)
    return kept, _scores(expected, kept, em == "bayes")
