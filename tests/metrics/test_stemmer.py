"""Stems are those of rouge_score."""

from __future__ import annotations

import json
import sys

import pytest
from nltk.stem.porter import PorterStemmer
from rouge_score import tokenize
from shared_data import shared

from evenscore.rouge.tokens import stem_words


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
