"""What trainers refuse, and what they take although it is odd."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tokenizers_impl import AddedToken, Tokenizer, models, pipelines, pre_tokenizers
from tokenizers_impl.trainers import BpeTrainer, Trainer, UnigramTrainer, WordPieceTrainer


def trained(corpus: list[str], trainer: Trainer, tokenizer: Tokenizer | None = None) -> Tokenizer:
    target = tokenizer or Tokenizer(models.BPE())
    target.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    target.train_from_iterator(corpus, trainer)
    return target


@pytest.mark.parametrize(
    ("trainer", "options", "message"),
    [
        (BpeTrainer, {"end_of_word_suffix": 5}, "end_of_word_suffix is 5: give a string, or None"),
        (BpeTrainer, {"initial_alphabet": "xyz"}, "initial_alphabet is 'xyz': give a list of strings"),
        (BpeTrainer, {"initial_alphabet": 5}, "initial_alphabet is 5: give a list of strings"),
        (BpeTrainer, {"initial_alphabet": ["a", None]}, r"initial_alphabet\[1\] is None: give strings"),
        (BpeTrainer, {"affix_order": "ab"}, "affix_order is 'ab': give a list of strings"),
        (BpeTrainer, {"min_frequency": None}, "min_frequency is None: give an integer, 0 or more"),
        (BpeTrainer, {"vocab_size": -1}, "vocab_size is -1: give an integer, 0 or more"),
        (BpeTrainer, {"vocab_size": True}, "vocab_size is True: give an integer"),
        (BpeTrainer, {"tie_break": "last"}, "tie_break is 'last': give one of 'hf', 'lexicographic'"),
        (BpeTrainer, {"end_of_word": "symbol"}, "give the symbol as end_of_word_suffix"),
        (
            BpeTrainer,
            {"end_of_word": "symbol", "end_of_word_suffix": "$", "continuing_subword_prefix": "##"},
            "continuing_subword_prefix is '##': give one of the two",
        ),
        (WordPieceTrainer, {"initial_alphabet": "xyz"}, "initial_alphabet is 'xyz': give a list of strings"),
        (WordPieceTrainer, {"criterion": "luck"}, "criterion is 'luck': give one of 'frequency'"),
        (UnigramTrainer, {"unk_token": 5}, "unk_token is 5: give a string, or None"),
        (UnigramTrainer, {"shrinking_factor": "x"}, "shrinking_factor is 'x': give a number"),
        (UnigramTrainer, {"shrinking_factor": 1}, "shrinking_factor is 1.0: set a number in"),
        (
            WordPieceTrainer,
            {"criterion": "likelihood", "min_gain": math.nan},
            "min_gain is nan: give a number, or None",
        ),
        (UnigramTrainer, {"em": "map"}, "em is 'map': give one of 'bayes', 'plain'"),
    ],
)
def test_an_option_that_cannot_be_is_told(trainer: type[Trainer], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        trainer(**options)


def pairs(count: int) -> list[str]:
    """Words of two characters that come in no other word."""
    return [chr(0x4E00 + 2 * i) + chr(0x4E01 + 2 * i) for i in range(count)]


def test_the_default_size_does_not_hold_beside_a_number_of_merges() -> None:
    corpus = [" ".join(pairs(10_500))] * 2
    trainer = BpeTrainer(num_merges=10_400, show_progress=False)
    assert trainer.vocab_size is None
    assert trained(corpus, trainer).get_vocab_size() == 31_400
    assert trained(corpus, BpeTrainer(show_progress=False)).get_vocab_size() == 30_000
    both = BpeTrainer(num_merges=10_400, vocab_size=30_000, show_progress=False)
    assert trained(corpus, both).get_vocab_size() == 30_000
    assert len(both.history) == 9000
    assert BpeTrainer().vocab_size == BpeTrainer(vocab_size=None).vocab_size == 30_000
    assert "vocab_size=None" in repr(WordPieceTrainer(vocab_size=None))


@pytest.mark.parametrize("compat", ["hf-0.23", None])
def test_all_characters_are_there_even_if_fewer_tokens_are_asked_for(compat: Any) -> None:
    trainer = BpeTrainer(vocab_size=5, special_tokens=["<s>"], compat=compat, show_progress=False)
    assert set(trained(["quick brown"], trainer).get_vocab()) == {"<s>", *"quickbrown"}
    trainer_ = WordPieceTrainer(vocab_size=5, show_progress=False)
    tokenizer = Tokenizer(models.WordPiece())
    tokenizer.train_from_counts({"fox": 1}, trainer_)
    assert set(tokenizer.get_vocab()) == {*"fox", "##o", "##x"}


def test_numbers_of_numpy_and_tokens_set_as_strings_are_taken() -> None:
    trainer = BpeTrainer(vocab_size=np.int64(5), show_progress=False)
    trainer.special_tokens = ["<s>"]
    tokenizer = trained(["ab ab"], trainer)
    assert tokenizer.get_vocab() == {"<s>": 0, "a": 1, "b": 2, "ab": 3}
    assert tokenizer.decode([0, 3]) == "ab"


def test_going_on_keeps_to_the_longest_token() -> None:
    corpus = ["abcdefgh"] * 3 + ["abcd"] * 2
    limit = {"max_token_length": 5, "show_progress": False}
    once = trained(corpus, BpeTrainer(**limit))
    assert max(map(len, once.get_vocab())) == 4
    twice = trained(corpus, BpeTrainer(extend=True, **limit), trained(corpus, BpeTrainer(**limit)))
    assert twice.get_vocab() == once.get_vocab()


@pytest.mark.parametrize(("corpus", "limit"), [(["aab"], 0), ([], None)])
def test_an_end_of_word_symbol_needs_no_character(corpus: list[str], limit: int | None) -> None:
    options = {"end_of_word": "symbol", "end_of_word_suffix": "</w>", "limit_alphabet": limit}
    trainer = BpeTrainer(special_tokens=["<unk>"], show_progress=False, **options)
    if corpus:
        assert trained(corpus, trainer).get_vocab() == {"<unk>": 0, "</w>": 1}
    else:
        with pytest.warns(UserWarning, match="the corpus has no words"):
            assert trained(corpus, trainer).get_vocab() == {"<unk>": 0, "</w>": 1}


def test_a_piece_may_begin_with_the_character_nul() -> None:
    model = models.Unigram([("<unk>", 0.0), ("\x00", -1.0), ("a", -1.0)], 0)
    assert Tokenizer(model).encode("a\x00").ids == [2, 1]


def test_a_message_does_not_hold_a_word_of_a_million_characters() -> None:
    with pytest.raises(ValueError, match="Unk token `<unk>` not found in the vocabulary") as error:
        Tokenizer(models.BPE({"a": 0}, [], unk_token="<unk>")).encode("x" * 10**6)
    assert len(str(error.value)) < 300


@pytest.mark.parametrize(
    ("pipeline", "given", "ids"),
    [
        (pipelines.bpe, ["<pad>"], {"<unk>": 0, "<pad>": 1}),
        (pipelines.bpe, ("<pad>", AddedToken("<unk>")), {"<pad>": 0, "<unk>": 1}),
        (pipelines.bpe, None, {"<unk>": 0}),
        (pipelines.wordpiece, ["<s>"], {"[UNK]": 0, "<s>": 1}),
        (pipelines.unigram, ["<s>"], {"<unk>": 0, "<s>": 1}),
    ],
)
def test_pipelines_keep_their_unknown_token(pipeline: Any, given: Any, ids: dict[str, int]) -> None:
    tokenizer, trainer = pipeline(vocab_size=60, special_tokens=given, show_progress=False)
    tokenizer.train_from_iterator(["low slow lot"] * 3, trainer)
    assert {token: id for token, id in tokenizer.get_vocab().items() if id < len(ids)} == ids
    unknown = next(token for token in ids if "unk" in token.lower())
    assert ids[unknown] in tokenizer.encode("漢").ids


def test_pipelines_leave_wrong_special_tokens_to_the_trainer() -> None:
    with pytest.raises(ValueError, match="the tokens are 'abc': give a list"):
        pipelines.bpe(special_tokens="abc")
