"""The WordPiece model beside the library's and beside its slow twin."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from naive_models import wordpiece
from properties import examples
from shared_data import beginning, lines
from tokenizers import models, normalizers, pre_tokenizers, trainers

from tokenizers_impl._core.files import dumps
from tokenizers_impl._text.words import Words
from tokenizers_impl.models import WordPiece
from tokenizers_impl.models._explanation import MatchStep

SETTINGS = examples(150)
VOCAB = {"[UNK]": 0, "un": 1, "##able": 2, "##a": 3, "u": 4, "##n": 5, "able": 6}


def encoded(model: WordPiece, words: list[str]) -> list[tuple[list[int], list[tuple[int, int]]]]:
    """(ids, places) of every word."""
    ids, starts, ends, offsets = (array.tolist() for array in model.encode_words(Words.of(words)))
    places = list(zip(starts, ends, strict=True))
    return [(ids[a:b], places[a:b]) for a, b in pairwise(offsets)]


def theirs(model: models.Model, words: list[str]) -> list[tuple[list[int], list[tuple[int, int]]]]:
    """The same from the library."""
    return [(encoding.ids, encoding.offsets) for encoding in tokenizers.Tokenizer(model).encode_batch(words)]


@cache
def corpus(name: str) -> tuple[str, ...]:
    if name.startswith("iso_names"):
        return tuple(lines(f"text/{name}"))
    return tuple(beginning(f"text/{name}.txt.xz", 400_000).split("\n"))


@cache
def trained(name: str) -> dict:
    """The JSON of a model that the library trained on half of the corpus, so that the rest has unknown characters."""
    tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=3000, special_tokens=["[UNK]"], show_progress=False)
    tokenizer.train_from_iterator(corpus(name)[: len(corpus(name)) // 2], trainer)
    return json.loads(tokenizer.to_str())["model"]


def words_of(name: str) -> list[str]:
    return list(dict.fromkeys(word for line in corpus(name) for word in re.findall(r"\w+|\S", line.lower())))


@pytest.mark.parametrize("name", ["gcide.en", "manpages.ja", *(f"iso_names/{c}.txt" for c in ("hi", "ko", "ru", "th"))])
def test_encodes_real_text_as_the_library(name: str) -> None:
    data = trained(name)
    words = [*words_of(name), *corpus(name)[-300:]]
    for options in ({}, {"max_input_chars_per_word": 6}, {"continuing_subword_prefix": ""}):
        expected = theirs(models.WordPiece(data["vocab"], unk_token="[UNK]", **options), words)
        assert encoded(WordPiece(data["vocab"], **options), words) == expected


@SETTINGS
@given(
    st.lists(st.text("ab#é漢", max_size=5), max_size=20),
    st.lists(st.text("ab漢", max_size=4), max_size=20),
    st.sampled_from(["##", "#", "", "é"]),
    st.integers(0, 12),
    st.data(),
)
def test_generated_models_encode_as_library_and_twin(
    beginnings: list[str], continuations: list[str], prefix: str, most: int, data: st.DataObject
) -> None:
    tokens = dict.fromkeys(["[UNK]", *beginnings, *(prefix + token for token in continuations)])
    vocab = dict(zip(tokens, data.draw(st.permutations(range(len(tokens)))), strict=True))
    pieces = [*beginnings, *continuations, *continuations, "a", "b", "x", "é", "🙂"]
    words = data.draw(st.lists(st.lists(st.sampled_from(pieces), max_size=6).map("".join), max_size=8))
    options = {"continuing_subword_prefix": prefix, "max_input_chars_per_word": most}
    ours = encoded(WordPiece(vocab, **options), words)
    assert ours == theirs(models.WordPiece(vocab, unk_token="[UNK]", **options), words)
    twin = [wordpiece(word, vocab, prefix=prefix, most=most) for word in words]
    assert ours == [([vocab[t] for t, _, _ in word], [(s, e) for _, s, e in word]) for word in twin]


def test_no_words_and_empty_words() -> None:
    assert encoded(WordPiece(VOCAB), []) == []
    assert encoded(WordPiece(VOCAB), ["", "unable", ""]) == [([], []), ([1, 2], [(0, 2), (2, 6)]), ([], [])]
    assert encoded(WordPiece(), [""]) == [([], [])]


def test_a_part_that_fails_makes_the_whole_word_unknown() -> None:
    words = ["unax", "xun", "una", "a" * 100, "a" * 101]
    assert encoded(WordPiece(VOCAB | {"a": 7}), words) == theirs(models.WordPiece(VOCAB | {"a": 7}), words)
    assert encoded(WordPiece(VOCAB), ["unax"]) == [([0], [(0, 4)])]


def test_a_missing_unknown_token() -> None:
    for word in ("ab", "a" * 101):
        with pytest.raises(ValueError, match=r"Missing \[UNK\] token from the vocabulary, but the word 'a"):
            encoded(WordPiece({"a": 0, "##a": 1}), ["aa", word])
        with pytest.raises(Exception, match=r"Missing \[UNK\] token from the vocabulary"):
            theirs(models.WordPiece({"a": 0, "##a": 1}), ["aa", word])
    assert encoded(WordPiece({"a": 0, "##a": 1}), ["aa"]) == [([0, 1], [(0, 1), (1, 2)])]


def test_long_words_take_linear_time() -> None:
    vocab = {"a": 0, "##a": 1, "##aaa": 2}
    [(ids, _)] = encoded(WordPiece(vocab, max_input_chars_per_word=10**6), ["a" * 10**6])
    assert ids == [0] + [2] * 333_333


def test_attributes_take_effect_as_in_the_library() -> None:
    ours, their_model = WordPiece(VOCAB), models.WordPiece(VOCAB)
    for name, value in (("continuing_subword_prefix", ""), ("unk_token", "u"), ("max_input_chars_per_word", 3)):
        for model in (ours, their_model):
            setattr(model, name, value)
            assert getattr(model, name) == value
        words = ["unable", "unun", "x", "un"]
        assert encoded(ours, words) == theirs(their_model, words)


def test_json_and_files_are_the_library_s(tmp_path: Path) -> None:
    data = trained("gcide.en")
    ours, their_model = WordPiece.from_json(data), models.WordPiece(data["vocab"], unk_token="[UNK]")
    assert dumps(ours.to_json()) == dumps(data)
    for folder, model in (("ours", ours), ("theirs", their_model)):
        (tmp_path / folder).mkdir()
        for prefix, name in ((None, "vocab.txt"), ("name", "name-vocab.txt")):
            assert [Path(path).name for path in model.save(str(tmp_path / folder), prefix)] == [name]
    for path in (tmp_path / "theirs").iterdir():
        assert path.read_bytes() == (tmp_path / "ours" / path.name).read_bytes()
    file = str(tmp_path / "ours" / "vocab.txt")
    assert WordPiece.read_file(file) == models.WordPiece.read_file(file) == data["vocab"]
    assert WordPiece.from_file(file, unk_token="u").get_vocab() == WordPiece(file).get_vocab() == data["vocab"]


@pytest.mark.parametrize("content", ["", "\n", "a", "a\r\nb \t\n\nc\u2003\n", "x\x1c\nx\x85\ny\u2028z\n", "a\rb\n\r\n"])
def test_reads_files_as_the_library(tmp_path: Path, content: str) -> None:
    path = tmp_path / "vocab.txt"
    path.write_bytes(content.encode())
    assert WordPiece.read_file(str(path)) == models.WordPiece.read_file(str(path))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vocab": {"a": -1}}, r"vocab\['a'\] is -1"),
        ({"unk_token": None}, "unk_token is None: give a string"),
        ({"continuing_subword_prefix": 2}, "continuing_subword_prefix is 2"),
        ({"max_input_chars_per_word": "100"}, "max_input_chars_per_word is '100'"),
        ({"max_input_chars_per_word": -1}, "max_input_chars_per_word is -1"),
    ],
)
def test_refuses(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WordPiece(**options)


def test_refuses_json() -> None:
    data = WordPiece(VOCAB).to_json()
    for key in ("vocab", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word"):
        with pytest.raises(ValueError, match=f"the key '{key}' is missing"):
            WordPiece.from_json({name: value for name, value in data.items() if name != key})
    with pytest.raises(ValueError, match="type is 'BPE': expected 'WordPiece'"):
        WordPiece.from_json({**data, "type": "BPE"})
    with pytest.raises(ValueError, match="vocab must be an object"):
        WordPiece.from_json({**data, "vocab": []})


def test_explains_the_matches_tried() -> None:
    assert WordPiece(VOCAB).explain_word("unx") == [
        MatchStep(0, 0, 3, "unx", None),
        MatchStep(1, 0, 2, "un", 1),
        MatchStep(2, 2, 3, "##x", None),
    ]
    told = WordPiece(VOCAB, max_input_chars_per_word=2).explain_word("unx")
    assert told == [MatchStep(0, 0, 3, "[UNK]", VOCAB["[UNK]"])]
    long = WordPiece(VOCAB, max_input_chars_per_word=5000)
    assert len(long.explain_word("x" * 500)) == 500
    with pytest.raises(ValueError, match=r"the word 'x+'... has 501 characters, more than 500: explain a"):
        long.explain_word("x" * 501)
    for word in words_of("gcide.en")[:300]:
        data = trained("gcide.en")
        found = [step for step in WordPiece.from_json(data).explain_word(word) if step.id is not None]
        assert [(s.token, s.start, s.end) for s in found] == wordpiece(word, data["vocab"])
