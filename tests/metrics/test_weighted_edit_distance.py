"""Weighted edit counts and alignments follow the textbook recurrence with sclite's ties, and sclite's own counts."""

from __future__ import annotations

import csv
import json
from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from shared_data import shared

from evenscore.text.segments import Segments
from evenscore.wer import costs as wer_costs
from evenscore.wer.costs import Costs, weighted_edit_counts, weighted_edit_operations
from evenscore.wer.edits import Operation, edit_counts

SCLITE = Costs(substitution=4, deletion=3, insertion=3)

Pair = tuple[list[int], list[int]]

# Few distinct tokens, many ties; prices whose sums tie (4 = 2 + 2), also in decimals that binary floats miss.
tokens = st.lists(st.integers(0, 3), max_size=12)
pairs = st.tuples(tokens, tokens)
prices = st.one_of(st.integers(1, 6), st.sampled_from([0.1, 0.2, 0.3, 0.5, 1.5, 1e-9, 1 / 3, 2e15]))
all_costs = st.builds(Costs, prices, prices, prices)


def segments(rows: list[list[int]]) -> Segments:
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows], dtype=np.int64)))
    return Segments(np.array([token for row in rows for token in row], dtype=np.int64), offsets)


def counts(corpus: list[Pair], costs: Costs) -> list[list[int]]:
    references, predictions = segments([left for left, _ in corpus]), segments([right for _, right in corpus])
    return weighted_edit_counts(references, predictions, costs).tolist()


def chunks(pair: Pair, costs: Costs) -> list[Operation]:
    return weighted_edit_operations(*(np.array(side, dtype=np.int64) for side in pair), costs)


def as_fractions(costs: Costs) -> tuple[Fraction, Fraction, Fraction]:
    return Fraction(str(costs.substitution)), Fraction(str(costs.deletion)), Fraction(str(costs.insertion))


@examples(300)
@given(st.lists(pairs, max_size=6), all_costs)
def test_counts_are_those_of_the_textbook_recurrence(corpus: list[Pair], costs: Costs) -> None:
    assert counts(corpus, costs) == [naive.weighted_edit_counts(*pair, as_fractions(costs)) for pair in corpus]


@examples(300)
@given(pairs, all_costs)
def test_operations_are_an_alignment_with_these_counts(pair: Pair, costs: Costs) -> None:
    reference, prediction = pair
    found = dict.fromkeys(["equal", "substitute", "delete", "insert"], 0)
    rebuilt: list[int] = []
    reference_end = 0
    for kind, i, i_end, j, j_end in chunks(pair, costs):
        assert (i, j) == (reference_end, len(rebuilt))
        assert kind != "equal" or reference[i:i_end] == prediction[j:j_end]
        assert kind != "substitute" or all(a != b for a, b in zip(reference[i:i_end], prediction[j:j_end], strict=True))
        found[kind] += max(i_end - i, j_end - j)
        rebuilt += prediction[j:j_end]
        reference_end = i_end
    assert (reference_end, rebuilt) == (len(reference), prediction)
    assert [list(found.values())] == counts([pair], costs)


@examples(200)
@given(st.lists(pairs, max_size=6), st.sampled_from([1, 7, 0.1, 1e12]))
def test_equal_costs_make_the_levenshtein_distance(corpus: list[Pair], cost: float) -> None:
    weighted = np.array(counts(corpus, Costs(cost, cost, cost)), dtype=np.int64).reshape(-1, 4)
    assert weighted[:, 1:].sum(axis=1).tolist() == [naive.edit_distance(*pair) for pair in corpus]


@examples(200)
@given(st.lists(pairs, max_size=6), all_costs)
def test_swapped_sides_have_the_same_cost(corpus: list[Pair], costs: Costs) -> None:
    """Their counts can differ, because insertions precede deletions where costs tie."""
    turned = counts([(b, a) for a, b in corpus], costs._replace(deletion=costs.insertion, insertion=costs.deletion))

    def total(row: list[int]) -> Fraction:
        return sum((cost * count for cost, count in zip(as_fractions(costs), row[1:], strict=True)), Fraction())

    assert [total([h, s, i, d]) for h, s, d, i in turned] == list(map(total, counts(corpus, costs)))


@examples(100)
@given(st.lists(pairs, max_size=30), all_costs)
def test_blocks_make_no_difference(corpus: list[Pair], costs: Costs) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wer_costs, "_ROW_CELLS", 10)
        in_small_blocks = counts(corpus, costs)
    assert in_small_blocks == counts(corpus, costs)


@examples(300)
@given(pairs, all_costs)
def test_operations_are_those_of_the_textbook_recurrence(pair: Pair, costs: Costs) -> None:
    names = {"equal": "H", "substitute": "S", "delete": "D", "insert": "I"}
    found = [names[kind] * max(i_end - i, j_end - j) for kind, i, i_end, j, j_end in chunks(pair, costs)]
    assert "".join(found) == naive.weighted_edit_steps(*pair, as_fractions(costs))


