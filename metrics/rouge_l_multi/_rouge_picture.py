"""The picture of ROUGE-L: what a prediction has in common, in this order, with each of its references."""

from __future__ import annotations

from ._marks import Mark
from ._picture import Picture
from ._picture_blocks import Block, Line
from ._segments import IntArray
from ._union_lcs import lcs_positions
from ._words import Units


def lcs_picture(title: str, tokens: Units, labels: list[str]) -> Picture:
    """The prediction against every reference, with the tokens of their longest common subsequence marked in both.

    tokens: of the prediction, then of the references.
    labels: what stands before each reference.

    Of several such subsequences it is the one that rouge_score 0.1.2 reads out (rouge_scorer._backtrack_norec).
    """
    prediction = tokens.segments.row(0).tolist()
    blocks: list[Block] = []
    for k, label in enumerate(labels, 1):
        of_reference, of_prediction = lcs_positions(tokens.segments.row(k).tolist(), prediction)
        blocks.append(Line("prediction", _marks(tokens.row(0), of_prediction)))
        blocks.append(Line(label, _marks(tokens.row(k), of_reference)))
    return Picture(title, blocks)


def _marks(tokens: list[str], matched: IntArray) -> list[Mark]:
    inside = set(matched.tolist())
    return [Mark(token, "match" if i in inside else "miss") for i, token in enumerate(tokens)]
