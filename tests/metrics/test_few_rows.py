"""A few rows are counted in plain Python, many in arrays: both count the same, with every option, on every text."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any
from unittest import mock

import jiwer
import numpy as np
import pytest
import rouge_corpora
import wer_corpora
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from evenscore.bleu.scorer import Bleu
from evenscore.bleu.tokenizers import TOKENIZERS
from evenscore.inputs import are_few, check_references
from evenscore.rouge.scorer import Rouge
from evenscore.rouge.tokens import TOKENIZERS as ROUGE_TOKENIZERS
from evenscore.scorer import Scorer
from evenscore.text import lanes
from evenscore.wer import kernel
from evenscore.wer import scorer as wer_scorer
from evenscore.wer.scorer import Wer

# What the rules of 13a and intl look at.
MARKS = [
    "a",
    "b",
    "7",
    "1,000",
    "3.5",
    ".",
    ",",
    "-",
    "--",
    "'s",
    "_",
    "&quot;",
    "&lt;",
    "-\n",
    "<skipped>",
    "٣",
    "…",
    "$",
]
bleu_texts = st.lists(st.sampled_from([*MARKS, " ", "  ", "\n", "\u2028", "é", "中"]), max_size=14).map("".join)

# Scripts with and without spaces between words.
scripts = st.lists(st.sampled_from(["好", "天", "カー", "ก้", "က", "서울", "ab", "3", "。", " ", "\t"]), max_size=9).map(
    "".join
)


@pytest.fixture(autouse=True, scope="module")
def _few_beside_kernels() -> Iterator[None]:
    """Kernels, which other tests may have loaded, do not change what few texts are."""
    with mock.patch("evenscore.wer.scorer._FEW_BESIDE_KERNELS", 10**6):
        yield


def rows_of(texts: st.SearchStrategy[str]) -> st.SearchStrategy[list[tuple[str, list[str]]]]:
    return st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), max_size=6)


def all_few(kind: type[Scorer[Any]], few: bool) -> Any:
    """All rows are few, or none."""
    return mock.patch(f"{kind.__module__}.are_few", lambda predictions, *_, **__: few and predictions != [])


def counts(kind: type[Scorer[Any]], rows: list[tuple[str, list[str]]], options: dict[str, Any], few: bool) -> list[Any]:
    """The statistics if the rows are few, or many; two systems that are counted together have the same.

    So has their sum, which compute scores.
    """
    systems, references = [[text for text, _ in rows], [text for text, _ in rows[::-1]]], [own for _, own in rows]
    scorer = kind(**options)
    # Lanes count any number of pairs, so that no function is compared with itself.
    with all_few(kind, few), mock.patch.object(lanes, "_WORTHWHILE", 1):
        alone = [scorer.count_columns({"predictions": own, "references": references}) for own in systems]
        together = scorer.count_systems(systems, check_references(references, len(rows)))
        totals = [scorer.total_of_columns({"predictions": own, "references": references}) for own in systems]
    assert {counted.dtype for counted in alone + together} == {np.dtype(np.int64)}
    assert [counted.tolist() for counted in together] == [counted.tolist() for counted in alone]
    assert totals == [counted.sum(axis=0).tolist() for counted in alone]
    assert {type(value) for total in totals for value in total} == {int}
    return alone[0].tolist()  # type: ignore[no-any-return]


def check(kind: type[Scorer[Any]], rows: list[tuple[str, list[str]]], options: dict[str, Any]) -> None:
    with mock.patch.object(kind, "count_few", autospec=True, side_effect=kind.count_few) as called:
        plain = counts(kind, rows, options, True)
        times = called.call_count
        assert plain == counts(kind, rows, options, False)
    # Arrays counted the second time.
    assert called.call_count == times


@examples(600)
@given(
    rows_of(st.one_of(wer_corpora.texts, wer_corpora.word_rows, scripts)),
    st.sampled_from(["word", "char", "mixed"]),
    st.sampled_from(wer_corpora.NORMALIZERS),
    st.sampled_from([None, "standardize", ["remove_punctuation", "strip"]]),
    st.booleans(),
)
@pytest.mark.filterwarnings("ignore")
def test_wer(rows: list[tuple[str, list[str]]], unit: str, normalize_by: str, transforms: Any, kernels: bool) -> None:
    """The arrays with kernels, which split texts too, and without."""
    with mock.patch.object(kernel, "_WORTHWHILE", 0 if kernels else 1 << 62):
        check(Wer, rows, {"unit": unit, "normalize_by": normalize_by, "transforms": transforms})


def test_wer_of_all_short_texts() -> None:
    texts = [" ".join(words) for length in range(5) for words in itertools.product("ab", repeat=length)]
    rows = [(prediction, [reference]) for prediction in texts for reference in texts]
    for start in range(0, len(rows), 300):
        check(Wer, rows[start : start + 300], {})


@examples(600)
@given(
    rows_of(bleu_texts),
    st.sampled_from([name for name in TOKENIZERS if "mecab" not in name] + [str.split]),
    st.booleans(),
    st.sampled_from(["closest", "shortest", "average"]),
    st.sampled_from(["sacrebleu", "nltk"]),
    st.integers(1, 6),
)
def test_bleu(
    rows: list[tuple[str, list[str]]], tokenizer: Any, lowercase: bool, length: str, convention: str, order: int
) -> None:
    options = {"tokenizer": tokenizer, "lowercase": lowercase, "reference_length": length, "max_order": order}
    check(Bleu, rows, {**options, "convention": convention})


@examples(600)
@given(
    rows_of(rouge_corpora.texts),
    st.sampled_from([*ROUGE_TOKENIZERS, str.split]),
    st.sampled_from([False, True, "rouge-1.5.5"]),
    st.lists(st.sampled_from(["rouge1", "rouge2", "rouge9", "rougeL", "rougeLsum"]), min_size=1, unique=True),
    st.sampled_from(["best", "max_pr", "average", "best_recall", "summed", "jackknife"]),
    st.sampled_from([1, 1.2, 0.5, "P/R"]),
)
@pytest.mark.filterwarnings("ignore")
def test_rouge(
    rows: list[tuple[str, list[str]]], tokenizer: Any, stemmer: Any, types: list[str], rule: str, beta: Any
) -> None:
    options = {"tokenizer": tokenizer, "stemmer": stemmer, "rouge_types": types, "multi_reference": rule, "beta": beta}
    check(Rouge, rows, options)


WORDS = [
    (Wer, {}, 4800, 4),
    (Bleu, {"tokenizer": "13a"}, 200, 4),
    (Bleu, {"tokenizer": "intl"}, 200, 4),
    (Rouge, {"tokenizer": "whitespace"}, 3000, 16),
    (Rouge, {"tokenizer": "rouge_score"}, 2600, 16),
    (Rouge, {"tokenizer": str.split}, 2600, 16),
    (Rouge, {"tokenizer": "unicode"}, 1150, 16),
]


@pytest.mark.parametrize(("kind", "options", "size", "of_text"), WORDS)
def test_the_crossing_point(kind: type[Scorer[Any]], options: dict[str, Any], size: int, of_text: int) -> None:
    """One word more than a few changes the way, not the counts."""
    scorer, (n, rest) = kind(**options), divmod(size, 2 * (of_text + 1))
    for more in (-1, 0, 1):
        rows = [("a, b", ["b a,"])] * (n - 1) + [(" ".join(["ab"] * (2 + rest + more)), ["b c"])]
        predictions, references = [own for own, _ in rows], check_references([own for _, own in rows], n)
        assert scorer.has_few(predictions, references) == (more < 1)
        check(kind, rows, options)


CHARACTERS = [
    (Wer, {"unit": "char"}, 12_000),
    (Wer, {"unit": "mixed"}, 12_000),
    (Bleu, {"tokenizer": "char"}, 300),
    (Bleu, {"tokenizer": "zh"}, 300),
    (Bleu, {"tokenizer": str.split}, 900),
]


@pytest.mark.parametrize(("kind", "options", "size"), CHARACTERS)
def test_the_crossing_point_of_characters(kind: type[Scorer[Any]], options: dict[str, Any], size: int) -> None:
    """Each text counts as four characters more."""
    scorer, n = kind(**options), size // 50
    for more in (-1, 0, 1):
        rows = [("好" * 21, ["好天" * 10 + "好"])] * (n - 1) + [("天" * (21 + more), ["好" * 21])]
        predictions, references = [own for own, _ in rows], check_references([own for _, own in rows], n)
        assert scorer.has_few(predictions, references) == (more < 1)
        check(kind, rows, options)


@pytest.mark.parametrize("text", ["漢字", "カナ", "漢字 and mo"])
def test_han_and_kana_are_words_of_rouge(text: str) -> None:
    scorer, n = Rouge(tokenizer="unicode"), 1150 // (len(text) + 16)
    for rows, few in ((n // 2, True), (n // 2 + 1, False)):
        assert scorer.has_few([text] * rows, check_references([text] * rows, rows)) == few
        check(Rouge, [(text, [text])] * rows, {"tokenizer": "unicode"})
    assert scorer.has_few(["a漢 and many more words"] * 20, check_references(["no other Han"] * 20, 20))


def test_long_texts_and_long_words_are_not_few() -> None:
    one = check_references([""], 1)
    assert are_few(["a" * 2000], one, 200)
    assert not are_few(["a" * 2001], one, 200)
    assert are_few(["a" * 100], one, 10)
    assert not are_few(["a" * 101], one, 10)
    assert not are_few(["a"], one, 7)
    assert not are_few([], check_references([], 0), 10)


@pytest.mark.parametrize(
    ("unit", "prediction", "more"), [("word", "a b c", 6), ("char", "a b c", 5), ("mixed", "a b 好", 6)]
)
def test_kernels_count_fewer_rows_once_they_are_loaded(
    unit: str, prediction: str, more: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """more: the words, or pairs of characters, of a row's prediction and reference."""
    monkeypatch.setattr("evenscore.wer.scorer._FEW_BESIDE_KERNELS", 10 * more)
    monkeypatch.setattr(kernel, "_done", {"cells": 0})
    monkeypatch.setattr(kernel, "_WORTHWHILE", 3 * more * wer_scorer._CELLS_PER_WORD)
    scorer, seen = Wer(unit=unit), []
    monkeypatch.setattr(
        Wer, "count_few", lambda *given, count=Wer.count_few: seen.append(len(given[1])) or count(*given)
    )
    for rows in (10, 11, 11, 11, 11, 10):
        columns = {"predictions": [prediction] * rows, "references": ["a x c"] * rows}
        total = scorer.total_of_columns(columns)
        n, wrong = len(scorer._split(prediction)), 2 if unit == "mixed" else 1
        assert total == [rows, rows, rows, *(rows * each for each in (n - wrong, wrong, 0, 0, 1, n))]
    # Ten rows are always few, and no work; eleven are until kernels pay off.
    assert seen == [10, 11, 11, 11, 10]