def test_decimal_ties_are_decided_exactly() -> None:
    """0.1 + 0.7 < 2 * 0.4 for binary floats, which would match; exactly they tie, so that the diagonal decides."""
    pair = [1, 2], [3, 1]
    assert counts([pair], Costs(0.4, 0.1, 0.7)) == counts([pair], Costs(4, 1, 7)) == [[0, 2, 0, 0]]
    assert counts([pair], Costs(0.15, 0.1, 0.2)) == counts([pair], Costs(15, 10, 20)) == [[0, 2, 0, 0]]
    assert counts([pair], Costs(0.4, 0.1, 0.6)) == [[1, 0, 1, 1]]


def test_where_costs_tie_the_way_back_decides_as_in_sclite() -> None:
    """Three substitutions at 12 tie with a hit, two deletions and two insertions at 12."""
    pair = [1, 2, 3], [3, 4, 5]
    assert counts([pair], SCLITE) == [[0, 3, 0, 0]]
    assert chunks(pair, SCLITE) == [("substitute", 0, 3, 0, 3)]


def test_of_insertion_and_deletion_the_end_has_the_insertion() -> None:
    assert chunks(([1, 2], [2, 1]), SCLITE) == [("delete", 0, 1, 0, 0), ("equal", 1, 2, 0, 1), ("insert", 2, 2, 1, 2)]


def test_utterances_have_the_counts_that_sclite_prints() -> None:
    with shared("asr/sclite/counts.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(rows) == 9703
    ids: dict[str, int] = {}
    corpus = [
        tuple([ids.setdefault(word, len(ids)) for word in row[side].split()] for side in ("reference", "hypothesis"))
        for row in rows
    ]
    printed = [[int(row[kind]) for kind in ("correct", "substitutions", "deletions", "insertions")] for row in rows]
    assert counts(corpus, SCLITE) == printed


@pytest.mark.parametrize("length", [3, 40, 400])
@pytest.mark.parametrize("scale", [1, 10**4, 10**10, 10**16, 10**18])
def test_integers_of_every_width_are_exact(length: int, scale: int) -> None:
    rng = np.random.default_rng(length)
    pair = rng.integers(0, 4, min(length, 60)).tolist(), rng.integers(0, 4, length).tolist()
    costs = Costs(4 * scale, 3 * scale + 1, 3 * scale)
    assert counts([pair], costs) == [naive.weighted_edit_counts(*pair, as_fractions(costs))]


def test_documented_sclite_case_is_not_of_least_edits() -> None:
    pair = list("abcdefg"), list("vwxyabc")
    ids = {letter: k for k, letter in enumerate("abcdefgvwxy")}
    corpus = [([ids[c] for c in pair[0]], [ids[c] for c in pair[1]])]
    assert counts(corpus, SCLITE) == [[3, 0, 4, 4]]
    assert counts(corpus, Costs(1, 1, 1)) == [[0, 7, 0, 0]]


def test_very_long_keys_are_exact() -> None:
    corpus = [([1, 2, 3] * 20, [3, 1, 2] * 20)]
    costs = Costs(10**18, 10**18 - 1, 10**18 + 1)
    assert counts(corpus, costs) == [naive.weighted_edit_counts(*corpus[0], as_fractions(costs))]


@pytest.mark.parametrize("empty", [[], [([], [])]])
def test_nothing_to_align(empty: list[Pair]) -> None:
    assert counts(empty, SCLITE) == [[0, 0, 0, 0] for _ in empty]
    assert chunks(([], []), SCLITE) == []


def test_one_empty_side() -> None:
    assert counts([([], [1, 2]), ([1, 2, 3], [])], SCLITE) == [[0, 0, 0, 2], [0, 0, 3, 0]]
    assert chunks(([], [1, 2]), SCLITE) == [("insert", 0, 0, 0, 2)]
    assert chunks(([1, 2, 3], []), SCLITE) == [("delete", 0, 3, 0, 0)]


@pytest.mark.parametrize("bad", [0, -1, float("nan"), float("inf")])
@pytest.mark.parametrize("name", Costs._fields)
def test_cost_without_meaning_is_named(name: str, bad: float) -> None:
    costs = SCLITE._replace(**{name: bad})
    with pytest.raises(ValueError, match=f"{name}={bad!r}: give a positive number"):
        counts([([1], [2])], costs)


def test_inputs_are_left_as_they_were() -> None:
    references, predictions = segments([[1, 2, 3, 4]]), segments([[1, 3, 3, 5, 4]])
    for side in (*references, *predictions):
        side.flags.writeable = False
    assert weighted_edit_counts(references, predictions, SCLITE).tolist() == [[3, 1, 0, 1]]
    assert len(weighted_edit_operations(references.ids, predictions.ids, SCLITE)) == 5


def test_librispeech_totals_are_those_of_sclite() -> None:
    ids: dict[str, int] = {}
    sides = []
    for name in ("reftext", "hyptext"):
        lines = sorted(shared(f"asr/librispeech/{name}").read_text(encoding="utf-8").lower().splitlines())
        sides.append(segments([[ids.setdefault(word, len(ids)) for word in line.split()[1:]] for line in lines]))
    found = weighted_edit_counts(*sides, SCLITE)
    assert len(found) == 2703
    expected = json.loads(shared("asr/librispeech/expected.json").read_text())["sclite2.10_CSDI"]
    assert found.sum(axis=0).tolist() == expected
    assert np.array_equal(found, edit_counts(*sides))
