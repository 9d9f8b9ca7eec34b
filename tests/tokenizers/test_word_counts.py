"""Counted words: as training sees them, added up from parts, the same saved file as training on all texts."""

from __future__ import annotations

import copy
import pickle
import random
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from tokenizers_impl import Tokenizer, WordCounter, models, normalizers, pipelines, pre_tokenizers, trainers

_DRAW = random.Random(11)
_WORDS = ["".join(_DRAW.choices("aeilnorstäß漢", k=_DRAW.randint(1, 9))) for _ in range(300)]
TEXTS = [" ".join(_DRAW.choices(_WORDS, k=_DRAW.randint(0, 12))) for _ in range(400)]


def word_level(**options: Any) -> tuple[Tokenizer, trainers.Trainer]:
    tokenizer = Tokenizer(models.WordLevel(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer, trainers.WordLevelTrainer(special_tokens=["<unk>"], **options)


# Every trainer, with the options that ask for the order of words or for ties.
TRAININGS: dict[str, tuple[Any, dict[str, Any]]] = {
    **{name: (pipeline, {}) for name, pipeline in pipelines.PIPELINES.items()},
    "word level": (word_level, {"min_frequency": 2}),
    "cut alphabet": (pipelines.bpe, {"limit_alphabet": 7}),
    "first": (pipelines.bpe, {"tie_break": "first"}),
    "lexicographic": (pipelines.bpe, {"tie_break": "lexicographic"}),
    "bytes": (pipelines.byte_level_bpe, {"tie_break": "bytes"}),
    "sentencepiece": (pipelines.bpe, {"tie_break": "sentencepiece"}),
    "likelihood": (pipelines.wordpiece, {"criterion": "likelihood", "min_frequency": 3}),
    "union": (pipelines.wordpiece, {"criterion": "union", "min_frequency": 3}),
    "bpe seed": (pipelines.unigram, {"seed": "bpe"}),
    "sentencepiece's losses": (pipelines.unigram, {"prune_loss": "sentencepiece", "em": "plain"}),
}


def ready(name: str) -> tuple[Tokenizer, trainers.Trainer]:
    pipeline, options = TRAININGS[name]
    tokenizer, trainer = pipeline(vocab_size=320, show_progress=False, **options)
    return tokenizer, trainer


def trained_on_texts(name: str) -> str:
    tokenizer, trainer = ready(name)
    tokenizer.train_from_iterator(TEXTS, trainer)
    return str(tokenizer.to_str())


def trained_on_counts(name: str, counts: Counter[str]) -> str:
    tokenizer, trainer = ready(name)
    tokenizer.train_from_counts(counts, trainer)
    return str(tokenizer.to_str())


# --- the words


@given(st.lists(st.text("aB é\n,漢ǅ\u0301", max_size=12), max_size=6))
@examples(200)
def test_words_are_those_of_the_librarys_normalizer_and_pre_tokenizer(texts: list[str]) -> None:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    theirs = tokenizer.to_tokenizers()
    wanted: Counter[str] = Counter()
    for text in texts:
        cut = theirs.pre_tokenizer.pre_tokenize_str(theirs.normalizer.normalize_str(text))
        wanted.update(word for word, _ in cut)
    found = tokenizer.word_counts(texts)
    assert (found, list(found)) == (wanted, list(wanted))


def test_without_a_pre_tokenizer_a_text_is_a_word_and_lists_of_texts_are_texts() -> None:
    tokenizer = Tokenizer(models.BPE())
    assert tokenizer.word_counts(["a b", ["a b", "c"], ""]) == {"a b": 2, "c": 1}
    assert tokenizer.word_counts([]) == {}


# --- training on their sum


@pytest.mark.parametrize("name", TRAININGS)
def test_training_on_the_sum_of_parts_equals_training_on_all_texts(name: str) -> None:
    tokenizer, _ = ready(name)
    cuts = [0, 50, 50, 51, 300, len(TEXTS)]
    parts = [tokenizer.word_counts(TEXTS[start:end]) for start, end in pairwise(cuts)]
    total = sum(parts, WordCounter())
    assert list(total.items()) == list(tokenizer.word_counts(TEXTS).items())
    assert trained_on_counts(name, total) == trained_on_texts(name)


@pytest.mark.parametrize("name", [name for name in TRAININGS if name != "first"])
def test_the_order_of_the_words_changes_nothing(name: str) -> None:
    words = list(ready(name)[0].word_counts(TEXTS).items())
    random.Random(3).shuffle(words)
    assert trained_on_counts(name, WordCounter(dict(words))) == trained_on_texts(name)


def test_first_takes_the_order_of_the_counts() -> None:
    merges = []
    for words in (["ab", "cd"], ["cd", "ab"]):
        tokenizer, trainer = pipelines.bpe(num_merges=1, tie_break="first", end_of_word_suffix="", show_progress=False)
        tokenizer.train_from_counts(WordCounter(words), trainer)
        merges.append(tokenizer.encode("abcd").tokens)
    assert merges == [["ab", "c", "d"], ["a", "b", "cd"]]


def test_the_sum_gives_what_the_library_learns_from_the_texts() -> None:
    ours, trainer = pipelines.byte_level_bpe(vocab_size=400, show_progress=False)
    ours.train_from_counts(ours.word_counts(TEXTS[:170]) + ours.word_counts(TEXTS[170:]), trainer)
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    theirs.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    peer = tokenizers.trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, show_progress=False)
    theirs.train_from_iterator(TEXTS, peer)
    assert ours.to_str() == theirs.to_str()


def test_processes_count_where_the_texts_are() -> None:
    tokenizer, _ = ready("unigram")
    parts = [TEXTS[start : start + 90] for start in range(0, len(TEXTS), 90)]
    total = WordCounter()
    with ProcessPoolExecutor(2) as executor:
        for counted in executor.map(tokenizer.word_counts, parts):
            total += counted
    assert trained_on_counts("unigram", total) == trained_on_texts("unigram")


# --- the counter

COUNTS = st.dictionaries(st.sampled_from("abcde"), st.integers(1, 5))


@given(COUNTS, COUNTS, COUNTS)
@examples(300)
def test_counters_add_up_as_those_of_the_standard_library(one: Any, two: Any, three: Any) -> None:
    plain = Counter(one) + Counter(two) + Counter(three)
    parts = [WordCounter(counts) for counts in (one, two, three)]
    before = copy.deepcopy(parts)
    assert list((parts[0] + (parts[1] + parts[2])).items()) == list(plain.items())
    assert list(sum(parts, WordCounter()).items()) == list(plain.items())
    assert parts == before


@given(COUNTS, COUNTS, st.integers(1, 7), st.integers(1, 7))
@examples(300)
def test_the_threshold_drops_rarer_words_and_is_named(one: Any, two: Any, least: int, other: int) -> None:
    kept = WordCounter(one).at_least(least)
    assert kept == {word: count for word, count in one.items() if count >= least}
    both = kept + WordCounter(two).at_least(other)
    assert (kept.min_count, both.min_count) == (least, max(least, other))
    for same in (pickle.loads(pickle.dumps(both)), copy.deepcopy(both), both.copy(), both + Counter()):
        assert (same, same.min_count, list(same)) == (both, both.min_count, list(both))


def test_the_threshold_of_word_counts() -> None:
    tokenizer, _ = ready("bpe")
    counted = tokenizer.word_counts(["a b a c", "b"], min_count=2)
    assert repr(counted) == "WordCounter({'a': 2, 'b': 2}, min_count=2)"
    assert counted == tokenizer.word_counts(["a b a c", "b"]).at_least(2)
    with pytest.raises(ValueError, match="min_count=-1: give an integer from 0"):
        tokenizer.word_counts(["a"], min_count=-1)
