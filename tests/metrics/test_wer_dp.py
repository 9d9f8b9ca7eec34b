"""Word error rate equals jiwer's in every count and rate, sclite's where costs differ, slow Fractions elsewhere."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import jiwer
import naive
import pytest
from evenscore.metrics.wer_dp.wer_dp import WerDp
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from wer_corpora import (
    COUNTS,
    NORMALIZERS,
    Corpus,
    by_jiwer,
    corpora,
    jiwer_counts,
    librispeech,
    librispeech_expected,
    picked,
    scored,
    sides,
    word_rows,
)

import evenscore

WORD_RATES = ("wer", "mer", "wil", "wip")


def misheard(n: int, rng: random.Random) -> tuple[str, str]:
    """A text of n words, and what is left of it after one edit in five words."""
    reference = [rng.choice("abcdefghij") for _ in range(n)]
    edits = [rng.choice([[], ["x"], [word, "y"]]) if rng.random() < 0.2 else [word] for word in reference]
    return " ".join(reference), " ".join(word for edit in edits for word in edit)


# --- jiwer


@examples(400)
@given(corpora)
def test_words_are_scored_as_by_jiwer(corpus: Corpus) -> None:
    names = (*WORD_RATES, *COUNTS)
    assert picked(scored(corpus), *names) == picked(by_jiwer(corpus), *names)


@examples(400)
@given(corpora)
def test_characters_are_scored_as_by_jiwer(corpus: Corpus) -> None:
    output = by_jiwer(corpus, "char")
    assert picked(scored(corpus, unit="char"), "cer", *COUNTS) == picked(output, "cer", *COUNTS)


@examples(200)
@given(corpora)
def test_every_row_is_scored_as_by_jiwer(corpus: Corpus) -> None:
    result = scored(corpus, per_example=True)
    rows = [by_jiwer([pair]) for pair in corpus]
    assert result["wer_per_example"] == [row.wer for row in rows]
    wrong = [any(getattr(row, name) for name in COUNTS[1:]) for row in rows]
    assert result["sentence_error_rate"] == sum(wrong) / len(rows)
    assert result["reference_length"] == sum(len(row.references[0]) for row in rows)
    assert result["prediction_length"] == sum(len(row.hypotheses[0]) for row in rows)
    characters = [jiwer.cer(*pair) for pair in corpus]
    assert scored(corpus, unit="char", per_example=True)["cer_per_example"] == characters


def test_librispeech_is_scored_as_by_jiwer() -> None:
    assert picked(scored(librispeech()), *WORD_RATES, *COUNTS) == librispeech_expected("jiwer4.0.0_words")
    assert picked(scored(librispeech(), unit="char"), "cer", *COUNTS) == librispeech_expected("jiwer4.0.0_chars")


def test_every_librispeech_utterance_is_counted_as_by_jiwer() -> None:
    references, predictions = sides(librispeech())
    ours = WerDp().statistics(predictions, references)[:, 3:7].tolist()
    assert ours == [jiwer_counts(pair) for pair in librispeech()]


@pytest.mark.parametrize(("rows", "length"), [(10_000, 12), (3, 3000), (2, 20_000)])
def test_large_corpus_is_counted_as_by_jiwer(rows: int, length: int) -> None:
    rng = random.Random(length)
    corpus = [misheard(length, rng) for _ in range(rows)]
    result = scored(corpus)
    assert picked(result, *COUNTS) == picked(by_jiwer(corpus), *COUNTS)
    assert min(result[name] for name in COUNTS) > 0


@pytest.mark.parametrize(
    ("reference", "prediction", "wer", "mer", "wil", "wip"),
    [
        ([""], [""], 0, 0, 0, 1),
        ([" \t", ""], ["", "\n"], 0, 0, 0, 1),
        ([""], ["a b"], 2, 1, 1, 0),
        (["", ""], ["a b", "c"], 3, 1, 1, 0),
        (["a b"], [""], 1, 1, 1, 0),
        (["a", ""], ["", "b"], 2, 1, 1, 0),
        (["a b", ""], ["a b", "c"], 1 / 2, 1 / 3, 1 / 3, 2 / 3),
    ],
)
def test_silence_is_scored_as_by_jiwer(
    reference: list[str], prediction: list[str], wer: float, mer: float, wil: float, wip: float
) -> None:
    corpus = list(zip(reference, prediction, strict=True))
    result = picked(scored(corpus), *WORD_RATES)
    assert result == picked(by_jiwer(corpus), *WORD_RATES)
    assert result == pytest.approx({"wer": wer, "mer": mer, "wil": wil, "wip": wip}, abs=1e-15)


# Morris, Maier & Green (2004), table 1.
@pytest.mark.parametrize(
    ("reference", "prediction", "wer", "mer", "wil"),
    [
        ("X", "X", 0, 0, 0),
        ("X", "X X Y Y", 3, 0.75, 0.75),
        ("X Y Z", "X Z", 1 / 3, 1 / 3, 1 / 3),
        ("X", "Y", 1, 1, 1),
        ("X", "Y Z", 2, 1, 1),
    ],
)
def test_published_values(reference: str, prediction: str, wer: float, mer: float, wil: float) -> None:
    result = scored([(reference, prediction)])
    assert picked(result, "wer", "mer", "wil") == pytest.approx({"wer": wer, "mer": mer, "wil": wil}, abs=1e-15)


@pytest.mark.parametrize("concatenate", [True, False])
def test_the_call_of_the_stock_metrics_gives_the_number_of_jiwer(concatenate: bool) -> None:
    """The example on the cards of evaluate's wer and cer."""
    predictions = ["this is the prediction", "there is an other sample"]
    references = ["this is the reference", "there is another one"]
    call = {"predictions": predictions, "references": references, "concatenate_texts": concatenate}
    assert evenscore.load("wer_dp").compute(**call)["wer"] == jiwer.wer(references, predictions) == 0.5
    characters = evenscore.load("wer_dp", unit="char").compute(**call)["cer"]
    assert characters == jiwer.cer(references, predictions) == pytest.approx(0.341463, abs=1e-6)


