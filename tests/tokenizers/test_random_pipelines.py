"""Pipelines put together at random cut, place, decode and write themselves as `tokenizers` does."""

from __future__ import annotations

import json
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from pipeline_steps import DECODERS, NORMALIZERS, PRE_TOKENIZERS, TEXTS
from properties import examples
from shared_data import beginning, shared

import tokenizers_impl

VOCAB = ["a", "▁b", "##s", "é", "<0xC3>", "<0xA9>", "|", "<pad>", " x", "Ġy", "'s", "12", "</w>", " .", "\n"]


def document(normalizers: list[object], pre_tokenizers: list[object], decoders: list[object]) -> str:
    """A tokenizer.json of these steps."""
    return json.dumps(
        {
            "version": "1.0",
            "normalizer": {"type": "Sequence", "normalizers": normalizers},
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": pre_tokenizers},
            "decoder": {"type": "Sequence", "decoders": decoders},
            "model": {"type": "BPE", "vocab": {token: id for id, token in enumerate(VOCAB)}, "merges": []},
        }
    )


def assert_same(text: str, sentences: list[str], rows: list[list[int]]) -> None:
    mine, theirs = tokenizers_impl.Tokenizer.from_str(text), tokenizers.Tokenizer.from_str(text)
    assert json.loads(mine.to_str()) == json.loads(theirs.to_str())
    assert tokenizers.Tokenizer.from_str(mine.to_str()).to_str() == theirs.to_str()
    assert (repr(mine), str(mine)) == (repr(theirs), str(theirs))
    assert mine.decode_batch(rows) == theirs.decode_batch(rows)
    words = mine._parts.cutter.words(sentences, offsets=True)
    # Every word is one token of this model, so its offsets are those of the word.
    theirs.model = tokenizers.models.WordLevel({"?": 0}, unk_token="?")
    expected = [encoding.offsets for encoding in theirs.encode_batch(sentences)]
    offsets = words.offsets()
    assert [offsets[begin:end] for begin, end in zip(words.firsts, words.firsts[1:], strict=False)] == expected
    assert len(words.texts()) == sum(map(len, expected))


STEPS = [st.lists(st.sampled_from(each), max_size=3) for each in (NORMALIZERS, PRE_TOKENIZERS, DECODERS)]
ROWS = st.lists(st.lists(st.integers(0, len(VOCAB) - 1), max_size=8), max_size=4)


@examples(500)
@given(steps=st.tuples(*STEPS), texts=st.lists(TEXTS, max_size=4), rows=ROWS)
def test_generated_text(steps: tuple[list[object], ...], texts: list[str], rows: list[list[int]]) -> None:
    assert_same(document(*steps), texts, rows)


def cutters(steps: list[object]) -> tuple[Any, Any]:
    """The same pre-tokenizer of both libraries."""
    text = document([], steps, [])
    return tuple(library.Tokenizer.from_str(text).pre_tokenizer for library in (tokenizers_impl, tokenizers))


@pytest.mark.parametrize("text", [" ", "-", "'s", "12"])
def test_every_step_behind_one_that_leaves_nothing(text: str) -> None:
    emptying = [step for step in PRE_TOKENIZERS if cutters([step])[1].pre_tokenize_str(text) == []]
    assert len(emptying) > 2
    for step in emptying:
        for each in PRE_TOKENIZERS:
            mine, theirs = cutters([step, each])
            assert mine.pre_tokenize_str(text) == theirs.pre_tokenize_str(text) == [], (step, each)


def corpus() -> list[str]:
    names = sorted(shared("text/iso_names").iterdir())
    texts = [line for path in names for line in path.read_text("utf-8").splitlines()[:20]]
    for name in ("gcide.en.txt.xz", "manpages.ja.txt.xz", "wikitext2.test.txt"):
        texts += beginning(f"text/{name}", 8_000).splitlines(keepends=True)
    return texts


@examples(60)
@given(steps=st.tuples(*STEPS))
def test_real_text(steps: tuple[list[object], ...]) -> None:
    assert_same(document(*steps), corpus(), [])