@examples(100)
@given(st.integers(0, 2**32), st.integers(1, 40), st.sampled_from(["word", "char"]), st.integers(-1, 1))
def test_both_sides_of_the_crossing_point_to_kernels(seed: int, rows: int, unit: str, more: int) -> None:
    """Rows of speech, with a few words left out, replaced and added, have jiwer's counts."""
    draw = random.Random(seed)
    vocabulary = ["the", "cat", "sat", "on", "a", "mat", "and", "looked", "at", "it"]
    references = [" ".join(draw.choices(vocabulary, k=12)) for _ in range(rows)]
    predictions = [" ".join(_misheard(text.split(), draw)) or "cat" for text in references]
    scorer = Wer(unit=unit)
    texts = predictions + references
    size = len("".join(texts)) // 2 if unit == "char" else len(" ".join(texts).split())
    with (
        mock.patch.object(kernel, "_WORTHWHILE", 0),
        mock.patch("evenscore.wer.scorer._FEW_BESIDE_KERNELS", size + more),
        mock.patch.object(Wer, "count_few", autospec=True, side_effect=Wer.count_few) as called,
    ):
        result = scorer.compute({"predictions": predictions, "references": references})
    assert called.call_count == (more >= 0)
    theirs = (jiwer.process_words if unit == "word" else jiwer.process_characters)(references, predictions)
    names = ("hits", "substitutions", "deletions", "insertions")
    assert [result[name] for name in names] == [getattr(theirs, name) for name in names]


