"""The ways of taking several references, and F, against slow code, the papers' examples and output of ROUGE-1.5.5."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

import naive
import numpy as np
import pytest
from evenscore.metrics.rouge_l_multi.rouge_l_multi import RougeLMulti
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from rouge_corpora import row_by_row
from shared_data import lines, shared

from evenscore.rouge.references import RULES, Pairs, f_measure, row_scores

ROUGE155 = "summarization/rouge155"
BETAS = [0, 0.5, 1, 1.2, 2, 1e6]
# Below 10 roundings on the way to an F that is not computed in its oracle's order.
CLOSE = Fraction(10, 2**53)

Counts = tuple[int, int, int]


@st.composite
def corpora(draw: st.DrawFn) -> list[list[Counts]]:
    """Rows of hits and both lengths; few different numbers, so that references tie."""
    corpus = []
    for _ in range(draw(st.integers(1, 5))):
        length = draw(st.integers(0, 8))
        row = []
        for reference_length in draw(st.lists(st.integers(0, 8), min_size=1, max_size=6)):
            row.append((draw(st.integers(0, min(length, reference_length))), length, reference_length))
        corpus.append(row)
    return corpus


def scored(corpus: list[list[Counts]], rule: str, beta: float | str) -> list[tuple[float, ...]]:
    columns = np.array([counts for row in corpus for counts in row], dtype=np.int64).reshape(-1, 3).T
    scores = row_scores(Pairs(*columns, np.array([len(row) for row in corpus])), rule, beta)
    return [tuple(row) for row in np.stack(scores, axis=1).tolist()]


def compute(prediction: str, *references: str, **options: Any) -> dict[str, Any]:
    options = {"rouge_types": "rougeL", **options}
    result: dict[str, Any] = RougeLMulti(**options).compute(predictions=[prediction], references=[list(references)])
    return result


def rounded(result: dict[str, Any], digits: int) -> tuple[float, float, float]:
    return tuple(round(result[name], digits) for name in ("rougeL_precision", "rougeL_recall", "rougeL"))


# --- slow code


@examples(250)
@given(corpora(), st.sampled_from(sorted(RULES)), st.sampled_from(BETAS))
def test_every_rule_is_its_definition(corpus: list[list[Counts]], rule: str, beta: float) -> None:
    assert scored(corpus, rule, beta) == [naive.rouge_of_several(row, rule, beta) for row in corpus]


@pytest.mark.parametrize("rule", sorted(RULES))
def test_rules_agree_on_one_reference_and_on_copies_of_it(rule: str) -> None:
    counts = [(hits, n, m) for n in range(5) for m in range(5) for hits in range(min(n, m) + 1)]
    alone = [naive.rouge_of_several([each], "best", 1) for each in counts]
    assert scored([[each] for each in counts], rule, 1) == alone
    for copies in (2, 3, 7):
        assert scored([[each] * copies for each in counts], rule, 1) == alone


def slow_counts(prediction: str, reference: str, name: str) -> Counts:
    """Hits and lengths, or numbers of n-grams, of two texts of words and line feeds."""
    left, right = prediction.split(), reference.split()
    if name == "rougeL":
        return naive.lcs_length(left, right), len(left), len(right)
    if name == "rougeLsum":
        sentences = [[line.split() for line in text.split("\n")] for text in (reference, prediction)]
        return naive.union_lcs_hits(*sentences), len(left), len(right)
    n = int(name[-1])
    lengths = [naive.n_grams(words, n).total() for words in (left, right)]
    return naive.clipped_matches(left, [right], n), lengths[0], lengths[1]


small_texts = st.text(alphabet="ab \n", max_size=24)


@examples(150)
@given(
    st.lists(st.tuples(small_texts, st.lists(small_texts, min_size=1, max_size=4)), min_size=1, max_size=3),
    st.sampled_from(sorted(RULES)),
)
def test_every_type_under_every_rule_is_its_definition(corpus: list[tuple[str, list[str]]], rule: str) -> None:
    types = ["rougeL", "rougeLsum", "rouge1", "rouge3"]
    predictions, references = [list(column) for column in zip(*corpus, strict=True)]
    ours = row_by_row(predictions, references, rouge_types=types, multi_reference=rule, tokenizer="whitespace")
    for name in types:
        counts = [[slow_counts(prediction, text, name) for text in several] for prediction, several in corpus]
        assert ours[name] == [naive.rouge_of_several(row, rule, 1) for row in counts]


def test_rules_have_no_rows_where_there_are_none() -> None:
    assert [scored([], rule, 1) for rule in RULES] == [[]] * 6


@examples(120)
@given(corpora(), st.sampled_from(sorted(RULES)))
def test_the_ratio_as_beta_is_put_into_any_rule(corpus: list[list[Counts]], rule: str) -> None:
    for row, (precision, recall, f) in zip(corpus, scored(corpus, rule, "P/R"), strict=True):
        alone = [scored([[each]], "best", "P/R")[0] for each in row]
        if rule == "best":
            assert (precision, recall, f) == max(alone, key=lambda scores: scores[2])
        elif rule == "average":
            assert f == float(sum(Fraction(scores[2]) for scores in alone) / len(alone))
        elif rule != "jackknife":
            exact = naive.f_measure(Fraction(precision), Fraction(recall), "P/R")
            assert abs(Fraction(f) - exact) <= CLOSE * exact


@pytest.mark.parametrize("beta", [*BETAS, "P/R"])
def test_f_is_the_formula_up_to_its_roundings(beta: Any) -> None:
    pairs = [(h, n, m) for n in (1, 2, 7, 30) for m in (1, 3, 7, 29, 1000) for h in range(min(n, m) + 1)]
    precision, recall = np.array([h / n for h, n, _ in pairs]), np.array([h / m for h, _, m in pairs])
    given_beta = beta if beta == "P/R" else Fraction(beta)
    for f, p, r in zip(f_measure(precision, recall, beta), precision, recall, strict=True):
        exact = naive.f_measure(Fraction(float(p)), Fraction(float(r)), given_beta)
        assert abs(Fraction(float(f)) - exact) <= CLOSE * exact


def test_beta_0_is_precision_and_a_great_one_recall() -> None:
    precision, recall = np.array([0.75, 0.1, 0.0, 1.0]), np.array([0.25, 1.0, 0.0, 1e-9])
    assert f_measure(precision, recall, 0).tolist() == precision.tolist()
    assert f_measure(precision, recall, 1e99).tolist() == pytest.approx(recall.tolist(), rel=1e-15)


# --- the papers' and the notes' examples

DREAM = ("I have a dream that one day", "I have a dream that all men are created equal")
CAT = (
    "the cat was found under the bed",
    "the cat was under the bed",
    "the tiny little cat was found under the big funny bed",
)


def test_the_dream() -> None:
    assert rounded(compute(*DREAM), 3) == (0.714, 0.5, 0.588)
    assert rounded(compute(*DREAM, beta=2), 3) == (0.714, 0.5, 0.532)
    expected = naive.f_measure(Fraction(5, 7), Fraction(1, 2), "P/R")
    assert abs(Fraction(compute(*DREAM, beta="P/R")["rougeL"]) - expected) <= CLOSE * expected


@pytest.mark.parametrize("beta", [*BETAS, "P/R"])
def test_the_cat_has_every_precision_and_recall_in_one_reference_or_the_other(beta: Any) -> None:
    assert rounded(compute(*CAT, multi_reference="max_pr", beta=beta), 12) == (1.0, 1.0, 1.0)


def test_the_cat_under_the_other_rules() -> None:
    # 6 of 7 and 6 words, 7 of 7 and 11.
    expected = {
        "best": (6 / 7, 1, 12 / 13),
        "best_recall": (6 / 7, 1, 12 / 13),
        "average": (13 / 14, 9 / 11, (12 / 13 + 14 / 18) / 2),
        "summed": (13 / 14, 13 / 17, 26 / 31),
        "jackknife": (13 / 14, 9 / 11, (12 / 13 + 14 / 18) / 2),
    }
    assert {rule: rounded(compute(*CAT, multi_reference=rule), 12) for rule in expected} == {
        rule: tuple(round(value, 12) for value in values) for rule, values in expected.items()
    }


@pytest.mark.parametrize(
    ("prediction", "expected"),
    [("police kill the gunman", 0.75), ("the gunman kill police", 0.5), ("the gunman police killed", 0.5)],
)
def test_the_gunman_of_lin_2004_section_3(prediction: str, expected: float) -> None:
    assert rounded(compute(prediction, "police killed the gunman"), 9) == (expected,) * 3


def test_the_union_of_lin_2004_section_3_2() -> None:
    result = compute("w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5", "w1 w2 w3 w4 w5", rouge_types=["rougeLsum"])
    assert result["rougeLsum_recall"] == 0.8
    assert result["rougeLsum_precision"] == 0.4


def test_coco_is_max_pr_with_beta_1_2_at_single_spaces() -> None:
    corpus = list(zip(*(lines(f"mt/ted_zh_en/{name}.txt")[:80] for name in ("MiSS", "ref", "refB")), strict=True))
    corpus += [("", "", "a"), ("a", "", "b"), ("a  b", "a b", "b  a"), ("A", "a", "b")]
    metric = RougeLMulti(multi_reference="max_pr", beta=1.2, tokenizer=lambda text: text.split(" "), aggregate="none")
    result = metric.compute(predictions=[p for p, *_ in corpus], references=[references for _, *references in corpus])
    expected = [naive.coco_rouge_l(prediction, references) for prediction, *references in corpus]
    assert result["rougeL"] == expected
    assert len(set(expected)) > 60


# --- ROUGE-1.5.5.pl -a -d -n 2, on three summaries of each of 25 items with four references


def rouge155_evaluations(kind: str, mode: str) -> list[tuple[str, ...]]:
    output = shared(f"{ROUGE155}/r_{mode}.txt").read_text(encoding="utf-8")
    found = re.findall(rf"^1 {kind} Eval (\d+)\.1 R:(\S+) P:(\S+) F:(\S+)$", output, re.MULTILINE)
    assert [int(number) for number, *_ in found] == list(range(1, 76))
    return [tuple(scores) for _, *scores in found]


def f_of_printed(recall: str, precision: str) -> str:
    """ROUGE-1.5.5 computes F from precision and recall as it prints them, of five digits."""
    return f"{naive.f_measure(float(precision), float(recall), 1):.5f}"


@pytest.mark.parametrize(("mode", "rule"), [("A", "summed"), ("B", "best_recall")])
@pytest.mark.parametrize("name", ["rouge1", "rouge2", "rougeL", "rougeLsum"])
def test_rouge155_prints_our_numbers(name: str, mode: str, rule: str) -> None:
    items = json.loads(shared(f"{ROUGE155}/test_data.json").read_text(encoding="utf-8"))
    corpus = [
        (text, items[key]["references"]) for key in sorted(items, key=int) for text in items[key]["summaries"][:3]
    ]
    result = RougeLMulti(rouge_types=name, multi_reference=rule, aggregate="none").compute(
        predictions=[text for text, _ in corpus], references=[references for _, references in corpus]
    )
    columns = zip(result[f"{name}_recall"], result[f"{name}_precision"], result[name], strict=True)
    printed = rouge155_evaluations(name.upper()[:5] + "-" + name.upper()[5], mode)
    assert [(f"{r:.5f}", f"{p:.5f}", f_of_printed(f"{r:.5f}", f"{p:.5f}")) for r, p, _ in columns] == printed
    # F of unrounded precision and recall is never more than a unit of the last digit away.
    assert (
        max(abs(round(f * 10**5) - round(float(row[2]) * 10**5)) for f, row in zip(result[name], printed, strict=True))
        <= 1
    )