# --- what errors are divided by


@examples(200)
@given(corpora, st.sampled_from(NORMALIZERS))
def test_rates_are_errors_by_the_chosen_length(corpus: Corpus, normalize_by: str) -> None:
    result = scored(corpus, normalize_by=normalize_by, per_example=True)
    rows = [jiwer_counts(pair) for pair in corpus]
    assert result["wer"] == float(naive.error_rate(rows, normalize_by))
    assert result["wer_per_example"] == [float(naive.error_rate([row], normalize_by)) for row in rows]


def test_longest_side_is_that_of_each_row() -> None:
    assert scored([("a b", "a"), ("a", "a b c")], normalize_by="max")["wer"] == 3 / (2 + 3)


def test_errors_are_divided_by_the_length_of_the_prediction_if_asked() -> None:
    """Their edits turn the prediction into the reference: what they insert, speech recognition calls deleted."""
    result = scored([("the cat sat on the mat", "the cat sit on mat")], normalize_by="prediction")
    assert result["wer"] == 2 / 5
    assert picked(result, "substitutions", "deletions", "insertions") == {
        "substitutions": 1,
        "deletions": 1,
        "insertions": 0,
    }
    turned = scored([("the cat sit on mat", "the cat sat on the mat")])
    assert turned["wer"] == 2 / 5
    assert (turned["deletions"], turned["insertions"]) == (0, 1)


# --- costs


def test_librispeech_at_the_costs_of_sclite_has_its_counts() -> None:
    result = scored(librispeech(), costs=(4, 3, 3))
    hits, substitutions, deletions, insertions = librispeech_expected("sclite2.10_CSDI")
    assert [result[name] for name in COUNTS] == [hits, substitutions, deletions, insertions]
    cost = 4 * substitutions + 3 * (deletions + insertions)
    assert result["weighted_error_rate"] == cost / (hits + substitutions + deletions)


