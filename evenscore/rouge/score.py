"""The scores of ROUGE."""

from __future__ import annotations

import numpy as np

from evenscore.exact import LIMBS
from evenscore.parallel import with_bar
from evenscore.pictures import Block, Line, Mark, Picture
from evenscore.rouge.lcs import lcs_positions
from evenscore.scorer import ROW_COLUMNS
from evenscore.significance import FloatArray
from evenscore.text.segments import IntArray
from evenscore.text.words import Units


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


# What stands for a row: precision, recall and F, as limbs.
_PARTS = ("precision", "recall", "f")


def _by_type(statistics: IntArray) -> IntArray:
    """Shape (..., columns) to (..., types, parts, LIMBS)."""
    return statistics[..., len(ROW_COLUMNS) :].reshape(*statistics.shape[:-1], -1, len(_PARTS), LIMBS)


def _bootstrap_mid(values: FloatArray, n_resamples: int, seed: int) -> list[list[float]]:
    """Medians of resampled means, shape (types, parts), of values of shape (rows, types, parts).

    Source: rouge_score 0.1.2, scoring.BootstrapAggregator, with its draws after np.random.seed(seed): a type after the
    other from one stream.
    """
    rng = np.random.RandomState(seed)
    n = len(values)
    medians = []
    for matrix in np.ascontiguousarray(values.transpose(1, 0, 2)):
        trials = with_bar(range(n_resamples), "Resample", " resamples", lambda _: 1, n_resamples)
        means = np.stack([np.mean(matrix[rng.choice(n, size=n)], axis=0) for _ in trials])
        medians.append(np.percentile(means, 50, axis=0).tolist())
    return medians
