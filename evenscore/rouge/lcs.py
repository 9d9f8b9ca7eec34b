"""Longest common subsequences (LCS): their lengths, and the union that summary-level ROUGE-L counts.

The bit-parallel recurrence of Hyyrö, "Bit-parallel LCS-length computation revisited" (AWOCA 2004), after Crochemore et
al. (2001).  With t[i][j] the LCS length of the first i left and the first j right tokens, bit i - 1 of the vector V of
column j is 0 where t[i][j] = t[i-1][j] + 1, and 1 where the two are equal.  A column costs four operations on all of
its rows at once.

Lin, "ROUGE" (2004), section 3.2: a reference sentence is compared with every sentence of the prediction, and a token of
it counts if it is in any of these LCSs.  Several LCSs may be equally long; which one is read out is decided as in
rouge_score 0.1.2 (`_summary_level_lcs`, `_backtrack_norec`) and ROUGE-1.5.5, and so is the clipping of the hits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from evenscore.text.lanes import LaneBlock, Lanes, filled_below, fitting, lane_blocks, match_masks, popcount, worthwhile
from evenscore.text.ngrams import clipped_matches
from evenscore.text.segments import IntArray, Segments, offsets_of

Bits = TypeVar("Bits", int, npt.NDArray[np.unsignedinteger[Any]])


def lcs_lengths(left: Segments, right: Segments) -> IntArray:
    """Length of the LCS of left segment i and right segment i, shape (n,) int64; 0 where either is empty.

    Time O(shorter * longer / 64) a pair.

    >>> left = Segments(np.array([7, 8, 9, 7, 8]), np.array([0, 3, 5]))
    >>> right = Segments(np.array([7, 9, 8, 7]), np.array([0, 2, 4]))
    >>> lcs_lengths(left, right).tolist()
    [2, 1]
    """
    result = np.zeros(len(left.lengths), dtype=np.int64)
    left_is_short = left.lengths <= right.lengths
    # The LCS is symmetric, so the shorter side is the one that has to fit into a lane.
    for short, long, mine in ((left, right, left_is_short), (right, left, ~left_is_short)):
        in_lanes = worthwhile(mine & fitting(short, long))
        for block in lane_blocks(short, long, np.flatnonzero(in_lanes)):
            v = ~np.zeros(len(block.pairs), dtype=block.masks.dtype)
            for matches in block.masks:
                v = next_column(v, matches)
            result[block.pairs] = popcount(~v)
        for pair in np.flatnonzero(mine & ~in_lanes).tolist():
            result[pair] = _long_length(short.row(pair).tolist(), long.row(pair).tolist())
    return result


def next_column(v: Bits, matches: Bits) -> Bits:
    """V of column j from V of column j - 1: Hyyrö's figure 5; bit i - 1 of `matches` says left[i] equals right[j].

    On Python integers a carry may run out at the top: cut it off.
    """
    u = v & matches
    return (v + u) | (v - u)


def _long_length(left: list[int], right: list[int]) -> int:
    masks = match_masks(left, right)
    everything = (1 << len(left)) - 1
    v = everything
    for token in right:
        if token in masks:  # without a match V stays as it is
            v = next_column(v, masks[token]) & everything
    return len(left) - v.bit_count()


BoolArray = npt.NDArray[np.bool_]
# Pairs of sentences laid out at once; bounds the memory, at some 500 bytes a pair of 20 and 20 tokens.
_BATCH = 1 << 14


class Summaries(NamedTuple):
    """n texts, each a run of tokenised sentences.

    sentences: every sentence of every text, one after another.
    offsets: shape (n + 1,), int64; text i is the sentences offsets[i] up to, but not with, offsets[i + 1].
    """

    sentences: Segments
    offsets: IntArray

    @property
    def texts(self) -> Segments:
        """The texts with all tokens of their sentences."""
        return Segments(self.sentences.ids, self.sentences.offsets[self.offsets])

    @property
    def text_of_sentence(self) -> IntArray:
        """Which text each sentence belongs to, shape (number of sentences,)."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


def union_lcs_hits(references: Summaries, predictions: Summaries) -> IntArray:
    """Clipped hits of each reference text and its prediction, shape (n,) int64; 0 where either has no token.

    Every sentence of a reference is compared with every one of its prediction, in time O(tokens * tokens / 64) a pair.
    A long pair is kept as one bit a cell while it is read: two sentences of 10 000 tokens take 13 MB.

    Lin's own example: the LCSs are 1 2 and 1 3 5, their union is 1 2 3 5.

    >>> reference = Summaries(Segments(np.array([1, 2, 3, 4, 5]), np.array([0, 5])), np.array([0, 1]))
    >>> sentences = Segments(np.array([1, 2, 6, 7, 8, 1, 3, 8, 9, 5]), np.array([0, 5, 10]))
    >>> prediction = Summaries(sentences, np.array([0, 2]))
    >>> union_lcs_hits(reference, prediction).tolist()
    [4]
    """
    one_to_one = (np.diff(references.offsets) == 1) & (np.diff(predictions.offsets) == 1)
    in_union = _in_union(references, predictions, ~one_to_one)
    ids, offsets = references.texts
    union = Segments(ids[in_union], offsets_of(in_union)[offsets])
    # A token counts as often as the union has it, but no more often than the prediction has it.  rouge_score and
    # ROUGE-1.5.5 count both sides' tokens down, one by one.  The sum is this minimum in whatever order, and the
    # reference's own count never binds, since the union is part of it.  Lin (2004) asks for no clipping.
    hits = clipped_matches(predictions.texts, union, np.ones_like(union.lengths), 1)[:, 0]
    # The LCS of one sentence with one is its own union, and never has more of a token than either side.
    lone_reference, lone_prediction = references.offsets[:-1][one_to_one], predictions.offsets[:-1][one_to_one]
    hits[one_to_one] = lcs_lengths(
        references.sentences.take(lone_reference), predictions.sentences.take(lone_prediction)
    )
    return hits


