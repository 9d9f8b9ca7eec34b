"""Converts log-probabilities of tokens to integer statistics of texts, and these to perplexities."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evenscore.exact import LARGEST_FRACTION, LIMBS, MOST_SUMMANDS, mean_of_limbs, to_limbs
from evenscore.perplexity.source import FloatArray, TokenScores
from evenscore.text.segments import IntArray
from evenscore.totals import Bound

_SURPRISAL = ("tokens", "impossible_tokens", "nll_whole", *(f"nll_part_{k}" for k in range(LIMBS)))
SIZES = ("words", "characters", "bytes")
STATISTICS = ("rows", *_SURPRISAL, *(f"unknown_{name}" for name in _SURPRISAL), "measured_rows", *SIZES)
_MOST = 2.0**40
_WHITE_SPACE = re.compile(r"\s+")


class Surprisal(NamedTuple):
    """The summed surprisal (negative log-probability) of some tokens, in nats.

    tokens: the number of tokens.
    impossible: the number of tokens with probability 0, which the sum leaves out.
    parts: the sum of the integer parts, then the summed limbs of the fractional parts.
    """

    tokens: int
    impossible: int
    parts: tuple[int, ...]

    def without(self, others: Surprisal) -> Surprisal:
        """Return the surprisal of the tokens that are not among the others."""
        parts = tuple(a - b for a, b in zip(self.parts, others.parts, strict=True))
        return Surprisal(self.tokens - others.tokens, self.impossible - others.impossible, parts)

    def per(self, count: int) -> float:
        """Return the sum divided by a count, rounded once; infinite if a token has probability 0."""
        return math.inf if self.impossible else mean_of_limbs(self.parts[1:], count, self.parts[0])


class Total(NamedTuple):
    """The named columns of a row of statistics or of a sum; the sizes cover the measured rows only."""

    rows: int
    every: Surprisal
    unknown: Surprisal
    measured_rows: int
    sizes: dict[str, int]


def as_total(statistics: Sequence[int]) -> Total:
    """Unpack the columns STATISTICS.

    >>> scores = TokenScores(np.log([0.5, 0.125]), np.array([0, 2]))
    >>> round(as_total(statistics(scores, ["a b"])[0].tolist()).every.per(2) / math.log(2), 12)
    2.0
    """
    width = len(_SURPRISAL)
    rows, every, unknown = statistics[0], statistics[1 : 1 + width], statistics[1 + width : 1 + 2 * width]
    measured_rows, *sizes = statistics[1 + 2 * width :]
    return Total(rows, _surprisal(every), _surprisal(unknown), measured_rows, dict(zip(SIZES, sizes, strict=True)))


def surprisals(statistics: IntArray) -> Iterator[Surprisal]:
    """Yield the surprisal of all tokens for each row of the columns STATISTICS."""
    return map(_surprisal, statistics[:, 1 : 1 + len(_SURPRISAL)].tolist())


def _surprisal(columns: Sequence[int]) -> Surprisal:
    tokens, impossible, *parts = columns
    return Surprisal(tokens, impossible, tuple(parts))


def statistics(scores: TokenScores, texts: Sequence[str] | None) -> IntArray:
    """Return the columns STATISTICS of each text, int64, shape (n, len(STATISTICS)).

    texts: the texts of the tokens; None sets all sizes to 0.
    A log-probability is represented exactly if it is 0 or at most -2**-43, else up to 2**-96. One below -2**40 counts
    as probability 0.
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
    """Count words, characters and UTF-8 bytes of each text, shape (n, 3); words by re.split, as in lm-eval 0.4.

    >>> sizes(["a b", ""]).tolist()
    [[2, 3, 3], [1, 0, 0]]
    """
    counts = [(len(_WHITE_SPACE.split(text)), len(text), len(text.encode())) for text in texts]
    return np.array(counts, np.int64).reshape(-1, len(SIZES))


