"""The best segmentation of every word."""

from __future__ import annotations

import math

import numpy as np

from .._arrays import F64, I32, I64, Bools
from .._kernel import kernel
from .._threads import map_in_order
from ._lexicon import Lexicon
from ._piece_matches import Matches
from ._word_text import WordText


@kernel
def _first_of_equals(
    matches: Matches, lexicon: Lexicon, start: int, at: int, piece: int, reach: int, best: F64, after: float
) -> int:
    """`piece`, which ends at `at`, or the first one before it that is as good once the score of the next is added.

    Rounding can make paths equal only then, and among equal ones the library takes the first.
    reach: the length of the longest piece; after: the score of the next piece.
    """
    goal = best[at] + after
    for begin in range(max(0, at - reach), at - lexicon.lengths[piece]):
        for match in range(matches.offsets[start + begin], matches.offsets[start + begin + 1]):
            other = matches.ids[match]
            if begin + lexicon.lengths[other] == at and best[begin] + lexicon.scores[other] + after == goal:
                return int(other)
    return piece


@kernel
def _best_scores(
    matches: Matches, lexicon: Lexicon, start: int, size: int, best: F64, pieces: I32, close: Bools
) -> None:
    """best[k]: the best score of the first k characters of the word at `start`; pieces[k]: the piece it ends with.

    close[k]: whether a piece that begins before that one is about as good.
    """
    for end in range(1, size + 1):
        best[end] = -math.inf
    best[0] = 0.0
    for begin in range(size):
        for match in range(matches.offsets[start + begin], matches.offsets[start + begin + 1]):
            piece = matches.ids[match]
            end = begin + lexicon.lengths[piece]
            score = lexicon.scores[piece] + best[begin]
            if score > best[end]:
                # Far above the rounding of sums, so that no tie is missed.
                close[end] = score - best[end] < 1e-9 * (1.0 - score)
                best[end], pieces[end] = score, piece


@kernel
def _count(text: WordText, matches: Matches, lexicon: Lexicon, first: int, last: int) -> I64:
    """How often each piece comes in the words first up to, without, last."""
    freq, reach = np.zeros(len(lexicon.scores), np.int64), lexicon.lengths.max()
    room = np.max(text.starts[first + 1 : last + 1] - text.starts[first:last])
    best, pieces, close = np.empty(room), np.empty(room, np.int32), np.empty(room, np.bool_)
    for word in range(first, last):
        start, size = text.starts[word], text.starts[word + 1] - 1 - text.starts[word]
        _best_scores(matches, lexicon, start, size, best, pieces, close)
        at, after = size, 0.0
        while at > 0:
            piece = pieces[at]
            if close[at]:
                piece = _first_of_equals(matches, lexicon, start, at, piece, reach, best, after)
            freq[piece] += text.counts[word]
            at, after = at - lexicon.lengths[piece], lexicon.scores[piece]
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
