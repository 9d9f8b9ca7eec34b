"""What a tokenizer is given by mistake is refused with a sentence, and its files are written whole or not at all."""

from __future__ import annotations

import asyncio
import copy
import os
import pickle
import re
import threading
from pathlib import Path
from typing import Any

import pytest
import tokenizers

import tokenizers_impl
from tokenizers_impl import AddedToken, Tokenizer, models, pipelines, pre_tokenizers, trainers
from tokenizers_impl._core.files import read_text, write_text

TEXTS = ["low lower lowest", "new newer newest"] * 3


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    trained, trainer = pipelines.bpe(vocab_size=40, show_progress=False)
    trained.train_from_iterator(TEXTS, trainer)
    return trained


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda t: t.add_tokens("abc"), "the tokens are 'abc': give a list of strings or AddedTokens"),
        (lambda t: t.add_special_tokens(AddedToken("a")), "the tokens are AddedToken.*: give a list"),
        (lambda t: t.add_tokens([3]), "the token is 3: give a string"),
        (lambda t: trainers.BpeTrainer(special_tokens="<unk>"), "the tokens are '<unk>': give a list"),
        (lambda t: t.train_from_iterator("low lower"), "the iterator is a string: give a list of strings"),
        (lambda t: t.train_from_iterator(["a", b"b"]), "element 1 of the iterator is b'b': give strings"),
        (lambda t: t.train_from_iterator(["a", ["b", 3]]), "element 1 of the iterator holds 3: give strings"),
        (lambda t: t.train_from_iterator(TEXTS, trainers.BpeTrainer), "trainer=.*: give a Trainer of tokenizers_impl"),
        (lambda t: t.train_from_counts({1: 1}), "the word 1 is not a string"),
        (
            lambda t: t.train_from_counts({"ab": 2**61, "abcd": 2**61 + 1}),
            f"the sum of .* is {2**64 + 5}, but.*divide all counts",
        ),
        (
            lambda t: t.train_from_counts({"a": 2**63}),
            r"is 9223372036854775808: give .* below 2\*\*63",
        ),
        (lambda t: t.encode_batch(None), "the input is None: give a list of strings"),
        (lambda t: t.encode_batch([["a"]]), r"text 0 is \['a'\]: give a string"),
        (lambda t: t.decode(["a"]), "the ids hold 'a': give integers from 0 to"),
        (lambda t: t.decode_batch([[1], [-1]]), "row 1 holds -1: give integers from 0 to"),
        (lambda t: t.decode([1.5]), "the ids hold 1.5: give integers"),
        (lambda t: t.decode([0, 2**32]), "the ids hold 4294967296: give integers"),
        (lambda t: t.add_tokens(["a\ud800"]), "the token 'a.*' holds a lone surrogate"),
        (lambda t: setattr(t, "pretokenizer", None), "pretokenizer is not an attribute of a Tokenizer: set one"),
        (
            lambda t: setattr(t, "pre_tokenizer", pre_tokenizers.Whitespace),
            "pre_tokenizer=<class .*: give a Pre",
        ),
        (lambda t: Tokenizer("bpe"), "model='bpe': give a Model of tokenizers_impl"),
    ],
)
def test_a_mistake_is_told(tokenizer: Tokenizer, mistake: Any, message: str) -> None:
    before = tokenizer.to_str()
    with pytest.raises(ValueError, match=message):
        mistake(tokenizer)
    assert tokenizer.to_str() == before


# Inputs of a wrong type: the arguments of `encode`, and what the library says.
WRONG_TYPES: list[tuple[tuple[Any, ...], bool, str]] = [
    ((3,), False, "TextInputSequence must be str"),
    ((None,), False, "TextInputSequence must be str"),
    ((["a"],), False, "TextInputSequence must be str"),
    (("a", 3), False, "TextInputSequence must be str"),
    (("a",), True, "PreTokenizedInputSequence must be Union[List[str], Tuple[str]]"),
    ((["a", 3],), True, "PreTokenizedInputSequence must be Union[List[str], Tuple[str]]"),
    ((["a"], "b"), True, "PreTokenizedInputSequence must be Union[List[str], Tuple[str]]"),
]
# Batches of a wrong type.
WRONG_BATCHES: list[tuple[Any, bool]] = [
    (3, False),
    ("a", False),
    ([3], False),
    ([["a", 3]], False),
    (["a"], True),
    ([["a", 3]], True),
    ([("a",), 3], True),
]


