"""What models and trainers tell of themselves is what the library's tell."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from tokenizer_samples import CORPUS

import tokenizers_impl
from tokenizers_impl import Token

UNK = {"unk_token": "<unk>"}
BASE = {"h": 0, "é": 1, "l": 2, "hé": 3, "<unk>": 4}
AFFIXED = {"h": 0, "é": 1, "##é": 2, "hé": 3, "é</w>": 4, "##é</w>": 5, "##éé</w>": 6, "h</w>": 7, "##h": 8}
BYTES = {"h": 0, "<0xC3>": 1, "<0xA9>": 2, "u": 3, "hé": 4}
WORDS = st.text(st.sampled_from("hélx€𐐷"), max_size=7)


def models(library: Any) -> Iterator[Any]:
    made = library.models
    merges = [("h", "é")]
    yield made.BPE(BASE, merges, **UNK)
    yield made.BPE(BASE, merges, fuse_unk=True, **UNK)
    # Without an unknown token characters are dropped, and what follows moves up.
    yield made.BPE(BASE, merges)
    affixes = {"continuing_subword_prefix": "##", "end_of_word_suffix": "</w>"}
    yield made.BPE(AFFIXED, [("##é", "##é</w>")], **affixes)
    yield made.BPE(BYTES, [], byte_fallback=True, unk_token="u")
    yield made.BPE(BYTES, [], byte_fallback=True, ignore_merges=True)
    yield made.Unigram([("<unk>", 0.0), ("h", -1.0), ("é", -2.0), ("hé", -2.5)], unk_id=0)
    yield made.Unigram([("<unk>", 0.0), ("h", -1.0), ("<0xC3>", -2.0), ("<0xA9>", -2.0)], unk_id=0, byte_fallback=True)
    yield made.WordLevel({"h": 0, "é": 1}, unk_token="h")
    yield made.WordPiece({"é": 0, "##é": 1, "h": 3, "##h": 4, "[UNK]": 2})


PAIRS = list(zip(models(tokenizers_impl), models(tokenizers), strict=True))


@examples(300)
@given(WORDS.filter(bool))
def test_tokens_of_a_word_lie_at_the_same_bytes(word: str) -> None:
    for ours, theirs in PAIRS:
        mine, their = ours.tokenize(word), theirs.tokenize(word)
        assert [each.as_tuple() for each in mine] == [each.as_tuple() for each in their]
        assert [(each.id, each.value, each.offsets) for each in mine] == [each.as_tuple() for each in mine]


def test_an_empty_word_has_no_tokens() -> None:
    """Only a WordLevel of the library looks it up."""
    for ours, theirs in PAIRS:
        assert ours.tokenize("") == []
        assert theirs.tokenize("") == [] or type(ours).__name__ == "WordLevel"


def test_tokens_under_dropout_belong_together() -> None:
    model = tokenizers_impl.models.BPE(BASE, [("h", "é")], dropout=0.5)
    for _ in range(20):
        tokens = model.tokenize("hé" * 9)
        assert "".join(each.value for each in tokens) == "hé" * 9
        assert [each.offsets[1] - each.offsets[0] for each in tokens] == [len(each.value.encode()) for each in tokens]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((-1, "a", (0, 1)), "id=-1: give an integer from 0 to 4294967295"),
        ((1, 2, (0, 1)), "value=2: give a string"),
        ((1, "a", [0, 1]), r"offsets=\[0, 1\]: give a tuple"),
        ((1, "a", (0, -1)), r"offsets=\(0, -1\): give a tuple"),
    ],
)
def test_what_is_no_token(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Token(*options)


def test_what_is_no_word() -> None:
    with pytest.raises(ValueError, match="sequence is 3: give a string"):
        PAIRS[0][0].tokenize(3)


def test_trainers_of_models() -> None:
    for ours, theirs in PAIRS:
        assert repr(ours.get_trainer()) == repr(theirs.get_trainer())


def test_words_of_a_training_are_counted() -> None:
    counts = []
    for library in (tokenizers_impl, tokenizers):
        trainer = library.trainers.BpeTrainer(show_progress=False)
        counts.append([trainer.get_word_count()])
        tokenizer = library.Tokenizer(library.models.BPE())
        tokenizer.pre_tokenizer = library.pre_tokenizers.WhitespaceSplit()
        for corpus in (CORPUS, CORPUS[:1]):
            tokenizer.train_from_iterator(corpus, trainer)
            counts[-1].append(trainer.get_word_count())
    assert counts[0] == counts[1] == [0, 6, 3]


@pytest.mark.parametrize("progress_format", ["json", "silent"])
def test_progress_of_a_training(progress_format: str, capfd: pytest.CaptureFixture[str]) -> None:
    """In lines of the same form; the library has none while it counts words, and takes vocab_size for all merges."""
    written = []
    for library in (tokenizers_impl, tokenizers):
        trainer = library.trainers.BpeTrainer(vocab_size=12, progress_format=progress_format)
        library.Tokenizer(library.models.BPE()).train_from_iterator(CORPUS, trainer)
        lines = [line for line in capfd.readouterr().err.splitlines() if '"Load' not in line and "words" not in line]
        assert all(json.loads(line).keys() == {"stage", "current", "total"} for line in lines)
        written.append([line for line in lines if "merges" not in line])
    assert written[0] == written[1]
    assert bool(written[0]) == (progress_format == "json")


def test_a_format_of_progress_that_is_none() -> None:
    with pytest.raises(ValueError, match="progress_format is 'lines': give one of 'indicatif', 'json', 'silent'"):
        tokenizers_impl.trainers.BpeTrainer(progress_format="lines")


def test_normal_forms_by_name() -> None:
    ours, theirs = tokenizers_impl.normalizers, tokenizers.normalizers
    assert list(ours.NORMALIZERS) == list(theirs.NORMALIZERS)
    for name in ours.NORMALIZERS:
        assert repr(ours.unicode_normalizer_from_str(name)) == repr(theirs.unicode_normalizer_from_str(name))
    with pytest.raises(ValueError, match="'nfx' is not a normalization form of Unicode: use one of nfc"):
        ours.unicode_normalizer_from_str("nfx")


def test_awaited_results_are_those_that_are_not() -> None:
    tokenizer = tokenizers_impl.Tokenizer(PAIRS[0][0])

    async def all_at_once() -> Any:
        return await asyncio.gather(
            tokenizer.async_encode("hé l", "é"),
            tokenizer.async_encode_batch([["h", "é"], (["h"], ["é"])], is_pretokenized=True),
            tokenizer.async_encode_batch_fast(["hé", ("h", "é")], add_special_tokens=False),
            tokenizer.async_decode_batch([[0, 1], [2]], skip_special_tokens=False),
        )

    one, batch, fast, texts = asyncio.run(all_at_once())
    assert one.tokens == tokenizer.encode("hé l", "é").tokens
    assert [each.offsets for each in batch] == [
        each.offsets for each in tokenizer.encode_batch([["h", "é"], (["h"], ["é"])], is_pretokenized=True)
    ]
    assert [each.ids for each in fast] == [each.ids for each in tokenizer.encode_batch_fast(["hé", ("h", "é")])]
    assert texts == tokenizer.decode_batch([[0, 1], [2]])
