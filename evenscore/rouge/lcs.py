"""Longest common subsequences (LCS): their lengths, and the union LCS of summary-level ROUGE-L.

Lengths use the bit-parallel recurrence of Hyyrö, "Bit-parallel LCS-length computation revisited" (AWOCA 2004), after
Crochemore et al. (2001). Let t[i][j] be the LCS length of the first i left and the first j right tokens. Bit i - 1 of
the vector V of column j is 0 if t[i][j] = t[i-1][j] + 1, and 1 if the two are equal. Each column takes four operations
on all rows at once.

The union LCS follows Lin, "ROUGE" (2004), section 3.2: a token of a reference sentence counts if it is in the LCS of
the sentence with any sentence of the prediction. Ties between LCSs are broken as in rouge_score 0.1.2
(`_summary_level_lcs`, `_backtrack_norec`) and ROUGE-1.5.5, and hits are clipped as there.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from evenscore.text.lanes import LaneBlock, Lanes, filled_below, fitting, lane_blocks, match_masks, popcount, worthwhile
from evenscore.text.ngrams import clipped_matches
from evenscore.text.segments import IntArray, Segments, offsets_of, stacked

Bits = TypeVar("Bits", int, npt.NDArray[np.unsignedinteger[Any]])


def lcs_lengths(left: Segments, right: Segments) -> IntArray:
    """Return the LCS length of left segment i and right segment i, int64, shape (n,); 0 if either is empty.

    Takes O(shorter * longer / 64) time per pair.

    >>> left = Segments(np.array([7, 8, 9, 7, 8]), np.array([0, 3, 5]))
    >>> right = Segments(np.array([7, 9, 8, 7]), np.array([0, 2, 4]))
    >>> lcs_lengths(left, right).tolist()
    [2, 1]
    """
    tokens, rows = stacked(left, right), np.arange(len(left.lengths))
    # The LCS is symmetric, so only the shorter side must fit into a lane.
    swap = left.lengths > right.lengths
    short, long = np.where(swap, rows + len(rows), rows), np.where(swap, rows, rows + len(rows))
    result = np.zeros_like(rows)
    in_lanes = worthwhile(fitting(tokens.lengths[short], tokens.lengths[long]))
    for block in lane_blocks(tokens, short, long, np.flatnonzero(in_lanes)):
        v = ~np.zeros(len(block.pairs), dtype=block.masks.dtype)
        for matches in block.masks:
            v = next_column(v, matches)
        result[block.pairs] = popcount(~v)
    for pair in np.flatnonzero(~in_lanes).tolist():
        result[pair] = lcs_length(tokens.row(short[pair]).tolist(), tokens.row(long[pair]).tolist())
    return result


def next_column(v: Bits, matches: Bits) -> Bits:
    """Return V of column j from V of column j - 1 (Hyyrö, figure 5). Bit i - 1 of `matches`: left[i] equals right[j].

    For Python integers, the caller must mask the carry beyond the highest bit.
    """
    u = v & matches
    return (v + u) | (v - u)


def lcs_length(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """Return the LCS length of one pair, on Python's long integers.

    >>> lcs_length("abcab", "acba")
    3
    """
    masks = match_masks(left, right)
    everything = v = (1 << len(left)) - 1
    for token in right:
        if token in masks:  # V does not change without a match
            # As `next_column` does, without a call for each token.
            u = v & masks[token]
            v = (v + u | v - u) & everything
    return len(left) - v.bit_count()


BoolArray = npt.NDArray[np.bool_]
# Pairs of sentences per batch, to bound the memory: some 500 bytes per pair of 20 and 20 tokens.
_BATCH = 1 << 14


class Summaries(NamedTuple):
    """n texts as tokenized sentences.

    sentences: the sentences of all texts, text after text.
    offsets: int64, shape (n + 1,); text i has the sentences offsets[i] to offsets[i + 1] (exclusive).
    """

    sentences: Segments
    offsets: IntArray

    @property
    def texts(self) -> Segments:
        """The tokens of each text, over all its sentences."""
        return Segments(self.sentences.ids, self.sentences.offsets[self.offsets])

    @property
    def text_of_sentence(self) -> IntArray:
        """The text that each sentence belongs to, shape (sentences,)."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


