"""Sums over all segmentations of every word."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from evenscore.parallel import ordered_results

from .._arrays import F64, I32, I64
from .._kernel import inner_kernel, kernel
from .._threads import map_in_order
from ._lexicon import Lexicon
from ._packed_words import PackedBlock, PackedLexicon
from ._piece_matches import Matches
from ._word_text import WordText


@inner_kernel
def _log_add(x: float, y: float) -> float:
    """log(exp(x) + exp(y))."""
    # Where the library leaves out a term 50 below the other, adding it changes nothing: exp(-37) + 1 is 1 already.
    return (x if x > y else y) + math.log(math.exp(-abs(x - y)) + 1.0)


@inner_kernel
def _forward(offsets: I64, ids: I32, lengths: I32, scores: F64, start: int, size: int, known: int, alpha: F64) -> None:
    """alpha[k]: log probability of the first k characters of the word at `start`; earlier pieces are added first.

    known: alpha is right up to this number of characters already.
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
def _shared(symbols: I32, starts: I64, word: int) -> int:
    """How many characters a word begins with like the one before it."""
    one, other = starts[word - 1], starts[word]
    longest = min(other - one, starts[word + 1] - other) - 1
    length = 0
    while length < longest and symbols[one + length] == symbols[other + length]:
        length += 1
    return length


@inner_kernel
def _backward(offsets: I64, ids: I32, lengths: I32, scores: F64, start: int, size: int, beta: F64) -> None:
    """beta[k]: log probability of the characters from k on; shorter pieces are added first."""
    beta[size] = 0.0
    for begin in range(size - 1, -1, -1):
        first, end = offsets[start + begin], offsets[start + begin + 1]
        total = scores[ids[first]] + beta[begin + lengths[ids[first]]]
        for match in range(first + 1, end):
            piece = ids[match]
            total = _log_add(total, scores[piece] + beta[begin + lengths[piece]])
        beta[begin] = total


@kernel
def _expect(
    text: WordText, matches: Matches, lexicon: Lexicon, first: int, last: int, total: float
) -> tuple[F64, float]:
    """Expected numbers and objective of the words first up to, without, last."""
    # Fields are taken out before the loops: numba counts references each time one is read, and threads wait for that.
    symbols, starts, counts = text.symbols, text.starts, text.counts
    offsets, ids, lengths, scores = matches.offsets, matches.ids, lexicon.lengths, lexicon.scores
    expected, objective = np.zeros(len(scores)), 0.0
    room = np.max(starts[first + 1 : last + 1] - starts[first:last])
    alpha, beta = np.empty(room), np.empty(room)
    for word in range(first, last):
        start, size, count = starts[word], starts[word + 1] - 1 - starts[word], float(counts[word])
        # Words are sorted, so that a good half of the forward sums stand there already.
        _forward(
            offsets, ids, lengths, scores, start, size, _shared(symbols, starts, word) if word > first else 0, alpha
        )
        _backward(offsets, ids, lengths, scores, start, size, beta)
        z = alpha[size]
        for begin in range(size):
            for match in range(offsets[start + begin], offsets[start + begin + 1]):
                piece = ids[match]
                log_share = alpha[begin] + scores[piece] + beta[begin + lengths[piece]] - z
                expected[piece] += count * math.exp(log_share)
        objective -= count * z / total
    return expected, objective


def expectation(text: WordText, matches: Matches, lexicon: Lexicon, executor: Any = None) -> tuple[F64, float]:
    """The E step: the expected number of each piece, shape (number of pieces + 1,), and the objective.

    By forward-backward (Kudo 2018, section 3.2) in logarithms.  The objective is -sum of count(w) log P(w) / sum of
    count(w), nats a word.  Every sum is taken in the order of tokenizers 0.23.3 on one thread, block of words by block
    of words; the blocks are added in order, so the result does not depend on the number of threads.

    executor: takes the step for every block elsewhere; None: threads do.
    """
    total = float(text.counts.sum())

    def of_block(block: tuple[int, int]) -> tuple[F64, float]:
        return _expect(text, matches, lexicon, *block, total)

    if executor is None:
        parts = map_in_order(of_block, text.blocks())
    else:
        packed = (PackedBlock.of(text, matches, *block) for block in text.blocks())
        parts = ordered_results(executor, partial(_expect_packed, PackedLexicon.of(lexicon), total), packed)
    expected, objective = np.zeros(len(lexicon.scores)), 0.0
    for part, share in parts:
        expected += part
        objective += share
    return expected, objective


def _expect_packed(lexicon: PackedLexicon, total: float, block: PackedBlock) -> tuple[F64, float]:
    text, matches = block.unpacked()
    return _expect(text, matches, lexicon.unpacked(), 0, len(text.counts), total)


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
    """Log probability of the word at `start` if there were no piece `left_out`, which first stands at begin.

    alpha: of the word with all pieces; it is used up behind begin.
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
    """By how much the log likelihood of the words first up to, without, last falls without each longer piece."""
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
    """How much likelihood the corpus loses without each piece, L(V) - L(V - x), shape (number of pieces + 1,).

    L(V) = sum of count(w) log P(w) / sum of count(w), P(w) the sum over all segmentations of w into pieces of V (Kudo
    2018, section 3.2); the other scores stay as they are.  0 for pieces of one character, which always stay.

    A piece that stands once in a word, with posterior s < 1/2, takes P(w) to P(w) (1 - s); for the others, a few in a
    word, P(w) is added up again without the piece.  So it costs about as much as some E steps, but the square of the
    length of a word that is very long.
    """

    def of_block(block: tuple[int, int]) -> F64:
        return _lose(text, matches, lexicon, *block)

    losses = np.zeros(len(lexicon.scores))
    for part in map_in_order(of_block, text.blocks()):
        losses += part
    return losses / float(text.counts.sum())
