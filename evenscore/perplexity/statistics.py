"""Log-probabilities of tokens as statistics of texts: integers, whose sums are exact in any order."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evenscore.exact import LIMBS, mean_of_limbs, to_limbs
from evenscore.perplexity.source import FloatArray, TokenScores
from evenscore.text.segments import IntArray

_SURPRISE = ("tokens", "impossible_tokens", "nll_whole", *(f"nll_part_{k}" for k in range(LIMBS)))
SIZES = ("words", "characters", "bytes")
STATISTICS = ("rows", *_SURPRISE, *(f"unknown_{name}" for name in _SURPRISE), "measured_rows", *SIZES)
_MOST = 2.0**40
_WHITE_SPACE = re.compile(r"\s+")


class Surprise(NamedTuple):
    """The negative log-probability of some tokens.

    tokens: their number.
    impossible: how many of them have a probability of 0; they are not in the sum.
    parts: the sum over the others, in nats, as its integer part with the limbs of the rest.
    """

    tokens: int
    impossible: int
    parts: tuple[int, ...]

    def without(self, others: Surprise) -> Surprise:
        """That of the tokens that are not among the others."""
        parts = tuple(a - b for a, b in zip(self.parts, others.parts, strict=True))
        return Surprise(self.tokens - others.tokens, self.impossible - others.impossible, parts)

    def per(self, count: int) -> float:
        """The sum divided by a count, rounded once; infinite if a token is impossible."""
        return math.inf if self.impossible else mean_of_limbs(self.parts[1:], count, self.parts[0])


class Total(NamedTuple):
    """A row of statistics, or a sum of them, as numbers with names; the sizes are those of the measured rows."""

    rows: int
    every: Surprise
    unknown: Surprise
    measured_rows: int
    sizes: dict[str, int]


def as_total(statistics: Sequence[int]) -> Total:
    """What stands in the columns STATISTICS.

    >>> scores = TokenScores(np.log([0.5, 0.125]), np.array([0, 2]))
    >>> round(as_total(statistics(scores, ["a b"])[0].tolist()).every.per(2) / math.log(2), 12)
    2.0
    """
    width = len(_SURPRISE)
    rows, every, unknown = statistics[0], statistics[1 : 1 + width], statistics[1 + width : 1 + 2 * width]
    measured_rows, *sizes = statistics[1 + 2 * width :]
    return Total(rows, _surprise(every), _surprise(unknown), measured_rows, dict(zip(SIZES, sizes, strict=True)))


def surprises(statistics: IntArray) -> Iterator[Surprise]:
    """Of every row of the columns STATISTICS the surprise of all tokens."""
    return map(_surprise, statistics[:, 1 : 1 + len(_SURPRISE)].tolist())


def _surprise(columns: Sequence[int]) -> Surprise:
    tokens, impossible, *parts = columns
    return Surprise(tokens, impossible, tuple(parts))


def statistics(scores: TokenScores, texts: Sequence[str] | None) -> IntArray:
    """The columns STATISTICS of every text, shape (n, len(STATISTICS)), int64.

    texts: what the tokens are of; without them their sizes are 0.
    A log-probability is held exactly where it is 0 or its size at least 2**-43, else to 2**-96; one below -2**40 counts
    as that of probability 0.
    """
    n = len(scores.offsets) - 1
    columns = _columns(scores.log_probs)
    every = _sums(columns, scores.offsets)
    unknown = np.zeros_like(every)
    if scores.unknown is not None:
        unknown = _sums(columns * scores.unknown[:, None], scores.offsets)
    rows = np.ones((n, 1), np.int64)
    measured = rows * (texts is not None)
    own = np.zeros((n, len(SIZES)), np.int64) if texts is None else sizes(texts)
    return np.concatenate((rows, every, unknown, measured, own), axis=1)


def sizes(texts: Sequence[str]) -> IntArray:
    """Words, characters, UTF-8 bytes of every text, shape (n, 3); words as lm-eval 0.4 counts them, by re.split.

    >>> sizes(["a b", ""]).tolist()
    [[2, 3, 3], [1, 0, 0]]
    """
    counts = [(len(_WHITE_SPACE.split(text)), len(text), len(text.encode())) for text in texts]
    return np.array(counts, np.int64).reshape(-1, len(SIZES))


def _columns(log_probs: FloatArray) -> IntArray:
    """Of every token: 1, whether it is impossible, the parts of its negative log-probability."""
    # No float is as small as exp(-2**40), and what is greater leaves room for the sum of any corpus.
    impossible = log_probs < -_MOST
    nll = np.where(impossible, 0.0, -log_probs)
    whole = np.floor(nll)
    return np.column_stack((np.ones_like(impossible), impossible, whole.astype(np.int64), to_limbs(nll - whole)))


def _sums(columns: IntArray, offsets: IntArray) -> IntArray:
    """The sums of the columns over every text; reduceat takes an empty one for one of a token."""
    sums = np.zeros((len(offsets) - 1, columns.shape[1]), np.int64)
    filled = offsets[1:] > offsets[:-1]
    sums[filled] = np.add.reduceat(columns, offsets[:-1][filled], axis=0) if filled.any() else 0
    return sums


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
