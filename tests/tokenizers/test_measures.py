"""Measures of tokenizers, against plain definitions and for the objects of every library alike."""

from __future__ import annotations

import copy
import math
import random
from collections import Counter
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import tiktoken
import tokenizers
import transformers
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from tokenizers_impl import (
    AddedToken,
    Tokenizer,
    decoders,
    exchange,
    models,
    normalizers,
    pipelines,
    pre_tokenizers,
    processors,
    trainers,
)
from tokenizers_impl.measures import Measures, measure, parity, pieces_of_words, vocabulary_curve

_DRAW = random.Random(5)
_WORDS = ["".join(_DRAW.choices("aeilnorstäß漢", k=_DRAW.randint(1, 9))) for _ in range(200)]
CORPUS = [" ".join(_DRAW.choices(_WORDS, k=_DRAW.randint(0, 12))) for _ in range(300)]
TEXTS = ["", "  ", *CORPUS[:40], " leading", "unseen Ω — 漢字 é", "two  spaces\tand\nlines ", "▁Ġ"]
RATIOS = [name for name in Measures.__annotations__ if name not in ("tokens", "words", "entropy")]


@cache
def trained(name: str) -> Tokenizer:
    tokenizer, trainer = pipelines.PIPELINES[name](vocab_size=330, show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


@cache
def with_bytes() -> Tokenizer:
    """Unigram over words with a space in front, characters that it lacks in bytes."""
    tokenizer = Tokenizer(models.Unigram())
    trainer = trainers.UnigramTrainer(vocab_size=150, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False)
    tokenizer.normalizer = normalizers.Prepend("▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    tokenizer.train_from_iterator(CORPUS, trainer)
    vocab = [*tokenizer.model.vocab, *((f"<0x{byte:02X}>", -9.0) for byte in range(256))]
    tokenizer.model = models.Unigram(vocab, 0, byte_fallback=True)
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()])
    return tokenizer


NAMES = [*pipelines.PIPELINES, "with bytes"]


def tokenizer_of(name: str) -> Tokenizer:
    return with_bytes() if name == "with bytes" else trained(name)


# --- the definitions, in plain Python


def plain(tokenizer: Tokenizer, texts: list[str], unknown: str) -> dict[str, float]:
    encodings = [tokenizer.encode(text, add_special_tokens=False) for text in texts]
    tokens = [token for encoding in encodings for token in encoding.tokens]
    ids = [id for encoding in encodings for id in encoding.ids]
    seen = Counter(ids)
    n, words, size = len(ids), [word for text in texts for word in text.split()], tokenizer.get_vocab_size()
    shares = sorted(count / n for count in seen.values())
    several = sum(plain_continued(text, encoding) for text, encoding in zip(texts, encodings, strict=True))
    return {
        "tokens": n,
        "words": len(words),
        "tokens_per_word": n / len(words),
        "bytes_per_token": len("".join(texts).encode()) / n,
        "characters_per_token": len("".join(texts)) / n,
        "continued_words": several / len(words),
        "unknown_rate": ids.count(tokenizer.token_to_id(unknown)) / n if unknown else 0.0,
        "byte_fallback_rate": sum(token.startswith("<0x") for token in tokens) / n,
        "used_vocabulary": len(seen) / size,
        "entropy": sum(-share * math.log2(share) for share in shares),
        "renyi_efficiency": math.log2(sum(share**2.5 for share in shares)) / -1.5 / math.log2(size),
    }


def plain_continued(text: str, encoding: Any) -> int:
    """Every character of a word asks which tokens cover it."""
    own = list(zip(range(len(encoding)), encoding.tokens, encoding.offsets, strict=True))
    if own and own[0][1] in ("▁", "Ġ") and text[0] != own[0][1]:
        del own[0]
    words: list[set[int]] = []
    for i, character in enumerate(text):
        if character.isspace():
            continue
        if i == 0 or text[i - 1].isspace():
            words.append(set())
        words[-1].update(token for token, _, (start, end) in own if start <= i < end)
    return sum(len(word) > 1 for word in words)


UNKNOWN = {"bpe": "<unk>", "byte-level-bpe": "", "wordpiece": "[UNK]", "unigram": "<unk>", "with bytes": "<unk>"}


