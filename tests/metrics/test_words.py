"""Words are numbered and spelled as str.split and a dictionary do it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from evenscore.text import words as text_words
from evenscore.text.words import Units
from evenscore.wer import word_kernel
from evenscore.wer.transforms import splitter

# Lengths about that of the words that are integers; zeros, which an integer hides; words that begin alike; two bytes.
PIECES = ["a", "\x00", "a\x00", "abcdef", "abcdefg", "abcdefgh", "abcdefgi", "abcdefg\x00", "é", "ééé", "ééé1", "éééé"]
# Units of UTF-16 whose low byte is that of a space, units around those that become one byte, and pairs of units.
PIECES += ["\u0420", "\u040a", "\u2020\u0a20", "þ", "ÿ", "Ā", "😀", "𝄞\U00010020"]
# The last and first units of as many bytes in UTF-8, and the neighbours of halves of pairs.
PIECES += ["\x7f\x80", "\u07ff\u0800", "\ud7ff\ue000"]
WHITE_SPACE = [" ", "  ", "\n", "\x85", "\u2003", "\u3000"]
TEXTS = st.lists(st.lists(st.sampled_from(PIECES + WHITE_SPACE), max_size=12).map("".join), max_size=6)


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
def test_words_are_the_runs_between_separators(texts: list[str]) -> None:
    text = text_words.encode(texts)
    units = text_words.split_at(text, text.data == ord(" ")).units
    rows = [[word for word in text.split(" ") if word] for text in texts]
    assert [units.row(i) for i in range(len(texts))] == rows


@pytest.mark.parametrize(("most", "encoded"), [("a", text_words.Utf8), ("я", text_words.Utf16)])
@examples(300)
@given(TEXTS)
def test_most_characters_choose_the_encoding_which_changes_no_word(
    most: str, encoded: type[text_words.Utf8 | text_words.Utf16], texts: list[str]
) -> None:
    texts = [*texts, most * 1000]
    text = text_words.encode_either(texts)
    assert isinstance(text, encoded)
    of_utf_8, of_wide = text_words.white_space, text_words.white_space_of_wide
    spaces = of_utf_8(text.data) if isinstance(text, text_words.Utf8) else of_wide(text)
    units = text_words.split_at(text, spaces).units
    assert units.rows() == [text.split() for text in texts]
    assert units.segments.ids.tolist() == text_words.split_words(texts).segments.ids.tolist()


@pytest.mark.parametrize("letters", ["ab\0", "яж\0"])
@pytest.mark.parametrize("separator", [" ", "  ", "\t", "\xa0"])
@examples(100)
@given(rows=st.lists(st.lists(st.integers(0, 5), min_size=1), min_size=1), is_mixed=st.booleans())
def test_long_words_apart_by_one_unit_or_more_are_numbered_alike(
    letters: str, separator: str, rows: list[list[int]], is_mixed: bool
) -> None:
    # Words with the same end, and words of which one begins another.
    known = [letters[1] * 8 + letters[number % 3] + letters[-1] * (number % 2) for number in range(6)]
    texts = [(" " if is_mixed and len(row) % 2 else separator).join(map(known.__getitem__, row)) for row in rows]
    text = text_words.encode_either(texts)
    assert isinstance(text, text_words.Utf8) == letters.isascii()
    words = text_words.split_at(text, text_words.white_space_of(text))
    assert words.units.rows() == [text.split() for text in texts]
    assert len(set(words.vocabulary.to_pylist())) == len(words.vocabulary) == words.segments.ids.max() + 1


def units_by_key(texts: list[str]) -> Units:
    text = text_words.encode(texts)
    return text_words.units_by_key(text, text.data == ord(" "))


def units_by_kernel(texts: list[str]) -> Units:
    return word_kernel.kernel_units(texts, False)


def assert_are(units: Units, rows: list[list[str]]) -> None:
    """Assert that these are the units' words, and that ids are equal for equal words alone."""
    assert [units.row(i) for i in range(len(rows))] == units.rows() == rows
    ids, words = units.segments.ids.tolist(), [word for row in rows for word in row]
    assert len(set(ids)) == len(set(words)) == len(set(zip(ids, words, strict=True)))
    assert min(ids, default=0) >= 0


@pytest.mark.parametrize("split", [units_by_key, units_by_kernel])
@examples(500)
@given(TEXTS)
def test_ids_are_equal_for_equal_words_alone(split: Callable[[list[str]], Units], texts: list[str]) -> None:
    assert_are(split(texts), [[word for word in text.split(" ") if word] for text in texts])


# A single tab stays inside a word, other white space stands between words, and the last one is beyond UTF-16.
SPACED = st.lists(st.text("ab \t\n\x1c\x85\xa0\u2003\u3000é好😀", max_size=20), max_size=6)


@examples(1000)
@given(SPACED)
def test_the_kernel_does_the_default_transforms(texts: list[str]) -> None:
    assert_are(word_kernel.kernel_units(texts, True), [*map(splitter("word", None), texts)])


def test_the_kernel_knows_all_white_space() -> None:
    spaces = [character for character in map(chr, range(0x11_0000)) if character.isspace()]
    assert word_kernel.kernel_units([f"a{space}{space}b" for space in spaces], True).rows() == [["a", "b"]] * len(
        spaces
    )
    assert word_kernel.kernel_units(spaces, True).rows() == [[]] * len(spaces)


def test_many_words_are_numbered_in_order_of_first_appearance() -> None:
    """Words of 1 to 3 letters, in a table of slots that doubles seven times, where many go to the slot after theirs."""
    letters = "abcdefghijklmnopqrstuvwxyzäöüé"
    words = [a + b + c for a in letters for b in ("", *letters) for c in ("", *letters[:20])] * 2
    random.Random(0).shuffle(words)
    numbers = {word: number for number, word in enumerate(dict.fromkeys(words))}
    units = word_kernel.kernel_units([" ".join(words[:5]), "", " ".join(words[5:])], True)
    assert units.segments.ids.tolist() == [numbers[word] for word in words]
    assert units.rows() == [words[:5], [], words[5:]]


def test_word_kernels_are_compiled_once() -> None:
    """Not again for other scripts, for no texts, for a single space as white space."""
    for texts in ([], [""], ["a b"], ["ж é"], ["😀 好"]):
        for is_usual in (False, True):
            word_kernel.kernel_units(texts, is_usual)
    compiled: Any = word_kernel._compiled()
    assert len(compiled.compiled.signatures) == 1
