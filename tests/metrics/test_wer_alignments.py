"""What wer_dp says of its alignments equals jiwer 4.0: chunk for chunk, string for string."""

from __future__ import annotations

import json
import random
from typing import Any

import jiwer
import pytest
from evenscore.metrics.wer_dp.wer_dp import WerDp
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from wer_corpora import COUNTS, Corpus, by_jiwer, librispeech, scored, sides

KINDS = ("substitutions", "insertions", "deletions")

word_rows = st.lists(st.sampled_from(["a", "b", "c", "long", "*", "**", "é", "\t", "x\ty"]), max_size=9).map(" ".join)
corpora = st.lists(st.tuples(word_rows, word_rows), min_size=1, max_size=4)


@pytest.mark.parametrize("unit", ["word", "char"])
@examples(150)
@given(corpora)
def test_alignments_are_those_of_jiwer(unit: str, corpus: Corpus) -> None:
    references, predictions = sides(corpus)
    theirs = [[tuple(vars(chunk).values()) for chunk in row] for row in by_jiwer(corpus, unit).alignments]
    assert WerDp(unit=unit).align(predictions, references) == theirs


@pytest.mark.parametrize("unit", ["word", "char"])
@examples(150)
@given(corpora, st.booleans(), st.booleans(), st.one_of(st.none(), st.integers(0, 40)))
def test_alignments_are_drawn_as_by_jiwer(
    unit: str, corpus: Corpus, show_measures: bool, skip_correct: bool, line_width: int | None
) -> None:
    options = {"show_measures": show_measures, "skip_correct": skip_correct, "line_width": line_width}
    references, predictions = sides(corpus)
    theirs = jiwer.visualize_alignment(by_jiwer(corpus, unit), **options)
    assert WerDp(unit=unit).visualize(predictions, references, **options) == theirs


@pytest.mark.parametrize("unit", ["word", "char"])
@examples(150)
@given(corpora)
def test_errors_are_counted_as_by_jiwer(unit: str, corpus: Corpus) -> None:
    references, predictions = sides(corpus)
    ours = WerDp(unit=unit).error_counts(predictions, references)
    theirs = jiwer.collect_error_counts(by_jiwer(corpus, unit))
    # sorted keeps equals as they were, which is the order in which jiwer met them.
    by_frequency = [sorted(counts.items(), key=lambda item: -item[1]) for counts in theirs]
    assert ours == dict(zip(KINDS, by_frequency, strict=True))
    first_two = WerDp(unit=unit).error_counts(predictions, references, top_k=2)
    assert first_two == {kind: counts[:2] for kind, counts in ours.items()}


# A byte less than a megabyte, a megabyte; the longest reference that is short, the next; likewise for predictions.
EDGES = [(2047, 2049), (2048, 2048), (64, 70_000), (65, 70_000), (470_000, 9), (423_000, 10)]


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m"), EDGES)
def test_pairs_at_the_size_from_which_they_are_halved_are_aligned_as_by_jiwer(n: int, m: int) -> None:
    """Each of these pairs is aligned otherwise if it is halved; nothing is cut from its ends."""
    draw = random.Random(0)
    reference, prediction = (draw.choices("abc", k=length) for length in (n, m))
    pair = " ".join(["a", *reference[2:], "a"]), " ".join(["b", *prediction[2:], "b"])
    theirs = [tuple(vars(chunk).values()) for chunk in by_jiwer([pair]).alignments[0]]
    assert WerDp().align([pair[1]], [pair[0]]) == [theirs]


@pytest.mark.parametrize("unit", ["word", "char"])
def test_librispeech_is_drawn_and_counted_as_by_jiwer(unit: str) -> None:
    references, predictions = sides(librispeech())
    output, ours = by_jiwer(librispeech(), unit), WerDp(unit=unit)
    assert ours.visualize(predictions, references, line_width=80) == jiwer.visualize_alignment(output, line_width=80)
    theirs = dict(zip(KINDS, jiwer.collect_error_counts(output), strict=True))
    counts = ours.error_counts(predictions, references)
    assert {kind: dict(pairs) for kind, pairs in counts.items()} == theirs
    assert all(counts.values())


