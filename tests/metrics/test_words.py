"""Words are numbered and spelled as str.split and a dictionary do it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from evenscore.text import words as text_words

# Lengths about that of the words that are integers; zeros, which an integer hides; words that begin alike; two bytes.
PIECES = ["a", "\x00", "a\x00", "abcdef", "abcdefg", "abcdefgh", "abcdefgi", "abcdefg\x00", "é", "ééé", "ééé1", "éééé"]
TEXTS = st.lists(st.lists(st.sampled_from([*PIECES, " ", "  ", "\n", "\u3000"]), max_size=12).map("".join), max_size=6)


@examples(500)
@given(TEXTS)
def test_split_words_is_str_split(texts: list[str]) -> None:
    words = text_words.split_words(texts)
    assert [words.units.row(i) for i in range(len(texts))] == [text.split() for text in texts]
    numbers = {word: number for number, word in reversed([*enumerate(words.vocabulary.to_pylist())])}
    assert words.segments.ids.tolist() == [numbers[word] for text in texts for word in text.split()]
    assert len(numbers) == len(words.vocabulary)


@examples(500)
@given(TEXTS)
def test_units_are_the_words_spelled_later(texts: list[str]) -> None:
    text = text_words.encode(texts)
    units, words = text_words.units_at(text, text.data == ord(" ")), text_words.split_at(text, text.data == ord(" "))
    np.testing.assert_array_equal(units.segments.ids, words.segments.ids)
    np.testing.assert_array_equal(units.segments.offsets, words.segments.offsets)
    rows = [[word for word in text.split(" ") if word] for text in texts]
    assert [units.row(i) for i in range(len(texts))] == rows


@examples(500)
@given(TEXTS)
def test_keys_are_equal_for_equal_words_alone(texts: list[str]) -> None:
    text = text_words.encode(texts)
    units = text_words.units_by_key(text, text.data == ord(" "))
    rows = [[word for word in text.split(" ") if word] for text in texts]
    assert [units.row(i) for i in range(len(texts))] == rows
    keys, words = units.segments.ids.tolist(), [word for row in rows for word in row]
    assert len(set(keys)) == len(set(words)) == len(set(zip(keys, words, strict=True)))
    assert min(keys, default=0) >= 0
