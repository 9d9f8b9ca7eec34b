"""The E and M steps of a Unigram training, its exact losses, and the best segmentation of every word."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from evenscore.kernel import inner_kernel, kernel
from evenscore.parallel import ordered_results

from .._core.arrays import F64, I32, I64, Bools, packed
from .._core.parallel import map_in_order
from ._unigram_seed import Lexicon, Matches, WordText

# --- A block of words in compact form, which an executor sends to its workers


class PackedBlock(NamedTuple):
    """A block of w words with the pieces that begin at each position; each array has the smallest integer type.

    symbols: shape (n,), as in WordText.  sizes: shape (w,), word lengths with the separator.  counts: shape (w,).
    numbers: shape (n - 1,), how many pieces begin at each position.  ids: the ids of these pieces, concatenated.
    """

    symbols: Any
    sizes: Any
    counts: Any
    numbers: Any
    ids: Any

    @classmethod
    def of(cls, text: WordText, matches: Matches, first: int, last: int) -> PackedBlock:
        """Pack the words first:last."""
        start, end = text.starts[first], text.starts[last]
        # The slice ends at the last word's separator, because unused ids may precede the next block's first piece.
        offsets = matches.offsets[start:end]
        return cls(
            packed(text.symbols[start:end]),
            packed(np.diff(text.starts[first : last + 1])),
            packed(text.counts[first:last]),
            packed(np.diff(offsets)),
            packed(matches.ids[offsets[0] : offsets[-1]]),
        )

    def unpacked(self) -> tuple[WordText, Matches]:
        """Unpack the words to a text and its matches; the alphabet is empty."""
        starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(self.sizes, dtype=np.int64)))
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(self.numbers, dtype=np.int64)))
        text = WordText(self.symbols.astype(np.int32), np.empty(0, np.uint32), starts, self.counts.astype(np.int64))
        return text, Matches(offsets, self.ids.astype(np.int32))


class PackedLexicon(NamedTuple):
    """The lengths and scores of a Lexicon."""

    lengths: Any
    scores: F64

    @classmethod
    def of(cls, lexicon: Lexicon) -> PackedLexicon:
        """Pack a lexicon."""
        return cls(packed(lexicon.lengths), lexicon.scores)

    def unpacked(self) -> Lexicon:
        """Unpack to a lexicon; `places` and `stays` are empty."""
        # Copies, because arrays from another process may be read-only.
        lengths, scores = self.lengths.astype(np.int32), self.scores.copy()
        return Lexicon(np.empty(0, np.int32), lengths, scores, np.empty(0, np.bool_))


# --- Sums over all segmentations of every word
#
# Few words are summed in logarithms, operation by operation as in tokenizers 0.23.3.  For more words, probabilities are
# multiplied and added, which takes a third of the time of exp and log.  The last bits then differ, but there the
# library's own last bits change from run to run, because it adds words in a random order.

# Up to this many distinct words are summed in logarithms.
_FEW_WORDS = 1000
# A word with a forward product outside these bounds is summed in logarithms.  Within them, no backward product exceeds
# 1e200, and one below 1e-308, where floats lose digits, belongs to a share below 1e-100.
_SMALLEST, _LARGEST = 1e-100, 1e100
# exp(470) is 1e204: its product with any number within the bounds is outside them, but not infinite.  Without JIT, the
# exp of more than 709 is an error.
_LARGEST_LOG = 470.0


@inner_kernel
def _log_add(x: float, y: float) -> float:
    """log(exp(x) + exp(y))."""
    # The library drops a term that is 50 below the other.  This needs no such test: exp(-37) + 1 == 1 already.
    return (x if x > y else y) + math.log(math.exp(-abs(x - y)) + 1.0)


@inner_kernel
def _forward(offsets: I64, ids: I32, lengths: I32, scores: F64, start: int, size: int, known: int, alpha: F64) -> None:
    """Set alpha[k] to the log-probability of the word's first k characters; earlier pieces are added first.

    start: the position of the word; size: its length.
    known: alpha[: known + 1] is already correct.
    """
    for end in range(known + 1, size + 1):
        alpha[end] = math.nan
    alpha[0] = 0.0
    for begin in range(size):
        for match in range(offsets[start + begin], offsets[start + begin + 1]):
            piece = ids[match]
            end = begin + lengths[piece]
            if end > known:
                score = scores[piece] + alpha[begin]
                alpha[end] = score if math.isnan(alpha[end]) else _log_add(alpha[end], score)


@inner_kernel
def _backward(offsets: I64, ids: I32, lengths: I32, scores: F64, start: int, size: int, beta: F64) -> None:
    """Set beta[k] to the log-probability of the characters from k on, adding shorter pieces first."""
    beta[size] = 0.0
    for begin in range(size - 1, -1, -1):
        first, end = offsets[start + begin], offsets[start + begin + 1]
        total = scores[ids[first]] + beta[begin + lengths[ids[first]]]
        for match in range(first + 1, end):
            piece = ids[match]
            total = _log_add(total, scores[piece] + beta[begin + lengths[piece]])
        beta[begin] = total


@inner_kernel
def _count_by_logs(
    offsets: I64,
    ids: I32,
    lengths: I32,
    scores: F64,
    start: int,
    size: int,
    count: float,
    alpha: F64,
    beta: F64,
    expected: F64,
) -> float:
    """Add `count` times the expected counts of a word, given alpha; returns the log-probability of the word."""
    _backward(offsets, ids, lengths, scores, start, size, beta)
    z = float(alpha[size])
    for begin in range(size):
        for match in range(offsets[start + begin], offsets[start + begin + 1]):
            piece = ids[match]
            log_share = alpha[begin] + scores[piece] + beta[begin + lengths[piece]] - z
            expected[piece] += count * math.exp(log_share)
    return z


class Chances(NamedTuple):
    """The scaled probability of each piece, exp(score + rate * length), and the rate, in nats per character.

    The factor exp(rate) per character cancels in all shares.  The rate is that of text which the pieces would generate,
    so the scaled probabilities of long words stay within the range of floats.  `scaled` is empty for few words.
    """

    scaled: F64
    rate: float

    @classmethod
    def of(cls, text: WordText, lexicon: Lexicon) -> Chances:
        """The chances of the pieces for the E step of this text."""
        few = len(text.counts) <= _FEW_WORDS
        return cls(np.empty(0), 0.0) if few else cls(*_scaled(lexicon.lengths, lexicon.scores))


@kernel
def _scaled(lengths: I32, scores: F64) -> tuple[F64, float]:
    """The fields of Chances.  Uses the exp of the C library: NumPy's depends on the processor."""
    nats, chars = 0.0, 0.0
    for piece in range(len(scores)):
        nats -= math.exp(scores[piece]) * scores[piece]
        chars += math.exp(scores[piece]) * lengths[piece]
    rate = nats / chars
    scaled = np.empty(len(scores))
    for piece in range(len(scores)):
        scaled[piece] = math.exp(min(scores[piece] + rate * lengths[piece], _LARGEST_LOG))
    return scaled, rate