@pytest.mark.parametrize(("given", "is_pretokenized", "said"), WRONG_TYPES)
def test_an_input_of_a_wrong_type_is_a_type_error_too(
    tokenizer: Tokenizer, given: tuple[Any, ...], is_pretokenized: bool, said: str
) -> None:
    theirs = tokenizers.Tokenizer.from_str(tokenizer.to_str())
    with pytest.raises(TypeError, match=re.escape(said)):
        theirs.encode(*given, is_pretokenized=is_pretokenized)
    for error in (TypeError, ValueError):
        with pytest.raises(error, match=re.escape(said) + ", but .*: give "):
            tokenizer.encode(*given, is_pretokenized=is_pretokenized)


@pytest.mark.parametrize(("batch", "is_pretokenized"), WRONG_BATCHES)
def test_a_batch_of_a_wrong_type_is_a_type_error_too(tokenizer: Tokenizer, batch: Any, is_pretokenized: bool) -> None:
    theirs = tokenizers.Tokenizer.from_str(tokenizer.to_str())
    with pytest.raises(TypeError):
        theirs.encode_batch(batch, is_pretokenized)
    for error in (TypeError, ValueError):
        with pytest.raises(error, match=": give "):
            tokenizer.encode_batch(batch, is_pretokenized)
        with pytest.raises(error, match=": give "):
            asyncio.run(tokenizer.async_encode_batch(batch, is_pretokenized))


@pytest.mark.parametrize(
    ("trainer", "trained"), [("BpeTrainer", "BPE"), ("WordPieceTrainer", "WordPiece"), ("UnigramTrainer", "Unigram")]
)
def test_a_trainer_says_as_the_library_which_model_it_trains(trainer: str, trained: str) -> None:
    said = f"{trainer} can only train a {trained}"
    for library in (tokenizers, tokenizers_impl):
        tokenizer = library.Tokenizer(library.models.WordLevel({"a": 0}, "a"))
        with pytest.raises(Exception, match=said):
            tokenizer.train_from_iterator(["a b"], getattr(library.trainers, trainer)(show_progress=False))


def test_a_trainer_of_other_models_reads_no_text(tokenizer: Tokenizer) -> None:
    texts = iter(["low", "lower"])
    with pytest.raises(ValueError, match="can only train"):
        tokenizer.train_from_iterator(texts, trainers.WordPieceTrainer())
    assert next(texts) == "low"


def test_any_iterable_of_texts_is_a_batch(tokenizer: Tokenizer) -> None:
    expected = [tokenizer.encode(text).ids for text in TEXTS]
    for texts in (TEXTS, tuple(TEXTS), iter(TEXTS), (text for text in TEXTS)):
        assert [each.ids for each in tokenizer.encode_batch(texts)] == expected


def test_a_corpus_without_words_is_warned_of() -> None:
    tokenizer, trainer = pipelines.bpe(show_progress=False)
    with pytest.warns(UserWarning, match="the corpus has no words"):
        tokenizer.train_from_iterator([""], trainer)
    assert tokenizer.get_vocab() == {"<unk>": 0}


def test_an_encoding_says_what_it_holds(tokenizer: Tokenizer) -> None:
    shown = "Encoding(num_tokens=1, attributes=[ids, type_ids, tokens, offsets, attention_mask, special_tokens_mask, "
    assert repr(tokenizer.encode("low")) == f"{shown}overflowing])"


