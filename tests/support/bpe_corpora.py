"""Corpora for the BPE and WordPiece trainers, and what the library learns from them."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any

import pytest
from hypothesis import strategies as st
from shared_data import beginning

tokenizers = pytest.importorskip("tokenizers")

MEGABYTE = 1_000_000
NAMES = ("ar", "de", "el", "fr", "he", "hi", "ja", "ka", "ko", "or", "ru", "ta", "th", "tr", "vi", "zh_CN")
TEXTS = ("gcide.en.txt.xz", "manpages.ja.txt.xz", "wikitext2.valid.txt", "wikitext2.test.txt", "subword_nmt/corpus.en")
CORPORA = (*TEXTS, *(f"iso_names/{name}.txt" for name in NAMES))


@cache
def megabyte(corpus: str) -> str:
    """The first megabyte of a corpus, without the piece of a character at its end."""
    return beginning(f"text/{corpus}").encode()[:MEGABYTE].decode("utf-8", "ignore")


@cache
def word_counts(corpus: str) -> dict[str, int]:
    """The words of that megabyte between white space, in the order in which they come."""
    return dict(Counter(megabyte(corpus).split()))


def library_model(counts: dict[str, int], kind: str = "BPE", **options: Any) -> dict[str, Any]:
    """The model that the library's trainer of that kind learns from these words."""
    trainer = {"BPE": tokenizers.trainers.BpeTrainer, "WordPiece": tokenizers.trainers.WordPieceTrainer}[kind]
    tokenizer = tokenizers.Tokenizer(getattr(tokenizers.models, kind)())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    given = {name: value for name, value in options.items() if value is not None}
    texts = (" ".join([word] * count) for word, count in counts.items())
    tokenizer.train_from_iterator(texts, trainer(show_progress=False, **given))
    return json.loads(tokenizer.to_str())["model"]


def tokens_by_id(model: dict[str, Any]) -> list[str]:
    """The vocabulary in the order of the ids, which are 0, 1, ..."""
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    assert [model["vocab"][token] for token in tokens] == list(range(len(tokens)))
    return tokens


def counted_words(alphabet: str, most: int = 12) -> st.SearchStrategy[dict[str, int]]:
    """Few short words of few characters: full of repeats, ties and overlaps."""
    return st.dictionaries(st.text(alphabet, min_size=1, max_size=12), st.integers(1, 4), max_size=most)
