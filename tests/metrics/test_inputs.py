"""Every form of input scores as the list it stands for; anything doubtful is refused with row, value and advice."""

from __future__ import annotations

import collections
import copy
from collections.abc import Callable
from typing import Any

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from small_corpus import EVEN, METRICS, PREDICTIONS, SINGLE, VARYING, refusal, scores

import evenscore


class Text(str):
    """A subclass of str, as numpy has one."""


def column(values: list[Any], form: str | None = None) -> Any:
    """A column of a dataset, of rows as numpy, pandas or arrow has them if a form is given."""
    return datasets.Dataset.from_dict({"text": values}).with_format(form)["text"]


TEXT_FORMS: dict[str, Callable[[list[str]], Any]] = {
    "tuple": tuple,
    "deque": collections.deque,
    "subclass of str": lambda texts: [Text(text) for text in texts],
    "numpy str": np.array,
    "numpy object": lambda texts: np.array(texts, dtype=object),
    "numpy StringDType": lambda texts: np.array(texts, dtype=np.dtypes.StringDType()),
    "numpy str_ in a list": lambda texts: list(np.array(texts)),
    "pandas object": lambda texts: pd.Series(texts, dtype=object),
    "pandas string": lambda texts: pd.Series(texts, dtype="string"),
    "pandas arrow": lambda texts: pd.Series(texts, dtype=pd.ArrowDtype(pa.string())),
    "pandas category": lambda texts: pd.Series(texts, dtype="category"),
    "pandas with an index": lambda texts: pd.Series(texts, index=[7] * len(texts)),
    "pandas index": pd.Index,
    "arrow array": pa.array,
    "arrow large_string": lambda texts: pa.array(texts, pa.large_string()),
    "arrow dictionary": lambda texts: pa.array(texts).dictionary_encode(),
    "arrow chunks": lambda texts: pa.chunked_array([texts[:1], [], texts[1:]]),
    "dataset column": column,
    "dataset column at once": lambda texts: column(texts)[:],
    "dataset column as numpy": lambda texts: column(texts, "numpy"),
    "dataset column as numpy at once": lambda texts: column(texts, "numpy")[:],
    "dataset column as pandas": lambda texts: column(texts, "pandas"),
    "dataset column as arrow": lambda texts: column(texts, "arrow"),
}
ROW_FORMS: dict[str, Callable[[list[list[str]]], Any]] = {
    "tuple of lists": tuple,
    "list of tuples": lambda rows: [tuple(row) for row in rows],
    "list of deques": lambda rows: [collections.deque(row) for row in rows],
    "list of numpy": lambda rows: [np.array(row) for row in rows],
    "list of pandas": lambda rows: [pd.Series(row) for row in rows],
    "list of arrow": lambda rows: [pa.array(row) for row in rows],
    "rows of two types": lambda rows: [tuple(rows[0]), *rows[1:]],
    "pandas of lists": pd.Series,
    "pandas of arrow lists": lambda rows: pd.Series(rows, dtype=pd.ArrowDtype(pa.list_(pa.string()))),
    "pandas of numpy": lambda rows: pa.array(rows).to_pandas(),
    "arrow array": pa.array,
    "arrow chunks": lambda rows: pa.chunked_array([rows[:1], rows[1:]]),
    "dataset column": column,
    "dataset column at once": lambda rows: column(rows)[:],
    "dataset column as numpy": lambda rows: column(rows, "numpy"),
    "dataset column as pandas": lambda rows: column(rows, "pandas"),
}
EVEN_FORMS: dict[str, Callable[[list[list[str]]], Any]] = {
    **ROW_FORMS,
    "numpy str of two dimensions": np.array,
    "numpy object of two dimensions": lambda rows: np.array(rows, dtype=object),
    "dataset column as numpy at once": lambda rows: column(rows, "numpy")[:],
}


@pytest.mark.parametrize("form", TEXT_FORMS.values(), ids=TEXT_FORMS)
@pytest.mark.parametrize("name", METRICS)
def test_texts_of_any_form_score_as_a_list(name: str, form: Callable[[list[str]], Any]) -> None:
    expected = scores(name, PREDICTIONS, SINGLE)
    assert scores(name, form(PREDICTIONS), SINGLE) == expected
    assert scores(name, PREDICTIONS, form(SINGLE)) == expected


