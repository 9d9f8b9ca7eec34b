"""BLEU of many rows at once is sacrebleu's of each sentence."""

from __future__ import annotations

import random

import pytest
from sacrebleu.metrics import BLEU

from evenscore import load

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


def test_orders_far_beyond_the_matches() -> None:
    metric = load("bleu_corpus", max_order=64)
    predictions, references = [" ".join(f"w{i}" for i in range(64))], ["w0" + " x" * 63]
    result = metric.compute(predictions=predictions, references=references, per_example=True)
    assert result["score_per_example"] == [result["score"]]


@pytest.mark.parametrize("smoothing", ["floor", "add-k"])
@pytest.mark.parametrize("value", [10**19, 2**63 - 1, 2**64, 10**30, 1e307, 1.7e308])
@pytest.mark.filterwarnings("error")
def test_huge_values_are_those_of_the_corpus(smoothing: str, value: float) -> None:
    options = {"smoothing": smoothing, "smoothing_value": value, "effective_order": True, "per_example": True}
    result = load("bleu_corpus").compute(predictions=["a b c d e"], references=["a b x d e"], **options)
    assert result["score_per_example"] == [result["score"]]


def test_what_is_beyond_floats_is_refused() -> None:
    with pytest.raises(ValueError, match=r"smoothing_value=1000.*: give a number at least 0"):
        load("bleu_corpus", smoothing="floor", smoothing_value=10**400)


def test_statistics_of_any_integers_are_scored_and_nothing_else() -> None:
    metric = load("bleu_corpus")
    statistics = metric.statistics(["a b"], ["a b"])
    expected = metric.row_scores(statistics).tolist()
    assert metric.row_scores(statistics.astype("uint64")).tolist() == metric.row_scores(statistics.tolist()).tolist()
    assert metric.row_scores(statistics.astype("int32")).tolist() == expected
    for wrong in (statistics[0], statistics[:, 1:], statistics.astype(float), [["a"]]):
        with pytest.raises(
            ValueError, match=r"statistics have shape .*: give what statistics\(\.\.\.\) returns, rows of 13 integers"
        ):
            metric.row_scores(wrong)
