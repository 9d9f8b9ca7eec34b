"""BLEU of many rows at once is sacrebleu's of each sentence."""

from __future__ import annotations

import random

import pytest
from evenscore import load
from sacrebleu.metrics import BLEU

SMOOTHINGS = [
    ("exp", None),
    ("floor", None),
    ("floor", 0.3),
    ("floor", 0.0),
    ("add-k", None),
    ("add-k", 0.5),
    ("none", None),
]


def texts(draw: random.Random) -> list[str]:
    """Rows of few words, so that many match, shorter and longer than the longest n-grams."""
    return [" ".join(draw.choices("abc", k=draw.choice([0, 1, 1, 2, 3, 3, 4, 5, 8]))) for _ in range(400)]


@pytest.mark.parametrize("max_order", [1, 2, 4, 6])
@pytest.mark.parametrize(("smoothing", "value"), SMOOTHINGS)
def test_rows_are_those_of_sacrebleu(smoothing: str, value: float | None, max_order: int) -> None:
    draw = random.Random(max_order)
    predictions, references = texts(draw), texts(draw)
    options = {"smoothing": smoothing, "max_order": max_order, **({} if value is None else {"smoothing_value": value})}
    result = load("bleu_corpus").compute(predictions=predictions, references=references, per_example=True, **options)
    peer = BLEU(smooth_method=smoothing, smooth_value=value, max_ngram_order=max_order, effective_order=True)
    expected = [
        peer.sentence_score(*pair).score for pair in zip(predictions, ([text] for text in references), strict=True)
    ]
    assert result["score_per_example"] == expected
    assert len({score > 0 for score in expected}) == 2
