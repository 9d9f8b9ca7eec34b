"""Pre-tokenizers cut where `tokenizers` cuts, and say the same offsets."""

from __future__ import annotations

import pytest
import tokenizers.pre_tokenizers as canonical
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_data import lines

from tokenizers_impl import pre_tokenizers as ours

PAIRS = {
    "Whitespace": (ours.Whitespace(), canonical.Whitespace()),
    "WhitespaceSplit": (ours.WhitespaceSplit(), canonical.WhitespaceSplit()),
    "BertPreTokenizer": (ours.BertPreTokenizer(), canonical.BertPreTokenizer()),
    "ByteLevel": (ours.ByteLevel(), canonical.ByteLevel()),
    "ByteLevel, no space": (ours.ByteLevel(add_prefix_space=False), canonical.ByteLevel(add_prefix_space=False)),
    "ByteLevel, no regex": (ours.ByteLevel(use_regex=False), canonical.ByteLevel(use_regex=False)),
    "Metaspace": (ours.Metaspace(), canonical.Metaspace()),
    "Metaspace, first": (ours.Metaspace(prepend_scheme="first"), canonical.Metaspace(prepend_scheme="first")),
    "Metaspace, never": (ours.Metaspace("_", "never"), canonical.Metaspace("_", "never")),
    "Metaspace, whole": (ours.Metaspace(split=False), canonical.Metaspace(split=False)),
    "Sequence of two": (
        ours.Sequence([ours.WhitespaceSplit(), ours.Metaspace(prepend_scheme="first")]),
        canonical.Sequence([canonical.WhitespaceSplit(), canonical.Metaspace(prepend_scheme="first")]),
    ),
    "Sequence of three": (
        ours.Sequence([ours.BertPreTokenizer(), ours.ByteLevel(), ours.Metaspace("Ã")]),
        canonical.Sequence([canonical.BertPreTokenizer(), canonical.ByteLevel(), canonical.Metaspace("Ã")]),
    ),
}
both = pytest.mark.parametrize("name", PAIRS)

# Every class of character, and the strings that rules look for.
PARTS = st.sampled_from(
    [
        " ",
        "  ",
        "\t",
        "\n",
        "\r\n",
        "\xa0",
        "\u2028",
        "\u3000",
        "\u200d",
        "a",
        "Z",
        "é",
        "ß",
        "漢",
        "क",
        "्",
        "ก",
        "ิ",
        "1",
        "½",
        "٣",
        "'",
        "'s",
        "'re",
        "'ll",
        "'l",
        "’",
        "!",
        "_",
        "▁",
        "Ġ",
        "-",
        "…",
        "€",
        "👩\u200d👩\u200d👧",
        "𝒳",
        "́",
        "\x00",
    ]
)
TEXTS = st.lists(PARTS | st.characters(exclude_categories=["Cs"]), max_size=20).map("".join)


@both
@given(text=TEXTS)
@settings(derandomize=True, deadline=None, max_examples=300)
def test_same_words_at_the_same_places(name: str, text: str) -> None:
    mine, theirs = PAIRS[name]
    assert mine.pre_tokenize_str(text) == theirs.pre_tokenize_str(text)


@pytest.mark.parametrize("name", ["Whitespace", "WhitespaceSplit", "BertPreTokenizer", "ByteLevel, no space"])
def test_every_code_point(name: str) -> None:
    mine, theirs = PAIRS[name]
    everything = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    for begin in range(0, len(everything), 65536):
        text = "\n".join(f"a{char} {char}1" for char in everything[begin : begin + 65536])
        # Compared first as a whole: a picture of the difference between such lists would take minutes.
        same = mine.pre_tokenize_str(text) == theirs.pre_tokenize_str(text)
        assert same, hex(ord(everything[begin]))


@both
@pytest.mark.parametrize("corpus", ["wikitext2.valid.txt", "iso_names/hi.txt", "iso_names/th.txt", "iso_names/ar.txt"])
def test_real_text(name: str, corpus: str) -> None:
    mine, theirs = PAIRS[name]
    text = "\n".join(lines(f"text/{corpus}"))[:300_000]
    same = mine.pre_tokenize_str(text) == theirs.pre_tokenize_str(text)
    assert same


@both
def test_the_file_names_them_as_the_library_does(name: str) -> None:
    mine, theirs = PAIRS[name]
    document = canonical_document(theirs)
    assert mine.to_json() == document
    assert ours.from_json(document) == mine


def canonical_document(component: object) -> object:
    """The object of tokenizer.json that the library writes for one of its pre-tokenizers."""
    import json

    from tokenizers import Tokenizer, models

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = component
    return json.loads(tokenizer.to_str())["pre_tokenizer"]


def test_alphabet() -> None:
    assert sorted(ours.ByteLevel.alphabet()) == sorted(canonical.ByteLevel.alphabet())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"type": "Digits"}, "pre-tokenizer Digits is not implemented: there are .*Whitespace"),
        ({"type": "Whitespace", "size": 3}, "pre-tokenizer Whitespace has no option size"),
        ({"type": "Metaspace", "replacement": "ab"}, "replacement='ab': give one character"),
        ({"type": "Metaspace", "prepend_scheme": "last"}, "prepend_scheme='last': choose one of always, first, never"),
        ([], "the pre-tokenizer is \\[\\]: expected an object"),
    ],
)
def test_a_file_that_asks_for_something_else_is_refused(data: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ours.from_json(data)


def test_a_lone_surrogate_is_named_by_its_place() -> None:
    with pytest.raises(ValueError, match=r"text 0 holds the lone surrogate '\\udc80' at character 2"):
        ours.Whitespace().pre_tokenize_str("ab\udc80")
