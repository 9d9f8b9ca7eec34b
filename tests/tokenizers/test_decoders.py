"""Decoders give the text that `tokenizers` gives, one row or many."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
import tokenizers
import tokenizers.decoders as canonical
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from tokenizers import Regex as CanonicalRegex

import tokenizers_impl
from tokenizers_impl import Regex, models, pre_tokenizers
from tokenizers_impl import decoders as ours

PAIRS = {
    "BPEDecoder": (ours.BPEDecoder(), canonical.BPEDecoder()),
    "BPEDecoder, own suffix": (ours.BPEDecoder("@"), canonical.BPEDecoder("@")),
    "ByteLevel": (ours.ByteLevel(), canonical.ByteLevel()),
    "WordPiece": (ours.WordPiece(), canonical.WordPiece()),
    "WordPiece, no cleanup": (ours.WordPiece("@", cleanup=False), canonical.WordPiece("@", cleanup=False)),
    "Metaspace": (ours.Metaspace(), canonical.Metaspace()),
    "Metaspace, never": (ours.Metaspace("_", "never"), canonical.Metaspace("_", "never")),
    "none": (None, None),
    "ByteFallback": (ours.ByteFallback(), canonical.ByteFallback()),
    "Fuse": (ours.Fuse(), canonical.Fuse()),
    "Replace": (ours.Replace("▁", "a "), canonical.Replace("▁", "a ")),
    "Replace of nothing": (ours.Replace("", "x"), canonical.Replace("", "x")),
    "Replace, Regex": (ours.Replace(Regex(r"^\s|a*"), "x"), canonical.Replace(CanonicalRegex(r"^\s|a*"), "x")),
    "Strip": (ours.Strip(), canonical.Strip()),
    "Strip, left": (ours.Strip("a", left=2), canonical.Strip("a", left=2)),
    "Strip, right": (ours.Strip("a", right=1), canonical.Strip("a", right=1)),
    "CTC": (ours.CTC(), canonical.CTC()),
    "CTC, no cleanup": (ours.CTC("a", "b", cleanup=False), canonical.CTC("a", "b", cleanup=False)),
    "CTC of nothing": (ours.CTC("", ""), canonical.CTC("", "")),
    "Sequence of Llama": (
        ours.Sequence([ours.Replace("▁", " "), ours.ByteFallback(), ours.Fuse(), ours.Strip(" ", 1, 0)]),
        canonical.Sequence(
            [canonical.Replace("▁", " "), canonical.ByteFallback(), canonical.Fuse(), canonical.Strip(" ", 1, 0)]
        ),
    ),
    "Sequence of others": (
        ours.Sequence([ours.ByteLevel(), ours.CTC(), ours.Metaspace(), ours.WordPiece()]),
        canonical.Sequence([canonical.ByteLevel(), canonical.CTC(), canonical.Metaspace(), canonical.WordPiece()]),
    ),
    "Sequence of none": (ours.Sequence([]), canonical.Sequence([])),
}
both = pytest.mark.parametrize("name", PAIRS)

TOKENS = st.lists(
    st.sampled_from(
        [
            "</w>",
            "a",
            "b</w>",
            "a</w>b",
            "@",
            "x@",
            "##",
            "##s",
            "##n't",
            ".",
            "?",
            "'",
            " '",
            "do",
            " do not",
            "not",
            "'re",
            "▁",
            "▁▁a",
            "a▁",
            "_",
            "_b",
            "Ġ",
            "Ġa",
            "Ã",
            "©",
            "ł",
            "ð",
            "Ł",
            "ĺ",
            "Ģ",
            "é漢",
            "\n",
            " ",
            "",
            "ÄĢ",
            "aa",
            "<pad>",
            "|",
            "<0x61>",
            "<0xE2>",
            "<0x82>",
            "<0xac>",
            "<0x+A>",
            "<0x-1>",
            "<0xé>",
            "<0x6>",
            "x<0x61>",
        ]
    ),
    max_size=8,
)


def text_or_none(decode: Callable[[], str]) -> str | None:
    """What the library decodes; None where its Strip panics, as it does for a token of nothing else."""
    try:
        return decode()
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return None


@both
@given(tokens=TOKENS)
@examples(300)
def test_same_text(name: str, tokens: list[str]) -> None:
    mine, theirs = PAIRS[name]
    if mine is None:
        return
    expected = text_or_none(lambda: theirs.decode(tokens))
    assert expected is None or mine.decode(tokens) == expected


def tokenizer_pair(name: str, vocab: list[str]) -> tuple[tokenizers_impl.Tokenizer, tokenizers.Tokenizer]:
    ids = {token: id for id, token in enumerate(vocab)}
    mine = tokenizers_impl.Tokenizer(models.BPE(ids, []))
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE(ids, []))
    mine.decoder, theirs.decoder = PAIRS[name] if PAIRS[name][0] else (None, None)
    for each in (mine, theirs):
        each.add_special_tokens(["<s>", vocab[1]])
    return mine, theirs


VOCAB = [
    "<0xC3>",
    "<0xA9>",
    "aab",
    "|",
    "a",
    "▁a",
    "</w>",
    "b</w>",
    "##s",
    "@x",
    ".",
    "'s",
    "Ġ",
    "Ã",
    "©",
    "漢",
    " n't",
    "_",
    "ÄĢ",
    "é",
]


@both
@given(rows=st.lists(st.lists(st.integers(0, len(VOCAB) + 3), max_size=6), max_size=6), skip=st.booleans())
@examples(200)
def test_same_text_of_many_rows_of_ids(name: str, rows: list[list[int]], skip: bool) -> None:
    mine, theirs = tokenizer_pair(name, VOCAB)
    expected = theirs.decode_batch(rows, skip_special_tokens=skip)
    assert mine.decode_batch(rows, skip_special_tokens=skip) == expected
    assert [mine.decode(row, skip_special_tokens=skip) for row in rows] == expected


@both
def test_the_file_names_them_as_the_library_does(name: str) -> None:
    mine, theirs = tokenizer_pair(name, VOCAB)
    written = json.loads(theirs.to_str())["decoder"]
    assert json.loads(mine.to_str())["decoder"] == written
    if written is not None:
        assert ours.from_json(written) == mine.decoder


def test_a_token_that_is_stripped_whole_is_empty() -> None:
    # The library panics.
    assert ours.Strip(" ", 1, 1).decode_chain([" ", "", "  ", "   "]) == ["", "", "", " "]


def test_decoders_of_the_library_are_taken() -> None:
    with pytest.raises(ValueError, match=r"decoders\[1\] is .*: give decoders of this package"):
        ours.Sequence([ours.Fuse(), object()])
    assert ours.Sequence([ours.Fuse(), canonical.Fuse()]) == ours.Sequence([ours.Fuse(), ours.Fuse()])


def test_every_byte_decodes_as_the_library_decodes_it() -> None:
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    for first in alphabet:
        rows = [[first, second, "a"] for second in alphabet]
        assert [ours.ByteLevel().decode(row) for row in rows] == [canonical.ByteLevel().decode(row) for row in rows]


def test_broken_bytes_can_be_an_error_or_left_out() -> None:
    tokens = ["a", "Ã", "b", "Ã©"]
    assert ours.ByteLevel(errors="recover").decode(tokens) == "abé"
    with pytest.raises(ValueError, match=r"no UTF-8 from byte 1 on \(b'\\xc3'\)"):
        ours.ByteLevel(errors="strict").decode(tokens)
    with pytest.raises(ValueError, match="errors='ignore': choose one of replace, strict, recover"):
        ours.ByteLevel(errors="ignore")


def test_byte_words_come_back_with_single_spaces() -> None:
    text = "  naïve \t 漢字\u00a0x "
    words = [word for word, _ in pre_tokenizers.ByteWords().pre_tokenize_str(text)]
    assert ours.ByteWords().decode(words) == "naïve 漢字 x"
    assert ours.ByteWords().decode(list("".join(words))) == "naïve 漢字 x"


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
@examples(200)
def test_byte_words_are_the_bytes_of_words_and_ends(text: str) -> None:
    from tokenizers_impl._text.bytes import char_to_byte

    found = [
        (bytes(char_to_byte()[char] for char in word), span)
        for word, span in pre_tokenizers.ByteWords().pre_tokenize_str(text)
    ]
    expected = pre_tokenizers.WhitespaceSplit().pre_tokenize_str(text)
    assert found == [((word + "·").encode(), span) for word, span in expected]


@pytest.mark.parametrize(
    "decoder", [ours.ByteLevel(errors="recover"), ours.ByteWords(), ours.ByteWords(errors="strict")]
)
def test_what_the_library_lacks_it_refuses_to_load(decoder: ours.Decoder) -> None:
    tokenizer = tokenizers_impl.Tokenizer(models.BPE({"a": 0}, []))
    tokenizer.decoder = decoder
    assert tokenizers_impl.Tokenizer.from_str(tokenizer.to_str()).decoder == decoder
    with pytest.raises(Exception, match="did not match any variant"):
        tokenizers.Tokenizer.from_str(tokenizer.to_str())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"type": "Words"}, "decoder Words is not supported: use one of BPEDecoder"),
        ({"type": "CTC", "cleanup": "yes"}, "cleanup of the decoder CTC is 'yes': expected bool"),
        ({"type": "Strip", "content": "ab"}, "content='ab': expected a string of length 1"),
        ({"type": "Strip", "content": " ", "start": -1}, "left=-1: give a number of characters"),
        ({"type": "Strip", "content": " ", "stop": False}, "stop of the decoder Strip is False: expected int"),
        ({"type": "Replace", "pattern": {"String": "a"}}, "decoder Replace lacks content"),
        ({"type": "Sequence", "decoders": {}}, "decoders of a Sequence is {}: expected a list"),
        ({"type": "Sequence", "decoders": [3]}, "the decoder is 3: expected an object"),
        ({"type": "BPEDecoder", "sufix": "a"}, "decoder BPEDecoder has no option sufix"),
    ],
)
def test_a_file_that_asks_for_something_else_is_refused(data: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ours.from_json(data)