@inner_kernel
def _forward_products(
    offsets: I64, ids: I32, lengths: I32, scaled: F64, start: int, size: int, known: int, alpha: F64
) -> bool:
    """Set alpha[k] to the scaled probability of the word's first k characters; arguments as in `_forward`.

    Returns False at the first number outside the bounds.  A later word that shares it will stop there too.
    """
    for end in range(known + 1, size + 1):
        alpha[end] = 0.0
    alpha[0] = 1.0
    for begin in range(size):
        for match in range(offsets[start + begin], offsets[start + begin + 1]):
            piece = ids[match]
            end = begin + lengths[piece]
            if end > known:
                alpha[end] += alpha[begin] * scaled[piece]
        if not _SMALLEST < alpha[begin + 1] < _LARGEST:
            return False
    return True


@inner_kernel
def _count_by_products(
    offsets: I64,
    ids: I32,
    lengths: I32,
    scaled: F64,
    start: int,
    size: int,
    count: float,
    alpha: F64,
    beta: F64,
    expected: F64,
) -> float:
    """Add `count` times the expected counts of a word, given the alpha of `_forward_products`.

    beta[k] is the scaled probability of the characters from k on.  Returns the log of the word's scaled probability.
    """
    share = count / alpha[size]
    beta[size] = 1.0
    for begin in range(size - 1, -1, -1):
        before, after = alpha[begin] * share, 0.0
        for match in range(offsets[start + begin], offsets[start + begin + 1]):
            piece = ids[match]
            product = scaled[piece] * beta[begin + lengths[piece]]
            after += product
            expected[piece] += before * product
        beta[begin] = after
    return math.log(alpha[size])


