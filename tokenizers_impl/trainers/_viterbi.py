"""The best segmentation of every word."""

from __future__ import annotations

import math

import numpy as np

from .._arrays import F64, I32, I64, Bools
from .._kernel import inner_kernel, kernel
from .._threads import map_in_order
from ._lexicon import Lexicon
from ._piece_matches import Matches
from ._word_text import WordText


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
    """`piece`, which ends at `at`, or the first one before it that is as good once the score of the next is added.

    Rounding can make paths equal only then, and among equal ones the library takes the first.
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
    """best[k]: the best score of the first k characters of the word at `start`; pieces[k]: the piece it ends with.

    close[k]: whether a piece that begins before that one is about as good.
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
                # Far above the rounding of sums, so that no tie is missed.
                close[end] = score - best[end] < 1e-9 * (1.0 - score)
                best[end], pieces[end] = score, piece


@kernel
def _count(text: WordText, matches: Matches, lexicon: Lexicon, first: int, last: int) -> I64:
    """How often each piece comes in the words first up to, without, last."""
    # Fields are taken out before the loops: numba counts references each time one is read, and threads wait for that.
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
    """How often each piece comes in the best segmentations of the corpus, shape (number of pieces + 1,).

    Among equally good segmentations it is that of tokenizers 0.23.3: from the end of the word, the longest piece.
    """

    def of_block(block: tuple[int, int]) -> I64:
        return _count(text, matches, lexicon, *block)

    freq = np.zeros(len(lexicon.scores), np.int64)
    for part in map_in_order(of_block, text.blocks()):
        freq += part
    return freq
