"""What the tests of wer_dp share: generated texts, utterances of LibriSpeech, what jiwer says of them."""

from __future__ import annotations

import json
from typing import Any

import jiwer
import shared_data
from evenscore.metrics.wer_dp.wer_dp import WerDp
from hypothesis import strategies as st

COUNTS = ("hits", "substitutions", "deletions", "insertions")
NORMALIZERS = ("reference", "prediction", "max", "sum")

# Pairs of a reference and a prediction.
Corpus = list[tuple[str, str]]

# Few distinct words, so that many alignments are equally good, between white space of every kind.
spaces = st.sampled_from(
    [" ", " ", " ", "  ", "\t", "\t\t", "\n", " \r\n", "\x1c", "\x1c\x1c", "\x85", "\xa0", "\u2028"]
)
words = st.sampled_from(["a", "b", "c", "ab", "*", "é", "\u200b", "e\u0301", "𝄞", "\x00"])
texts = st.lists(st.one_of(words, spaces), max_size=16).map("".join)
silences = st.sampled_from(["", " ", "\t\n"])
corpora = st.one_of(
    st.lists(st.tuples(texts, texts), min_size=1, max_size=5),
    st.lists(st.tuples(silences, texts), min_size=1, max_size=3),
    st.lists(st.tuples(texts, silences), min_size=1, max_size=3),
)
word_rows = st.lists(st.sampled_from("abc"), max_size=7).map(" ".join)


def sides(corpus: Corpus) -> tuple[list[str], list[str]]:
    """The references, the predictions."""
    return [reference for reference, _ in corpus], [prediction for _, prediction in corpus]


def scored(corpus: Corpus, **options: Any) -> dict[str, Any]:
    """The result of wer_dp."""
    references, predictions = sides(corpus)
    return WerDp().compute(predictions=predictions, references=references, **options)


def by_jiwer(corpus: Corpus, unit: str = "word") -> Any:
    """The output of jiwer."""
    return (jiwer.process_words if unit == "word" else jiwer.process_characters)(*sides(corpus))


def jiwer_counts(pair: tuple[str, str]) -> list[int]:
    """Hits, substitutions, deletions, insertions of one pair."""
    return [getattr(by_jiwer([pair]), name) for name in COUNTS]


def picked(result: Any, *names: str) -> dict[str, Any]:
    """These entries of a result, ours or jiwer's."""
    entries = result if isinstance(result, dict) else vars(result)
    return {name: entries[name] for name in names}


def librispeech() -> Corpus:
    """2703 utterances, transcripts and hypotheses; skips the test if they are absent."""
    columns = [shared_data.lines(f"asr/librispeech/{name}") for name in ("reftext", "hyptext")]
    pairs = [[line.partition(" ") for line in pair] for pair in zip(*columns, strict=True)]
    assert len(pairs) == 2703
    assert all(reference[0] == prediction[0] for reference, prediction in pairs)
    return [(reference[2], prediction[2]) for reference, prediction in pairs]


def librispeech_expected(tool: str) -> Any:
    """What that tool says of them."""
    return json.loads(shared_data.shared("asr/librispeech/expected.json").read_text())[tool]
