"""Vocabularies of whole words beside the library's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from shared_data import beginning

import tokenizers_impl
from tokenizers_impl.models import WordLevel
from tokenizers_impl.models._explanation import MatchStep
from tokenizers_impl.trainers import WordLevelTrainer

SETTINGS = examples(60)
LIBRARIES = (tokenizers_impl, tokenizers)
WORDS = st.text("abé漢\U00010000\uffff", min_size=1, max_size=3)


def trained(library: Any, texts: list[str], **options: Any) -> Any:
    tokenizer = library.Tokenizer(library.models.WordLevel(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = library.pre_tokenizers.Whitespace()
    tokenizer.train_from_iterator(texts, library.trainers.WordLevelTrainer(show_progress=False, **options))
    return tokenizer


def seen(tokenizer: Any, texts: list[str]) -> list[Any]:
    encodings = tokenizer.encode_batch(texts)
    return [(each.ids, each.tokens, each.offsets, each.word_ids, tokenizer.decode(each.ids)) for each in encodings]


@pytest.mark.parametrize("name", ["gcide.en", "manpages.ja"])
@pytest.mark.parametrize("options", [{}, {"vocab_size": 500}, {"min_frequency": 5}, {"vocab_size": 0}])
def test_trains_on_real_text_and_encodes_it_as_the_library(name: str, options: dict[str, int]) -> None:
    lines = beginning(f"text/{name}.txt.xz", 200_000).split("\n")
    half = len(lines) // 2
    ours, theirs = (trained(library, lines[:half], special_tokens=["[UNK]"], **options) for library in LIBRARIES)
    assert ours.to_str() == theirs.to_str()
    if options.get("vocab_size") != 0:
        assert seen(ours, lines[half:]) == seen(theirs, lines[half:])


@SETTINGS
@given(
    st.lists(st.lists(WORDS, max_size=6), max_size=6),
    st.lists(WORDS | st.just("[UNK]"), max_size=4),
    st.integers(0, 8),
    st.integers(0, 3),
)
@pytest.mark.filterwarnings("ignore:the corpus has no words")
def test_generated_corpora(rows: list[list[str]], special: list[str], size: int, least: int) -> None:
    options = {"special_tokens": special, "vocab_size": size, "min_frequency": least}
    texts = [" ".join(row) for row in rows]
    ours, theirs = (trained(library, texts, **options) for library in LIBRARIES)
    assert ours.to_str() == theirs.to_str()


def test_history_has_a_row_a_word() -> None:
    tokenizer, trainer = tokenizers_impl.Tokenizer(WordLevel()), WordLevelTrainer(vocab_size=3, show_progress=False)
    assert trainer.history == []
    tokenizer.train_from_counts({"b": 1, "é": 2, "c": 2, "a": 1}, trainer)
    assert [tuple(row.values()) for row in trainer.history] == [(1, "c", 2), (2, "é", 2), (3, "a", 1)]


@SETTINGS
@given(st.dictionaries(WORDS, st.integers(0, 60), max_size=6), st.lists(WORDS, max_size=6), WORDS)
def test_generated_vocabularies(vocab: dict[str, int], words: list[str], unk: str) -> None:
    vocab = {word: id for id, word in {id: word for word, id in vocab.items()}.items()}
    found = []
    for library in LIBRARIES:
        tokenizer = library.Tokenizer(library.models.WordLevel(vocab, unk))
        tokenizer.pre_tokenizer = library.pre_tokenizers.WhitespaceSplit()
        try:
            found.append((tokenizer.to_str(), seen(tokenizer, [" ".join(words), "", *words])))
        except Exception as error:
            found.append(str(error)[:56])
    assert found[0] == found[1]
    is_refused = found[0] == "WordLevel error: Missing [UNK] token from the vocabulary"
    assert is_refused == (unk not in vocab and not set(words) <= vocab.keys())


def test_the_word_that_is_unknown_is_named() -> None:
    tokenizer = tokenizers_impl.Tokenizer(WordLevel({"a": 0}))
    tokenizer.pre_tokenizer = tokenizers_impl.pre_tokenizers.WhitespaceSplit()
    assert tokenizer.encode("a a").ids == [0, 0]
    with pytest.raises(ValueError, match=r"Missing \[UNK\] token .* the word 'lot' is unknown: add the unk_token"):
        tokenizer.encode("a lot")


def test_defaults_attributes_and_files_are_the_library_s(tmp_path: Path) -> None:
    vocab = {"b": 3, "é": 0, '"\n': 1}
    models = [library.models.WordLevel(vocab, "é") for library in LIBRARIES]
    assert [library.models.WordLevel().unk_token for library in LIBRARIES] == ["<unk>", "<unk>"]
    written = []
    for name, library, model in zip("ab", LIBRARIES, models, strict=True):
        (tmp_path / name).mkdir()
        paths = [model.save(str(tmp_path / name), prefix)[0] for prefix in (None, "name")]
        texts = [(Path(path).name, Path(path).read_bytes()) for path in paths]
        read = library.models.WordLevel.read_file(paths[0])
        again = library.models.WordLevel.from_file(paths[0], unk_token="b")
        model.unk_token = "b"
        asked = [again.token_to_id("é"), again.token_to_id("x"), again.id_to_token(3), again.id_to_token(2)]
        written.append((texts, read, again.unk_token, model.unk_token, asked))
    assert written[0] == written[1]
    assert WordLevel(str(tmp_path / "a" / "vocab.json"), "b").get_vocab() == vocab


@pytest.mark.parametrize(
    "model",
    [
        {"type": "WordLevel", "vocab": {"a": 0, "b": 5}, "unk_token": "q"},
        {"vocab": {"a": 0}, "unk_token": "q"},
        {"type": "WordLevel", "vocab": {}, "unk_token": "", "other": 1},
        {"type": "WordLevel", "vocab": {"a": 0}},
        {"type": "WordLevel", "unk_token": "q"},
        {"type": "WordLevel", "vocab": [], "unk_token": "q"},
        {"type": "WordLevel", "vocab": {}, "unk_token": None},
        {"type": "WordLevel", "vocab": {"a": "0"}, "unk_token": "q"},
        {"type": "WordLevel", "vocab": {"a": -1}, "unk_token": "q"},
    ],
)
def test_json_is_read_as_the_library_reads_it(model: dict[str, Any]) -> None:
    read = []
    for library, refusal in zip(LIBRARIES, (ValueError, Exception), strict=True):
        try:
            read.append(library.Tokenizer.from_str(json.dumps({"version": "1.0", "model": model})).to_str())
        except refusal:
            read.append("refused")
    assert read[0] == read[1]


@pytest.mark.parametrize("content", ["", "[1]", '{"a": -1}', '{"a": "b"}', "[" * 100_000])
def test_a_file_that_is_no_vocabulary(tmp_path: Path, content: str) -> None:
    path = tmp_path / "vocab.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"vocab"):
        WordLevel.from_file(str(path))


def test_options_that_cannot_be() -> None:
    for options in ({"vocab_size": -1}, {"vocab_size": None}, {"min_frequency": 0.5}):
        with pytest.raises(ValueError, match="give an integer, 0 or more"):
            WordLevelTrainer(**options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unk_token is 3: give a string"):
        WordLevel({}, 3)  # type: ignore[arg-type]
    trained_bpe = tokenizers_impl.Tokenizer(tokenizers_impl.models.BPE())
    with pytest.raises(ValueError, match=r"use another trainer for models\.BPE"):
        trained_bpe.train_from_iterator(["a"], WordLevelTrainer(show_progress=False))
    assert isinstance(WordLevel().get_trainer(), WordLevelTrainer)


def test_explains_the_look_up() -> None:
    model = WordLevel({"<unk>": 4, "low": 7})
    assert model.explain_word("low") == [MatchStep(0, 0, 3, "low", 7)]
    assert model.explain_word("lo") == [MatchStep(0, 0, 2, "lo", None), MatchStep(1, 0, 2, "<unk>", 4)]
    assert "<unk>" in tokenizers_impl.Tokenizer(model).picture("lo").text(colour=False)
