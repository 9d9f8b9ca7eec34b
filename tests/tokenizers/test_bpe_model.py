"""The BPE model beside the library's, beside its slow twin, and what is ours alone."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from naive_models import bpe, dropout_distribution, first_symbols, longest, merge_table
from properties import examples
from shared_data import beginning, lines
from tokenizers import models, pre_tokenizers, trainers

from tokenizers_impl import Tokenizer
from tokenizers_impl._core.arrays import I32
from tokenizers_impl._core.files import dumps
from tokenizers_impl._text.words import Words
from tokenizers_impl.models import BPE
from tokenizers_impl.models._bpe_kernel import SHORT
from tokenizers_impl.models._bpe_merges import find, pair_table
from tokenizers_impl.models._explanation import MatchStep, MergeStep
from tokenizers_impl.pre_tokenizers import WhitespaceSplit

SETTINGS = examples(150)
LOW = {"l": 0, "o": 1, "w": 2, "lo": 3, "low": 4}
LOW_MERGES = [("l", "o"), ("lo", "w")]
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def encoded(model: BPE, words: list[str]) -> list[tuple[list[int], list[tuple[int, int]]]]:
    """(ids, places) of every word."""
    ids, starts, ends, offsets = (array.tolist() for array in model.encode_words(Words.of(words)))
    places = list(zip(starts, ends, strict=True))
    return [(ids[a:b], places[a:b]) for a, b in pairwise(offsets)]


def theirs(model: models.Model, words: list[str]) -> list[tuple[list[int], list[tuple[int, int]]]]:
    """The same from the library."""
    return [(encoding.ids, encoding.offsets) for encoding in tokenizers.Tokenizer(model).encode_batch(words)]


def library(vocab: dict[str, int], merges: list[tuple[str, str]], **options) -> models.BPE:
    """Its model; it takes no None for an affix."""
    return models.BPE(vocab, merges, **{name: value for name, value in options.items() if value is not None})


def texts(model: BPE, words: list[str]) -> list[list[str]]:
    """The tokens of every word."""
    return [[model.id_to_token(id) for id in ids] for ids, _ in encoded(model, words)]


# The library's trainer, on real text.

CORPORA = ["gcide.en", "manpages.ja", *(f"iso_names/{code}.txt" for code in ("hi", "ko", "ru", "th", "zh_CN"))]
PIPELINES = {
    "plain": ({}, pre_tokenizers.WhitespaceSplit()),
    "suffix": ({"end_of_word_suffix": "</w>"}, pre_tokenizers.WhitespaceSplit()),
    "prefix": ({"continuing_subword_prefix": "##"}, pre_tokenizers.WhitespaceSplit()),
    "both": ({"continuing_subword_prefix": "##", "end_of_word_suffix": "</w>"}, pre_tokenizers.Whitespace()),
    "bytes": ({}, pre_tokenizers.ByteLevel()),
}


@cache
def corpus(name: str) -> tuple[str, ...]:
    if name.startswith("iso_names"):
        return tuple(lines(f"text/{name}"))
    return tuple(beginning(f"text/{name}.txt.xz", 400_000).split("\n"))


@cache
def trained(name: str, pipeline: str) -> dict:
    """The JSON of a model that the library trained on half of the corpus, so that the rest has unknown characters."""
    affixes, pre_tokenizer = PIPELINES[pipeline]
    tokenizer = tokenizers.Tokenizer(models.BPE(unk_token="<unk>", **affixes))
    tokenizer.pre_tokenizer = pre_tokenizer
    trainer = trainers.BpeTrainer(vocab_size=3000, special_tokens=["<unk>"], show_progress=False, **affixes)
    half = corpus(name)[: len(corpus(name)) // 2]
    tokenizer.train_from_iterator(half, trainer)
    return json.loads(tokenizer.to_str())["model"]


def words_of(name: str, pipeline: str) -> list[str]:
    pre_tokenizer = PIPELINES[pipeline][1]
    split = (word for line in corpus(name) for word, _ in pre_tokenizer.pre_tokenize_str(line))
    return [*dict.fromkeys(split), *corpus(name)[-300:]]


@pytest.mark.slow
@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("name", CORPORA)
def test_encodes_real_text_as_the_library(name: str, pipeline: str) -> None:
    data = trained(name, pipeline)
    words = words_of(name, pipeline)
    merges = [tuple(merge) for merge in data["merges"]]
    affixes = PIPELINES[pipeline][0]
    with_bytes = data["vocab"] | {byte: 5000 + i for i, byte in enumerate(BYTES)}
    for vocab, options in (
        (data["vocab"], {"unk_token": "<unk>"}),
        (data["vocab"], {"unk_token": "<unk>", "fuse_unk": True}),
        (data["vocab"], {"ignore_merges": True}),
        (with_bytes, {"byte_fallback": True} if pipeline in ("plain", "bytes") else {}),
    ):
        options = {**affixes, **options}
        expected = theirs(models.BPE(vocab, merges, **options), words)
        assert encoded(BPE(vocab, merges, **options), words) == expected


def test_json_and_files_are_the_library_s(tmp_path: Path) -> None:
    data = trained("gcide.en", "suffix")
    vocab, merges = data["vocab"], [tuple(merge) for merge in data["merges"]]
    options = {"dropout": 0.1, "unk_token": "<unk>", "end_of_word_suffix": "</w>", "fuse_unk": True}
    ours, their_model = BPE(vocab, merges, **options), models.BPE(vocab, merges, **options)
    expected = json.loads(tokenizers.Tokenizer(their_model).to_str())["model"]
    assert dumps(ours.to_json()) == dumps(expected)
    assert dumps(BPE.from_json(expected).to_json()) == dumps(expected)
    for folder, prefix in (("theirs", "name"), ("ours", "name"), ("theirs", None), ("ours", None)):
        (tmp_path / folder).mkdir(exist_ok=True)
        paths = (ours if folder == "ours" else their_model).save(str(tmp_path / folder), prefix)
        assert [Path(path).name for path in paths] == (
            ["name-vocab.json", "name-merges.txt"] if prefix else ["vocab.json", "merges.txt"]
        )
    for path in (tmp_path / "theirs").iterdir():
        assert path.read_bytes() == (tmp_path / "ours" / path.name).read_bytes()
    assert len(list((tmp_path / "ours").iterdir())) == 4
    files = [str(tmp_path / "ours" / name) for name in ("vocab.json", "merges.txt")]
    assert BPE.read_file(*files) == models.BPE.read_file(*files)
    assert BPE.from_file(*files, end_of_word_suffix="</w>").to_json()["merges"] == expected["merges"]
    assert BPE(*files, end_of_word_suffix="</w>").get_vocab() == vocab


# Generated models.


@st.composite
def generated(draw: st.DrawFn) -> tuple[dict[str, int], list[tuple[str, str]], dict]:
    """A vocabulary, merges and affixes over a tiny alphabet: unreachable merges, results reached twice, pairs twice."""
    prefix, suffix = draw(st.sampled_from([None, None, "#", "##"])), draw(st.sampled_from([None, None, "$", "</w>"]))
    letters = draw(st.lists(st.sampled_from("abé漢#$"), min_size=1, max_size=4, unique=True))
    tokens = dict.fromkeys(
        (prefix or "") * first + letter + (suffix or "") * last
        for letter in letters
        for first in (0, 1)
        for last in (0, 1)
        if draw(st.integers(0, 7))
    )
    merges: list[tuple[str, str]] = []
    for _ in range(draw(st.integers(0, 20)) if tokens else 0):
        if merges and draw(st.integers(0, 5)) == 0:
            merges.append(draw(st.sampled_from(merges)))
            continue
        left, right = draw(st.sampled_from(list(tokens))), draw(st.sampled_from(list(tokens)))
        cut = len(prefix or "")
        if right[:cut].isascii() and len(right) >= cut and left + right[cut:]:
            tokens[left + right[cut:]] = None
            merges.append((left, right))
    extra = draw(st.lists(st.sampled_from(["<unk>", *BYTES[0x61:0x63], *(BYTES[b] for b in "é漢$</w>#".encode())])))
    ids = draw(st.permutations(range(len(tokens | dict.fromkeys(extra)))))
    return (
        dict(zip(tokens | dict.fromkeys(extra), ids, strict=True)),
        merges,
        {
            "continuing_subword_prefix": prefix,
            "end_of_word_suffix": suffix,
        },
    )


OPTIONS = st.fixed_dictionaries(
    {"fuse_unk": st.booleans(), "byte_fallback": st.booleans(), "ignore_merges": st.booleans()}
)


def generated_words(data: st.DataObject, vocab: dict[str, int], options: dict) -> list[str]:
    """Words of pieces of the vocabulary, affixes taken off or left on, with unknown characters between them."""
    affixes = [options["continuing_subword_prefix"] or "", options["end_of_word_suffix"] or ""]
    pieces = [token.removeprefix(affixes[0]).removesuffix(affixes[1]) for token in vocab]
    pieces = [*pieces, *vocab, "é", "漢", "🙂", "x", "a", "b"]
    word = st.lists(st.sampled_from(pieces), max_size=12).map("".join)
    return data.draw(st.lists(word, min_size=1, max_size=8))


@SETTINGS
@given(generated(), OPTIONS, st.data())
def test_generated_models_encode_as_the_library(model: tuple, flags: dict, data: st.DataObject) -> None:
    vocab, merges, options = model
    options = {
        **options,
        **flags,
        "unk_token": data.draw(st.sampled_from([None, "<unk>"])) if "<unk>" in vocab else None,
    }
    words = generated_words(data, vocab, options)
    ours = encoded(BPE(vocab, merges, **options), words)
    expected = theirs(library(vocab, merges, **options), words)
    assert [ids for ids, _ in ours] == [ids for ids, _ in expected]
    affixed = options["continuing_subword_prefix"] or options["end_of_word_suffix"]
    # Byte tokens of an affix lie behind the word's end; the library's places of them are no characters.
    if not (affixed and options["byte_fallback"]):
        assert ours == expected


@SETTINGS
@given(generated(), OPTIONS, st.data())
def test_generated_models_encode_as_the_twin(model: tuple, flags: dict, data: st.DataObject) -> None:
    vocab, merges, options = model
    options = {**options, **flags, "unk_token": "<unk>" if "<unk>" in vocab else None}
    ours = BPE(vocab, merges, **options)
    words = generated_words(data, vocab, options)
    if ours._scannable:
        tokens = [
            (ids, [(vocab[t], s, e) for t, s, e in bpe(word, vocab, merges, **options)])
            for word, (ids, _) in zip(words, encoded(ours, words), strict=True)
        ]
        assert all(ids == [id for id, _, _ in pieces] for ids, pieces in tokens)
        places = [[(s, e) for _, s, e in bpe(word, vocab, merges, **options)] for word in words]
        assert [place for _, place in encoded(ours, words)] == places


@SETTINGS
@given(generated(), st.data())
def test_scan_and_heap_agree(model: tuple, data: st.DataObject) -> None:
    vocab, merges, options = model
    words = generated_words(data, vocab, options)
    by_scan, by_heap = BPE(vocab, merges, **options), BPE(vocab, merges, **options)
    by_heap.__dict__["_scannable"] = False
    if by_scan._scannable:
        assert encoded(by_scan, words) == encoded(by_heap, words)


def test_tokens_that_share_an_id() -> None:
    vocab, merges = {"a": 0, "b": 0, "c": 1, "ab": 2, "ac": 2, "abc": 3}, [("a", "b"), ("a", "c"), ("ab", "c")]
    words = ["".join(word) for word in np.random.default_rng(0).choice(list("abc"), (50, 12))]
    ours = BPE(vocab, merges)
    assert not ours._scannable
    assert encoded(ours, words) == theirs(models.BPE(vocab, merges), words)


def test_words_on_both_sides_of_the_switch_to_a_heap() -> None:
    data = trained("gcide.en", "plain")
    merges = [tuple(merge) for merge in data["merges"]]
    text = "".join(corpus("gcide.en"))
    words = [text[start : start + length] for length in range(SHORT - 3, SHORT + 4) for start in range(0, 5000, 97)]
    assert encoded(BPE(data["vocab"], merges), words) == theirs(models.BPE(data["vocab"], merges), words)


def test_a_million_characters() -> None:
    data = trained("gcide.en", "plain")
    merges = [tuple(merge) for merge in data["merges"]]
    word = ("".join(corpus("gcide.en")) * 3)[:1_000_000]
    assert len(word) == 1_000_000
    assert encoded(BPE(data["vocab"], merges), [word]) == theirs(models.BPE(data["vocab"], merges), [word])
    assert "".join(texts(BPE(LOW, LOW_MERGES), ["low" * 400_000])[0]) == "low" * 400_000


def test_no_words_and_empty_words() -> None:
    model = BPE(LOW, LOW_MERGES)
    assert encoded(model, []) == []
    assert encoded(model, ["", "low", "", ""]) == [([], []), ([4], [(0, 3)]), ([], []), ([], [])]
    assert encoded(BPE(), ["low", ""]) == theirs(models.BPE(), ["low", ""]) == [([], []), ([], [])]


def test_words_that_may_be_written_to() -> None:
    words = Words(np.array([108, 111, 119], np.uint32), np.array([0, 2, 3], np.int64))
    assert BPE(LOW, LOW_MERGES).encode_words(words).ids.tolist() == [3, 2]
    assert words.chars.flags.writeable
    assert words.chars.tolist() == [108, 111, 119]


# The order and the places of unknown characters.


@pytest.mark.parametrize(
    ("word", "options", "expected"),
    [
        # Dropped characters do not move what follows: places are shifted in bytes.
        ("éab漢a", {}, [("a", 0, 1), ("b", 0, 1), ("a", 1, 2)]),
        (
            "aé漢b漢",
            {"unk_token": "<unk>", "fuse_unk": True},
            [("a", 0, 1), ("<unk>", 1, 3), ("b", 3, 4), ("<unk>", 4, 5)],
        ),
        ("é🙂", {"unk_token": "<unk>"}, [("<unk>", 0, 1), ("<unk>", 1, 2)]),
        ("aéb", {"byte_fallback": True}, [("a", 0, 1), ("<0xC3>", 1, 2), ("<0xA9>", 1, 2), ("b", 2, 3)]),
        # Bytes overtake an unknown character that waits.
        (
            "漢é漢a",
            {"byte_fallback": True, "unk_token": "<unk>", "fuse_unk": True},
            [("<0xC3>", 0, 1), ("<0xA9>", 0, 1), ("<unk>", 0, 3), ("a", 3, 4)],
        ),
    ],
)
def test_unknown_characters(word: str, options: dict, expected: list) -> None:
    vocab = {"a": 0, "b": 1, "<unk>": 2, "<0xC3>": 3, "<0xA9>": 4}
    [(ids, places)] = encoded(BPE(vocab, [], **options), [word])
    assert [(ids, places)] == theirs(models.BPE(vocab, [], **options), [word])
    assert [(vocab[token], (start, end)) for token, start, end in expected] == list(zip(ids, places, strict=True))


def test_bytes_of_an_affix_stay_within_the_word() -> None:
    vocab = {byte: i for i, byte in enumerate(BYTES)}
    model = BPE(vocab, [], byte_fallback=True, end_of_word_suffix="</w>", continuing_subword_prefix="#")
    [(ids, places)] = encoded(model, ["aé"])
    assert ids == list(b"a" + "#é</w>".encode())
    assert places == [(0, 1), *[(1, 2)] * 7]


def test_a_missing_unknown_token() -> None:
    model = BPE({"a": 0}, [], unk_token="<unk>")
    assert encoded(model, ["a", "aa"]) == [([0], [(0, 1)]), ([0, 0], [(0, 1), (1, 2)])]
    with pytest.raises(ValueError, match=r"Unk token `<unk>` not found in the vocabulary, but 'ab' needs it"):
        encoded(model, ["a", "ab", "b"])
    with pytest.raises(Exception, match="Unk token `<unk>` not found in the vocabulary"):
        theirs(models.BPE({"a": 0}, [], unk_token="<unk>"), ["ab"])


# Dropout.

PATH = ({"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "abc": 5}, [("a", "b"), ("b", "c"), ("ab", "c"), ("a", "bc")])


@pytest.mark.slow
def test_no_dropout_and_nothing_but_dropout() -> None:
    words = ["abc", "cab", "abcabc", "é", ""]
    for dropout in (None, 0, 0.0):
        assert encoded(BPE(*PATH, dropout=dropout, ignore_merges=True), words) == theirs(
            models.BPE(*PATH, dropout=dropout, ignore_merges=True), words
        )
    whole = BPE(*PATH, dropout=1.0, ignore_merges=True)
    assert encoded(whole, words) == theirs(models.BPE(*PATH, dropout=1.0, ignore_merges=True), words)
    assert texts(whole, ["abc"]) == [["a", "b", "c"]]


@pytest.mark.parametrize("dropout", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("word", ["ab", "abc", "abab", "abca"])
def test_dropout_draws_from_the_exact_distribution(word: str, dropout: float) -> None:
    expected = dropout_distribution(tuple(word), merge_table(PATH[1], None), dropout)
    assert sum(expected.values()) == pytest.approx(1)
    n = 20_000
    drawn = [tuple(pieces) for pieces in texts(BPE(*PATH, dropout=dropout, seed=1), [word] * n)]
    assert set(drawn) <= set(expected)
    for pieces, probability in expected.items():
        assert abs(drawn.count(pieces) / n - probability) < 5 * (probability * (1 - probability) / n) ** 0.5 + 1e-9


def test_dropout_has_the_library_s_distribution() -> None:
    n = 20_000
    expected = dropout_distribution(tuple("abcab"), merge_table(PATH[1], None), 0.3)
    # Without the cache of the tokenizer: every word of the batch is drawn by itself.
    tokenizer = tokenizers.Tokenizer(models.BPE(*PATH, dropout=0.3))
    drawn = [tuple(encoding.tokens) for encoding in tokenizer.encode_batch(["abcab"] * n)]
    for pieces, probability in expected.items():
        assert abs(drawn.count(pieces) / n - probability) < 6 * (probability * (1 - probability) / n) ** 0.5 + 1e-9


def test_dropout_pieces_join_to_the_word_and_can_be_merged() -> None:
    data = trained("gcide.en", "plain")
    merges = [tuple(merge) for merge in data["merges"]]
    words = [word for word in words_of("gcide.en", "plain")[:2000] if set(word) <= set(data["vocab"])]
    derivable = {token for token in data["vocab"] if len(token) == 1} | {left + right for left, right in merges}
    pieces = texts(BPE(data["vocab"], merges, dropout=0.3, seed=0), words)
    assert ["".join(word) for word in pieces] == words
    assert {piece for word in pieces for piece in word} <= derivable
    assert pieces != texts(BPE(data["vocab"], merges), words)


def test_a_seed_repeats_every_call() -> None:
    words = ["abcabcab"] * 50
    model = BPE(*PATH, dropout=0.5, seed=3)
    assert encoded(model, words) == encoded(model, words) == encoded(BPE(*PATH, dropout=0.5, seed=3), words)
    assert encoded(model, words) != encoded(BPE(*PATH, dropout=0.5, seed=4), words)
    unseeded = BPE(*PATH, dropout=0.5)
    assert encoded(unseeded, words) != encoded(unseeded, words)


def test_dropout_cuts_every_occurrence_of_a_word_anew() -> None:
    tokenizer = Tokenizer(BPE(LOW, LOW_MERGES, dropout=0.5, seed=1))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    tokens = tokenizer.encode(" ".join(["low"] * 50)).tokens
    assert "".join(tokens) == "low" * 50
    assert set(tokens) == {"low", "lo", "l", "o", "w"}
    assert BPE(dropout=0.5).is_random
    assert not any(BPE(dropout=dropout).is_random for dropout in (None, 0.0))


# Longest match.


@SETTINGS
@given(generated(), st.data())
def test_longest_match_is_the_recursion(model: tuple, data: st.DataObject) -> None:
    vocab, _, options = model
    affixes = [options["continuing_subword_prefix"] or "", options["end_of_word_suffix"] or ""]
    words = generated_words(data, vocab, options)
    vocab = {"<unk>": 999} | vocab
    ours = encoded(BPE(vocab, [], unk_token="<unk>", fuse_unk=True, match="longest", **options), words)
    for word, (_, places) in zip(words, ours, strict=True):
        assert [word[start:end] for start, end in places] == longest(word, vocab, *affixes)


def test_longest_match_beside_merges() -> None:
    vocab = {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "abc": 5, "bcab": 6}
    merges = [("a", "b"), ("b", "c"), ("ab", "c"), ("bc", "ab")]
    assert texts(BPE(vocab, merges), ["abcab"]) == [["abc", "ab"]]
    assert texts(BPE(vocab, merges, match="longest"), ["abcab"]) == [["a", "bcab"]]


def test_parts_that_no_symbol_covers_are_merged() -> None:
    vocab = {"lo": 0, "<0xC3>": 1, "<0xA9>": 2, "<0xC3><0xA9>": 3, "low": 4, "w": 5}
    merges = [("<0xC3>", "<0xA9>"), ("lo", "w")]
    model = BPE(vocab, merges, match="longest", byte_fallback=True)
    assert texts(model, ["élow", "loél"]) == [["<0xC3><0xA9>", "low"], ["lo", "<0xC3><0xA9>"]]
    assert encoded(model, ["élow"]) == [([3, 4], [(0, 1), (1, 4)])]


def test_longest_match_of_a_long_word() -> None:
    model = BPE(LOW, LOW_MERGES, match="longest")
    assert texts(model, ["low" * 100_000 + "lo"]) == [["low"] * 100_000 + ["lo"]]


# End of word as a symbol.


def test_end_of_word_as_a_symbol() -> None:
    vocab = {"l": 0, "o": 1, "w": 2, "</w>": 3, "lo": 4, "w</w>": 5, "low</w>": 6}
    merges = [("w", "</w>"), ("l", "o"), ("lo", "w</w>")]
    model = BPE(vocab, merges, end_of_word_suffix="</w>", end_of_word="symbol")
    assert texts(model, ["low", "lo", "wow"]) == [["low</w>"], ["lo", "</w>"], ["w", "o", "w</w>"]]
    assert encoded(model, ["lo"]) == [([4, 3], [(0, 2), (2, 2)])]
    model.match = "longest"
    assert texts(model, ["low", "lo", "wow"]) == [["low</w>"], ["lo", "</w>"], ["w", "o", "w</w>"]]


@SETTINGS
@given(st.lists(st.text("ab", min_size=1, max_size=8), min_size=1), st.lists(st.integers(0, 10**6), max_size=12))
def test_end_of_word_as_a_symbol_is_a_character_more(words: list[str], choices: list[int]) -> None:
    tokens, merges = ["a", "b", "$"], []
    for choice in choices:
        left, right = tokens[choice % len(tokens)], tokens[choice // len(tokens) % len(tokens)]
        if "$" not in left:
            merges.append((left, right))
            tokens += [left + right] if left + right not in tokens else []
    vocab = {token: i for i, token in enumerate(tokens)}
    symbol = BPE(vocab, merges, end_of_word_suffix="$", end_of_word="symbol")
    assert texts(symbol, words) == texts(BPE(vocab, merges), [word + "$" for word in words])


# Files of models that the library has not.


@pytest.mark.parametrize("own", [{"match": "longest"}, {"end_of_word": "symbol", "end_of_word_suffix": "w"}])
def test_the_library_refuses_models_that_it_has_not(own: dict) -> None:
    data = BPE(LOW, LOW_MERGES, seed=5, **own).to_json()
    again = BPE.from_json(json.loads(json.dumps(data)))
    assert (again.match, again.end_of_word, again.seed) == (
        own.get("match", "merges"),
        own.get("end_of_word", "glued"),
        5,
    )
    assert again.to_json() == data
    with pytest.raises(Exception, match="did not match any variant"):
        tokenizers.Tokenizer.from_str(json.dumps({"version": "1.0", "added_tokens": [], "model": data}))


def test_the_library_ignores_a_seed() -> None:
    data = BPE(LOW, LOW_MERGES, dropout=0.5, seed=5).to_json()
    read = tokenizers.Tokenizer.from_str(json.dumps({"version": "1.0", "added_tokens": [], "model": data}))
    assert json.loads(read.to_str())["model"] == {key: value for key, value in data.items() if key != "seed"}
    assert BPE.from_json(data).seed == 5


def test_of_a_pair_that_comes_twice_the_last_rank_counts() -> None:
    vocab, merges = PATH[0], [("a", "b"), ("b", "c"), ("ab", "c"), ("a", "b")]
    assert texts(BPE(vocab, merges), ["abc"]) == [["a", "bc"]]
    assert encoded(BPE(vocab, merges), ["abc"]) == theirs(models.BPE(vocab, merges), ["abc"])
    expected = json.loads(tokenizers.Tokenizer(models.BPE(vocab, merges)).to_str())["model"]["merges"]
    assert BPE(vocab, merges).to_json()["merges"] == expected == [["b", "c"], ["ab", "c"], ["a", "b"]]


def test_json_of_older_files() -> None:
    data = {"vocab": LOW, "merges": ["#version: 0.2", "l o", "lo w"], "dropout": None, "fuse_unk": None, "other": 1}
    expected = json.loads(tokenizers.Tokenizer.from_str(json.dumps({"model": {"type": "BPE", **data}})).to_str())
    assert BPE.from_json(data).to_json() == expected["model"]


def test_merges_are_those_given() -> None:
    merges = [("l", "o"), ("lo", "w"), ("l", "o")]
    shared = {**LOW, "other": LOW["lo"]}
    for model in (
        BPE(LOW, merges),
        BPE(shared, merges),
        BPE.from_json({"vocab": LOW, "merges": ["l o", "lo w", "l o"]}),
    ):
        again = pickle.loads(pickle.dumps(model))
        assert model.merges == again.merges == merges
        assert pickle.dumps(model) == pickle.dumps(again)
    assert BPE(shared, []).merges == []
    assert BPE.from_json({"vocab": LOW, "merges": []}).merges == []


# Refusals.


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (({"a": 0}, [("a", "b")]), {}, r"Token `b` out of vocabulary: merges\[0\] is \('a', 'b'\)"),
        (({"a": 0, "b": 1}, [("a", "b")]), {}, "Token `ab` out of vocabulary"),
        (({"a": 0, "b": 1, "ab": 2}, [("a", "b"), ("c", "b")]), {}, r"Token `c` out of vocabulary: merges\[1\]"),
        (({"a": 0, "b": 1}, [("a", "b")]), {"continuing_subword_prefix": "##"}, "'b' is shorter than"),
        (({"a": 0}, None), {}, "give both or neither"),
        ((None, []), {}, "give both or neither"),
        (({"a": 0}, "merges.txt"), {}, "give two paths, or a mapping and a list"),
        (({"a": -1}, []), {}, r"vocab\['a'\] is -1: give an id in 0\.\."),
        (({"a": 2**31}, []), {}, "is 2147483648: give an id in"),
        (({"a": "0"}, []), {}, r"vocab\['a'\] is '0': give an integer id"),
        (({"a": True}, []), {}, "is True: give an integer id"),
        (({1: 0}, []), {}, "vocab: the token 1 is not a string"),
        ((["a"], []), {}, "give a mapping"),
        (({"a": 0}, ["ab"]), {}, r"merges\[0\]: 'ab' is not a pair"),
        (({"a": 0}, [("a", "b", "c")]), {}, "is not a pair"),
        (({"a": 0}, [("a", 1)]), {}, "is not a pair"),
        ((), {"dropout": 1.5}, r"dropout is 1\.5: should be between 0 and 1"),
        ((), {"dropout": -0.1}, "dropout"),
        ((), {"dropout": float("nan")}, "dropout"),
        ((), {"dropout": "0.5"}, "dropout"),
        ((), {"fuse_unk": None}, "fuse_unk is None: give True or False"),
        ((), {"unk_token": 3}, "unk_token is 3: give a string, or None"),
        ((), {"match": "greedy"}, "match is 'greedy': give one of 'merges', 'longest'"),
        ((), {"end_of_word": "none"}, "end_of_word is 'none'"),
        (
            ({"a": 0}, []),
            {"end_of_word": "symbol", "end_of_word_suffix": "</w>"},
            "needs end_of_word_suffix '</w>' in vocab",
        ),
    ],
)
def test_refuses(arguments: tuple, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BPE(*arguments, **options)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vocab": None}, "vocab must be an object"),
        ({"merges": {}}, "merges an array"),
        ({"merges": ["a b c"]}, "line 1 is 'a b c'"),
        ({"merges": [["a"]]}, "not a pair"),
        ({"type": "WordPiece"}, "type is 'WordPiece': expected 'BPE'"),
        ({"dropout": 2}, "dropout"),
        ({"byte_fallback": 1}, "byte_fallback is 1"),
        ({"end_of_word_suffix": []}, "end_of_word_suffix"),
    ],
)
def test_refuses_json(change: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BPE.from_json({"type": "BPE", "vocab": LOW, "merges": [], **change})
    for key in ("vocab", "merges"):
        with pytest.raises(ValueError, match=f"the key '{key}' is missing"):
            BPE.from_json({name: value for name, value in {"vocab": LOW, "merges": []}.items() if name != key})


def test_refuses_a_dropout_that_is_set_later() -> None:
    model = BPE(LOW, LOW_MERGES)
    with pytest.raises(ValueError, match="dropout is 7: should be between 0 and 1"):
        model.dropout = 7
    assert model.dropout is None


def test_refuses_to_save_merges_with_spaces(tmp_path: Path) -> None:
    model = BPE({"a": 0, " ": 1, "a ": 2}, [("a", " ")])
    with pytest.raises(ValueError, match=r"cannot hold the merge \('a', ' '\)"):
        model.save(tmp_path)
    assert list(tmp_path.iterdir()) == []


# Attributes, copies, questions.


def test_attributes_take_effect_as_in_the_library() -> None:
    vocab = {"a": 0, "b": 1, "#b": 2, "b$": 3, "<unk>": 4, "ab": 5, "#b$": 6}
    ours, their_model = BPE(vocab, [("a", "b")]), models.BPE(vocab, [("a", "b")], cache_capacity=0)
    for name, value in (
        ("unk_token", "<unk>"),
        ("fuse_unk", True),
        ("end_of_word_suffix", "$"),
        ("continuing_subword_prefix", "#"),
        ("ignore_merges", True),
        ("end_of_word_suffix", None),
    ):
        for model in (ours, their_model):
            setattr(model, name, value)
            assert getattr(model, name) == value
        words = ["ab", "abb", "xyb", "b"]
        assert encoded(ours, words) == theirs(their_model, words)


def test_questions_and_copies() -> None:
    vocab = dict(LOW)
    model = BPE(vocab, LOW_MERGES)
    vocab.clear()
    model.get_vocab().clear()
    assert (model.get_vocab(), model.get_vocab_size()) == (LOW, 5)
    assert (model.token_to_id("lo"), model.token_to_id("x")) == (3, None)
    assert (model.id_to_token(3), model.id_to_token(9)) == ("lo", None)
    for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert encoded(again, ["olow"]) == encoded(model, ["olow"])


# Explanations.


def test_explains_merges_in_their_order() -> None:
    vocab = LOW | {"e": 5, "r": 6, "er": 7, "lower": 8}
    model = BPE(vocab, [("e", "r"), ("l", "o"), ("lo", "w"), ("low", "er")])
    model.merge_counts = np.array([9, 8, 7, 6])
    assert model.explain_word("lower") == [
        MergeStep(0, "e", "r", "er", 0, 3, ("l", "o", "w", "er"), 9),
        MergeStep(1, "l", "o", "lo", 1, 0, ("lo", "w", "er"), 8),
        MergeStep(2, "lo", "w", "low", 2, 0, ("low", "er"), 7),
        MergeStep(3, "low", "er", "lower", 3, 0, ("lower",), 6),
    ]
    assert BPE(vocab, LOW_MERGES).explain_word("low")[0].count is None
    assert BPE(vocab, LOW_MERGES, ignore_merges=True).explain_word("low") == []
    assert model.explain_word("") == []
    assert len(model.explain_word("er" * 250)) == 250
    with pytest.raises(ValueError, match=r"the word '(er)+'... has 501 characters, more than 500: explain a"):
        model.explain_word("er" * 250 + "e")
    assert len(BPE(LOW, LOW_MERGES, match="longest").explain_word("low" * 500)) == 500
    assert len(BPE(LOW | {"l" * 501: 9}, [], ignore_merges=True).explain_word("l" * 501)) == 0


@SETTINGS
@given(generated(), st.data())
def test_explanations_end_in_the_pieces(model: tuple, data: st.DataObject) -> None:
    vocab, merges, options = model
    ours = BPE(vocab, merges, **options)
    for word in generated_words(data, vocab, options):
        steps = ours.explain_word(word)
        if steps and ours._scannable:
            assert list(steps[-1].symbols) == texts(ours, [word])[0]
            start = [token for token, _ in first_symbols(word, vocab, **options)]
            assert len(start) == len(steps[-1].symbols) + len(steps)


def test_explains_longest_matches_in_their_order() -> None:
    model = BPE(LOW, LOW_MERGES, match="longest")
    assert model.explain_word("olowlo") == [
        MatchStep(0, 1, 4, "low", 4),
        MatchStep(1, 4, 6, "lo", 3),
        MatchStep(2, 0, 1, "o", 1),
    ]


# Kernels.


def test_a_pair_table_has_every_pair_and_no_other() -> None:
    rng = np.random.default_rng(0)
    lefts: I32 = rng.integers(0, 2**31 - 1, 500).astype(np.int32)
    rights: I32 = rng.integers(0, 50, 500).astype(np.int32)
    table = pair_table(lefts, rights)
    expected = {pair: i for i, pair in enumerate(zip(lefts.tolist(), rights.tolist(), strict=True))}
    assert {pair: find(table, *pair) for pair in expected} == expected
    assert all(find(table, left, 50) == -1 for left in lefts.tolist())


SCRIPT = """
import json, sys
sys.path.insert(0, sys.argv[1])
from tokenizers_impl._text.words import Words
from tokenizers_impl.models import BPE
from tokenizers_impl.models import WordPiece
vocab = {"a": 0, "b": 1, "ab": 2, "abab": 3, "<0xC3>": 4, "<0xA9>": 5, "u": 6, "##b": 7}
merges = [("a", "b"), ("ab", "ab")]
words = Words.of(["ababab" * 30, "abé漢🙂b", "", "b"])
results = []
for options in ({}, {"match": "longest"}, {"dropout": 0.5, "seed": 1}, {"ignore_merges": True}):
    model = BPE(vocab, merges, unk_token="u", byte_fallback=True, **options)
    results.append([array.tolist() for array in model.encode_words(words)])
results.append([array.tolist() for array in WordPiece(vocab, unk_token="u").encode_words(words)])
results.append(len(BPE(vocab, merges).explain_word("abab")))
print(json.dumps(results))
"""


def test_without_compilation_the_results_are_the_same() -> None:
    root = str(Path(__file__).resolve().parents[2])
    outputs = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", SCRIPT, root],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=False,
        )
        for disabled in ("1", "0")
    ]
    # Said where the kernels are not compiled yet.
    said = [line for output in outputs for line in output.stderr.splitlines()]
    assert [line for line in said if not line.startswith("tokenizers_impl: compiling kernels")] == []
    assert outputs[0].stdout == outputs[1].stdout
    assert len(json.loads(outputs[0].stdout)) == 6
