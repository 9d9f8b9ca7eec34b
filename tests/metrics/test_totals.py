"""Sums of the statistics of rows are scored; sums that no rows can give are refused, with the count that is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

import evenscore
from evenscore.totals import Bound, check_total

# Options under which counts have relations of their own.
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "bleu_corpus": [
        {},
        {"convention": "nltk"},
        {"convention": "evaluate"},
        {"max_order": 1, "reference_length": "average"},
        {"reference_length": "shortest", "smoothing": "add-k"},
    ],
    "rouge_l_multi": [
        *({"multi_reference": rule} for rule in ("best", "max_pr", "average", "best_recall", "summed", "jackknife")),
        *({"beta": beta, "rouge_types": ["rouge1", "rouge2", "rougeL"]} for beta in (0, 1e6, "P/R")),
    ],
    "wer_dp": [
        *({"normalize_by": divisor} for divisor in ("reference", "prediction", "max", "sum")),
        {"costs": (4, 3, 3)},
        {"unit": "char"},
    ],
    "perplexity": [{}],
}
WAYS = [(name, options) for name, several in OPTIONS.items() for options in several]

text = st.lists(st.sampled_from(["a", "b", "c", "ab"]), max_size=9).map(" ".join)
rows = st.lists(st.tuples(text, st.lists(text, min_size=1, max_size=4)), min_size=1, max_size=6)
single_rows = st.lists(st.tuples(text, st.lists(text, min_size=1, max_size=1)), min_size=1, max_size=6)
log_probs = st.lists(
    st.one_of(st.floats(-800, 0), st.sampled_from([0.0, float("-inf"), -(2.0**40), -(2.0**41)])), min_size=1, max_size=6
)
log_prob_rows = st.lists(st.tuples(text, log_probs), min_size=1, max_size=6)


def statistics(metric: Any, corpus: list[tuple[str, Any]]) -> Any:
    first, second = (list(column) for column in zip(*corpus, strict=True))
    columns = {"log_probs" if metric.name == "perplexity" else "references": second}
    return metric.statistics(first, **columns)


@pytest.mark.parametrize(("name", "options"), WAYS)
@examples(60)
@given(st.data())
def test_sums_of_rows_are_scored(name: str, options: dict[str, Any], data: st.DataObject) -> None:
    metric = evenscore.load(name, **options)
    corpus = data.draw(log_prob_rows if name == "perplexity" else st.one_of(rows, single_rows))
    counted = statistics(metric, corpus)
    for total in [*counted, counted.sum(axis=0), (counted * 1000).sum(axis=0), counted[::-1].sum(axis=0).tolist()]:
        metric.score_statistics(total)


def test_sums_of_ngram_models_are_scored() -> None:
    metric = evenscore.load("perplexity", source="ngram", train_texts=["a b c", "b c a"], discount=0.5)
    counted = metric.statistics(["a b x", "", "y", "c c c"])
    for total in [counted[0], counted.sum(axis=0), counted[1:].sum(axis=0) * 7]:
        assert metric.score_statistics(total)["perplexity"] > 1


CORPUS = {
    name: [("the cat sat on the mat", ["a cat sat on the mat"]), ("a b c d", ["a b x d", "x y"]), ("x", ["y"])]
    for name in OPTIONS
}
CORPUS["perplexity"] = [("a b", [-0.5, float("-inf")]), ("c", [-3.25])]  # type: ignore[list-item]
# Counts that no other count limits from above, under some options or all.
UNLIMITED = {"rows", "reference_length", "deletions", "insertions"}


@pytest.mark.parametrize(("name", "options"), WAYS)
def test_counts_below_zero_and_beyond_others_are_refused(name: str, options: dict[str, Any]) -> None:
    metric = evenscore.load(name, **options)
    total = statistics(metric, CORPUS[name]).sum(axis=0)
    for k, count in enumerate(metric.statistic_names()):
        for wrong in (-1, -(2**40), 2**62):
            changed = total.copy()
            changed[k] = wrong
            if wrong < 0 or count not in UNLIMITED:
                with pytest.raises(ValueError, match=r"total (has \w+=|sums up -)"):
                    metric.score_statistics(changed)


@pytest.mark.parametrize(("name", "options"), WAYS)
def test_sums_that_wrapped_are_refused(name: str, options: dict[str, Any]) -> None:
    """As in 16 bits, and in 64 bits of an unsigned sum."""
    metric = evenscore.load(name, **options)
    total = statistics(metric, CORPUS[name]).sum(axis=0)
    wrapped = (total * 9000).astype(np.int16)
    with pytest.raises(ValueError, match=r"total (has \w+=|sums up -)"):
        metric.score_statistics(wrapped)
    with pytest.raises(ValueError, match=r"total has \w+=18446744073709551615, but counts are at most"):
        metric.score_statistics(np.where(np.arange(len(total)) == len(total) - 1, 2**64 - 1, total.astype(np.uint64)))


@pytest.mark.parametrize(
    ("name", "options", "changes", "message"),
    [
        ("wer_dp", {}, {"normalizer": 1}, r"normalizer=\d+, but it is \d+ if hits="),
        ("wer_dp", {}, {"wrong_rows": 1}, r"wrong_rows=4, but it is from 1 to 3 if rows=3, substitutions="),
        ("wer_dp", {"normalize_by": "max"}, {"normalizer": -9}, "normalizer=2, but it is 11 if hits=8, subst"),
        ("wer_dp", {}, {"references": -2}, r"references=2, but it is at least 3 if rows=3"),
        ("wer_dp", {}, {"references_squared": 9}, r"references_squared=15, but it is 6 if rows=3, references=4"),
        ("bleu_corpus", {}, {"matches_2": 9}, r"matches_2=\d+, but it is from 0 to 8 if n_grams_2=8"),
        ("bleu_corpus", {}, {"prediction_length": 1}, r"prediction_length=12, but it is 11 if n_grams_1=11"),
        (
            "bleu_corpus",
            {},
            {"n_grams_3": -3},
            r"n_grams_3=3, but it is from 5 to 7 if rows=3, n_grams_1=11, n_grams_2",
        ),
        ("bleu_corpus", {"convention": "nltk"}, {"rows_without_n_grams_1": 1}, "rows_without_n_grams_1=1, but it is 0"),
        ("rouge_l_multi", {}, {"rows": 2**31}, r"rows=2147483651, but it is from 1 to 2147483648"),
        ("rouge_l_multi", {}, {"rougeL_f_0": 2**33}, r"rougeL_f_0=\d+, but it is from 0 to \d+ if rows=3"),
        ("perplexity", {}, {"tokens": -2}, r"impossible_tokens=1|nll_whole="),
        ("perplexity", {}, {"unknown_tokens": 5}, r"unknown_tokens=5, but it is from 0 to 3 if tokens=3"),
        ("perplexity", {}, {"tokens": 2**31}, r"tokens=2147483651, but it is from 0 to 2147483648"),
        ("perplexity", {}, {"bytes": -3}, r"bytes=1, but it is from 4 to 16 if characters=4"),
        ("perplexity", {}, {"words": -2}, r"words=1, but it is from 2 to 6 if measured_rows=2, characters=4"),
        ("perplexity", {}, {"measured_rows": 1}, r"measured_rows=3, but it is from 0 to 2 if rows=2"),
    ],
)
def test_the_message_names_the_count(name: str, options: dict[str, Any], changes: dict[str, int], message: str) -> None:
    metric = evenscore.load(name, **options)
    names = metric.statistic_names()
    total = statistics(metric, CORPUS[name]).sum(axis=0)
    for count, change in changes.items():
        total[names.index(count)] += change
    with pytest.raises(ValueError, match=f"total has .*{message}.*: give the sum of what statistics"):
        metric.score_statistics(total)


def test_rouge_of_more_rows_than_its_sums_can_hold_is_refused() -> None:
    """Twice 2**31 perfect rows are 0 in 64 bits."""
    metric = evenscore.load("rouge_l_multi", rouge_types="rouge1")
    row = metric.statistics(["a"], ["a"])[0]
    with pytest.raises(ValueError, match=r"rows=4294967296"):
        metric.score_statistics(row * 2**32)
    assert metric.score_statistics(row * (2**31 - 1))["rouge1"] == 1
    with pytest.raises(ValueError, match=r"rouge1_precision_0=-9223372036854775808"):
        metric.score_statistics(row * 2**31)


def test_wrong_types_have_no_precision_without_recall() -> None:
    metric = evenscore.load("rouge_l_multi", rouge_types="rouge1")
    names = metric.statistic_names()
    total = metric.statistics(["a b"], ["a c"])[0]
    total[names.index("rouge1_recall_0")] = 0
    with pytest.raises(ValueError, match="rouge1_precision_0=2147483648, but it is 0 if rows=1"):
        metric.score_statistics(total)


def test_more_tokens_than_sums_can_hold_are_refused_by_compute_too() -> None:
    metric = evenscore.load("perplexity")
    row = metric.statistics(log_probs=[[-0.5]])
    metric._added.add([row * 2**20] * 2049)
    with pytest.raises(ValueError, match="2148532224 tokens"):
        metric.compute()


def test_a_range_without_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="total has a=1, but it is of no rows if b=2: give"):
        check_total({"a": 1, "b": 2}, [Bound("a", 3, 2, ("b",))])
