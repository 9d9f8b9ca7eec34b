"""Stems are those of rouge_score, or those of ROUGE-1.5.5."""

from __future__ import annotations

import json
import sys

import pytest
from nltk.stem.porter import PorterStemmer
from rouge_score import tokenize
from shared_data import lines, shared

import evenscore
from evenscore.rouge.irregular import irregular_words
from evenscore.rouge.stems import ROUGE155, stem_words


def test_words_of_up_to_three_characters_stay() -> None:
    assert stem_words(["was", "dies", "flies", "skies", "running", "has"]) == ["was", "die", "fli", "sky", "run", "has"]


def test_no_words_have_no_stems() -> None:
    assert stem_words([]) == []


def test_real_words_have_the_stems_of_rouge_score() -> None:
    items = json.loads(shared("summarization/rouge155/test_data.json").read_text(encoding="utf-8")).values()
    text = " ".join(s for item in items for s in item["references"])
    words = tokenize.tokenize(text, None)
    assert len(words) > 500
    assert stem_words(words) == tokenize.tokenize(text, PorterStemmer())


def test_without_nltk_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk.stem.porter", None)
    with pytest.raises(ImportError, match="pip install nltk"):
        stem_words(["running"])


# --- ROUGE-1.5.5


def table(name: str) -> dict[str, str]:
    """The words of a file of the corpus, each with its stem."""
    return dict(line.split("\t") for line in lines(f"summarization/rouge155/{name}.tsv"))


def test_words_have_the_stems_of_rouge_155() -> None:
    expected = table("stems")
    assert len(expected) == 25_158
    assert stem_words(list(expected), ROUGE155) == list(expected.values())


def test_the_irregular_words_are_those_of_rouge_155() -> None:
    assert irregular_words() == table("exceptions")


def test_suffixes_of_step_4_are_removed_in_turn() -> None:
    """Stems by hand from the rules: Porter (1980) would stop at agreement, experiment, commission."""
    assert stem_words(["agreement", "experimental", "commissioners"], ROUGE155) == ["agreem", "experi", "commiss"]


def test_stems_of_rouge_155_are_in_lower_case_and_need_no_nltk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk.stem.porter", None)
    assert stem_words(["FEET", "Running", "WAS", "Yodels"], ROUGE155) == ["foot", "run", "WAS", "yodel"]


@pytest.mark.parametrize(
    ("stemmer", "signature", "scores"),
    [(False, "no", [0.0, 0.0]), (True, "yes", [0.0, 1.0]), (ROUGE155, ROUGE155, [1.0, 0.0])],
)
def test_the_option_selects_the_stemmer(stemmer: bool | str, signature: str, scores: list[float]) -> None:
    metric = evenscore.load("rouge_l_multi", rouge_types=["rouge1", "rougeLsum"], stemmer=stemmer)
    result = metric.compute(predictions=["feet", "skies"], references=["foot", "sky"], per_example=True)
    assert result["rouge1_per_example"] == result["rougeLsum_per_example"] == scores
    assert f"|stem:{signature}|" in result["signature"]


def test_contradicting_names_of_the_option_are_refused() -> None:
    with pytest.raises(ValueError, match=r"stemmer='rouge-1.5.5' contradicts use_stemmer=True"):
        evenscore.load("rouge_l_multi", use_stemmer=True, stemmer=ROUGE155)
    with pytest.raises(ValueError, match=r"stemmer='porter': choose one of True, False, 'rouge-1.5.5'"):
        evenscore.load("rouge_l_multi", stemmer="porter")
