"""The frozen Unicode tables against the library over all code points."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import numpy.typing as npt
import pytest
import unicode_tables as generated
from tokenizers import Regex, pre_tokenizers

import tokenizers_impl
from tokenizers_impl._text import unicode as _unicode
from tokenizers_impl._text.unicode import LETTER, NUMBER, NUMERIC, PUNCTUATION, SPACE, WORD, character_classes

SURROGATES = range(0xD800, 0xE000)
SCALARS = np.array([code for code in range(_unicode.CODE_POINTS) if code not in SURROGATES])


def pieces(pre_tokenizer: pre_tokenizers.PreTokenizer, beside: str) -> npt.NDArray[np.int64]:
    """The piece in which each character of one text lies, -1 in none: `beside`, then each code point and `beside`."""
    text = beside + "".join(chr(code) + beside for code in SCALARS.tolist())
    found = np.full(len(text), -1)
    for number, (_, (start, end)) in enumerate(pre_tokenizer.pre_tokenize_str(text)):
        found[start:end] = number
    return found


def joined(pre_tokenizer: pre_tokenizers.PreTokenizer, beside: str) -> npt.NDArray[np.bool_]:
    """Whether a code point stays together with that character on its left."""
    found = pieces(pre_tokenizer, beside)
    return found[1::2] == found[:-1:2]


def alone(pre_tokenizer: pre_tokenizers.PreTokenizer) -> npt.NDArray[np.bool_]:
    """Whether a code point is cut from letters on both sides."""
    found = pieces(pre_tokenizer, "a")
    return (found[1::2] != found[:-1:2]) & (found[1::2] != found[2::2])


def without_piece(pre_tokenizer: pre_tokenizers.PreTokenizer) -> npt.NDArray[np.bool_]:
    """Whether a code point is taken out."""
    return pieces(pre_tokenizer, "a")[1::2] == -1


GPT2 = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bit", "theirs"),
    [
        (LETTER, lambda: joined(GPT2, "a")),
        (NUMBER, lambda: joined(GPT2, "1")),
        (LETTER | NUMBER | SPACE, lambda: ~joined(GPT2, "!")),
        (WORD, lambda: joined(pre_tokenizers.Whitespace(), "a")),
        (WORD | SPACE, lambda: ~joined(pre_tokenizers.Whitespace(), "!")),
        (SPACE, lambda: without_piece(pre_tokenizers.Whitespace())),
        (SPACE, lambda: without_piece(pre_tokenizers.WhitespaceSplit())),
        (SPACE, lambda: without_piece(pre_tokenizers.BertPreTokenizer())),
        (SPACE, lambda: alone(pre_tokenizers.Split(Regex(r"\s"), "isolated"))),
        (PUNCTUATION | SPACE, lambda: alone(pre_tokenizers.BertPreTokenizer())),
        (PUNCTUATION, lambda: alone(pre_tokenizers.Punctuation())),
        (NUMERIC, lambda: alone(pre_tokenizers.Digits(individual_digits=True))),
    ],
)
def test_the_classes_are_those_of_the_component_that_asks_for_them(bit, theirs):
    np.testing.assert_array_equal(character_classes()[SCALARS] & bit > 0, theirs())


def test_surrogates_are_in_no_class_and_the_classes_cannot_be_changed():
    assert not character_classes()[SURROGATES.start : SURROGATES.stop].any()
    with pytest.raises(ValueError, match="read-only"):
        character_classes()[0] = 1


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(generated.TABLES.keys() - {"unicode_classes.txt", "unicode_combining.txt"}))
def test_the_shipped_table_is_the_one_that_is_generated(name):
    # The two left out take longer; they are compared by what they do, here and in test_normalizers.py.
    assert files(tokenizers_impl).joinpath("data", name).read_text("ascii") == generated.table(*generated.TABLES[name])