@inner_kernel
def _shared(symbols: I32, starts: I64, word: int) -> int:
    """The length of the prefix that a word shares with the word before it."""
    one, other = starts[word - 1], starts[word]
    longest = min(other - one, starts[word + 1] - other) - 1
    length = 0
    while length < longest and symbols[one + length] == symbols[other + length]:
        length += 1
    return length


@kernel
def _expect(
    text: WordText, matches: Matches, lexicon: Lexicon, chances: Chances, first: int, last: int, total: float
) -> tuple[F64, float]:
    """The expected counts of all pieces in the words first:last, and the share of these words in the objective.

    Without chances, all words are summed in logarithms.
    """
    # Fields are read before the loops: numba updates a reference count at each read, and threads contend for it.
    symbols, starts, counts = text.symbols, text.starts, text.counts
    offsets, ids, lengths, scores = matches.offsets, matches.ids, lexicon.lengths, lexicon.scores
    scaled, rate = chances.scaled, chances.rate
    expected, objective = np.zeros(len(scores)), 0.0
    room = np.max(starts[first + 1 : last + 1] - starts[first:last])
    alpha, beta, spare = np.empty(room), np.empty(room), np.empty(room)
    for word in range(first, last):
        start, size, count = starts[word], starts[word + 1] - 1 - starts[word], float(counts[word])
        # Words are sorted, so more than half of the forward sums are known from the word before.
        known = _shared(symbols, starts, word) if word > first else 0
        if len(scaled) == 0:
            _forward(offsets, ids, lengths, scores, start, size, known, alpha)
            z = _count_by_logs(offsets, ids, lengths, scores, start, size, count, alpha, beta, expected)
        elif _forward_products(offsets, ids, lengths, scaled, start, size, known, alpha):
            z = _count_by_products(offsets, ids, lengths, scaled, start, size, count, alpha, beta, expected)
            z -= rate * size
        else:
            _forward(offsets, ids, lengths, scores, start, size, 0, spare)
            z = _count_by_logs(offsets, ids, lengths, scores, start, size, count, spare, beta, expected)
        objective -= count * z / total
    return expected, objective


def expectation(text: WordText, matches: Matches, lexicon: Lexicon, executor: Any = None) -> tuple[F64, float]:
    """The E step: the expected count of each piece, shape (number of pieces + 1,), and the objective.

    Uses forward-backward (Kudo 2018, section 3.2).  The objective is -sum of count(w) log P(w) / sum of count(w), in
    nats per word.  Blocks of words are added in order, so the result does not depend on the number of threads.

    Up to 1,000 distinct words are summed in logarithms and in the order of tokenizers 0.23.3 on one thread.  Relative
    to that, the expected counts of more words differ by about 1e-13.

    executor: runs the step of every block; None: threads run it.
    """
    total, chances = float(text.counts.sum()), Chances.of(text, lexicon)

    def of_block(block: tuple[int, int]) -> tuple[F64, float]:
        return _expect(text, matches, lexicon, chances, *block, total)

    if executor is None:
        parts = map_in_order(of_block, text.blocks())
    else:
        packed = (PackedBlock.of(text, matches, *block) for block in text.blocks())
        parts = ordered_results(executor, partial(_expect_packed, PackedLexicon.of(lexicon), chances, total), packed)
    expected, objective = np.zeros(len(lexicon.scores)), 0.0
    for part, share in parts:
        expected += part
        objective += share
    return expected, objective


def _expect_packed(lexicon: PackedLexicon, chances: Chances, total: float, block: PackedBlock) -> tuple[F64, float]:
    text, matches = block.unpacked()
    # A copy, because arrays from another process may be read-only.
    chances = Chances(chances.scaled.copy(), chances.rate)
    return _expect(text, matches, lexicon.unpacked(), chances, 0, len(text.counts), total)


