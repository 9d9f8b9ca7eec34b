"""The picture of ROUGE-L: what a prediction has in common, in this order, with each of its references."""

from __future__ import annotations

import numpy as np

from ._marks import Mark
from ._picture import Picture
from ._picture_blocks import Block, Line
from ._segments import IntArray
from ._words import Units


def lcs_picture(title: str, tokens: Units, labels: list[str]) -> Picture:
    """The prediction against every reference, with the tokens of their longest common subsequence marked in both.

    tokens: of the prediction, then of the references.
    labels: what stands before each reference.
    """
    blocks: list[Block] = []
    for k, label in enumerate(labels, 1):
        of_reference, of_prediction = lcs_positions(tokens.segments.row(k), tokens.segments.row(0))
        blocks.append(Line("prediction", _marks(tokens.row(0), of_prediction)))
        blocks.append(Line(label, _marks(tokens.row(k), of_reference)))
    return Picture(title, blocks)


def _marks(tokens: list[str], matched: IntArray) -> list[Mark]:
    inside = set(matched.tolist())
    return [Mark(token, "match" if i in inside else "miss") for i, token in enumerate(tokens)]


def lcs_positions(reference: IntArray, prediction: IntArray) -> tuple[IntArray, IntArray]:
    """Where the tokens of one longest common subsequence stand in both, ascending; of several the one that
    rouge_score 0.1.2 reads out (rouge_scorer._backtrack_norec).  It takes memory for a table of all pairs of tokens.

    >>> lcs_positions(np.array([1, 2, 3]), np.array([1, 3, 2]))
    (array([0, 1]), array([0, 2]))
    """
    lengths = _lcs_table(reference, prediction)
    found: list[tuple[int, int]] = []
    i, j = len(reference), len(prediction)
    while i and j:
        if reference[i - 1] == prediction[j - 1]:
            i, j = i - 1, j - 1
            found.append((i, j))
        elif lengths[i, j - 1] > lengths[i - 1, j]:
            j -= 1
        else:
            i -= 1
    positions = np.array(found[::-1], dtype=np.int64).reshape(-1, 2)
    return positions[:, 0], positions[:, 1]


def _lcs_table(reference: IntArray, prediction: IntArray) -> IntArray:
    """The lengths of the LCS of all prefixes, shape (len(reference) + 1, len(prediction) + 1)."""
    lengths = np.zeros((len(reference) + 1, len(prediction) + 1), dtype=np.int32)
    for i, token in enumerate(reference, 1):
        diagonal = lengths[i - 1, :-1] + (prediction == token)
        lengths[i, 1:] = np.maximum.accumulate(np.maximum(diagonal, lengths[i - 1, 1:]))
    return lengths
