"""Where log-probabilities of tokens come from."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evenscore.text.segments import IntArray

FloatArray = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


class TokenScores(NamedTuple):
    """Log-probabilities of the tokens of n texts, one text after another.

    log_probs: shape (tokens,), float64, natural logarithms; -inf is a probability of 0.  They are at most 0, but for
      ARPA files whose numbers are no probabilities.
    offsets: shape (n + 1,), int64; those of text i are log_probs[offsets[i]:offsets[i + 1]].
    unknown: shape (tokens,): which tokens the source does not know; None where there is no such thing.
    """

    log_probs: FloatArray
    offsets: IntArray
    unknown: Mask | None = None


class Token(NamedTuple):
    """A token of a text, with its place there in characters; None for both ends where it has none."""

    text: str
    start: int | None
    end: int | None


class Source(abc.ABC):
    """A language model, as far as perplexity asks."""

    # What stands for it in signatures.
    name: str
    # Whether `tokens` can say what its tokens are.
    names_tokens: bool = True

    @abc.abstractmethod
    def score(self, texts: Sequence[str], contexts: Sequence[str] | None) -> TokenScores:
        """The log-probabilities of every text's tokens, each given those before it.

        contexts: a text before each one, which is not scored itself; None for none.
        """

    @abc.abstractmethod
    def tokens(self, texts: Sequence[str], contexts: Sequence[str] | None) -> list[list[Token]]:
        """The tokens that `score` scores, in its order."""