@pytest.mark.parametrize("name", NAMES)
def test_measures_are_the_plain_definitions(name: str) -> None:
    found, wanted = measure(tokenizer_of(name), TEXTS), plain(tokenizer_of(name), TEXTS, UNKNOWN[name])
    assert found.keys() == wanted.keys() == Measures.__annotations__.keys()
    assert found == pytest.approx(wanted, rel=1e-12, abs=0)
    assert found["unknown_rate"] > 0 or name in ("byte-level-bpe", "with bytes")
    assert (found["byte_fallback_rate"] > 0) == (name == "with bytes")


@given(st.lists(st.text("aeil ß漢Ω\t", max_size=15), min_size=1, max_size=5), st.sampled_from(NAMES))
@examples(200)
def test_measures_of_any_texts(texts: list[str], name: str) -> None:
    tokenizer = tokenizer_of(name)
    found = measure(tokenizer, texts)
    assert all(found[ratio] >= 0 for ratio in RATIOS)  # type: ignore[literal-required]
    if found["tokens"] and found["words"]:
        assert found == pytest.approx(plain(tokenizer, texts, UNKNOWN[name]), rel=1e-12, abs=1e-15)
    shares = ("continued_words", "unknown_rate", "byte_fallback_rate", "used_vocabulary", "renyi_efficiency")
    assert all(found[share] <= 1 + 1e-12 for share in shares)  # type: ignore[literal-required]
    assert measure(tokenizer, [*texts, *texts]) == {
        **found,
        "tokens": 2 * found["tokens"],
        "words": 2 * found["words"],
    }


def test_by_hand() -> None:
    tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "é": 2, "ab": 3}, [("a", "b")]))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    assert measure(tokenizer, ["ab ab aé", "b"]) == {
        "tokens": 5,
        "words": 4,
        "tokens_per_word": 1.25,
        "bytes_per_token": 2.0,
        "characters_per_token": 1.8,
        "continued_words": 0.25,
        "unknown_rate": 0.0,
        "byte_fallback_rate": 0.0,
        "used_vocabulary": 1.0,
        "entropy": pytest.approx(0.4 * math.log2(2.5) + 0.6 * math.log2(5)),
        "renyi_efficiency": pytest.approx(math.log(0.4**2.5 + 3 * 0.2**2.5) / -1.5 / math.log(4)),
    }


@pytest.mark.parametrize("texts", [[], [""], ["", ""], [" \n"]])
def test_no_tokens_or_no_words_give_zeros(texts: list[str]) -> None:
    found = measure(trained("wordpiece"), texts)
    assert found == dict.fromkeys(found, 0)
    # One token alone has the entropy 0.0, not -0.0.
    assert str(measure(trained("wordpiece"), ["."])["renyi_efficiency"]) == "0.0"
    spaces = measure(trained("byte-level-bpe"), [" \n"])
    assert (spaces["words"], spaces["tokens_per_word"], spaces["continued_words"]) == (0, 0.0, 0.0)
    assert (spaces["tokens"], spaces["bytes_per_token"]) == (2, 1.0)


# --- the words that tokens cover


@given(st.text("ab \n", max_size=12), st.lists(st.tuples(st.integers(0, 12), st.integers(0, 6)), max_size=8))
@examples(400)
def test_pieces_of_words_for_any_spans(text: str, drawn: list[tuple[int, int]]) -> None:
    spans = [(min(start, len(text)), min(start + length, len(text))) for start, length in drawn]
    words, i = [], 0
    for word in text.split():
        i = text.index(word, i)
        words.append((i, i + len(word)))
        i += len(word)
    overlaps = [sum(start < end and start < last and end > first for start, end in spans) for first, last in words]
    assert pieces_of_words(text, np.array(spans, np.int64).reshape(-1, 2)).tolist() == overlaps


def test_a_space_that_the_tokenizer_adds_is_no_piece_of_the_first_word() -> None:
    tokenizer = Tokenizer(models.WordLevel({"▁": 0, "low": 1, "▁low": 2}))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Metaspace(), pre_tokenizers.Split("▁", "isolated")
    ])  # fmt: skip
    assert tokenizer.encode("low low").tokens == ["▁", "low", "▁", "low"]
    assert measure(tokenizer, ["low low", "low"])["continued_words"] == 0.0


# --- other libraries' objects


@pytest.mark.parametrize("name", NAMES)
def test_objects_of_tokenizers_and_transformers_measure_the_same(name: str) -> None:
    wanted = measure(tokenizer_of(name), TEXTS)
    theirs = tokenizer_of(name).to_tokenizers()
    assert measure(theirs, TEXTS) == wanted
    unknown = UNKNOWN[name] or None
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=theirs, unk_token=unknown, bos_token="<s>")
    size = len(fast)
    assert measure(fast, TEXTS) == {
        **wanted,
        "used_vocabulary": pytest.approx(wanted["used_vocabulary"] * theirs.get_vocab_size() / size),
        "renyi_efficiency": pytest.approx(
            wanted["renyi_efficiency"] * math.log(theirs.get_vocab_size()) / math.log(size)
        ),
    }


