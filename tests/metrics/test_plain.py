"""The definitions in plain Python give the metrics' own numbers, to the last bit, on corpora of few words."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

import evenscore
from evenscore.bleu import plain as bleu_plain
from evenscore.rouge import plain as rouge_plain
from evenscore.wer import plain as wer_plain

# Few words, so that they meet; at least one, of which BLEU and ROUGE have tokens.
TEXT = st.lists(st.sampled_from("abcd"), max_size=9).map(" ".join)
ROWS = st.lists(st.tuples(TEXT, st.lists(TEXT, min_size=1, max_size=3)), min_size=1, max_size=5)


def split(texts: list[str]) -> list[list[str]]:
    return [text.split() for text in texts]


@examples(200)
@given(ROWS, st.integers(1, 4))
def test_bleu(rows: list[tuple[str, list[str]]], max_order: int) -> None:
    predictions, references = [text for text, _ in rows], [own for _, own in rows]
    metric = evenscore.load("bleu_corpus", convention="paper", max_order=max_order)
    expected = metric.compute(predictions=predictions, references=references)["score"]
    assert bleu_plain.bleu(split(predictions), list(map(split, references)), max_order) == expected


@examples(200)
@given(TEXT, TEXT)
def test_rouge_l(prediction: str, reference: str) -> None:
    metric = evenscore.load("rouge_l_multi", rouge_types=["rougeL"])
    result = metric.compute(predictions=[prediction], references=[reference])
    expected = result["rougeL_precision"], result["rougeL_recall"], result["rougeL"]
    assert rouge_plain.rouge_l(prediction.split(), reference.split()) == expected


@examples(200)
@given(ROWS)
def test_wer(rows: list[tuple[str, list[str]]]) -> None:
    predictions, references = [text for text, _ in rows], [own[0] for _, own in rows]
    expected = evenscore.load("wer_dp").compute(predictions=predictions, references=references)["wer"]
    assert wer_plain.wer(split(references), split(predictions)) == expected


@pytest.mark.parametrize(("letters", "longest"), [("ab", 5), ("abc", 4)])
def test_fast_edit_counts(letters: str, longest: int) -> None:
    texts = [text for length in range(longest + 1) for text in itertools.product(letters, repeat=length)]
    for pair in itertools.product(texts, repeat=2):
        assert wer_plain.fast_edit_counts(*pair) == wer_plain.edit_counts(*pair)


def test_a_score_that_is_not_zero_is_compared() -> None:
    assert bleu_plain.bleu([list("abcde")], [[list("abcdx")]]) == pytest.approx(66.87, abs=0.01)
