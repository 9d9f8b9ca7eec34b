"""wer_dp with the normalizers of Whisper, which the package whisper-normalizer has."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from whisper_normalizer.basic import BasicTextNormalizer
from whisper_normalizer.english import EnglishTextNormalizer

import evenscore
from evenscore.wer.transforms import apply, pipeline, split_units, splitter

PEERS: dict[str, Any] = {"whisper-basic": BasicTextNormalizer(), "whisper-english": EnglishTextNormalizer()}
WORDS = [
    "Mr.",
    "colour",
    "won't",
    "it's",
    "twenty",
    "one",
    "oh",
    "$3",
    "million",
    "(uh)",
    "[noise]",
    "um",
    "café",
    "1,000",
]
TEXTS = st.lists(st.sampled_from([*WORDS, "first", "half", "point", "%", "ſ", "ก้", "\t", "—", "'", "the"]), max_size=8)


@pytest.mark.parametrize("name", PEERS)
@examples(500)
@given(st.one_of(TEXTS.map(" ".join), st.text(max_size=20)))
def test_texts_become_what_the_package_makes_of_them(name: str, text: str) -> None:
    expected = PEERS[name](text)
    assert apply(pipeline(name, "word"), [text]) == [expected]
    words = list(filter(None, expected.split(" ")))
    assert splitter("word", name)(text) == split_units([text], "word", name).row(0) == words


def test_rates_are_those_of_normalized_texts() -> None:
    given_texts = {"predictions": ["Mister Smith's color is twenty one."], "references": ["Mr. Smith's colour is 21"]}
    scores = {name: evenscore.load("wer_dp", transforms=name).compute(**given_texts) for name in PEERS}
    assert scores["whisper-english"]["wer"] == 0
    assert scores["whisper-basic"]["wer"] > 0
    assert "|transforms:whisper-english|" in scores["whisper-english"]["signature"]


def test_they_are_steps_among_others() -> None:
    steps = pipeline([("remove_specific_words", ["beep"]), "whisper-basic", "strip"], "word")
    assert apply(steps, ["beep (a) Hello, World!"]) == ["hello world"]


def test_a_missing_package_is_named_at_load(monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline.__globals__["_whisper"].cache_clear()
    monkeypatch.setitem(sys.modules, "whisper_normalizer.english", None)
    message = "transforms='whisper-english' needs the package whisper-normalizer: pip install whisper-normalizer"
    with pytest.raises(ImportError, match=message):
        evenscore.load("wer_dp", transforms="whisper-english")