def union_lcs_hits(references: Summaries, predictions: Summaries) -> IntArray:
    """Return the clipped hits of each reference text and its prediction, int64, shape (n,); 0 if either is empty.

    Compares all pairs of sentences, in O(tokens * tokens / 64) time per pair of texts. A long pair needs one bit per
    cell of its table: two sentences of 10 000 tokens take 13 MB.

    In Lin's example, the LCSs are 1 2 and 1 3 5, and their union is 1 2 3 5:

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
    # A token counts at most as often as the prediction has it. rouge_score and ROUGE-1.5.5 decrement counts of both
    # sides per hit, which gives the same minimum in any order; the union never exceeds the reference's count. Lin
    # (2004) does not clip.
    hits = clipped_matches(predictions.texts, union, np.ones_like(union.lengths), 1)[:, 0]
    # If both texts have one sentence, the union is their LCS, and needs no clipping.
    lone_reference, lone_prediction = references.offsets[:-1][one_to_one], predictions.offsets[:-1][one_to_one]
    hits[one_to_one] = lcs_lengths(
        references.sentences.take(lone_reference), predictions.sentences.take(lone_prediction)
    )
    return hits


def _in_union(references: Summaries, predictions: Summaries, texts: BoolArray) -> BoolArray:
    """Return whether each reference token is in the union, shape (reference tokens,); False in texts not chosen."""
    result = np.zeros(len(references.sentences.ids), dtype=np.bool_)
    tokens, n_left = stacked(references.sentences, predictions.sentences), len(references.sentences.lengths)
    for left, right_rows in _sentence_pairs(references, predictions, texts):
        right, starts = n_left + right_rows, tokens.offsets[left]
        in_lanes = fitting(tokens.lengths[left], tokens.lengths[right])
        for block in lane_blocks(tokens, left, right, np.flatnonzero(in_lanes)):
            bits = np.unpackbits(_lane_lcs(block).view(np.uint8), bitorder="little").reshape(len(block.pairs), -1)
            row, i = np.nonzero(bits)
            result[starts[block.pairs][row] + i] = True
        for pair in np.flatnonzero(~in_lanes).tolist():
            sides = (tokens.row(side[pair]).tolist() for side in (left, right))
            result[starts[pair] + lcs_positions(*sides)[0]] = True
    return result


def _sentence_pairs(
    references: Summaries, predictions: Summaries, texts: BoolArray
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield batches of pairs of sentence indices: each reference sentence with each sentence of its prediction."""
    text = references.text_of_sentence
    partners = np.where(texts[text], np.diff(predictions.offsets)[text], 0)
    ends = np.cumsum(partners)
    n_pairs = int(partners.sum())
    # Pair k belongs to the first reference sentence with ends > k.
    for start in range(0, n_pairs, _BATCH):
        k = np.arange(start, min(start + _BATCH, n_pairs))
        left = np.searchsorted(ends, k, side="right")
        yield left, predictions.offsets[text[left]] + k - (ends - partners)[left]


def _lane_lcs(block: LaneBlock) -> Lanes:
    """Return the LCS of each pair as bits, shape (p,): bit i is set if left token i is in the LCS.

    `_backtrack_norec` walks from the last cell of the table t. At a match it takes the token and moves diagonally. Else
    it moves left if t[i][j] > t[i-1][j], else up. So it leaves each column at the highest row, not beyond the current
    one, that matches or where t grows. One step per column therefore serves all lanes.
    """
    # 1. Compute for each column the rows that match or where t grows.
    v = ~np.zeros(len(block.pairs), dtype=block.masks.dtype)
    leaving = np.empty_like(block.masks)
    for j, matches in enumerate(block.masks):
        v = next_column(v, matches)
        leaving[j] = ~v | matches
    # 2. Walk back. `reach` has the bits of all rows up to the current one.
    reach = ~np.zeros_like(v)
    taken = np.zeros_like(v)
    # Lanes are sorted by their right length, which is the number of their columns.
    first_lane = np.searchsorted(block.right_lengths, np.arange(len(block.masks)), side="right")
    for j in reversed(range(len(block.masks))):
        lanes = slice(first_lane[j], None)
        below = filled_below(leaving[j, lanes] & reach[lanes])
        match = block.masks[j, lanes] & (below ^ (below >> 1))
        taken[lanes] |= match
        reach[lanes] = below ^ match
    return taken


def lcs_positions(left: list[int], right: list[int]) -> tuple[IntArray, IntArray]:
    """Return the positions of the LCS of one pair on both sides, ascending: `_lane_lcs` on Python integers.

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