@pytest.mark.parametrize("form", ROW_FORMS.values(), ids=ROW_FORMS)
@pytest.mark.parametrize("name", METRICS)
def test_varying_rows_of_any_form_score_as_lists(name: str, form: Callable[[list[list[str]]], Any]) -> None:
    assert scores(name, references=form(VARYING)) == scores(name, references=VARYING)


@pytest.mark.parametrize("form", EVEN_FORMS.values(), ids=EVEN_FORMS)
@pytest.mark.parametrize("name", METRICS)
def test_even_rows_of_any_form_score_as_lists(name: str, form: Callable[[list[list[str]]], Any]) -> None:
    assert scores(name, references=form(EVEN)) == scores(name, references=EVEN)


@pytest.mark.parametrize("name", METRICS)
def test_one_reference_may_come_as_a_string_or_a_list(name: str) -> None:
    assert scores(name, references=SINGLE) == scores(name, references=[[text] for text in SINGLE])


@pytest.mark.parametrize("name", METRICS)
def test_the_same_references_in_other_numbers_are_another_corpus(name: str) -> None:
    results = [scores(name, references=references) for references in (SINGLE, EVEN, VARYING)]
    assert [result["signature"].split("|")[0] for result in results] == ["nrefs:1", "nrefs:2", "nrefs:var"]


@pytest.mark.parametrize("name", METRICS)
def test_a_square_of_references_is_read_row_by_row(name: str) -> None:
    square = [["a b", "c"], ["d", "e f"]]
    metric = evenscore.load(name)
    rows = metric.statistics(["a b", "e f"], square)
    expected = [metric.statistics([text], [row]) for text, row in zip(["a b", "e f"], square, strict=True)]
    assert rows.tolist() == np.concatenate(expected).tolist()


@pytest.mark.parametrize("name", METRICS)
def test_what_the_caller_passed_is_left_as_it_was(name: str) -> None:
    metric = evenscore.load(name, confidence=0.9, n_resamples=5, per_example=True)
    predictions, single, varying = given = copy.deepcopy((PREDICTIONS, SINGLE, VARYING))
    metric.compute(predictions=predictions, references=single)
    metric.compute(predictions=predictions, references=varying)
    metric.compare(predictions, single, references=varying, n_trials=3)
    metric.add_batch(predictions=predictions, references=varying)
    assert given == (PREDICTIONS, SINGLE, VARYING)


@pytest.mark.parametrize("name", METRICS)
def test_arrays_may_be_read_only(name: str) -> None:
    predictions, references = np.array(PREDICTIONS), np.array(EVEN)
    predictions.flags.writeable = references.flags.writeable = False
    assert scores(name, predictions, references) == scores(name, references=EVEN)


# --- refusals: what, then what the message holds