def bounds(counts: Mapping[str, int], may_exceed_1: bool) -> Iterator[Bound]:
    """Yield the bounds of the columns STATISTICS; may_exceed_1: whether a probability may be above 1."""
    yield Bound("tokens", 0, MOST_SUMMANDS)
    yield Bound("impossible_tokens", 0, counts["tokens"], ("tokens",))
    known = counts["tokens"] - counts["unknown_tokens"]
    impossible = counts["impossible_tokens"]
    yield Bound("unknown_tokens", 0, counts["tokens"], ("tokens",))
    least, most = max(0, impossible - known), min(impossible, counts["unknown_tokens"])
    yield Bound("unknown_impossible_tokens", least, most, ("tokens", "impossible_tokens", "unknown_tokens"))
    possible = counts["tokens"] - impossible
    unknown = counts["unknown_tokens"] - counts["unknown_impossible_tokens"]
    for name, largest in zip(_SURPRISAL[2:], (int(_MOST), *LARGEST_FRACTION), strict=True):
        smallest = -largest if may_exceed_1 and name == "nll_whole" else 0
        yield Bound(name, smallest * possible, largest * possible, ("tokens", "impossible_tokens"))
        # Unknown and known tokens, which are the others, have each a sum in range.
        least, most = (counts[name] - bound * (possible - unknown) for bound in (largest, smallest))
        least, most = max(least, smallest * unknown), min(most, largest * unknown)
        yield Bound(f"unknown_{name}", least, most, (name, "unknown_tokens", "unknown_impossible_tokens"))
    yield from _bounds_of_sizes(counts)


def _bounds_of_sizes(counts: Mapping[str, int]) -> Iterator[Bound]:
    rows, characters = counts["measured_rows"], counts["characters"]
    yield Bound("measured_rows", 0, counts["rows"], ("rows",))
    yield Bound("characters", 0, None if rows else 0, ("measured_rows",))
    # White space separates words; a text without it is one word.
    yield Bound("words", rows, rows + characters, ("measured_rows", "characters"))
    yield Bound("bytes", characters, 4 * characters, ("characters",))


def _columns(log_probs: FloatArray) -> IntArray:
    """Return for each token: 1, whether its probability is 0, and the parts of its surprisal."""
    # exp(-2**40) is 0 as a float, and the limit keeps sums of any corpus within int64.
    impossible = log_probs < -_MOST
    nll = np.where(impossible, 0.0, -log_probs)
    whole = np.floor(nll)
    return np.column_stack((np.ones_like(impossible), impossible, whole.astype(np.int64), to_limbs(nll - whole)))


def _sums(columns: IntArray, offsets: IntArray) -> IntArray:
    """Sum the columns over each text. Empty texts are left out, since reduceat would take a token of the next one."""
    sums = np.zeros((len(offsets) - 1, columns.shape[1]), np.int64)
    filled = offsets[1:] > offsets[:-1]
    sums[filled] = np.add.reduceat(columns, offsets[:-1][filled], axis=0) if filled.any() else 0
    return sums


def exp(mean: float) -> float:
    """Return math.exp, or infinity where it overflows.

    >>> exp(0.0), exp(1000.0)
    (1.0, inf)
    """
    try:
        return math.exp(mean)
    except OverflowError:
        return math.inf


def perplexity(surprisal: Surprisal) -> float | None:
    """Return exp of the mean surprisal; None if there are no tokens."""
    return exp(surprisal.per(surprisal.tokens)) if surprisal.tokens else None


def mean(values: Sequence[float]) -> float:
    """Return the mean, rounded once, so that it does not depend on the order of rows."""
    try:
        return math.fsum(values) / len(values)
    except OverflowError:
        return math.inf


def per_size(every: Surprisal, sizes: Mapping[str, int]) -> dict[str, float]:
    """Return the scores that do not depend on the tokenization, as lm-eval 0.4 defines them."""
    per_word, per_character, per_byte = (every.per(count) if count else math.inf for count in sizes.values())
    return {
        "word_perplexity": exp(per_word),
        "byte_perplexity": exp(per_byte),
        "bits_per_byte": per_byte / math.log(2),
        "bits_per_character": per_character / math.log(2),
        **sizes,
    }