def test_the_example_of_jiwer() -> None:
    references = ["short one here", "quite a bit of longer sentence"]
    predictions = ["shoe order one", "quite bit of an even longest sentence here"]
    assert WerDp().visualize(predictions, references).splitlines() == [
        "=== SENTENCE 1 ===",
        "",
        "REF: **** short one here",
        "HYP: shoe order one ****",
        "        I     S        D",
        "",
        "=== SENTENCE 2 ===",
        "",
        "REF: quite a bit of ** ****  longer sentence ****",
        "HYP: quite * bit of an even longest sentence here",
        "           D         I    I       S             I",
        "",
        "=== SUMMARY ===",
        "number of sentences: 2",
        "substitutions=2 deletions=2 insertions=4 hits=5",
        "",
        "mer=61.54%",
        "wil=74.75%",
        "wip=25.25%",
        "wer=88.89%",
    ]
    assert WerDp().error_counts(predictions, references) == {
        "substitutions": [(("short", "order"), 1), (("longer", "longest"), 1)],
        "insertions": [("shoe", 1), ("an even", 1), ("here", 1)],
        "deletions": [("here", 1), ("a", 1)],
    }


def test_the_most_frequent_errors_come_first() -> None:
    references, predictions = ["a", "b", "b", "c", ""], ["x", "y", "y", "z", "d e"]
    counts = WerDp().error_counts(predictions, references)
    assert counts["substitutions"] == [(("b", "y"), 2), (("a", "x"), 1), (("c", "z"), 1)]
    assert WerDp().error_counts(predictions, references, top_k=0) == {kind: [] for kind in KINDS}


@examples(100)
@given(corpora, st.sampled_from([(1, 1, 1), (4, 3, 3), (0.5, 2, 1)]), st.sampled_from(["word", "char"]))
def test_alignments_have_the_counts_of_the_result(corpus: Corpus, costs: Any, unit: str) -> None:
    references, predictions = sides(corpus)
    found = dict.fromkeys(["equal", "substitute", "delete", "insert"], 0)
    for operations in WerDp(costs=costs, unit=unit).align(predictions, references):
        for kind, i, i_end, j, j_end in operations:
            found[kind] += max(i_end - i, j_end - j)
    result = scored(corpus, costs=costs, unit=unit)
    assert list(found.values()) == [result[name] for name in COUNTS]


@pytest.mark.parametrize(
    ("reference", "prediction", "operations"),
    [
        ("a b b", "a b", [("equal", 0, 1, 0, 1), ("delete", 1, 2, 1, 1), ("equal", 2, 3, 1, 2)]),
        ("a b", "a b b", [("equal", 0, 1, 0, 1), ("insert", 1, 1, 1, 2), ("equal", 1, 2, 2, 3)]),
        ("a b", "c", [("delete", 0, 1, 0, 0), ("substitute", 1, 2, 0, 1)]),
        ("a", "b c", [("insert", 0, 0, 0, 1), ("substitute", 0, 1, 1, 2)]),
        ("a b", "b a", [("delete", 0, 1, 0, 0), ("equal", 1, 2, 0, 1), ("insert", 2, 2, 1, 2)]),
        ("a b c", "c x y", [("substitute", 0, 3, 0, 3)]),
    ],
)
def test_of_equal_prices_the_end_has_a_match_or_substitution_then_an_insertion(
    reference: str, prediction: str, operations: list[Any]
) -> None:
    assert WerDp(costs=(4, 3, 3)).align([prediction], [reference]) == [operations]


def test_counts_errors_and_pictures_have_the_alignment_of_sclite() -> None:
    wer = WerDp(costs=(4, 3, 3))
    row = {"predictions": ["c x y"], "references": ["a b c"]}
    result = wer.compute(**row)
    assert [result[name] for name in COUNTS] == [0, 3, 0, 0]
    assert wer.error_counts(**row) == {"substitutions": [(("a b c", "c x y"), 1)], "insertions": [], "deletions": []}
    assert wer.visualize(**row, show_measures=False) == "=== SENTENCE 1 ===\n\nREF: a b c\nHYP: c x y\n     S S S\n"
    assert "hits 0, substitutions 3, deletions 0, insertions 0" in str(wer.picture("c x y", "a b c"))


@pytest.mark.parametrize("costs", [(1, 1, 1), (4, 3, 3)])
def test_alignments_can_be_written_as_json(costs: tuple[int, int, int]) -> None:
    aligned = WerDp(costs=costs).align(["a x d e"], ["a b c d"])
    assert json.loads(json.dumps(aligned)) == [[list(operation) for operation in row] for row in aligned]


def test_no_rows_have_no_alignments() -> None:
    assert WerDp().align([], []) == []
    assert WerDp().visualize([], [], show_measures=False) == ""
    assert WerDp().error_counts([], []) == {kind: [] for kind in KINDS}


@pytest.mark.parametrize("value", [-1, "80", 2.5, True])
def test_wrong_widths_and_numbers_are_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=f"line_width={value!r}: give a whole number of at least 0"):
        WerDp().visualize(["a"], ["b"], line_width=value)
    with pytest.raises(ValueError, match=f"top_k={value!r}: give a whole number of at least 0"):
        WerDp().error_counts(["a"], ["b"], top_k=value)