@inner_kernel
def _without(
    offsets: I64,
    ids: I32,
    lengths: I32,
    scores: F64,
    start: int,
    size: int,
    left_out: int,
    begin: int,
    alpha: F64,
) -> float:
    """Log-probability of the word at `start` without the piece `left_out`, which first occurs at `begin`.

    alpha: the forward sums of the word with all pieces; the sums after `begin` are overwritten.
    """
    for end in range(begin + 1, size + 1):
        alpha[end] = math.nan
    for at in range(size):
        for match in range(offsets[start + at], offsets[start + at + 1]):
            piece = ids[match]
            end = at + lengths[piece]
            if end > begin and piece != left_out:
                score = scores[piece] + alpha[at]
                alpha[end] = score if math.isnan(alpha[end]) else _log_add(alpha[end], score)
    return float(alpha[size])


@kernel
def _lose(text: WordText, matches: Matches, lexicon: Lexicon, first: int, last: int) -> F64:
    """The log-likelihood that the words first:last lose without each piece of two or more characters."""
    starts, counts = text.starts, text.counts
    offsets, ids, lengths, scores = matches.offsets, matches.ids, lexicon.lengths, lexicon.scores
    losses, times = np.zeros(len(scores)), np.zeros(len(scores), np.int32)
    room = np.max(starts[first + 1 : last + 1] - starts[first:last])
    alpha, beta, spare = np.empty(room), np.empty(room), np.empty(room)
    for word in range(first, last):
        start, size, count = starts[word], starts[word + 1] - 1 - starts[word], float(counts[word])
        _forward(offsets, ids, lengths, scores, start, size, 0, alpha)
        _backward(offsets, ids, lengths, scores, start, size, beta)
        z = alpha[size]
        for match in range(offsets[start], offsets[start + size]):
            times[ids[match]] += 1
        for begin in range(size):
            for match in range(offsets[start + begin], offsets[start + begin + 1]):
                piece = ids[match]
                if times[piece] == 0 or lengths[piece] == 1:
                    continue
                share = math.exp(alpha[begin] + scores[piece] + beta[begin + lengths[piece]] - z)
                if times[piece] == 1 and share < 0.5:
                    losses[piece] -= count * math.log1p(-share)
                else:
                    spare[: size + 1] = alpha[: size + 1]
                    losses[piece] += count * (
                        z - _without(offsets, ids, lengths, scores, start, size, piece, begin, spare)
                    )
                times[piece] = 0
        for match in range(offsets[start], offsets[start + size]):
            times[ids[match]] = 0
    return losses


def exact_losses(text: WordText, matches: Matches, lexicon: Lexicon) -> F64:
    """The likelihood that the corpus loses without each piece, L(V) - L(V - x), shape (number of pieces + 1,).

    L(V) = sum of count(w) log P(w) / sum of count(w), where P(w) is the sum over all segmentations of w into pieces of
    V (Kudo 2018, section 3.2).  The other scores do not change.  0 for pieces of one character, which are always kept.

    If a piece occurs once in a word, with posterior s < 1/2, then P(w) without it is P(w) (1 - s).  For the other
    pieces, a few per word, P(w) is summed again without the piece.  This costs about as much as a few E steps, but
    quadratic time in the length of very long words.
    """

    def of_block(block: tuple[int, int]) -> F64:
        return _lose(text, matches, lexicon, *block)

    losses = np.zeros(len(lexicon.scores))
    for part in map_in_order(of_block, text.blocks()):
        losses += part
    return losses / float(text.counts.sum())


# --- The M step: the score of each piece from its expected count

# Pieces with a smaller expected count are dropped.
RARE = 0.5


