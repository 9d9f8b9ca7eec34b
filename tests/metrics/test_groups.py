"""Scores of groups of rows: each equals the score of the group's rows by themselves."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from small_corpus import ALL_METRICS, COLUMNS, METRICS, PREDICTIONS, SINGLE, VARYING, refusal

import evenscore

LABELS: list[Any] = ["ann", "bob", "", None, 7, ("a", 1)]
WORDS = ["a", "b", "c d", "", "the cat sat on", "x."]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
ROWS = st.lists(
    st.tuples(
        TEXTS,
        st.lists(TEXTS, min_size=1, max_size=3),
        st.lists(st.sampled_from([-0.125, -1.5, -7.75]), min_size=1, max_size=4),
        st.sampled_from(LABELS),
    ),
    min_size=1,
    max_size=12,
)
# Options under which headline scores are not the usual function of a sum.
OPTIONS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in ALL_METRICS),
    *((name, {"confidence": 0.9, "n_resamples": 20}) for name in ALL_METRICS),
    ("bleu_corpus", {"convention": "nltk", "max_order": 2}),
    ("rouge_l_multi", {"rouge_types": ["rouge1", "rougeL"], "aggregate": "bootstrap", "n_resamples": 20}),
    ("rouge_l_multi", {"aggregate": "none"}),
    ("wer_dp", {"unit": "char", "costs": (4, 3, 3)}),
    ("perplexity", {"source": "ngram", "train_texts": [*PREDICTIONS, *SINGLE], "discount": 0.5, "per_token": True}),
    ("perplexity", {"headlines": ["perplexity", "bits_per_byte"]}),
]


def columns(name: str, options: dict[str, Any], rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    """The columns that a metric takes of these rows."""
    texts, references, log_probs, _ = map(list, zip(*rows, strict=True))
    if name != "perplexity":
        return {"predictions": texts, "references": references}
    return {"predictions": texts} if "source" in options else {"predictions": texts, "log_probs": log_probs}


def by_itself(metric: Any, name: str, options: dict[str, Any], rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    """The headline scores and intervals of these rows in a call of their own."""
    result = metric.compute(**columns(name, options, rows))
    keys = [f"{score}{end}" for score in metric.headlines() for end in ("", "_low", "_mean", "_high")]
    return {"rows": len(rows), **{key: result[key] for key in keys if key in result}}


@pytest.mark.parametrize(("name", "options"), OPTIONS)
@examples(100)
@given(rows=ROWS)
@pytest.mark.filterwarnings("ignore")
def test_a_group_scores_like_its_rows_by_themselves(
    name: str, options: dict[str, Any], rows: list[tuple[Any, ...]]
) -> None:
    # An empty text has no bytes to divide by.
    rows = [(f"a {text}", *others) for text, *others in rows] if name == "perplexity" else rows
    metric, labels = evenscore.load(name, **options), [row[-1] for row in rows]
    result = metric.compute(**columns(name, options, rows), groups=labels)
    own = {label: [row for row in rows if row[-1] == label] for label in dict.fromkeys(labels)}
    groups = result.pop("groups")
    assert groups == {label: by_itself(metric, name, options, some) for label, some in own.items()}
    assert list(groups) == list(own)
    assert result == metric.compute(**columns(name, options, rows))


@pytest.mark.parametrize("name", ALL_METRICS)
def test_rows_are_counted_once(name: str) -> None:
    metric = evenscore.load(name)
    counted = []
    count_columns = metric._scorer.count_columns
    metric._scorer.count_columns = lambda *given: counted.append(1) or count_columns(*given)
    metric.compute(**COLUMNS[name], groups=["a", "b", "a"])
    assert counted == [1]


def test_the_table_says_what_a_hand_counts() -> None:
    result = evenscore.load("wer_dp").compute(
        predictions=["a b", "c", "d e f"], references=["a x", "c", "d e"], groups=["ann", "bob", "ann"]
    )
    # One substitution and one insertion, for four words; no error in one word.
    assert result["groups"] == {"ann": {"rows": 2, "wer": 0.5}, "bob": {"rows": 1, "wer": 0.0}}


# --- labels


def groups_of(labels: Any) -> dict[Any, int]:
    """The number of rows of each label, of as many rows as there are labels."""
    texts = ["a"] * len(labels)
    groups = evenscore.load("wer_dp").compute(predictions=texts, references=texts, groups=labels)["groups"]
    return {label: group["rows"] for label, group in groups.items()}


@pytest.mark.parametrize(
    "form",
    [
        list,
        tuple,
        np.array,
        pd.Series,
        pa.array,
        lambda own: pa.chunked_array([own]),
        pd.Categorical,
        lambda own: datasets.Dataset.from_dict({"own": own})["own"],
    ],
)
def test_labels_come_in_the_forms_of_columns(form: Callable[[list[str]], Any]) -> None:
    assert groups_of(form(["b", "a", "b"])) == {"b": 2, "a": 1}
    assert list(groups_of(form(["b", "a", "b"]))) == ["b", "a"]


@pytest.mark.parametrize(
    "labels",
    [
        [None, "a", None],
        [math.nan, "a", float("nan")],
        [pd.NA, "a", pd.NaT],
        pd.Series([None, "a", np.nan], dtype="string"),
        np.array([None, "a", np.float32("nan")], dtype=object),
        [None, "a", np.datetime64("NaT")],
        pa.array([None, "a", None]),
    ],
)
def test_missing_labels_are_one_group(labels: Any) -> None:
    assert groups_of(labels) == {None: 2, "a": 1}


def test_texts_that_look_missing_are_labels() -> None:
    assert groups_of(["nan", "None", "", "nan"]) == {"nan": 2, "None": 1, "": 1}


def test_labels_of_numpy_become_those_of_python() -> None:
    groups = groups_of(list(np.array([3, 5, 3])))
    assert (groups, {type(label) for label in groups}) == ({3: 2, 5: 1}, {int})


@pytest.mark.parametrize("name", ALL_METRICS)
def test_what_are_no_labels_is_refused_before_a_row_is_counted(name: str) -> None:
    metric = evenscore.load(name)
    metric._scorer.count_columns = lambda *given: pytest.fail("counted")
    for wrong, message in (
        (["a", "b"], "groups has 2 labels for 3 rows: give one label per row"),
        (["a"] * 4, "groups has 4 labels for 3 rows: give one label per row"),
        (["a", ["b"], "c"], "groups[1] is ['b'] (list): give a string, a number or a tuple"),
        (["a", "b", ("c", {})], "groups[2] is ('c', {}) (tuple): give a string, a number or a tuple"),
        ("abc", "groups is 'abc' (str): give a list of labels, as in [groups]"),
        ({"a", "b"}, "groups is of type set: give a list of labels"),
        (iter("abc"), "groups is of type str_ascii_iterator: give a list of labels, as in list(groups)"),
    ):
        assert refusal(lambda wrong=wrong: metric.compute(**COLUMNS[name], groups=wrong)) == message


def test_rows_of_unknown_number_and_labels_must_fit_too() -> None:
    scorer = evenscore.load("wer_dp")._scorer
    rows = scorer.count_columns({"predictions": ["a"], "references": ["a"]})
    message = "groups has 2 labels for 1 row: give one label per row"
    assert refusal(lambda: scorer.rows_result(rows, ["a", "b"])) == message


# --- options and added rows


@pytest.mark.parametrize("name", ALL_METRICS)
def test_options_that_leave_no_room_for_groups_are_refused(name: str) -> None:
    for options, message in (
        ({"scalars_only": True}, "scalars_only=True leaves no scores of groups: set scalars_only=False"),
        ({"keep_rows": False}, "keep_rows=False leaves no scores of groups: set keep_rows=True"),
    ):
        metric = evenscore.load(name, **options)
        assert refusal(lambda metric=metric: metric.compute(**COLUMNS[name], groups=["a"] * 3)) == message
        assert "groups" not in metric.compute(**COLUMNS[name])


@pytest.mark.parametrize("name", ALL_METRICS)
def test_added_rows_have_no_labels(name: str) -> None:
    metric, labels, rows = evenscore.load(name), ["a", "b", "a"], COLUMNS[name]
    message = (
        "added rows have no groups: pass all rows and their groups to one compute, or score a dataset by "
        "row_scorer(statistics=True) and score_columns(group_by=...)"
    )
    assert refusal(lambda: metric.add_batch(**rows, groups=labels)) == message
    metric.add_batch(**rows)
    assert refusal(lambda: metric.compute(groups=labels)) == message
    assert refusal(lambda: metric.compute(**rows, groups=labels)) == message
    assert len(metric) == 3
    assert metric.compute() == metric.compute(**COLUMNS[name])


def test_a_group_without_a_score_is_named() -> None:
    metric = evenscore.load("perplexity")
    given = {"logits": [np.zeros((3, 5)), np.zeros((2, 5))], "labels": [[1, 2, 3], [-100, -100]]}
    assert metric.compute(**given)["tokens"] == 3
    assert refusal(lambda: metric.compute(**given, groups=["a", "b"])).startswith("group 'b': no token to score")


def test_combined_metrics_have_groups_of_their_own() -> None:
    labels = ["a", "b", "a"]
    both = evenscore.combine(["wer_dp", "bleu_corpus"])
    result = both.compute(predictions=PREDICTIONS, references=SINGLE, groups=labels)
    for name in ("wer_dp", "bleu_corpus"):
        alone = evenscore.load(name).compute(predictions=PREDICTIONS, references=SINGLE, groups=labels)
        assert result[f"{name}_groups"] == alone["groups"]


# --- columns of datasets


SPEAKERS = ["ann", None, "ann"]


def in_forms(columns: dict[str, Any]) -> list[Any]:
    data = datasets.Dataset.from_dict(columns)
    return [
        columns,
        data,
        data.to_pandas(),
        data.with_format("arrow")[:],
        data.to_iterable_dataset(),
    ]


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.filterwarnings("ignore")
def test_columns_of_statistics_have_groups(name: str) -> None:
    metric = evenscore.load(name, confidence=0.9, n_resamples=20)
    expected = metric.compute(predictions=PREDICTIONS, references=VARYING, groups=SPEAKERS)
    rows = {"prediction": PREDICTIONS, "references": VARYING, "speaker": SPEAKERS}
    counted = metric.row_scorer(statistics=True)(rows)
    for data in in_forms({**counted, "speaker": SPEAKERS}):
        assert metric.score_columns(data, group_by="speaker") == expected
        assert "groups" not in metric.score_columns(data)


@pytest.mark.slow
def test_columns_of_tensors_have_groups() -> None:
    metric = evenscore.load("wer_dp")
    rows = {"prediction": PREDICTIONS, "references": VARYING, "speaker": SPEAKERS}
    counted = datasets.Dataset.from_dict(rows).map(metric.row_scorer(statistics=True), batched=True)
    expected = metric.compute(predictions=PREDICTIONS, references=VARYING, groups=SPEAKERS)
    assert metric.score_columns(counted.with_format("torch"), group_by="speaker") == expected


def test_each_split_has_groups_and_streams_too() -> None:
    metric = evenscore.load("wer_dp")
    rows = {"prediction": PREDICTIONS, "references": VARYING, "speaker": SPEAKERS}
    data = datasets.DatasetDict(
        test=datasets.Dataset.from_dict(rows).map(metric.row_scorer(statistics=True), batched=True)
    )
    assert metric.score_columns(data, group_by="speaker") == {
        "test": metric.compute(predictions=PREDICTIONS, references=VARYING, groups=SPEAKERS)
    }


def test_statistics_may_be_labels() -> None:
    metric = evenscore.load("wer_dp")
    counted = metric.row_scorer(statistics=True)({"prediction": ["a", "b"], "references": ["a", "c"]})
    data = datasets.Dataset.from_dict(counted)
    groups = metric.score_columns(data, group_by="wer_dp_wrong_rows")["groups"]
    assert groups == {0: {"rows": 1, "wer": 0.0}, 1: {"rows": 1, "wer": 1.0}}


def test_a_column_without_labels_is_refused() -> None:
    metric = evenscore.load("wer_dp")
    counted = metric.row_scorer(statistics=True)({"prediction": ["a", "b"], "references": ["a", "c"]})
    data = {**counted, "speaker": ["a", ["b"]]}
    for asked, group_by, message in (
        (metric, ["g", "h"], "group_by=['g', 'h']: give the name of one column"),
        (metric, "speaker", "speaker[1] is ['b'] (list): give a string, a number or a tuple"),
        (metric, "who", "there is no column 'who': the columns are "),
        (evenscore.load("wer_dp", scalars_only=True), "speaker", "scalars_only=True leaves no scores of groups: "),
    ):
        said = refusal(lambda asked=asked, group_by=group_by: asked.score_columns(data, group_by=group_by))
        assert said.startswith(message)
        assert "row_scorer" not in said