def _in_union(references: Summaries, predictions: Summaries, texts: BoolArray) -> BoolArray:
    """Whether each reference token of the chosen texts is in the union, shape (number of reference tokens,)."""
    result = np.zeros(len(references.sentences.ids), dtype=np.bool_)
    for left_rows, right_rows in _sentence_pairs(references, predictions, texts):
        left, right = references.sentences.take(left_rows), predictions.sentences.take(right_rows)
        starts = references.sentences.offsets[left_rows]
        in_lanes = fitting(left, right)
        for block in lane_blocks(left, right, np.flatnonzero(in_lanes)):
            bits = np.unpackbits(_lane_lcs(block).view(np.uint8), bitorder="little").reshape(len(block.pairs), -1)
            row, i = np.nonzero(bits)
            result[starts[block.pairs][row] + i] = True
        for pair in np.flatnonzero(~in_lanes).tolist():
            result[starts[pair] + lcs_positions(left.row(pair).tolist(), right.row(pair).tolist())[0]] = True
    return result


def _sentence_pairs(
    references: Summaries, predictions: Summaries, texts: BoolArray
) -> Iterator[tuple[IntArray, IntArray]]:
    """Each reference sentence of the chosen texts with each sentence of its prediction, in batches of row numbers."""
    text = references.text_of_sentence
    partners = np.where(texts[text], np.diff(predictions.offsets)[text], 0)
    ends = np.cumsum(partners)
    n_pairs = int(partners.sum())
    # Pair k is of the first reference sentence with ends > k.
    for start in range(0, n_pairs, _BATCH):
        k = np.arange(start, min(start + _BATCH, n_pairs))
        left = np.searchsorted(ends, k, side="right")
        yield left, predictions.offsets[text[left]] + k - (ends - partners)[left]


def _lane_lcs(block: LaneBlock) -> Lanes:
    """The LCS of each pair, as the left tokens in it: bit i is set if left token i is; shape (p,).

    `_backtrack_norec` walks from the last row and column of the table t: out of a match to the upper left, taking the
    token; else to the left if t grows there from the row above; else up.  So each column is left for the one before it
    at the highest row that matches or grows, and one step a column reads out all lanes.
    """
    # 1. Every column of the table, first to last: its rows that match or grow.
    v = ~np.zeros(len(block.pairs), dtype=block.masks.dtype)
    leaving = np.empty_like(block.masks)
    for j, matches in enumerate(block.masks):
        v = next_column(v, matches)
        leaving[j] = ~v | matches
    # 2. Back again: `reach` are the rows up to the one where the walk stands.
    reach = ~np.zeros_like(v)
    taken = np.zeros_like(v)
    # The columns of a lane end at its own right length, and lanes are sorted by it.
    first_lane = np.searchsorted(block.right_lengths, np.arange(len(block.masks)), side="right")
    for j in reversed(range(len(block.masks))):
        lanes = slice(first_lane[j], None)
        below = filled_below(leaving[j, lanes] & reach[lanes])
        match = block.masks[j, lanes] & (below ^ (below >> 1))
        taken[lanes] |= match
        reach[lanes] = below ^ match
    return taken


def lcs_positions(left: list[int], right: list[int]) -> tuple[IntArray, IntArray]:
    """Where the tokens of the LCS of one pair stand on either side, ascending: `_lane_lcs` on Python integers.

    >>> lcs_positions([1, 2, 3], [1, 3, 2])
    (array([0, 1]), array([0, 2]))
    """
    masks = match_masks(left, right)
    everything = (1 << len(left)) - 1
    v = everything
    columns = []
    for token in right:
        matches = masks.get(token, 0)
        v = next_column(v, matches) & everything
        columns.append((matches, (everything ^ v) | matches))
    reach = everything
    taken = []
    for j in reversed(range(len(columns))):
        matches, leaving = columns[j]
        below = (1 << (leaving & reach).bit_length()) - 1
        match = matches & (below ^ (below >> 1))
        if match:
            taken.append((match.bit_length() - 1, j))
        reach = below ^ match
    positions = np.array(taken[::-1], dtype=np.int64).reshape(-1, 2)
    return positions[:, 0], positions[:, 1]