MISSING = "a text is missing; drop the row, or give '' for an empty text"
BAD_TEXTS: list[tuple[Any, list[str]]] = [
    (None, ["is None (NoneType)", MISSING]),
    (float("nan"), ["is nan (float)", MISSING]),
    (np.float32("nan"), ["(float32)", MISSING]),
    (pd.NA, ["is <NA> (NAType)", MISSING]),
    (pd.NaT, ["is NaT (NaTType)", MISSING]),
    (pa.scalar(None), ["(NullScalar)", MISSING]),
    (3, ["is 3 (int)", "give a string, as in str(value)"]),
    (2.5, ["is 2.5 (float)", "give a string, as in str(value)"]),
    (True, ["is True (bool)", "give a string, as in str(value)"]),
    (np.int64(4), ["is np.int64(4) (int64)", "give a string, as in str(value)"]),
    (pa.scalar("b"), ["(StringScalar)", "give a string, as in str(value)"]),
    (b"b", ["is b'b' (bytes)", "give a string, as in bytes(value).decode()"]),
    (bytearray(b"b"), ["is bytearray(b'b') (bytearray)", "give a string, as in bytes(value).decode()"]),
    ("\ud800", ["is '\\ud800' (str)", "lone surrogate", "text.encode('utf-8', 'ignore').decode()"]),
    ("a\udfff", ["is 'a\\udfff' (str)", "lone surrogate"]),
]
NESTED_TEXTS: list[tuple[Any, list[str]]] = [
    (["b"], ["is ['b'] (list)"]),
    (("b",), ["is ('b',) (tuple)"]),
    ({"b": 1}, ["is {'b': 1} (dict)"]),
    ({"b"}, ["is {'b'} (set)"]),
    (np.array(["b"]), ["(ndarray)"]),
    (iter(["b"]), ["(list_iterator)"]),
]
LIST = "give a list of strings"
EVERY = "give a list of strings in every row"
BAD_COLUMNS: list[tuple[Any, list[str]]] = [
    ("ab", ["is 'ab' (str)", f"{LIST}, as in ["]),
    (np.str_("ab"), ["is np.str_('ab') (str_)", f"{LIST}, as in ["]),
    (np.array("ab"), ["is 'ab' (str)", f"{LIST}, as in ["]),
    (b"ab", ["is b'ab' (bytes)", LIST]),
    (bytearray(b"ab"), ["is bytearray(b'ab') (bytearray)", LIST]),
    (memoryview(b"ab"), ["(memoryview)", LIST]),
    ((text for text in PREDICTIONS), ["is of type generator", f"{LIST}, as in list("]),
    (map(str, PREDICTIONS), ["is of type map", f"{LIST}, as in list("]),
    (set(PREDICTIONS), ["is of type set", LIST]),
    (dict.fromkeys(PREDICTIONS), ["is of type dict", LIST]),
    (dict.fromkeys(PREDICTIONS).values(), ["is of type dict_values", LIST]),
    (pd.DataFrame({"text": PREDICTIONS}), ["is of type DataFrame", LIST]),
    (datasets.Dataset.from_dict({"text": PREDICTIONS}), ["is of type Dataset", LIST]),
    (datasets.Dataset.from_dict({"text": PREDICTIONS}).to_iterable_dataset(), ["is of type IterableDataset", LIST]),
    (3, ["is of type int", LIST]),
    (np.array(3), ["is of type int", LIST]),
    (float("nan"), ["is of type float", LIST]),
    (range(3), ["[0] is 0 (int)", "give a string, as in str(value)"]),
    (np.array([1, 2, 3]), ["[0] is 1 (int)", "give a string, as in str(value)"]),
    (np.array([b"a", b"b", b"c"]), ["[0] is b'a' (bytes)", "give a string, as in bytes(value).decode()"]),
    (pd.Series(["a", None, "b"], dtype="string"), ["[1] is <NA> (NAType)", MISSING]),
    (pa.array(["a", "b", None]), ["[2] is None (NoneType)", MISSING]),
    (np.ma.array(["a", "b", "c"], mask=[True, False, False]), ["[0] is None (NoneType)", MISSING]),
    (pa.table({"text": PREDICTIONS}), ["[0] is ", "dict"]),
]
# A set and a dict have no order, a table has several columns: list(...) would be bad advice.
NO_ADVICE = ("set", "dict", "DataFrame", "int", "float")


def all_in(message: str, start: str, parts: list[str]) -> None:
    assert message.startswith(start)
    assert [part for part in parts if part not in message] == []


@pytest.mark.parametrize(("bad", "parts"), [*BAD_TEXTS, *NESTED_TEXTS])
@pytest.mark.parametrize("name", METRICS)
def test_bad_predictions_are_told_with_their_row(name: str, bad: Any, parts: list[str]) -> None:
    message = refusal(lambda: scores(name, [*PREDICTIONS[:2], bad], SINGLE))
    all_in(message, "predictions[2] is", parts)
    assert message.endswith(": give one string per row") == any(bad is nested for nested, _ in NESTED_TEXTS)


@pytest.mark.parametrize(("bad", "parts"), BAD_TEXTS)
@pytest.mark.parametrize("name", METRICS)
def test_bad_references_of_one_a_row_are_told_with_their_row(name: str, bad: Any, parts: list[str]) -> None:
    message = refusal(lambda: scores(name, references=["a", bad, "b"]))
    all_in(message, "references[1] is", parts)