def _misheard(words: list[str], draw: random.Random) -> Iterator[str]:
    for word in words:
        kept = draw.choices([[word], [], ["cat"], ["mat", word]], [12, 2, 2, 1])[0]
        yield from kept


# --- several systems

SYSTEMS = [["a b", "c d e", "", "x"], ["a", "c e", "b", "x y"], ["b a", "", "c", "y"]]
REFERENCES = [["a b"], ["c d", "e d c"], ["b"], ["x", "y", "x y"]]


@pytest.mark.parametrize("kind", [Bleu, Rouge, Wer])
@pytest.mark.parametrize("few", [False, True])
def test_blocks_of_rows_have_all_systems(kind: type[Scorer[Any]], few: bool) -> None:
    scorer = kind()
    alone = [scorer.count_columns({"predictions": own, "references": REFERENCES}).tolist() for own in SYSTEMS]
    references = check_references(REFERENCES, 4)
    with (
        mock.patch.object(kind, "block_characters", 9),
        all_few(kind, few),
        mock.patch.object(kind, "count", autospec=True, side_effect=kind.count) as count,
    ):
        together = scorer.count_systems(SYSTEMS, references)
    assert [counted.tolist() for counted in together] == alone
    assert [len(call.args[1]) for call in count.call_args_list] == [3, 3, 3, 3]


@pytest.mark.parametrize("kind", [Bleu, Rouge])
def test_references_of_several_systems_are_tokenized_once(kind: type[Scorer[Any]]) -> None:
    seen: list[str] = []

    def tokenize(text: str) -> list[str]:
        seen.append(text)
        return text.split()

    kind(tokenizer=tokenize).compare(SYSTEMS, {"references": REFERENCES}, "bootstrap", 10)
    texts = [text for texts in (*SYSTEMS, *REFERENCES) for text in texts]
    assert sorted(set(seen)) == sorted(set(texts))
    assert len(seen) <= len(texts)
