"""WordPieceTrainer: the library's vocabulary, and the criteria of the papers."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import naive_bpe
import numpy as np
import pytest
from bpe_corpora import CORPORA, counted_words, library_model, tokens_by_id, word_counts
from fresh_process import run_python
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from tokenizers_impl._text.words import WordCounts
from tokenizers_impl.models import BPE, WordPiece
from tokenizers_impl.trainers import WordPieceTrainer
from tokenizers_impl.trainers._bpe_training import BpeOptions
from tokenizers_impl.trainers._wordpiece_trainer import learn_by_gain

GAINS = ("likelihood", "quotient", "union")
HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def train(counts: dict[str, int], model: WordPiece | None = None, **options: Any) -> tuple[WordPiece, WordPieceTrainer]:
    trainer = WordPieceTrainer(show_progress=False, **options)
    return trainer.train_words(WordCounts.of(counts), model or WordPiece()), trainer


# The library.


@pytest.mark.slow
@pytest.mark.parametrize("size", [1000, 8000])
@pytest.mark.parametrize("corpus", CORPORA)
def test_the_library_learns_the_same_from_real_text(corpus: str, size: int) -> None:
    # A text with "##" in it makes tokens that are two things at once: see test_bpe_trainer.py.
    counts = {word: n for word, n in word_counts(corpus).items() if "#" not in word}
    expected = library_model(counts, "WordPiece", vocab_size=size)
    model, _ = train(counts, vocab_size=size, affix_order=tokens_by_id(expected))
    assert model.to_json()["vocab"] == expected["vocab"]
    assert len(expected["vocab"]) > 300


@examples(100)
@given(
    counted_words("abc"),
    st.fixed_dictionaries(
        {
            "vocab_size": st.sampled_from([0, 4, 9, 20, 200]),
            "min_frequency": st.sampled_from([0, 2, 5]),
            "special_tokens": st.sampled_from([[], ["[UNK]"], ["ab", "a"], ["##b", "[PAD]"]]),
            "initial_alphabet": st.sampled_from([[], ["z"], ["a", "xyz", "y"]]),
            "continuing_subword_prefix": st.sampled_from(["##", "@"]),
            "end_of_word_suffix": st.sampled_from([None, "</w>"]),
        }
    ),
)
def test_the_library_learns_the_same_with_every_option(counts: dict[str, int], options: dict[str, Any]) -> None:
    expected = library_model(counts, "WordPiece", **options)
    model, _ = train(counts, **options, affix_order=tokens_by_id(expected))
    assert model.to_json()["vocab"] == expected["vocab"]


def test_the_library_keeps_the_same_characters_given_its_choice() -> None:
    counts = {"abcdef": 1, "fa": 1}
    expected = library_model(counts, "WordPiece", limit_alphabet=3)
    order = tokens_by_id(expected)
    model, _ = train(counts, limit_alphabet=3, affix_order=order, alphabet_order=[c for c in order if len(c) == 1])
    assert model.to_json()["vocab"] == expected["vocab"]


# The gains.


@examples(300)
@given(
    counted_words("ab#", most=14),
    st.sampled_from(GAINS),
    st.sampled_from([None, 0.0625, 0.5, 1.0, 2.0]),
    st.fixed_dictionaries(
        {
            "vocab_size": st.sampled_from([None, 5, 12, 30]),
            "min_frequency": st.sampled_from([0, 2, 3]),
            "special_tokens": st.sampled_from([(), ("ab", "a"), ("##a", "#")]),
            "limit_alphabet": st.sampled_from([None, None, 1, 2]),
            "continuing_subword_prefix": st.sampled_from([None, "##", "#"]),
            "end_of_word_suffix": st.sampled_from([None, None, ">", "b"]),
        }
    ),
)
def test_the_twin_learns_the_same_by_gain(
    counts: dict[str, int], criterion: str, min_gain: float | None, options: dict[str, Any]
) -> None:
    check_twin(counts, criterion, min_gain, options)


@pytest.mark.parametrize("criterion", GAINS)
def test_the_twin_learns_the_same_by_gain_from_real_text(criterion: str) -> None:
    counts = dict(list(word_counts("iso_names/fr.txt").items())[:250])
    merges = check_twin(
        counts, criterion, None, {"continuing_subword_prefix": "##", "min_frequency": 2, "num_merges": 120}
    )
    assert merges == 120


def check_twin(counts: dict[str, int], criterion: str, min_gain: float | None, options: dict[str, Any]) -> int:
    # The twin has exact fractions; it does not take the logarithm.
    if min_gain is None:
        least = None
    else:
        least = Fraction(min_gain if criterion == "quotient" else math.exp(min_gain))
    tokens, merges, history = naive_bpe.bpe(counts, **options, criterion=criterion, min_gain=least)
    learnt = learn_by_gain(WordCounts.of(counts), BpeOptions(**options), criterion, min_gain)
    assert (learnt.tokens, learnt.merges()) == (tokens, merges)
    gains = [row["gain"] for row in learnt.history]
    assert [{**row, "gain": None} for row in learnt.history] == [{**row, "gain": None} for row in history]
    expected = [float(row["gain"]) if criterion == "quotient" else math.log(row["gain"]) for row in history]
    np.testing.assert_allclose(gains, expected, rtol=1e-12, atol=1e-12)
    return len(merges)


# Going on from a model.


@examples(300)
@given(
    st.lists(st.text("ab#", min_size=1, max_size=5), unique=True, max_size=10),
    counted_words("abc#", most=10),
    st.sampled_from(("frequency", *GAINS)),
    st.fixed_dictionaries(
        {
            "vocab_size": st.sampled_from([None, 5, 12, 30]),
            "min_frequency": st.sampled_from([0, 2, 3]),
            "special_tokens": st.sampled_from([(), ("ab", "a"), ("##a", "#")]),
            "limit_alphabet": st.sampled_from([None, None, 1, 2]),
            "initial_alphabet": st.sampled_from([(), ("z",)]),
            "continuing_subword_prefix": st.sampled_from([None, "##", "#"]),
        }
    ),
)
def test_the_twin_goes_on_to_the_same(
    vocab: list[str], counts: dict[str, int], criterion: Any, options: dict[str, Any]
) -> None:
    tokens, _, history = naive_bpe.bpe(counts, **options, criterion=criterion, wordpiece=vocab)
    known = WordPiece(
        {token: id for id, token in enumerate(vocab)},
        max_input_chars_per_word=3,
        continuing_subword_prefix=options["continuing_subword_prefix"] or "",
    )
    model, trainer = train(counts, known, **options, criterion=criterion, extend=True)
    assert list(model.get_vocab()) == tokens
    assert tokens[: len(vocab)] == vocab
    expected = [{name: value for name, value in row.items() if name != "gain"} for row in history]
    assert [{name: row[name] for name in row if name != "gain"} for row in trainer.history] == expected
    assert model.max_input_chars_per_word == 3


@pytest.mark.parametrize("criterion", ["frequency", *GAINS])
def test_going_on_keeps_ids_and_reaches_the_size(criterion: Any) -> None:
    counts = word_counts("iso_names/de.txt")
    options = {"special_tokens": ["[UNK]"], "criterion": criterion, "min_frequency": 2}
    small, _ = train(counts, vocab_size=300, **options)
    large, trainer = train(counts, small, vocab_size=500, extend=True, **options)
    assert list(large.get_vocab())[:300] == list(small.get_vocab())
    assert large.get_vocab_size() == 500
    assert trainer.history[0]["vocab_size"] == 301
    assert train(counts, small, vocab_size=500, extend=True, **options)[0].to_json() == large.to_json()
    for size in (300, 7):
        same, trainer = train(counts, small, vocab_size=size, extend=True, **options)
        assert (same.to_json(), trainer.history) == (small.to_json(), [])


def test_going_on_is_one_training_where_the_model_cuts_the_words_as_the_merges_left_them() -> None:
    counts = {"low": 8, "lower": 5, "newer": 3}
    whole, all_steps = train(counts, vocab_size=15)
    begun, first_steps = train(counts, vocab_size=12)
    assert len(first_steps.history) == 2
    gone_on, steps = train(counts, begun, vocab_size=15, extend=True)
    assert gone_on.get_vocab() == whole.get_vocab()
    assert [row["pair"] for row in first_steps.history + steps.history] == [row["pair"] for row in all_steps.history]
    # Where it does not: the merges left l ##ow, the longest token first is lo ##w.
    model = WordPiece({"l": 0, "o": 1, "w": 2, "##o": 3, "##w": 4, "##ow": 5, "lo": 6})
    assert train({"low": 1}, model, vocab_size=8, extend=True)[1].history[0]["pair"] == ("lo", "##w")


def test_going_on_with_other_words_adds_characters_and_special_tokens() -> None:
    model, _ = train({"low": 5, "lot": 2}, special_tokens=["[UNK]"], vocab_size=8)
    longer, trainer = train({"lowx": 3, "xlow": 1}, model, vocab_size=14, special_tokens=["[CLS]"], extend=True)
    assert list(model.get_vocab()) == ["[UNK]", "l", "o", "t", "w", "##o", "##t", "##w"]
    assert list(longer.get_vocab())[8:] == ["[CLS]", "x", "##l", "##x", "##ow", "low"]
    assert trainer.history[0] == {
        "step": 1, "pair": ("##o", "##w"), "count": 4, "token": "##ow", "vocab_size": 13, "corpus_tokens": 12,
    }  # fmt: skip


def test_a_model_that_cannot_be_gone_on_from_is_refused() -> None:
    model = WordPiece({"a": 0})
    with pytest.raises(ValueError, match="continuing_subword_prefix is '@' but the model to extend has '##'"):
        train({"a": 1}, model, continuing_subword_prefix="@", extend=True)
    with pytest.raises(ValueError, match="end_of_word_suffix is '_' but the model to extend has None"):
        train({"a": 1}, model, end_of_word_suffix="_", extend=True)
    with pytest.raises(ValueError, match="no id 1 but 2 for 'b'"):
        train({"a": 1}, WordPiece({"a": 0, "b": 2}), extend=True)
    with pytest.raises(ValueError, match=r"WordPieceTrainer can only train a WordPiece.*models.BPE"):
        WordPieceTrainer(extend=True).train_words(WordCounts.of({"a": 1}), BPE())


def test_the_gains_by_hand() -> None:
    # 5 times ##g ##s among 20 ##g, 5 ##s and 113 symbols.
    history = {name: train(HUGS, criterion=name, min_frequency=1)[1].history[0] for name in GAINS}
    assert {row["pair"] for row in history.values()} == {("##g", "##s")}
    total = 10 * 3 + 5 * 3 + 12 * 3 + 4 * 3 + 5 * 4
    assert history["quotient"]["gain"] == 5 / (20 * 5)
    assert history["likelihood"]["gain"] == pytest.approx(math.log((5 / total) / (20 / total * 5 / total)), rel=1e-14)
    assert history["union"]["gain"] == pytest.approx(math.log((5 / 20) / (20 / total * 5 / total)), rel=1e-14)
    assert history["union"]["corpus_tokens"] == total - 5


def test_training_ends_where_no_gain_is_as_high() -> None:
    model, trainer = train(HUGS, criterion="quotient", min_frequency=1, min_gain=0.05)
    assert [row["token"] for row in trainer.history] == ["##gs"]
    assert model.token_to_id("##gs") == model.get_vocab_size() - 1
    assert train(HUGS, criterion="quotient", min_frequency=1, min_gain=0.06)[1].history == []


def test_rare_pairs_are_left_out_by_default_where_they_gain_most() -> None:
    counts = {"ab": 1, "cd": 30, "ce": 19}
    assert [row["pair"] for row in train(counts, criterion="likelihood")[1].history] == [("c", "##d")]
    assert train(counts, criterion="likelihood", min_frequency=0)[1].history[0]["pair"] == ("a", "##b")
    assert train(counts)[1].min_frequency == 0


def test_the_bar_of_merges_ends_where_they_do(capfd: pytest.CaptureFixture[str]) -> None:
    trainer = WordPieceTrainer(criterion="quotient", min_frequency=1, min_gain=0.05)
    trainer.train_words(WordCounts.of(HUGS), WordPiece())
    last = capfd.readouterr().err.rstrip().rpartition("\r")[2]
    assert last.startswith("Compute merges: 100%")
    assert "| 1/1 " in last


def test_large_counts_do_not_overflow() -> None:
    big = 3_000_000_000_000
    learnt = learn_by_gain(WordCounts.of({"ab": big, "ac": big, "de": big}), BpeOptions(num_merges=2), "quotient")
    assert learnt.merges()[0] == ("d", "e")
    assert learnt.gains == [1 / big, 1 / (2 * big)]


@pytest.mark.slow
def test_a_long_word_is_merged_in_few_steps() -> None:
    learnt = learn_by_gain(WordCounts.of({"ab" * 500_000: 1}), BpeOptions(min_frequency=2), "likelihood")
    assert len(learnt.rows) < 60
    assert learnt.rows[-1, 5] < 20


# Models and options.


def test_the_model_keeps_its_settings() -> None:
    model, trainer = train(
        HUGS, WordPiece(unk_token="<unk>", max_input_chars_per_word=7), continuing_subword_prefix="@"
    )
    assert (model.unk_token, model.max_input_chars_per_word, model.continuing_subword_prefix) == ("<unk>", 7, "@")
    assert trainer.history[0]["pair"] == ("@u", "@g")


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="criterion is 'pmi': give one of 'frequency'"):
        WordPieceTrainer(criterion="pmi")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"min_gain is 1\.0, but 'frequency' has no gain"):
        WordPieceTrainer(min_gain=1.0)
    with pytest.raises(ValueError, match=r"WordPieceTrainer can only train a WordPiece.*models.BPE"):
        WordPieceTrainer().train_words(WordCounts.of({"a": 1}), BPE())


def test_nothing_comes_of_nothing() -> None:
    for criterion in ("frequency", *GAINS):
        model, trainer = train({}, criterion=criterion, special_tokens=["[UNK]"])
        assert (model.get_vocab(), trainer.history) == ({"[UNK]": 0}, [])


PROGRAM = """
import warnings
warnings.simplefilter("error")
from tokenizers_impl._text.words import WordCounts
from tokenizers_impl.models import WordPiece
from tokenizers_impl.trainers._bpe_training import BpeOptions
from tokenizers_impl.trainers._wordpiece_trainer import learn_by_gain
counts = WordCounts.of({"#babab": 3, "aaaa": 2, "ab##ab": 1, "b#a": 3_000_000_000, "bbbabaa": 4})
for criterion in ("likelihood", "quotient", "union"):
    for prefix in ("#", "##"):
        learnt = learn_by_gain(counts, BpeOptions(continuing_subword_prefix=prefix), criterion)
        print(learnt.tokens, learnt.rows.tolist(), learnt.gains)
        model = WordPiece({"##ab": 0, "ba": 1, "b": 2}, continuing_subword_prefix=prefix)
        options = BpeOptions(continuing_subword_prefix=prefix, limit_alphabet=1, extend=True)
        print(learn_by_gain(counts, options, criterion, model=model).tokens)
"""


def test_without_compilation_the_same_comes_out(tmp_path: Path) -> None:
    root = str(Path(__file__).resolve().parents[2])
    compiled = run_python(PROGRAM, tmp_path, PYTHONPATH=root)
    assert compiled.count("\n") == 12
    assert run_python(PROGRAM, tmp_path, PYTHONPATH=root, NUMBA_DISABLE_JIT="1") == compiled