@pytest.mark.parametrize(("bad", "parts"), [*BAD_TEXTS, *NESTED_TEXTS])
@pytest.mark.parametrize("name", METRICS)
def test_bad_references_of_a_list_are_told_with_both_places(name: str, bad: Any, parts: list[str]) -> None:
    message = refusal(lambda: scores(name, references=[["a"], ["b", "c", bad], ["d"]]))
    all_in(message, "references[1][2] is", parts)
    assert message.endswith(": nested too deeply; give a string") == any(bad is nested for nested, _ in NESTED_TEXTS)


def test_a_lone_surrogate_far_down_is_told_with_its_row() -> None:
    # Texts are encoded in parts of 1,000, the last of which is shorter.
    texts = ["é"] * 2500
    for row in (0, 999, 1000, 2499):
        bad = [*texts[:row], "\ud800", *texts[row + 1 :]]
        all_in(refusal(lambda bad=bad: scores("wer_dp", bad, texts)), f"predictions[{row}] is", ["lone surrogate"])


@pytest.mark.parametrize("n", [1, 3000])
def test_functions_that_make_lone_surrogates_are_told(n: int) -> None:
    """By few rows as strings, and by many as arrays."""
    spoil: Callable[[str], Any] = lambda text: text + " \udc00"  # noqa: E731
    texts = ["a b c d"] * n
    for name, option in (("wer_dp", "transforms"), ("bleu_corpus", "tokenizer"), ("rouge_l_multi", "tokenizer")):
        made = spoil if name == "wer_dp" else lambda text: spoil(text).split()
        metric = evenscore.load(name, **{option: made})
        said = refusal(lambda metric=metric: metric.compute(predictions=texts, references=texts))
        assert said.endswith("'\\udc00'] for 'a b c d': return no lone surrogates") == (name != "wer_dp")
        assert said.endswith("\\udc00' for 'a b c d': return no lone surrogates") == (name == "wer_dp")


@pytest.mark.parametrize(("bad", "parts"), BAD_COLUMNS)
def test_bad_columns_are_told(bad: Any, parts: list[str]) -> None:
    # An iterator is refused unread, so that it may be given to every metric, on either side.
    for name in METRICS:
        all_in(refusal(lambda name=name: scores(name, bad, SINGLE)), "predictions", parts)
        all_in(refusal(lambda name=name: scores(name, PREDICTIONS, bad)), "references", parts)


@pytest.mark.parametrize("kind", NO_ADVICE)
def test_what_list_would_spoil_is_not_advised_to_be_listed(kind: str) -> None:
    bad = next(value for value, parts in BAD_COLUMNS if parts[0] == f"is of type {kind}")
    assert refusal(lambda: scores("wer_dp", bad, SINGLE)) == f"predictions is of type {kind}: {LIST}"


@pytest.mark.parametrize("bad", [{"a"}, {"a": 1}, (text for text in "a")], ids=["set", "dict", "generator"])
@pytest.mark.parametrize("others", [["b"], None], ids=["among lists", "alone"])
def test_rows_of_references_must_be_lists(bad: Any, others: list[str] | None) -> None:
    rows = [bad, bad] if others is None else [others, bad]
    start = f"references[{0 if others is None else 1}] is of type {type(bad).__name__}: {LIST}"
    for name in METRICS:
        assert refusal(lambda name=name: scores(name, ["a", "b"], rows)).startswith(start)


