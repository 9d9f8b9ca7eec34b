"""Text from tokens that arrive a few at a time, beside the library's."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st
from properties import examples

import tokenizers_impl
from tokenizers_impl.decoders import DecodeStream

LIBRARIES = (tokenizers_impl, tokenizers)
BYTES = [f"<0x{byte:02X}>" for byte in (0x41, 0xC3, 0xA9, 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0x99, 0x82, 0xFF)]
BYTE_CHARS = ["Ã", "©", "â", "Ĥ", "¬", "ð", "Ł", "Ļ", "Ĥ", "Ġ", "ĠÃ", "©Ã", "ÿ"]
TOKENS = list(
    dict.fromkeys(["a", "b", "##a", "##b", ".", "▁", "▁a", "a▁", "</w>", "a</w>", "<s>", "'", "t", "|", " ", "\ufffd"])
)
VOCAB = {token: id for id, token in enumerate(dict.fromkeys([*TOKENS, *BYTES, *BYTE_CHARS]))}
SPECIAL = VOCAB["<s>"]


def decoder(library: Any, name: str) -> Any:
    made = library.decoders
    llama = [made.Replace("▁", " "), made.ByteFallback(), made.Fuse(), made.Strip(" ", 1, 0)]
    return {
        "none": None,
        "BPEDecoder": made.BPEDecoder(),
        "ByteFallback": made.ByteFallback(),
        "ByteLevel": made.ByteLevel(),
        "CTC": made.CTC(pad_token="a"),
        "Llama 2": made.Sequence(llama),
        "Metaspace": made.Metaspace(),
        "Strip": made.Sequence([made.Fuse(), made.Strip("a", 0, 1)]),
        "WordPiece": made.WordPiece(),
    }[name]


DECODERS = ["none", "BPEDecoder", "ByteFallback", "ByteLevel", "CTC", "Llama 2", "Metaspace", "Strip", "WordPiece"]


def tokenizer(library: Any, name: str) -> Any:
    made = library.Tokenizer(library.models.WordLevel(VOCAB, "a"))
    made.add_special_tokens(["<s>"])
    if name != "none":
        made.decoder = decoder(library, name)
    return made


def steps(library: Any, name: str, prompt: list[int] | None, parts: list[Any], skip: bool) -> list[Any]:
    """What every step gives; the message of an error in its place."""
    stream, own = library.decoders.DecodeStream(prompt, skip), tokenizer(library, name)
    given_back: list[Any] = []
    for part in parts:
        try:
            given_back.append(stream.step(own, part))
        except Exception as error:
            given_back.append(("error", str(error)))
        except BaseException as error:
            # The library's Strip panics where nothing is left to strip.
            if "index out of bounds" not in str(error):
                raise
            break
    return given_back


IDS = st.integers(0, len(VOCAB))


@pytest.mark.parametrize("name", DECODERS)
@given(
    prompt=st.none() | st.lists(IDS, max_size=4),
    parts=st.lists(IDS | st.lists(IDS, max_size=3), max_size=14),
    skip=st.booleans(),
)
@example(prompt=None, parts=[VOCAB["Ã"], VOCAB["©"], VOCAB["©"], VOCAB["â"], VOCAB["a"]], skip=False)
@example(prompt=[VOCAB["a"], VOCAB["<0xE2>"]], parts=[VOCAB["<0x82>"], VOCAB["<0xAC>"], VOCAB["<0xFF>"]], skip=False)
@example(prompt=[SPECIAL], parts=[SPECIAL, VOCAB["a"], SPECIAL, VOCAB["##a"]], skip=True)
@examples(50)
def test_generated_ids(name: str, prompt: list[int] | None, parts: list[Any], skip: bool) -> None:
    ours, theirs = (steps(library, name, prompt, parts, skip) for library in LIBRARIES)
    assert ours[: len(theirs)] == theirs
    assert len(theirs) == len(parts) or name == "Strip"


def test_text_that_changes_is_an_error_in_both() -> None:
    parts = [VOCAB["a"], VOCAB["b"], VOCAB["<0xC3>"], VOCAB["a"], VOCAB["b"]]
    wide = [VOCAB["<0xE2>"], VOCAB["<0x82>"], VOCAB["<0xAC>"], VOCAB["<0xE2>"], VOCAB["a"], VOCAB["b"], VOCAB["b"]]
    found = [steps(library, name, None, parts + wide, False) for library in LIBRARIES for name in DECODERS]
    assert found[: len(DECODERS)] == found[len(DECODERS) :]
    assert any(isinstance(each, tuple) and "Invalid prefix encountered" in each[1] for row in found for each in row)


@pytest.mark.parametrize(
    ("becomes", "longer"), [("€", "xy"), ("é", "€"), ("é", "xyz"), ("🙂", "abc"), ("xy", "é"), ("xy", "€")]
)
def test_texts_that_change_are_compared_by_their_bytes(becomes: str, longer: str) -> None:
    """What has more characters may have fewer bytes, and the other way round."""
    found = []
    for library in LIBRARIES:
        made = library.Tokenizer(library.models.WordLevel({"a": 0, "b": 1, "c": 2}, "a"))
        changes = [("abc", longer), ("ab", becomes)]
        steps = [library.decoders.Replace(*change) for change in changes]
        made.decoder = library.decoders.Sequence([library.decoders.Fuse(), *steps])
        for parts in ([[0, 1], 2], [0, 1, 2]):
            stream = library.decoders.DecodeStream()
            row: list[str | None] = []
            for part in parts:
                try:
                    row.append(stream.step(made, part))
                except Exception as error:
                    row.append(str(error))
            found.append(row)
    assert found[:2] == found[2:]


def test_a_whole_text_comes_out_piece_by_piece() -> None:
    text = "Größe: 5 € 🙂 é"
    made = tokenizers_impl.Tokenizer(
        tokenizers_impl.models.BPE(
            {char: id for id, char in enumerate(sorted(tokenizers_impl.pre_tokenizers.ByteLevel.alphabet()))}, []
        )
    )
    made.pre_tokenizer = tokenizers_impl.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers_impl.decoders.ByteLevel()
    stream = DecodeStream()
    pieces = [stream.step(made, id) for id in made.encode(text).ids]
    assert [piece for piece in pieces if piece is not None] == list(text)
    assert len(pieces) == len(text.encode())


def test_a_copy_goes_on_by_itself() -> None:
    for library in LIBRARIES:
        own, stream = tokenizer(library, "WordPiece"), library.decoders.DecodeStream([VOCAB["a"]])
        assert stream.step(tokenizer=own, id=VOCAB["b"]) == " b"
        for copied in (copy.copy(stream), copy.deepcopy(stream)):
            assert copied.step(own, VOCAB["##a"]) == "a"
            assert copied.step(own, VOCAB["t"]) == " t"
        assert stream.step(own, VOCAB["."]) == "."


@pytest.mark.parametrize("strange", [-1, 2**32, 1.5, "a", None, [0, "a"], [0, -1]])
def test_what_is_no_id(strange: Any) -> None:
    for library, refusal in zip(LIBRARIES, (ValueError, (TypeError, OverflowError)), strict=True):
        with pytest.raises(refusal):
            library.decoders.DecodeStream().step(tokenizer(library, "none"), strange)
    with pytest.raises(ValueError, match="give an integer from 0 to"):
        DecodeStream([strange])
