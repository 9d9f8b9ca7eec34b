"""Sentences are found where a reader sees them, and no character of the text is lost."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from evenscore.rouge.tokens import split_sentences

# Each sentence of an example stands between bars.
EXAMPLES = {
    "plain": "One is here.|Two is there!|Is three?|Yes",
    "lower case": "the cat sat .|the dog ran .",
    "several marks": "What?!|No!!!|Well...|Then",
    "an ellipsis that goes on": "Well... perhaps not.|Or … so.|Or …|So",
    "closing marks": 'He said "Go."|(We went.)|«Да.»|Он ушёл.|‘Oh!’|End',
    "speech that goes on": '"Stop!" he said.|"Why?" she asked.',
    "titles": "Mr. Smith met Dr. Jones and Prof. Li vs. St. John.|They left.",
    "initials": "J. R. R. Tolkien and J.R.R. Tolkien wrote in the U.S. Army, e.g. letters, i.e. mail.|End",
    "numbers": "It costs 3.5 or $4.25.|See No. 5, Fig. 2, pp. 7 and Jan. 31.|He said no.|We left.",
    "hours": "At 5 p.m. on Monday.|Not at 6 a.m.|End",
    "firms": "Acme Inc. is here.|Li et al. (2004) said so.|So did Acme Corp.|End",
    "item numbers": "1. Buy milk.|2. Buy 12.|3. Go.",
    "addresses": "Read www.example.org/a.b?c=d or a.txt.|Now",
    "abbreviation after a bracket": "(Dr. Who) and [Mr. What] came.|They left",
    "no space needed": "今天下雨。|真的吗？|「是的！」|好｡|走吧",
    "mixed marks": "真的！？|是。」|完",
    "Hindi": "वह आया।|वह गया॥|अंत",
    "Arabic": "هل جاء؟|نعم.|لا",
    "Urdu": "وہ آیا۔|وہ گیا",
    "Armenian": "Բարեւ։|Այո",
    "Greek": "Ναι\u037e|Όχι.|Τέλος",
    "Burmese, Khmer, Ethiopic": "ကောင်း။|ល្អ។|ሰላም።|x",
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name: str) -> None:
    sentences = EXAMPLES[name].split("|")
    assert split_sentences(" ".join(sentences)) == sentences


def test_scripts_without_spaces_are_cut_without_spaces() -> None:
    assert split_sentences("今天下雨。真的吗？「是的！」走吧") == ["今天下雨。", "真的吗？", "「是的！」", "走吧"]


def test_a_line_break_always_separates() -> None:
    assert split_sentences("Mr.\nSmith\r\n\n and so\non") == ["Mr.", "Smith", "and so", "on"]


@pytest.mark.parametrize("text", ["", " ", "\n\n", " \t\n "])
def test_nothing_but_space_has_no_sentence(text: str) -> None:
    assert split_sentences(text) == []


TEXTS = st.lists(
    st.sampled_from([*"aB5. !?…\n\"')([。」।", "Mr.", " No. ", "U.S.", "p.m.", "... ", "e.g. ", "\u3000"]), max_size=40
).map("".join)


@examples(400)
@given(TEXTS)
def test_only_white_space_is_lost(text: str) -> None:
    sentences = split_sentences(text)
    assert "".join("".join(sentences).split()) == "".join(text.split())
    assert all(sentence and sentence == sentence.strip() for sentence in sentences)


@examples(400)
@given(TEXTS)
def test_a_sentence_is_not_cut_again(text: str) -> None:
    sentences = split_sentences(text)
    assert split_sentences("\n".join(sentences)) == sentences


@pytest.mark.parametrize("piece", ["Mr. ", ".", ". ", '."', " ", "a.)", "。", "p.m. x "])
def test_long_lines_take_no_more_than_linear_time(piece: str) -> None:
    """Quadratic code takes minutes here."""
    start = time.perf_counter()
    split_sentences(piece * 100_000 + "a")
    assert time.perf_counter() - start < 5