@kernel
def digamma(x: float) -> float:
    """The derivative of log Gamma at x > 0, to within 1e-8, and bit for bit that of tokenizers 0.23.3.

    Uses the recurrence up to 7, then the asymptotic series at x - 1/2.

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
    """The score of each kept piece; the sum is taken in the order of `kept`."""
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
    """The M step: the numbers of the pieces to keep, without 0, and their new scores.

    em: "bayes": digamma(e) - digamma(sum of e), a sparse prior (Liang & Klein 2007, "Structured Bayesian nonparametric
      models with variational inference"); "plain": log(e / sum of e) (Kudo 2018).  Both drop pieces with e < 0.5.

    >>> kept, scores = maximization(np.array([0.0, 6.0, 0.25, 2.0]), "plain")
    >>> kept.tolist(), scores.round(4).tolist()
    ([1, 3], [-0.2877, -1.3863])
    """
    kept = 1 + np.flatnonzero(expected[1:] >= RARE)
    return kept, _scores(expected, kept, em == "bayes")


# --- The best segmentation of every word


@inner_kernel
def _first_of_equals(
    offsets: I64,
    ids: I32,
    lengths: I32,
    scores: F64,
    start: int,
    at: int,
    piece: int,
    reach: int,
    best: F64,
    after: float,
) -> int:
    """`piece`, which ends at `at`, or an earlier piece that ties with it once the score of the next piece is added.

    Rounding may make two paths equal only after that addition, and the library takes the first of equal paths.
    reach: the length of the longest piece; after: the score of the next piece.
    """
    goal = best[at] + after
    for begin in range(max(0, at - reach), at - lengths[piece]):
        for match in range(offsets[start + begin], offsets[start + begin + 1]):
            other = ids[match]
            if begin + lengths[other] == at and best[begin] + scores[other] + after == goal:
                return int(other)
    return piece


@inner_kernel
def _best_scores(
    offsets: I64,
    ids: I32,
    lengths: I32,
    scores: F64,
    start: int,
    size: int,
    best: F64,
    pieces: I32,
    close: Bools,
) -> None:
    """Set best[k] to the best score of the first k characters of the word at `start`, pieces[k] to its last piece.

    close[k]: whether an earlier piece has nearly the same score.
    """
    for end in range(1, size + 1):
        best[end] = -math.inf
    best[0] = 0.0
    for begin in range(size):
        for match in range(offsets[start + begin], offsets[start + begin + 1]):
            piece = ids[match]
            end = begin + lengths[piece]
            score = scores[piece] + best[begin]
            if score > best[end]:
                # The margin far exceeds rounding errors, so no tie is missed.
                close[end] = score - best[end] < 1e-9 * (1.0 - score)
                best[end], pieces[end] = score, piece


@kernel
def _count(text: WordText, matches: Matches, lexicon: Lexicon, first: int, last: int) -> I64:
    """The number of occurrences of each piece in the best segmentations of the words first:last."""
    # Fields are read before the loops: numba updates a reference count at each read, and threads contend for it.
    starts, counts = text.starts, text.counts
    offsets, ids, lengths, scores = matches.offsets, matches.ids, lexicon.lengths, lexicon.scores
    freq, reach = np.zeros(len(scores), np.int64), lengths.max()
    room = np.max(starts[first + 1 : last + 1] - starts[first:last])
    best, pieces, close = np.empty(room), np.empty(room, np.int32), np.empty(room, np.bool_)
    for word in range(first, last):
        start, size = starts[word], starts[word + 1] - 1 - starts[word]
        _best_scores(offsets, ids, lengths, scores, start, size, best, pieces, close)
        at, after = size, 0.0
        while at > 0:
            piece = pieces[at]
            if close[at]:
                piece = _first_of_equals(offsets, ids, lengths, scores, start, at, piece, reach, best, after)
            freq[piece] += counts[word]
            at, after = at - lengths[piece], scores[piece]
    return freq


def viterbi(text: WordText, matches: Matches, lexicon: Lexicon) -> I64:
    """The number of occurrences of each piece in the best segmentations of the corpus, shape (number of pieces + 1,).

    Ties are broken as in tokenizers 0.23.3: from the end of the word, the longest piece wins.
    """

    def of_block(block: tuple[int, int]) -> I64:
        return _count(text, matches, lexicon, *block)

    freq = np.zeros(len(lexicon.scores), np.int64)
    for part in map_in_order(of_block, text.blocks()):
        freq += part
    return freq
