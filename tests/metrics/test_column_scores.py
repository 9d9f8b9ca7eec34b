"""Systems compared by columns of statistics, each under a prefix of its own."""

from __future__ import annotations

from typing import Any

import datasets
import pytest
from small_corpus import METRICS, PREDICTIONS, SINGLE, VARYING, refusal

import evenscore

OTHERS = PREDICTIONS[::-1]
ROWS = {"a": PREDICTIONS, "b": SINGLE, "c": OTHERS, "refs": VARYING}


@pytest.fixture(params=METRICS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def side_by_side(metric: Any, *systems: str) -> datasets.Dataset:
    """One dataset with the statistics of several systems."""
    rows = datasets.Dataset.from_dict(ROWS)
    for system in systems:
        scorer = metric.row_scorer(system, "refs", prefix=f"{system}_", statistics=True)
        rows = rows.map(scorer, batched=True)
    return rows


@pytest.mark.parametrize("sequence", [list, tuple])
def test_systems_of_one_dataset_are_compared_by_their_prefixes(name: str, sequence: type) -> None:
    metric = evenscore.load(name, confidence=0.9, n_resamples=10)
    rows = side_by_side(metric, "a", "b", "c")
    tested = metric.compare_columns(rows, rows, rows, prefix=sequence(["a_", "b_", "c_"]), n_trials=20)
    assert tested == metric.compare(PREDICTIONS, SINGLE, OTHERS, references=VARYING, n_trials=20)


def test_one_prefix_is_that_of_all_and_none_the_usual_one(name: str) -> None:
    metric = evenscore.load(name)
    both = side_by_side(metric, "a", "b")
    usual = {system: metric.row_scorer(system, "refs", statistics=True)(ROWS) for system in "ab"}
    expected = metric.compare(PREDICTIONS, SINGLE, references=VARYING, n_trials=20)
    assert metric.compare_columns(usual["a"], usual["b"], n_trials=20) == expected
    assert metric.compare_columns(usual["a"], both, prefix=[None, "b_"], n_trials=20) == expected
    with pytest.warns(UserWarning, match="has the same counts as the baseline in every row"):
        same = metric.compare_columns(both, both, prefix="a_", n_trials=20)
    assert {key: same["systems"][0][key] for key in same["baseline"]} == same["baseline"]


def test_what_does_not_fit_is_said(name: str) -> None:
    metric = evenscore.load(name)
    rows = side_by_side(metric, "a", "b")
    assert refusal(lambda: metric.compare_columns(rows, rows, prefix=["a_"])) == (
        "prefix=['a_'] has 1 items for 2 columns of data: give the baseline's prefix, then each system's, or one "
        "string for all"
    )
    assert refusal(lambda: metric.compare_columns(rows, prefix="a_")) == (
        "no system to compare with the baseline: give its columns as the second argument"
    )
    assert "there is no column 'c_rows'" in refusal(lambda: metric.compare_columns(rows, rows, prefix=["a_", "c_"]))


def test_perplexities_that_no_float_holds_are_not_compared_by_columns_either() -> None:
    metric = evenscore.load("perplexity")
    scorer = metric.row_scorer(log_probs="l", statistics=True)
    baseline, system = scorer({"l": [[-1.0], [-2.0]]}), scorer({"l": [[-1.0], [float("-inf")]]})
    message = "systems[0] gives row 1 an infinite perplexity: leave the row out"
    assert refusal(lambda: metric.compare_columns(baseline, system)) == message
    assert refusal(lambda: metric.compare({"log_probs": [[-1.0]]}, {"log_probs": [[float("-inf")]]})) == (
        message.replace("row 1", "row 0")
    )


def test_what_are_no_columns_is_refused() -> None:
    metric = evenscore.load("wer_dp")
    for wrong, message in (
        ([], "the columns are of type list: give a dataset, a data frame, an arrow table or a mapping"),
        (None, "the columns are of type NoneType: give a dataset, a data frame, an arrow table or a mapping"),
        (
            {},
            "there is no column 'wer_dp_rows': the columns are none. row_scorer(..., statistics=True) adds the columns "
            "of counts; if it had a prefix=, give the same one here",
        ),
    ):
        assert refusal(lambda wrong=wrong: metric.score_columns(wrong)) == message
    given = {"wer_dp_rows": [1]}
    assert refusal(lambda: metric.score_columns(given, prefix=["a_"])) == (
        "prefix=['a_']: give a string, the prefix of the columns' names"
    )
    assert refusal(lambda: metric.row_scorer(prefix=3)) == "prefix=3: give a string, the prefix of the columns' names"
    assert refusal(lambda: metric.row_scorer(scores="wer")) == "scores='wer': give a list, as in ['wer']"
    assert refusal(lambda: metric.compare_columns(given, given, prefix={"a_": 1, "b_": 2})) == (
        "prefix={'a_': 1, 'b_': 2}: give a string, or a list of strings, the baseline's first"
    )
