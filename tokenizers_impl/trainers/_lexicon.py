"""The pieces of a Unigram training as arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._arrays import F64, I32, I64, Bools

UNKNOWN = 0
_UNKNOWN_PENALTY = 10.0


class Lexicon(NamedTuple):
    """k pieces, numbered from 1; number 0 is any character that is no piece.

    places: int32, shape (k + 1,); a position of the text where the piece stands, 0 for number 0.
    lengths: int32, shape (k + 1,); in characters, 1 for number 0.
    scores: float64, shape (k + 1,); natural logarithms of probabilities; number 0 has 10 less than the lowest,
      -10 if there is no piece (where the library has infinity).
    stays: shape (k + 1,); whether a piece is never dropped; False for number 0.
    """

    places: I32
    lengths: I32
    scores: F64
    stays: Bools

    @classmethod
    def of(cls, places: I32, lengths: I32, scores: F64, stays: Bools | None = None) -> Lexicon:
        """These pieces, all of shape (k,), with number 0 before them; by default any of them may be dropped."""
        zero = np.zeros(1, np.int32)
        lowest = float(scores.min()) if len(scores) else 0.0
        return cls(
            np.concatenate((zero, places)),
            np.concatenate((zero + 1, lengths)),
            np.concatenate((np.full(1, lowest - _UNKNOWN_PENALTY), scores)),
            np.append(False, np.zeros(len(scores), np.bool_) if stays is None else stays),
        )

    def keep(self, kept: I64, scores: F64) -> Lexicon:
        """The pieces with these numbers, 0 not among them, numbered anew in this order, with new scores."""
        return Lexicon.of(self.places[kept], self.lengths[kept], scores, self.stays[kept])