@pytest.mark.parametrize("name", pipelines.PIPELINES)
def test_copies_pickles_and_threads(name: str) -> None:
    tokenizer, trainer = pipelines.PIPELINES[name](vocab_size=300, show_progress=False)
    tokenizer.train_from_iterator(TEXTS, trainer)
    expected = [each.tokens for each in tokenizer.encode_batch(TEXTS)]
    for other in (copy.deepcopy(tokenizer), pickle.loads(pickle.dumps(tokenizer))):
        assert other.to_str() == tokenizer.to_str()
        assert [each.tokens for each in other.encode_batch(TEXTS)] == expected
    found: list[list[list[str]]] = []
    workers = [
        threading.Thread(target=lambda: found.append([tokenizer.encode(text).tokens for text in TEXTS]))
        for _ in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == [expected] * 4


def test_the_four_lists_of_a_plain_encoding(tokenizer: Tokenizer) -> None:
    encoding = tokenizer.encode("low new")
    n = len(encoding)
    assert n > 0
    lists = (encoding.type_ids, encoding.attention_mask, encoding.special_tokens_mask, encoding.overflowing)
    assert lists == ([0] * n, [1] * n, [0] * n, [])
    canonical = tokenizer.to_tokenizers().encode("low new")
    theirs = (canonical.type_ids, canonical.attention_mask, canonical.special_tokens_mask, canonical.overflowing)
    assert lists == theirs


def test_ids_may_come_one_by_one_and_lie_far_apart(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("low new").ids
    assert tokenizer.decode(id for id in ids) == "low new"
    gaps = Tokenizer(models.BPE({"a": 0, "b": 2**31 - 1}, []))
    assert gaps.decode_batch([[2**31 - 1, 5, 0], []]) == ["b a", ""]


# --- files


def test_the_rights_of_a_file_stay(tmp_path: Path) -> None:
    path = tmp_path / "private"
    path.write_text("")
    path.chmod(0o600)
    write_text(path, "text")
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_link_is_followed_and_rights_are_the_usual(tmp_path: Path) -> None:
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    write_text(target, "old")
    link.symlink_to(target)
    write_text(link, "é\r\n")
    assert link.is_symlink()
    assert read_text(target) == "é\r\n"
    ordinary = tmp_path / "ordinary"
    ordinary.write_text("")
    assert target.stat().st_mode == ordinary.stat().st_mode
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.json", "ordinary", "target.json"]


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    write_text(pipe, "text")
    reader.join()
    assert read == ["text"]
    assert pipe.is_fifo()


def test_a_path_that_cannot_be_written_is_named(tmp_path: Path, tokenizer: Tokenizer) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        tokenizer.save(str(tmp_path / "nowhere" / "t.json"))
    assert missing.value.filename == str(tmp_path / "nowhere" / "t.json")
    with pytest.raises(IsADirectoryError) as folder:
        tokenizer.save(str(tmp_path))
    assert folder.value.filename == str(tmp_path)
    with pytest.raises(FileNotFoundError) as unsaved:
        tokenizer.model.save(str(tmp_path / "nowhere"))  # type: ignore[attr-defined]
    assert unsaved.value.filename == str(tmp_path / "nowhere" / "vocab.json")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(b"caf\xe9")
    with pytest.raises(ValueError, match=r"t.json is not UTF-8 text \(byte 4 of line 1\): convert it to UTF-8"):
        Tokenizer.from_file(str(path))
    path.write_text("cafe")
    with pytest.raises(ValueError, match=r"t.json: not a valid tokenizer.json: Expecting value"):
        Tokenizer.from_file(str(path))


@pytest.mark.parametrize("before", [0, 30_000], ids=["one part", "parts of threads"])
@pytest.mark.parametrize(
    ("batch", "said"),
    [
        (["a", "b\ud800"], "text {} holds the lone surrogate '\\ud800' at character 1"),
        ([("a", "b"), ("c\ud800", "d"), "e"], "text {} (first of the pair) holds"),
        ([("a", "b"), ("c", "d\ud800")], "text {} (second of the pair) holds"),
        ([["a", "b"], [], ["\ud800", "c"]], "text {} (word 0) holds"),
        ([["a", "b"], (["c"], ["d", "e\ud800"])], "text {} (second of the pair, word 1) holds"),
    ],
)
def test_an_error_names_the_input_of_a_text(tokenizer: Tokenizer, batch: list[Any], said: str, before: int) -> None:
    words = isinstance(batch[0], list)
    row = before + next(i for i, each in enumerate(batch) if "\\ud800" in repr(each))
    for encode in (tokenizer.encode_batch, tokenizer.encode_batch_fast):
        with pytest.raises(ValueError, match=re.escape(said.format(row))):
            encode([batch[0]] * before + batch, is_pretokenized=words)