@pytest.mark.parametrize(
    ("references", "message"),
    [
        ([["a"], "b"], f"references[1] is 'b' (str) while other rows are lists: {EVERY}"),
        (["a", ["b"]], f"references[0] is 'a' (str) while other rows are lists: {EVERY}"),
        (
            [["a"], None],
            f"references[1] is None (NoneType): {MISSING} in a list, as in the other rows",
        ),
        ([["a"], 3], f"references[1] is 3 (int) while other rows are lists: {EVERY}"),
        ([["a"], []], "references[1] is an empty list: give at least one reference per row"),
        ([[], []], "references[0] is an empty list: give at least one reference per row"),
        ([["a"], ()], "references[1] is an empty list: give at least one reference per row"),
        ([[["a"]], [["b"]]], "references[0][0] is ['a'] (list): nested too deeply; give a string"),
        (np.array([[["a"]], [["b"]]]), "references[0][0] is ['a'] (list): nested too deeply; give a string"),
        ([b"a", b"b"], "references[0] is b'a' (bytes): give a string, as in bytes(value).decode()"),
    ],
)
@pytest.mark.parametrize("name", METRICS)
def test_rows_of_references_that_do_not_fit_are_told(name: str, references: Any, message: str) -> None:
    assert refusal(lambda: scores(name, ["a", "b"], references)) == message


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        (["a"] * 2, ["a"], "2 predictions but 1 row of references: give one row per prediction"),
        (["a"] * 2, ["a"] * 3, "2 predictions but 3 rows of references: give one row per prediction"),
        (["a"] * 2, [["a"]] * 3, "2 predictions but 3 rows of references: give one row per prediction"),
        (["a"] * 2, [["a", "b", "c"]], "2 predictions but 1 row of references: give one row per prediction"),
        ([], ["a"], "0 predictions but 1 row of references: give one row per prediction"),
        (["a"], [], "1 prediction but 0 rows of references: give one row per prediction"),
        ([], [], "nothing to score: predictions and references are empty"),
        (np.array([]), np.array([]), "nothing to score: predictions and references are empty"),
        (None, ["a"], "predictions is missing: give a list of strings"),
        (["a"], None, "references is missing: give a list of strings"),
        (None, None, "predictions is missing: give a list of strings"),
    ],
)
@pytest.mark.parametrize("name", METRICS)
def test_columns_that_do_not_fit_are_told(name: str, predictions: Any, references: Any, message: str) -> None:
    assert refusal(lambda: scores(name, predictions, references)) == message


@pytest.mark.parametrize("form", [list, tuple, np.array, pa.array, column])
@pytest.mark.parametrize("sets", [1, 2, 4])
@pytest.mark.parametrize("name", METRICS)
def test_transposed_references_are_told_as_such(name: str, sets: int, form: Callable[[Any], Any]) -> None:
    transposed = [[f"{text} {k}" for text in SINGLE] for k in range(sets)]
    message = refusal(lambda: scores(name, references=form(transposed)))
    advice = "[list(row) for row in zip(*references)]"
    assert message == (
        f"references hold one list per reference set ({sets} of 3 texts): give one list per row, as in {advice}"
    )
    # The advice is taken.
    references = [list(row) for row in zip(*transposed, strict=True)]
    assert scores(name, references=references)["signature"].startswith(f"nrefs:{sets}|")


@pytest.mark.parametrize("name", METRICS)
def test_a_huge_value_is_shown_in_short(name: str) -> None:
    message = refusal(lambda: scores(name, ["a", ["word"] * 100_000, "b"], SINGLE))
    assert message.startswith("predictions[1] is ['word', ")
    assert len(message) < 200


@pytest.mark.parametrize("name", METRICS)
def test_every_way_in_checks_its_input(name: str) -> None:
    metric = evenscore.load(name)
    for call in (
        lambda: metric.statistics(["a", None], ["b", "c"]),
        lambda: metric.add_batch(predictions=["a", None], references=["b", "c"]),
        lambda: metric.compute(predictions=["a", None], references=["b", "c"]),
    ):
        assert refusal(call).startswith("predictions[1] is None (NoneType)")
    assert refusal(lambda: metric.add(prediction=None, reference="b")).startswith("predictions[0] is None")
    assert refusal(lambda: metric.add(prediction="a", reference=b"b")).startswith("references[0] is b'b' (bytes)")
    assert refusal(lambda: metric.add(prediction="a", references=None)).startswith("references[0] is None")
    assert refusal(lambda: metric.add(prediction="a")).startswith("references is missing: give both, as in add(")
    assert refusal(lambda: metric.add(reference="a")).startswith("predictions is missing: give both, as in add(")
    assert refusal(lambda: metric.add(predicton="a", reference="a")).startswith("unknown columns ['predicton']")
    assert refusal(lambda: metric.compare(["a"], ["b"], [7], references=["c"])).startswith("systems[1][0] is 7 (int)")
    assert refusal(lambda: metric.compare([7], ["b"], references=["c"])).startswith("baseline[0] is 7 (int)")


@pytest.mark.parametrize("name", METRICS)
def test_texts_may_hold_any_character(name: str) -> None:
    texts = ["\x00", "\r\n", "", "🧑‍🚀 \u202e", "\uffff", "\u2028"]
    result = evenscore.load(name).statistics(texts, texts)
    assert result[:, 0].tolist() == [1] * len(texts)