def test_encodings_of_tiktoken_measure_the_same() -> None:
    ours = exchange.from_tiktoken(RANKS, pat_str=PATTERN)
    theirs = tiktoken.Encoding("t", pat_str=PATTERN, mergeable_ranks=RANKS, special_tokens={})
    texts = [*TEXTS, "<|endoftext|>"]
    assert measure(theirs, texts) == measure(ours, texts)


PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
RANKS = {bytes([byte]): byte for byte in range(256)} | {b" a": 256, b"an": 257, "漢".encode()[:2]: 258, b" an": 259}


def test_special_tokens_of_the_post_processor_are_left_out() -> None:
    tokenizer = Tokenizer.from_str(trained("wordpiece").to_str())
    ends = [(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", special_tokens=ends)
    assert measure(tokenizer, TEXTS) == measure(trained("wordpiece"), TEXTS)


def test_any_object_with_encode_batch_and_get_vocab_is_taken_and_left_as_it_is() -> None:
    class Own:
        def __init__(self) -> None:
            self.calls = 0

        def encode_batch(self, texts: list[str], *, add_special_tokens: bool) -> list[Any]:
            assert not add_special_tokens
            return trained("bpe").encode_batch(texts)

        def get_vocab(self) -> dict[str, int]:
            return trained("bpe").get_vocab()

    assert measure(Own(), TEXTS) == {**measure(trained("bpe"), TEXTS), "unknown_rate": 0.0}
    before = trained("bpe").to_str()
    measure(trained("bpe"), TEXTS)
    assert trained("bpe").to_str() == before


@pytest.mark.parametrize("library", [Tokenizer, tokenizers.Tokenizer])
def test_truncation_and_padding_are_refused(library: Any) -> None:
    tokenizer = library.from_str(trained("bpe").to_str())
    tokenizer.enable_truncation(5)
    with pytest.raises(ValueError, match=r"has truncation on: call no_truncation\(\) first"):
        measure(tokenizer, TEXTS)
    tokenizer.no_truncation()
    tokenizer.enable_padding()
    with pytest.raises(ValueError, match=r"has padding on: call no_padding\(\) first"):
        measure(tokenizer, TEXTS)


@pytest.mark.parametrize(
    ("tokenizer", "texts", "message"),
    [
        (trained, ["a"], "give one with encode_batch, a fast tokenizer of transformers, or an Encoding of tiktoken"),
        (None, ["a"], "tokenizer is None: give one with encode_batch"),
        ("bpe", "a text", "texts is 'a text': give a list of strings"),
        ("bpe", ["a", 3], "texts: text 1 is 3: give a string"),
        ("bpe", {"a": 1}, "texts is {'a': 1}: give a list"),
    ],
)
def test_what_is_no_tokenizer_or_no_text_is_refused(tokenizer: Any, texts: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        measure(trained(tokenizer) if isinstance(tokenizer, str) else tokenizer, texts)


def test_added_tokens_belong_to_the_vocabulary() -> None:
    tokenizer = Tokenizer.from_str(trained("bpe").to_str())
    size = tokenizer.get_vocab_size()
    tokenizer.add_tokens([AddedToken("漢字漢字")])
    found = measure(tokenizer, ["漢字漢字"])
    assert (found["tokens"], found["used_vocabulary"]) == (1, 1 / (size + 1))


# --- parity


@given(
    st.lists(st.tuples(*[st.text("aeil ßΩ", min_size=1, max_size=9)] * 3), min_size=1, max_size=6),
    st.sampled_from(["de", "en", "ja"]),
)
@examples(100)
def test_parity_is_the_ratio_of_tokens(rows: list[tuple[str, ...]], pivot: str) -> None:
    texts = dict(zip(("de", "en", "ja"), map(list, zip(*rows, strict=True)), strict=True))
    before = copy.deepcopy(texts)
    tokenizer = trained("byte-level-bpe")
    counts = {name: sum(len(tokenizer.encode(text)) for text in own) for name, own in texts.items()}
    assert parity(tokenizer, texts, pivot=pivot) == {name: count / counts[pivot] for name, count in counts.items()}
    assert parity(tokenizer.to_tokenizers(), texts) == parity(tokenizer, texts, pivot="de")
    assert texts == before


@pytest.mark.parametrize(
    ("texts", "pivot", "message"),
    [
        ({}, None, "give one of the languages of texts, of which is none"),
        ({"en": ["a"], "de": ["a"]}, "fr", "pivot='fr': give one of the languages of texts, en, de"),
        ({"en": ["a"], "de": ["a", "b"]}, None, "de has 2 texts but en has 1: give the same texts"),
        ({"en": [""], "de": ["a"]}, "en", "the texts of the pivot en have no tokens"),
        ({"en": "a", "de": ["a"]}, "en", r"texts\['en'\] is 'a': give a list"),
        ([["a"], ["b"]], 0, r"texts is of type list: give a mapping from languages to texts, such as \{'en': "),
    ],
)
def test_what_has_no_parity_is_refused(texts: Any, pivot: str | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parity(trained("bpe"), texts, pivot=pivot)


# --- the curve of the vocabulary


@pytest.mark.parametrize("name", ["bpe", "byte-level-bpe", "wordpiece"])
def test_the_curve_is_what_smaller_trainings_give(name: str) -> None:
    pipeline, least = pipelines.PIPELINES[name], 300
    tokenizer, trainer = pipeline(vocab_size=360, show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    curve = vocabulary_curve(trainer)
    assert curve.vocab_size == list(range(curve.vocab_size[0], 361))
    for size in (least, 333, 360):
        smaller, other = pipeline(vocab_size=size, show_progress=False)
        smaller.train_from_iterator(CORPUS, other)
        at_size = curve.corpus_tokens[curve.vocab_size.index(size)]
        assert vocabulary_curve(other).corpus_tokens[-1] == at_size
        if name != "wordpiece":
            assert sum(len(encoding.ids) for encoding in smaller.encode_batch(CORPUS)) == at_size


def test_the_curve_of_unigram_has_the_expected_length_at_every_size() -> None:
    tokenizer, trainer = pipelines.unigram(vocab_size=90, show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    curve, history = vocabulary_curve(trainer), trainer.history
    assert curve.vocab_size == sorted(set(curve.vocab_size))
    # An EM step tells the length before it, at the size of the row before.
    pairs = [(before, row) for before, row in pairwise(history) if row["kind"] == "em"]
    wanted = {before["vocab_size"]: row["corpus_tokens"] for before, row in pairs}
    assert dict(zip(*curve, strict=True)) == wanted
    assert curve.corpus_tokens[0] > curve.corpus_tokens[-2]


def test_a_trainer_without_lengths_is_refused_and_one_before_training_has_no_curve() -> None:
    assert vocabulary_curve(trainers.BpeTrainer()) == ([], [])
    tokenizer, trainer = Tokenizer(models.WordLevel()), trainers.WordLevelTrainer(show_progress=False)
    tokenizer.train_from_counts({"a": 1}, trainer)
    with pytest.raises(ValueError, match="WordLevelTrainer keeps no lengths of the corpus: give a BpeTrainer"):
        vocabulary_curve(trainer)
    with pytest.raises(ValueError, match="trainer is of type Tokenizer: give the trainer that trained the tokenizer"):
        vocabulary_curve(tokenizer)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "size", "label", "ticks"),
    [
        ("bpe", 300, "tokens in the corpus", ["50", "100", "200"]),
        ("unigram", 90, "expected tokens in the corpus, while training", ["100", "150", "200", "250"]),
    ],
)
def test_the_plot_says_what_its_lengths_are_and_has_plain_numbers(
    name: str, size: int, label: str, ticks: list[str]
) -> None:
    tokenizer, trainer = pipelines.PIPELINES[name](vocab_size=size, show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    curve = vocabulary_curve(trainer)
    axes = curve.plot().axes[0]
    assert axes.get_ylabel() == label
    least, most = curve.vocab_size[0], curve.vocab_size[-1]
    shown = [text.get_text() for text in axes.get_xticklabels() if least <= text.get_position()[0] <= most]
    assert shown == ticks
    assert not any(text.get_text() for text in axes.get_xticklabels(minor=True))


def test_the_plot_of_the_curve() -> None:
    tokenizer, trainer = pipelines.bpe(vocab_size=60, show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    curve = vocabulary_curve(trainer)
    (line,) = curve.plot().axes[0].lines
    assert line.get_xydata().tolist() == [list(map(float, row)) for row in zip(*curve, strict=True)]