def test_sclite_counts_more_errors_than_the_fewest() -> None:
    pair = ("a b c d e f g", "v w x y a b c")
    assert jiwer_counts(pair) == [0, 7, 0, 0]
    result = scored([pair], costs=(4, 3, 3))
    assert [result[name] for name in COUNTS] == [3, 0, 4, 4]
    assert result["weighted_error_rate"] == 8 * 3 / 7


@examples(150)
@given(
    st.lists(st.tuples(word_rows, word_rows), min_size=1, max_size=3),
    st.tuples(*[st.sampled_from([1, 2, 3, 4, 0.1, 0.5, 1.5])] * 3),
    st.sampled_from(NORMALIZERS),
)
def test_weighted_counts_are_those_of_the_textbook_recurrence(
    corpus: Corpus, costs: tuple[float, float, float], normalize_by: str
) -> None:
    result = scored(corpus, costs=costs, normalize_by=normalize_by, per_example=True)
    exact = tuple(Fraction(str(cost)) for cost in costs)
    if len(set(costs)) == 1:
        rows = [jiwer_counts(pair) for pair in corpus]
        assert "weighted_error_rate" not in result
    else:
        rows = [naive.weighted_edit_counts(left.split(), right.split(), exact) for left, right in corpus]
        rate = naive.error_rate(rows, normalize_by, exact)
        assert result["weighted_error_rate"] == pytest.approx(float(rate), rel=1e-14)
    assert [result[name] for name in COUNTS] == [sum(column) for column in zip(*rows, strict=True)]
    assert result["wer"] == float(naive.error_rate(rows, normalize_by))
    assert result["wer_per_example"] == [float(naive.error_rate([row], normalize_by)) for row in rows]


def test_costs_of_any_number_type_count_alike() -> None:
    corpus = [("a b c d e f g", "v w x y a b c"), ("a b", "b c")]
    results = [scored(corpus, costs=costs) for costs in [(4, 3, 3), [4.0, 3.0, 3.0], (0.4, 0.3, 0.3)]]
    assert len({tuple(result[name] for name in COUNTS) for result in results}) == 1
    assert results[0]["weighted_error_rate"] == results[1]["weighted_error_rate"]
    assert results[2]["weighted_error_rate"] == pytest.approx(results[0]["weighted_error_rate"] / 10)


# --- refusals


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unit": "words"}, "unit='words': choose one of 'word', 'char'"),
        ({"normalize_by": "ref"}, "normalize_by='ref': choose one of 'reference', 'prediction', 'max', 'sum'"),
        ({"costs": (4, 3)}, r"costs=\(4, 3\): give three numbers, for substitution, deletion and insertion"),
        ({"costs": 4}, "costs=4: give three numbers"),
        ({"costs": {"substitution": 4}}, "give three numbers"),
        ({"costs": (4, 0, 3)}, r"costs \(deletion\)=0: give a number above 0"),
        ({"costs": (-1, 3, 3)}, r"costs \(substitution\)=-1: give a number above 0"),
        ({"costs": (4, 3, float("inf"))}, r"costs \(insertion\)=inf: give a number above 0"),
        ({"costs": (float("nan"), 3, 3)}, r"costs \(substitution\)=nan: give a number above 0"),
        ({"costs": ("4", 3, 3)}, r"costs \(substitution\)='4': give a number above 0"),
        ({"costs": (True, 3, 3)}, r"costs \(substitution\)=True: give a number above 0"),
        ({"normalise_by": "sum"}, "unknown option 'normalise_by'; did you mean 'normalize_by'?"),
    ],
)
def test_wrong_options_are_refused_at_load(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WerDp(**options)
    with pytest.raises(ValueError, match=message):
        WerDp().align(["a"], ["a"], **options)
