"""Which pieces leave the vocabulary because the corpus loses little likelihood without them."""

from __future__ import annotations

import math

import numpy as np

from .._arrays import F64, I64, Bools
from .._kernel import kernel
from ._second_best import Alternatives


@kernel
def _losses(freq: I64, alternatives: Alternatives, total: float, words: float, own_number: bool) -> F64:
    """The approximate loss of each piece that has alternatives and occurs; NaN for the others."""
    offsets, sizes, pieces = alternatives.offsets, alternatives.sizes, alternatives.pieces
    losses = np.full(len(freq), math.nan)
    for piece in range(1, len(freq)):
        count = float(freq[piece])
        if sizes[piece] == 0 or count == 0.0:
            continue
        number = sizes[piece] if own_number else len(freq)
        log_total = math.log(total + count * (number - 1))
        replaced = 0.0
        for at in range(offsets[piece], offsets[piece] + sizes[piece]):
            replaced += math.log(freq[pieces[at]] + count) - log_total
        losses[piece] = count / words * (math.log(count) - math.log(total) - replaced)
    return losses


def approximate_losses(freq: I64, alternatives: Alternatives, words: int, prune_loss: str) -> F64:
    """How much log likelihood a word loses on average if a piece is replaced by its alternatives wherever it stands.

    With f the frequency of the piece, F the sum of all, f_a those of its alternatives:
    f / words * (log(f / F) - sum over a of log((f_a + f) / (F + f (N - 1)))), where N is the number of alternatives for
    "sentencepiece" and the number of all pieces for "hf", as tokenizers 0.23.3 has it.

    freq: shape (number of pieces + 1,); words: number of words of the corpus.  Returns NaN where there is nothing to
      weigh: no alternatives, or no occurrence.
    """
    return _losses(freq, alternatives, float(freq.sum()), float(words), prune_loss == "sentencepiece")


def survivors(freq: I64, alternatives: Alternatives, losses: F64, stays: Bools, target: int, endless: bool) -> I64:
    """The numbers of the pieces that stay: those that cannot be replaced, then those with the highest loss.

    stays: shape (number of pieces + 1,); pieces that are kept whatever they lose.
    target: how many may stay.  endless: the library stops at this very number, so all stay where those that cannot be
      replaced are more; else no other does then.
    """
    occurs = freq > 0
    replaceable = (alternatives.sizes > 0) & ~stays
    fixed = stays | (~replaceable & (occurs | alternatives.needed))
    kept = 1 + np.flatnonzero(fixed[1:])
    weighed = 1 + np.flatnonzero((replaceable & occurs)[1:])
    weighed = weighed[np.argsort(-losses[weighed], kind="stable")]
    room = target - len(kept)
    if room < 0 and endless:
        room = len(weighed)
    return np.concatenate((kept, weighed[: max(room, 0)]))


def survivors_of(losses: F64, stays: Bools, target: int) -> I64:
    """The numbers of the pieces that stay: those given, then those with the highest loss, at most `target`.

    Of equal losses the piece with the lower number stays.

    >>> survivors_of(np.array([0.0, 0.0, 0.1, 0.3]), np.array([False, True, False, False]), 2).tolist()
    [1, 3]
    """
    fixed = 1 + np.flatnonzero(stays[1:])
    others = 1 + np.flatnonzero(~stays[1:])
    others = others[np.argsort(-losses[others], kind="stable")]
    return np.concatenate((fixed, others[: max(0, target - len(fixed))]))
