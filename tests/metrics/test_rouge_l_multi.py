"""Rows of rouge_l_multi equal rouge_score's bit for bit, for every type, stemmed or not, on short texts and long."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from evenscore.metrics.rouge_l_multi.rouge_l_multi import RougeLMulti
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from rouge_corpora import TED, WMT17, parts_of, rouge_score_rows, row_by_row, rows, summaries
from shared_data import lines, shared

TYPES = ["rougeL", "rougeLsum", *(f"rouge{n}" for n in range(1, 10))]


@pytest.fixture(autouse=True)
def _no_warning_but_that_of_other_scripts() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".* most of its letters")
        yield


def assert_equal_to_rouge_score(predictions: list[str], references: list[Any], stemmer: bool) -> None:
    expected = rouge_score_rows(predictions, references, TYPES, use_stemmer=stemmer)
    ours = row_by_row(predictions, references, rouge_types=TYPES, stemmer=stemmer)
    assert ours == {name: [tuple(row[name]) for row in expected] for name in TYPES}


# --- rouge_score


@examples(120)
@given(rows, st.booleans())
def test_rows_are_those_of_rouge_score(corpus: list[tuple[str, list[str]]], stemmer: bool) -> None:
    predictions, references = [list(column) for column in zip(*corpus, strict=True)]
    assert_equal_to_rouge_score(predictions, references, stemmer)
    assert_equal_to_rouge_score(predictions, [several[0] for several in references], stemmer)


@pytest.mark.parametrize("stemmer", [False, True])
def test_real_translations_score_as_in_rouge_score(stemmer: bool) -> None:
    predictions = lines(f"{WMT17}/newstest2017.online-A.0.en-de.txt")[:250]
    assert_equal_to_rouge_score(predictions, lines(f"{WMT17}/ref.txt")[:250], stemmer)


@pytest.mark.parametrize("stemmer", [False, True])
def test_real_texts_of_several_sentences_and_references_score_as_in_rouge_score(stemmer: bool) -> None:
    first, second = summaries(f"{TED}/ref.txt", 160), summaries(f"{TED}/refB.txt", 160)
    references = [list(pair)[: 1 + i % 2] for i, pair in enumerate(zip(first, second, strict=True))]
    assert_equal_to_rouge_score(summaries(f"{TED}/MiSS.txt", 160), references, stemmer)


def test_real_headlines_with_four_references_score_as_in_rouge_score() -> None:
    items = json.loads(shared("summarization/rouge155/test_data.json").read_text(encoding="utf-8")).values()
    corpus = [(summary, item["references"]) for item in items for summary in item["summaries"]]
    assert len(corpus) == 200
    assert_equal_to_rouge_score([summary for summary, _ in corpus], [references for _, references in corpus], True)


@pytest.mark.parametrize("prediction", ["", "\n\n", "?!", " a ", "\n.\na b\n"])
@pytest.mark.parametrize("reference", ["", "\n", "...", "a\n\nb", ["", "b", "a b"]])
def test_empty_sides_and_sentences_score_as_in_rouge_score(prediction: str, reference: Any) -> None:
    assert_equal_to_rouge_score([prediction], [reference], False)


@pytest.mark.parametrize("others", [[], ["a\nb"]])
def test_an_empty_text_of_which_a_function_makes_a_token_is_no_sentence(others: list[str]) -> None:
    class Tokenizer:
        def tokenize(self, text: str) -> list[str]:
            return text.split(" ")

    texts = ["", "“a” ", *others]
    ours = row_by_row(texts, texts, rouge_types=["rougeL", "rougeLsum"], tokenizer=Tokenizer().tokenize)
    theirs = rouge_score_rows(texts, texts, ["rougeL", "rougeLsum"], tokenizer=Tokenizer())
    assert ours == {name: [tuple(row[name]) for row in theirs] for name in ours}
    assert [row["rougeLsum"].fmeasure for row in theirs][:2] == [0.0, 1.0]


@pytest.mark.parametrize(("prediction", "reference"), [("a b", "b\na"), ("b\na", "a b")])
def test_either_side_alone_may_have_lines(prediction: str, reference: str) -> None:
    scores = row_by_row([prediction], [reference], rouge_types=["rougeL", "rougeLsum"])
    assert scores == {"rougeL": [(0.5, 0.5, 0.5)], "rougeLsum": [(1.0, 1.0, 1.0)]}


# --- options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rouge_types": ["rouge10"]}, "rouge_types holds 'rouge10': choose from rougeL, rougeLsum, rouge1 .. rouge9"),
        ({"rouge_types": ["rouge0"]}, "rouge_types holds 'rouge0'"),
        ({"rouge_types": ["rougeL", "rougeX"]}, "rouge_types holds 'rougeX'"),
        ({"rouge_types": "rougeW"}, "rouge_types holds 'rougeW'"),
        ({"rouge_types": ["rougeL\n"]}, "rouge_types holds"),
        ({"rouge_types": []}, "rouge_types is empty: give one or more"),
        ({"rouge_types": [["rougeL"]]}, r"give a list such as \['rougeL', 'rouge1'\]"),
        ({"rouge_types": 1}, "rouge_types=1: give a list"),
        ({"beta": -1}, "beta=-1: give a number at least 0"),
        ({"beta": 1e200}, "beta=1e[+]200: give a number"),
        ({"beta": 10**400}, "below 1e[+]100"),
        ({"beta": float("nan")}, "beta=nan: give a number"),
        ({"beta": True}, "beta=True: give a number"),
        ({"beta": "R/P"}, "beta='R/P': give a number, or 'P/R'"),
        ({"multi_reference": "worst"}, "multi_reference='worst': choose one of 'best', 'max_pr'"),
        ({"aggregate": "median"}, "aggregate='median': choose one of 'mean', 'bootstrap', 'none'"),
        ({"use_aggregator": True, "aggregate": "none"}, "contradicts"),
        ({"sentences": "punkt"}, "sentences='punkt': choose one of 'newline', 'rules'"),
        ({"stemmer": "porter"}, "stemmer='porter': choose one of True, False"),
        ({"tokenizer": "13a"}, "tokenizer='13a': choose one of 'rouge_score', 'unicode', 'whitespace'"),
        ({"stemer": True}, "did you mean 'stemmer'"),
    ],
)
def test_bad_options_are_refused_before_any_text_is_read(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RougeLMulti(**options)
    with pytest.raises(ValueError, match=message):
        RougeLMulti().compute(predictions=[object()], references=["a"], **options)


def test_types_are_given_as_one_string_or_a_list_and_come_once_in_that_order() -> None:
    def names(types: Any) -> list[str]:
        return list(RougeLMulti(rouge_types=types).compute(predictions=["a b"], references=["a c"]))

    assert names("rouge2") == ["rouge2", "rouge2_precision", "rouge2_recall", "signature"]
    assert names(("rouge2", "rougeL", "rouge2"))[::3] == ["rouge2", "rougeL", "signature"]


def test_a_type_scores_the_same_alone_and_among_others() -> None:
    predictions, references = summaries(f"{TED}/MiSS.txt", 80), summaries(f"{TED}/ref.txt", 80)
    together = row_by_row(predictions, references, rouge_types=TYPES)
    for name in TYPES:
        assert row_by_row(predictions, references, rouge_types=name) == {name: together[name]}


def test_a_corpus_without_rows_is_refused_and_has_statistics_without_rows() -> None:
    with pytest.raises(ValueError, match="nothing to score"):
        RougeLMulti().compute(predictions=[], references=[])
    assert RougeLMulti().statistics([], []).shape == (0, len(RougeLMulti().statistic_names()))


# --- extremes


def test_a_document_of_20_000_words() -> None:
    reference = [f"w{i}" for i in range(20_000)]
    # One word in four is another one, and none of those stands on the other side.
    prediction = [word if i % 4 else f"v{i}" for i, word in enumerate(reference)]
    scores = row_by_row([" ".join(prediction)], [" ".join(reference)], rouge_types=["rougeL", "rougeLsum", "rouge1"])
    assert scores == {name: [(0.75, 0.75, 0.75)] for name in ("rougeL", "rougeLsum", "rouge1")}


def test_10_000_rows_of_one_word() -> None:
    result = RougeLMulti().compute(predictions=["a"] * 10_000, references=["a", "b"] * 5_000)
    assert parts_of(result, "rougeL") == parts_of(result, "rougeLsum") == (0.5, 0.5, 0.5)


def test_a_row_of_many_references() -> None:
    references = ["b"] * 2_999 + ["a c"] + ["a b c"] * 2_000
    assert row_by_row(["a"], [references], rouge_types=TYPES[:3]) == {name: [(1.0, 0.5, 2 / 3)] for name in TYPES[:3]}


@pytest.mark.parametrize("tokenizer", ["rouge_score", "unicode", "whitespace", str.split])
@pytest.mark.parametrize("references", [["", "\n", "a"], [[""], ["", "\n\n"], ["a", ""]]])
def test_predictions_without_words_score_0(tokenizer: Any, references: list[Any]) -> None:
    metric = RougeLMulti(rouge_types=TYPES, tokenizer=tokenizer, stemmer=True, confidence=0.9, n_resamples=5)
    result = metric.compute(predictions=["", "\n", " "], references=references)
    del result["signature"]
    assert len(result) == 6 * len(TYPES)
    assert set(result.values()) == {0.0}
