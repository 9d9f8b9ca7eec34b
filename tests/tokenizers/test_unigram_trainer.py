"""Unigram training against the library, a slow twin, and what it promises of itself."""

from __future__ import annotations

import json
import math
import os
import random
import re
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import naive_unigram
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples, first_is_quick
from shared_data import DATA, beginning, lines
from unigram_library import Learnt, library_trainings

from tokenizers_impl._core.arrays import F64, I32
from tokenizers_impl._text.words import WordCounts
from tokenizers_impl.models import BPE, Unigram
from tokenizers_impl.trainers import BpeTrainer, UnigramTrainer, _suffix_array, _unigram_seed
from tokenizers_impl.trainers import _unigram_expectation as _e_step
from tokenizers_impl.trainers import _unigram_pruning as _second_best
from tokenizers_impl.trainers._bpe_training import BpeOptions, learn_merges
from tokenizers_impl.trainers._suffix_array import common_prefixes, room, suffix_array
from tokenizers_impl.trainers._unigram_expectation import digamma, exact_losses, expectation, viterbi
from tokenizers_impl.trainers._unigram_pruning import second_best
from tokenizers_impl.trainers._unigram_seed import Lexicon, Matches, UnigramOptions, WordText, seed_lexicon
from tokenizers_impl.trainers._unigram_trainer import Trained, train_unigram

CORPORA = ["gcide.en.txt.xz", "manpages.ja.txt.xz", "wikitext2.test.txt", "wikitext2.valid.txt"]
LANGUAGES = sorted(path.name for path in (DATA / "text/iso_names").glob("*.txt"))
BASE = {"hello": 3, "help": 2, "helper": 4, "yelp": 1}


def trained(counts: dict[str, int], **options: Any) -> Trained:
    listed = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
    return train_unigram(WordCounts.of(counts), UnigramOptions(**listed))


def trace(result: Trained) -> list[tuple[int, float]]:
    return [(row["vocab_size"], row["objective"]) for row in result.history if row["kind"] == "em"]


def long_pieces(vocab: list[tuple[str, float]]) -> dict[str, float]:
    return {piece: score for piece, score in vocab if len(piece) > 1}


def char_scores(vocab: list[tuple[str, float]]) -> list[float]:
    return sorted(score for piece, score in vocab if len(piece) == 1)


def assert_as_library(ours: Trained, theirs: Learnt) -> None:
    """Agreement C of the library with us, or of one of its runs with another one."""
    assert theirs.error == ""
    assert len(ours.vocab) == len(theirs.vocab)
    assert {piece for piece, _ in ours.vocab} == {piece for piece, _ in theirs.vocab}
    assert ours.unk_id == theirs.unk_id
    assert long_pieces(ours.vocab) == pytest.approx(long_pieces(theirs.vocab), rel=1e-9, abs=0)
    assert char_scores(ours.vocab) == pytest.approx(char_scores(theirs.vocab), rel=1e-9, abs=0)
    assert [size for size, _ in trace(ours)] == [size for size, _ in theirs.trace]
    objectives = [objective for _, objective in theirs.trace]
    assert [objective for _, objective in trace(ours)] == pytest.approx(objectives, rel=1e-12, abs=0)


def words_of(texts: list[str], limit: int) -> dict[str, int]:
    """Words as Metaspace makes them of the first `limit` characters."""
    counts: Counter[str] = Counter()
    size = 0
    for text in texts:
        size += len(text)
        if size > limit:
            break
        counts.update(re.findall("▁[^▁]*", "▁" + text.removeprefix(" ").replace(" ", "▁")))
    assert counts
    return dict(counts)


def corpus(name: str, limit: int) -> dict[str, int]:
    if name.endswith(".xz"):
        return words_of(beginning(f"text/{name}", limit + 1000).split("\n"), limit)
    return words_of(lines("text/" + name), limit)


def some_options(chars: int) -> list[dict[str, Any]]:
    return [
        {"vocab_size": chars + 300},
        {
            "vocab_size": chars + 1500,
            "unk_token": "<unk>",
            "special_tokens": ["<s>", "</s>"],
            "initial_alphabet": ["☃", "é"],
        },
        {"vocab_size": chars + 600, "max_piece_length": 5, "n_sub_iterations": 3, "shrinking_factor": 0.6},
        {"vocab_size": chars + 100, "special_tokens": ["<unk>"], "unk_token": "<unk>", "seed_size": 2000},
    ]


@pytest.mark.parametrize("name", first_is_quick([*CORPORA, *(f"iso_names/{language}" for language in LANGUAGES)]))
def test_corpora_as_library_in_two_processes(name: str) -> None:
    counts = corpus(name, 50_000)
    jobs = [(counts, options) for options in some_options(len(set("".join(counts))))]
    one, other = library_trainings(jobs, threads=1), library_trainings(jobs, threads=2)
    for (_, options), theirs, again in zip(jobs, one, other, strict=True):
        ours = trained(counts, **options)
        assert_as_library(ours, theirs)
        assert_as_library(ours, again)
        assert long_pieces(theirs.vocab) == pytest.approx(long_pieces(again.vocab), rel=1e-9, abs=0)


@pytest.mark.slow
def test_a_megabyte_as_library() -> None:
    counts = corpus("gcide.en.txt.xz", 1_000_000)
    options = {"vocab_size": 8000}
    (theirs,) = library_trainings([(counts, options)], threads=2)
    assert_as_library(trained(counts, **options), theirs)


def one_word(rng: random.Random) -> tuple[dict[str, int], dict[str, Any]]:
    letters = "abcdefghijklmnopqrstuvwxyz"[: rng.choice([1, 2, 2, 3, 4, 6, 26])]
    parts = ["".join(rng.choices(letters, k=rng.randint(1, 6))) for _ in range(4)]
    word = "".join(rng.choices(parts if rng.random() < 0.5 else letters, k=rng.choice([1, 2, 5, 20, 60])))
    options = {
        "vocab_size": max(12, len(set(word))) + rng.choice([0, 1, 3, 10, 40]),
        "max_piece_length": rng.choice([16, 16, 1, 2, 3, 5, 30]),
        "n_sub_iterations": rng.choice([1, 2, 3]),
        "shrinking_factor": rng.choice([0.75, 0.5, 0.9]),
    }
    return {word: rng.choice([1, 1, 2, 7, 100])}, options


@pytest.mark.slow
def test_one_word_is_equal_to_the_last_bit() -> None:
    rng = random.Random(7)
    jobs = [one_word(rng) for _ in range(600)]
    compared = 0
    for (counts, options), theirs in zip(jobs, library_trainings(jobs), strict=True):
        if theirs.trace[-1][0] == 1:
            # No piece survived: the library writes an infinite score, see below.
            continue
        ours = trained(counts, **options)
        assert trace(ours) == theirs.trace, (counts, options)
        assert long_pieces(ours.vocab) == long_pieces(theirs.vocab), (counts, options)
        assert char_scores(ours.vocab) == char_scores(theirs.vocab), (counts, options)
        assert {piece for piece, _ in ours.vocab} == {piece for piece, _ in theirs.vocab}
        compared += 1
    assert compared > 550


def test_few_words_as_library() -> None:
    rng = random.Random(11)
    jobs = []
    for _ in range(200):
        letters = "abcde"[: rng.randint(1, 5)]
        parts = ["".join(rng.choices(letters, k=rng.randint(1, 4))) for _ in range(5)]
        counts = {"".join(rng.choices(parts, k=rng.randint(1, 5))): rng.choice([1, 2, 5, 300]) for _ in range(20)}
        jobs.append((counts, {"vocab_size": rng.choice([12, 15, 20, 40]), "n_sub_iterations": rng.choice([1, 2, 3])}))
    for (counts, options), theirs in zip(jobs, library_trainings(jobs), strict=True):
        ours = trained(counts, **options)
        # Ties between pieces are cut by the last bits of sums, which the library takes in another order each time.
        assert [size for size, _ in trace(ours)] == [size for size, _ in theirs.trace]
        assert len(ours.vocab) == len(theirs.vocab)


@pytest.mark.parametrize(
    ("counts", "options"),
    [
        ({}, {}),
        ({}, {"unk_token": "<unk>", "special_tokens": ["<s>"]}),
        ({"a": 1}, {}),
        ({"a\0b": 3, "\0": 2, "ab": 2}, {"vocab_size": 20}),
        (BASE, {"vocab_size": 10, "unk_token": "<unk>", "special_tokens": ["<s>"]}),
        (BASE, {"vocab_size": 10, "unk_token": "<unk>", "special_tokens": ["<s>", "<unk>"]}),
        (BASE, {"vocab_size": 8, "special_tokens": ["<a>", "<b>", "<c>", "<d>", "<e>", "<f>", "<g>", "<h>", "<i>"]}),
        (BASE, {"vocab_size": 8, "special_tokens": ["<a>", "<b>"], "unk_token": "?"}),
        (BASE, {"vocab_size": 20, "special_tokens": ["hel"]}),
        (BASE, {"vocab_size": 20, "initial_alphabet": ["xyz", "y", ""]}),
        (BASE, {"vocab_size": 9, "n_sub_iterations": 0}),
        (BASE, {"vocab_size": 9, "shrinking_factor": 0.0}),
        (BASE, {"seed_size": 3}),
        (BASE, {"seed_size": 0}),
        (BASE, {"max_piece_length": 0}),
        ({"<UNK>": 3, "a<UNK>b": 2, "c<UNK>": 2}, {"vocab_size": 20}),
    ],
)
def test_corners_as_library(counts: dict[str, int], options: dict[str, Any]) -> None:
    (theirs,) = library_trainings([(counts, options)])
    trainer = UnigramTrainer(show_progress=False, **options)
    model = trainer.train_words(WordCounts.of(counts), Unigram())
    ours = Trained(list(model.vocab), model.unk_id, trainer.history)
    if counts:
        assert_as_library(ours, theirs)
    assert {piece for piece, _ in ours.vocab} == {piece for piece, _ in theirs.vocab}
    assert ours.unk_id == theirs.unk_id


words = st.dictionaries(
    st.lists(st.sampled_from(["a", "b", "ab", "ba", "abc", "cc", "dab"]), min_size=1, max_size=4).map("".join),
    st.sampled_from([1, 1, 2, 3, 10, 2**40]),
    min_size=1,
    max_size=20,
)


@examples(200)
@given(
    words,
    st.integers(8, 20),
    st.sampled_from([1, 2, 4, 6]),
    st.integers(1, 2),
    st.sampled_from([0.5, 0.75, 0.9]),
    st.sampled_from(["bayes", "plain"]),
    st.sampled_from(["hf", "sentencepiece"]),
    st.sampled_from(["hf-0.23", None]),
    st.sampled_from([10, 1_000_000]),
)
def test_twin_to_the_last_bit(
    counts: dict[str, int],
    vocab_size: int,
    longest: int,
    n_sub_iterations: int,
    shrinking_factor: float,
    em: str,
    prune_loss: str,
    compat: str | None,
    seed_size: int,
) -> None:
    options = {
        "vocab_size": vocab_size,
        "max_piece_length": longest,
        "n_sub_iterations": n_sub_iterations,
        "shrinking_factor": shrinking_factor,
        "em": em,
        "prune_loss": prune_loss,
        "compat": compat,
        "seed_size": seed_size,
    }
    ours = trained(counts, **options)
    vocab, steps = naive_unigram.train(counts, **options)
    assert ours.vocab == vocab
    assert trace(ours) == steps


def pieces_of(text: WordText, lexicon: Lexicon) -> list[str]:
    spans = zip(lexicon.places[1:].tolist(), lexicon.lengths[1:].tolist(), strict=True)
    return [text.chars(place, length) for place, length in spans]


def lattice_of(counts: dict[str, int], scores: list[float]) -> tuple[WordText, Lexicon, Matches, naive_unigram.Model]:
    """All seeds of these words with scores drawn in turn from the given ones: made for ties."""
    counted = WordCounts.of(counts)
    text = WordText.of(counted)
    lexicon, matches = seed_lexicon(counted, text, UnigramOptions(max_piece_length=8))
    size = len(lexicon.scores) - 1
    lexicon = Lexicon.of(lexicon.places[1:], lexicon.lengths[1:], np.resize(np.array(scores), size))
    twin = naive_unigram.Model([*zip(pieces_of(text, lexicon), lexicon.scores[1:].tolist(), strict=True)])
    return text, lexicon, matches, twin


# Sums of tenths are equal or not by rounding alone.
tied_scores = st.lists(st.sampled_from([-0.1, -0.2, -0.3, -0.4, -0.6, -0.7, -1.0, -2.0]), min_size=1, max_size=9)


@examples(200)
@given(words, tied_scores)
def test_ties_of_best_segmentations(counts: dict[str, int], scores: list[float]) -> None:
    text, lexicon, matches, twin = lattice_of(counts, scores)
    assert viterbi(text, matches, lexicon).tolist() == naive_unigram.frequencies(counts, twin)
    found = second_best(matches, lexicon)
    for piece, number in twin.numbers.items():
        paths = naive_unigram.two_best(twin, piece)
        alternatives = paths[1] if len(paths) == 2 and len(paths[0]) == 1 else []
        start = found.offsets[number]
        assert found.pieces[start : start + found.sizes[number]].tolist() == alternatives
        assert found.needed[number] == (len(paths) == 1 or len(paths[0]) == 1)


def test_agenda_that_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 100 000 replaced by 25, which only the function before compilation can see."""
    cuts, cut = [], _second_best._cut

    def counted(heap: I32, size: int, sums: F64) -> None:
        cuts.append(size)
        cut(heap, size, sums)

    monkeypatch.setattr(_second_best, "_LARGEST_AGENDA", 25)
    monkeypatch.setattr(_second_best, "_cut", counted)
    search = getattr(_second_best._search, "py_func", _second_best._search)
    rng = random.Random(5)
    for _ in range(100):
        parts = ["a", "b", "aa", "ab", "ba", "aab", "bab", "aaaa", "abab"]
        text = "".join(rng.choices(parts, k=12))
        scores = rng.choices([-1.0, -2.0, -1.5, -0.1, -3.0], k=len(parts))
        twin = naive_unigram.Model([*zip(parts, scores, strict=True), (text, -0.05)])
        nodes, best = np.array(twin.lattice(text), np.int32), np.full(len(text) + 1, -math.inf)
        best[0] = 0.0
        for begin, end, part in nodes.tolist():
            best[end] = max(best[end], best[begin] + twin.scores[part])
        found = np.zeros(len(text), np.int32)
        steps = search(nodes, len(nodes), len(text), np.array(twin.scores), best, found)
        assert [[len(parts) + 1], found[:steps].tolist()] == naive_unigram.two_best(twin, text, largest=25)
    assert len(cuts) > 50


# Products of these are within the range of floats, below it, or between.
low_scores = st.lists(st.sampled_from([-0.1, -1.0, -7.0, -60.0, -150.0, -500.0]), min_size=1, max_size=9)


@examples(200)
@given(words, low_scores)
def test_an_e_step_in_logarithms_and_in_probabilities(counts: dict[str, int], scores: list[float]) -> None:
    text, lexicon, matches, twin = lattice_of(counts, scores)
    expected, objective = naive_unigram.e_step(dict(sorted(counts.items())), twin)
    found, its_objective = expectation(text, matches, lexicon)
    assert found.tolist() == expected
    assert its_objective == objective
    with patch.object(_e_step, "_FEW_WORDS", 0):
        found, its_objective = expectation(text, matches, lexicon)
    # Logarithms of this size are rounded to 1e-13; products below 1e-308 lose digits.
    assert found.tolist() == pytest.approx(expected, rel=1e-11, abs=1e-80)
    assert its_objective == pytest.approx(objective, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("longest", [2, 900])
@pytest.mark.parametrize(("a", "b"), [(-3.0, -3.0), (-0.01, -12.0)])
def test_probabilities_of_words_that_get_longer_and_shorter(a: float, b: float, longest: int) -> None:
    """Products too small or too large for floats, next to others that share a beginning with them.

    With a = -0.01, products rise by exp(0.9) at each a and fall by exp(11) at each b.  The scaled probabilities of the
    longest pieces are beyond floats then.
    """
    counts = {"a" * n + "b" * m: n + m for n in (1, 10, 70, 90, 240, 1000) for m in (1, 2, 20, 30, 90)}
    counted = WordCounts.of(counts | {"cdefghijklmnopqrstuv": 1})
    text = WordText.of(counted)
    lexicon, matches = seed_lexicon(counted, text, UnigramOptions(max_piece_length=longest))
    pieces = pieces_of(text, lexicon)
    letters = {"a": a, "b": b}
    scores = [sum(letters.get(char, -2.5) for char in piece) if len(piece) < 3 else -20.0 for piece in pieces]
    lexicon = lexicon._replace(scores=np.array([-20.0, *scores]))
    expected, objective = expectation(text, matches, lexicon)
    with patch.object(_e_step, "_FEW_WORDS", 0):
        found, its_objective = expectation(text, matches, lexicon)
    # Logarithms of some thousands are rounded to 1e-12.
    assert found.tolist() == pytest.approx(expected.tolist(), rel=1e-10, abs=0)
    assert found.tolist() != expected.tolist()
    assert its_objective == pytest.approx(objective, rel=1e-12, abs=0)


def test_a_scaled_probability_beyond_floats_in_plain_python() -> None:
    scaled = getattr(_e_step._scaled, "py_func", _e_step._scaled)
    chances, rate = scaled(np.array([1, 900], np.int32), np.array([-1.0, -20.0]))
    assert rate * 900 - 20.0 > 709
    assert 1e204 < chances[1] < 1e205


@examples(100)
@given(words, tied_scores)
def test_exact_losses_are_the_difference_of_likelihoods(counts: dict[str, int], scores: list[float]) -> None:
    text, lexicon, matches, twin = lattice_of(counts, scores)
    losses = exact_losses(text, matches, lexicon).tolist()
    assert losses == pytest.approx(naive_unigram.exact_losses(counts, twin), rel=1e-9, abs=1e-12)


@examples(200)
@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=80), st.integers(1, 20), st.sampled_from([1, 2**9, 2**20, 2**29])
)
def test_suffix_array_is_sorted(numbers: list[int], depth: int, factor: int) -> None:
    symbols = np.array([number * factor for number in numbers] + [0], np.int32)
    listed = symbols.tolist()

    def suffix(position: int) -> list[int]:
        return listed[position : listed.index(0, position) + 1][:depth]

    order = suffix_array(symbols, room(symbols), depth)
    assert sorted(order.tolist()) == list(range(len(listed)))
    suffixes = [suffix(position) for position in order.tolist()]
    assert suffixes == sorted(suffixes)
    with patch.multiple(_suffix_array, _PART=6, _SAMPLED=3):
        assert suffix_array(symbols, room(symbols), depth).tolist() == order.tolist()
    with patch.object(_suffix_array, "_SLOTS", 7):
        shared = common_prefixes(symbols, order, depth).tolist()
    for one, other, length in zip(suffixes, suffixes[1:], shared[1:], strict=False):
        assert length == next(
            (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
        )


@examples(100)
@given(words, st.sampled_from(["suffix_array", "bpe"]), st.sampled_from([3, 12, 10**6]), st.sampled_from([5, 2**20]))
def test_matches_are_all_places_of_the_seeds(counts: dict[str, int], seed: str, seed_size: int, slots: int) -> None:
    counted = WordCounts.of(counts)
    text = WordText.of(counted)
    options = UnigramOptions(max_piece_length=5, seed=seed, seed_size=seed_size)
    with patch.object(_suffix_array, "_SLOTS", slots):
        lexicon, matches = seed_lexicon(counted, text, options)
    pieces = ["", *(text.chars(p, n) for p, n in zip(lexicon.places[1:], lexicon.lengths[1:], strict=True))]
    if seed == "suffix_array":
        expected = [piece for piece, _ in naive_unigram.seeds(counts, 5, seed_size)]
        assert pieces[1:] == expected
        assert lexicon.scores[1:].tolist() == [score for _, score in naive_unigram.seeds(counts, 5, seed_size)]
    else:
        tokens = learn_merges(
            counted, BpeOptions(vocab_size=seed_size, min_frequency=2, max_token_length=5, compat=None)
        )
        assert {piece for piece in pieces[1:] if len(piece) > 1} <= set(tokens.tokens)
    for word, start in zip(sorted(counts), text.starts.tolist(), strict=False):
        for at in range(len(word)):
            ids = matches.ids[matches.offsets[start + at] : matches.offsets[start + at + 1]].tolist()
            starting = sorted((piece for piece in pieces[1:] if word.startswith(piece, at)), key=len)
            assert [pieces[number] for number in ids] == starting


def test_digamma() -> None:
    xs = np.linspace(0.5, 50, 300).tolist()
    assert [digamma(x) for x in xs] == [naive_unigram.digamma(x) for x in xs]
    # At whole numbers digamma is a harmonic number less Euler's constant.
    for n in (1, 2, 5, 30):
        assert digamma(float(n)) == pytest.approx(sum(1 / k for k in range(1, n)) - np.euler_gamma, abs=1e-8)


def test_threads_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = corpus("wikitext2.test.txt", 60_000)
    results = []
    monkeypatch.setattr(_unigram_seed, "_BLOCK", 1000)
    monkeypatch.setattr(_suffix_array, "_SLOTS", 1000)
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("RAYON_NUM_THREADS", threads)
        results.append([trained(counts, vocab_size=500, prune_loss=loss) for loss in ("hf", "exact")])
    assert results[0] == results[1] == results[2]
    assert len(WordText.of(WordCounts.of(counts)).blocks()) > 20
    monkeypatch.undo()
    whole = trained(counts, vocab_size=500)
    assert long_pieces(whole.vocab) == pytest.approx(long_pieces(results[0][0].vocab), rel=1e-9, abs=0)


def test_kernels_as_plain_python() -> None:
    program = (
        "import json\n"
        "from tokenizers_impl._text.words import WordCounts\n"
        "from tokenizers_impl.trainers import _unigram_expectation as expectation\n"
        "from tokenizers_impl.trainers._unigram_seed import UnigramOptions\n"
        "from tokenizers_impl.trainers._unigram_trainer import train_unigram\n"
        f"counts = WordCounts.of({BASE!r} | {{'aaaaaaaa': 3, 'ababab': 2}})\n"
        "for expectation._FEW_WORDS in (0, 1000):\n"
        "    for loss in ('hf', 'exact'):\n"
        "        for seed in ('suffix_array', 'bpe'):\n"
        "            options = UnigramOptions(vocab_size=12, prune_loss=loss, seed=seed)\n"
        "            print(json.dumps(train_unigram(counts, options)))\n"
    )
    outputs = []
    for disabled in ("0", "1"):
        environment = os.environ | {"NUMBA_DISABLE_JIT": disabled}
        command = [sys.executable, "-W", "error::RuntimeWarning", "-c", program]
        outputs.append(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert outputs[0] == outputs[1]
    assert len([json.loads(line) for line in outputs[0].splitlines()]) == 8


@pytest.mark.parametrize(
    ("em", "loss", "seed"), list(product(["bayes", "plain"], ["hf", "sentencepiece", "exact"], ["suffix_array", "bpe"]))
)
def test_repaired_vocabulary_is_never_larger_than_asked(em: str, loss: str, seed: str) -> None:
    counts = corpus("wikitext2.test.txt", 20_000)
    for size in (85, 120, 400):
        result = trained(
            counts, vocab_size=size, em=em, prune_loss=loss, seed=seed, compat=None, special_tokens=["<s>", "the"]
        )
        pieces = [piece for piece, _ in result.vocab]
        assert len(pieces) <= size
        assert len(set(pieces)) == len(pieces)
        assert set("".join(counts)) <= set(pieces)
        scores = [score for _, score in result.vocab[2:]]
        assert scores == sorted(scores, reverse=True)
        assert all(map(math.isfinite, scores))


def test_pruning_that_never_ends() -> None:
    counts = {"abcde": 50, "edcba": 40, "abab": 30}
    # 5 characters with the unknown one are more than 5 * 11 // 10, so the library prunes for ever.
    with pytest.raises(ValueError, match="compat=None"):
        trained(counts, vocab_size=5)
    assert len(trained(counts, vocab_size=5, compat=None).vocab) == 5


def test_no_piece_survives() -> None:
    (theirs,) = library_trainings([({"aaaaaaaaaa": 1}, {"vocab_size": 20})])
    assert theirs.vocab == [("a", None)]
    assert trained({"aaaaaaaaaa": 1}, vocab_size=20).vocab == [("a", 0.0)]


def test_literal_unk_in_the_text() -> None:
    (theirs,) = library_trainings([({"<UNK>": 3}, {"vocab_size": 20})])
    assert "likelihood is NAN" in theirs.error
    assert {piece for piece, _ in trained({"<UNK>": 3}, vocab_size=20).vocab} == set("<UNK>")


def test_counts_beyond_32_bits() -> None:
    """The library's counts wrap around at 2**32; the twin's integers have no end."""
    counts = {word: count * 2**33 for word, count in BASE.items()}
    assert trained(counts, vocab_size=12).vocab == naive_unigram.train(counts, 12)[0]


def test_plain_em_is_maximum_likelihood() -> None:
    """The objective never rises after a step that dropped nothing; with the prior of em="bayes" it may."""
    counts = {word: count * 100 for word, count in BASE.items()}
    steps = trace(trained(counts, vocab_size=100, em="plain", n_sub_iterations=30))
    falls = [
        after - before
        for (last, _), (size, before), (_, after) in zip(steps, steps[1:], steps[2:], strict=False)
        if last == size
    ]
    assert len(falls) > 20
    assert max(falls) <= 1e-12
    assert min(falls) < -1e-3


def test_a_word_of_many_characters() -> None:
    rng = random.Random(3)
    word = "".join(rng.choices("abcdefghij", k=100_000))
    result = trained({word: 1}, vocab_size=300)
    assert len(result.vocab) == 300


def test_words_without_characters_are_left_out() -> None:
    assert trained({"": 7, **BASE}, vocab_size=10) == trained(BASE, vocab_size=10)


def test_settings_of_the_model() -> None:
    model = Unigram(byte_fallback=True, seed=5)
    counts = WordCounts.of(BASE)
    library = UnigramTrainer(show_progress=False).train_words(counts, model)
    repaired = UnigramTrainer(show_progress=False, compat=None).train_words(counts, model)
    assert (library.byte_fallback, repaired.byte_fallback) == (False, True)
    assert library.seed == repaired.seed == 5
    assert model.byte_fallback
    assert model.vocab == (("<unk>", 0.0),)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vocab_size": -1}, "vocab_size is -1"),
        ({"vocab_size": "8k"}, "vocab_size is '8k': give an integer"),
        ({"max_piece_length": -2}, "max_piece_length is -2"),
        ({"shrinking_factor": 1.0}, "shrinking_factor is 1.0"),
        ({"em": "hard"}, "em is 'hard': give one of 'bayes', 'plain'"),
        ({"prune_loss": None}, "prune_loss is None"),
        ({"seed": "random"}, "seed is 'random'"),
        ({"compat": "hf"}, "compat is 'hf'"),
    ],
)
def test_refused_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        UnigramTrainer(**options)


def test_refused_trainings() -> None:
    with pytest.raises(ValueError, match="vocab_size is 3, but the vocabulary needs 7 characters: set vocab_size to 7"):
        trained(BASE, vocab_size=3)
    with pytest.raises(ValueError, match="and the special tokens: set vocab_size to 8 or more"):
        trained(BASE, vocab_size=7, special_tokens=["<s>"], compat=None)
    with pytest.raises(ValueError, match=r"use another trainer for models\.BPE"):
        UnigramTrainer(show_progress=False).train_words(WordCounts.of(BASE), BPE())
    with pytest.raises(TypeError, match="min_frequency"):
        UnigramTrainer(min_frequency=2)  # type: ignore[call-arg]


def test_defaults_are_those_of_the_library() -> None:
    from tokenizers.trainers import UnigramTrainer as Library

    state = json.loads(Library().__getstate__())["UnigramTrainer"]
    ours = UnigramTrainer()
    assert {name: getattr(ours, name) for name in state if name != "words"} == {
        name: value for name, value in state.items() if name != "words"
    }


def test_history() -> None:
    trainer = UnigramTrainer(vocab_size=10, show_progress=False)
    trainer.train_words(WordCounts.of(BASE), Unigram())
    kinds = [row["kind"] for row in trainer.history]
    assert kinds[:3] == ["seed", "em", "em"]
    assert [row["step"] for row in trainer.history] == list(range(len(kinds)))
    # Every segmentation of a word has at most as many pieces as the word has characters.
    assert 10 <= trainer.history[1]["corpus_tokens"] <= sum(len(word) * count for word, count in BASE.items())


# Words enough for seeds that are pruned.
MANY = {"".join(random.Random(i).choices("abc", k=7)): 1 + i % 5 for i in range(40)}


def test_history_has_the_names_of_the_other_trainers() -> None:
    merges = BpeTrainer(vocab_size=10, show_progress=False)
    merges.train_words(WordCounts.of(MANY), BPE())
    trainer = UnigramTrainer(vocab_size=10, show_progress=False)
    trainer.train_words(WordCounts.of(MANY), Unigram())
    assert {"step", "vocab_size", "corpus_tokens"} <= set(merges.history[0]) & set(trainer.history[0])
    assert {row["kind"] for row in trainer.history} == {"seed", "em", "prune"}
    for row in trainer.history:
        told = {name for name, value in row.items() if value is not None}
        own = {"seed": set(), "em": {"objective"}, "prune": {"loss"}}[row["kind"]]
        assert told == {"step", "kind", "vocab_size", "corpus_tokens"} | own


def test_history_tells_what_a_pruning_loses() -> None:
    trainer = UnigramTrainer(vocab_size=10, prune_loss="exact", n_sub_iterations=1, show_progress=False)
    trainer.train_words(WordCounts.of(MANY), Unigram())
    row = next(row for row in trainer.history if row["kind"] == "prune")
    counts = dict(sorted(MANY.items()))
    pieces = naive_unigram.seeds(counts, 16, 10**6)
    pieces = naive_unigram.m_step(pieces, naive_unigram.e_step(counts, naive_unigram.Model(pieces))[0], "bayes")
    losses = naive_unigram.exact_losses(counts, naive_unigram.Model(pieces))
    kept = naive_unigram.prune(counts, pieces, max(11, int((len(pieces) + 1) * 0.75)), "exact", True)
    dropped = [number for number, (piece, _) in enumerate(pieces, 1) if piece not in dict(kept)]
    assert row["vocab_size"] == len(kept) + 1 < len(pieces) + 1
    assert row["loss"] == pytest.approx(sum(losses[number] for number in dropped), rel=1e-9) != 0
    tokens = sum(naive_unigram.e_step(counts, naive_unigram.Model(kept))[0])
    assert row["corpus_tokens"] == pytest.approx(tokens, rel=1e-9)


def test_words_of_which_exact_losses_never_end_are_refused() -> None:
    counts = {"ab": 2, "abc" * 40_000: 1}
    with pytest.raises(ValueError, match=r"begins with '(abc)+ab' has 120000 characters.*prune_loss='hf'"):
        trained(counts, vocab_size=20, prune_loss="exact", compat=None)
    assert trained(counts, vocab_size=20, compat=None).vocab


def test_path_of_the_package() -> None:
    """The twin stands apart from what it checks."""
    assert "tokenizers_impl" not in Path(naive_unigram.__file__).read_text(encoding="utf-8")


# Going on from a model.


def extended(model: Unigram, counts: dict[str, int], **options: Any) -> tuple[Unigram, UnigramTrainer]:
    trainer = UnigramTrainer(show_progress=False, extend=True, **options)
    return trainer.train_words(WordCounts.of(counts), model), trainer


@examples(200)
@given(
    st.dictionaries(
        st.lists(st.sampled_from(["a", "b", "ab", "ba", "cc", "dab", "x"]), min_size=1, max_size=3).map("".join),
        st.sampled_from([-1.0, -2.5, -9.0, 0.0]),
        max_size=8,
    ),
    words,
    st.sampled_from([(), ("ab",), ("<s>", "a")]),
    st.integers(0, 25),
    st.sampled_from([1, 2, 4, 6]),
    st.integers(0, 2),
    st.sampled_from([0.5, 0.75, 0.9]),
    st.sampled_from(["bayes", "plain"]),
    st.sampled_from(["hf", "sentencepiece"]),
    st.sampled_from(["hf-0.23", None]),
    st.sampled_from([10, 1_000_000]),
)
def test_twin_goes_on_to_the_same_to_the_last_bit(
    vocab: dict[str, float],
    counts: dict[str, int],
    special: tuple[str, ...],
    vocab_size: int,
    longest: int,
    n_sub_iterations: int,
    shrinking_factor: float,
    em: str,
    prune_loss: str,
    compat: str | None,
    seed_size: int,
) -> None:
    options: dict[str, Any] = {
        "vocab_size": vocab_size,
        "max_piece_length": longest,
        "n_sub_iterations": n_sub_iterations,
        "shrinking_factor": shrinking_factor,
        "em": em,
        "prune_loss": prune_loss,
        "seed_size": seed_size,
    }
    existing = [("<unk>", 0.0), *vocab.items()]
    model, trainer = extended(Unigram(existing, 0), counts, special_tokens=special, compat=compat, **options)
    expected, steps = naive_unigram.extend(existing, ("<unk>", *special), counts, **options)
    assert list(model.vocab) == expected
    assert [(row["vocab_size"], row["objective"]) for row in trainer.history if row["kind"] == "em"] == steps


@pytest.mark.parametrize(("loss", "seed"), list(product(["hf", "sentencepiece", "exact"], ["suffix_array", "bpe"])))
def test_going_on_keeps_ids_and_reaches_the_size(loss: Any, seed: Any) -> None:
    options = {"prune_loss": loss, "seed": seed, "special_tokens": ["<s>", "<unk>"], "unk_token": "<unk>"}
    small = UnigramTrainer(vocab_size=400, show_progress=False, **options).train_words(
        WordCounts.of(corpus("wikitext2.test.txt", 20_000)), Unigram()
    )
    others = corpus("wikitext2.valid.txt", 20_000)
    large, trainer = extended(small, others, vocab_size=500, **options)
    pieces = [piece for piece, _ in large.vocab]
    assert pieces[:400] == [piece for piece, _ in small.vocab]
    assert len(set(pieces)) == len(pieces) == 500
    assert large.unk_id == small.unk_id == 1
    assert set("".join(others)) <= set(pieces)
    assert [score for _, score in large.vocab[400:]] == sorted((score for _, score in large.vocab[400:]), reverse=True)
    assert all(math.isfinite(score) for _, score in large.vocab)
    assert trainer.history[-1]["kind"] == "em"
    assert extended(small, others, vocab_size=500, **options)[0].vocab == large.vocab
    for size in (500, 10):
        same, _ = extended(large, others, vocab_size=size, **options)
        assert [piece for piece, _ in same.vocab] == pieces


def test_going_on_learns_the_scores_of_the_pieces_that_occur() -> None:
    model = Unigram([("<unk>", 0.0), ("low", -1.0), ("er", -7.0), ("zoo", -3.0), ("we", -0.5), ("<b>", 0.0)], 0)
    counts = {"low": 5, "lower": 4}
    longer, trainer = extended(model, counts, vocab_size=6, em="plain")
    scores = dict(longer.vocab)
    assert list(scores)[:6] == [piece for piece, _ in model.vocab]
    assert sorted(list(scores)[6:]) == ["e", "l", "o", "r", "w"]
    # What does not occur keeps its score, as the unknown token does.
    assert [scores[piece] for piece in ("<unk>", "zoo", "<b>")] == [0.0, -3.0, 0.0]
    # What is hardly ever the best counts half a time; the others are 9 times low, 4 times er.
    total = trainer.history[-1]["corpus_tokens"] + 0.5
    assert scores["we"] == pytest.approx(math.log(0.5 / total), abs=0.2)
    assert scores["low"] == pytest.approx(math.log(9 / total), abs=0.2)
    assert scores["er"] == pytest.approx(math.log(4 / total), abs=0.2)


def test_going_on_keeps_the_unknown_token_and_the_settings() -> None:
    model = Unigram([("a", -1.0), ("?", -9.0)], 1, byte_fallback=True, alpha=0.5, nbest_size=3, seed=4)
    for unk_token in (None, "?"):
        longer, _ = extended(model, {"ab": 3}, vocab_size=4, unk_token=unk_token)
        assert longer.vocab[:2] == (("a", pytest.approx(-1, abs=1)), ("?", -9.0))
        assert (longer.unk_id, longer.byte_fallback, longer.alpha, longer.nbest_size) == (1, True, 0.5, 3)
        assert longer.seed == 4
    with pytest.raises(ValueError, match=r"unk_token is '<unk>', but the model to extend has '\?': give unk_token="):
        extended(model, {"ab": 3}, unk_token="<unk>")
    added, _ = extended(Unigram([("a", -1.0)]), {"ab": 3}, unk_token="<unk>", special_tokens=["a", "<s>", "<s>"])
    assert [piece for piece, _ in added.vocab[:3]] == ["a", "<unk>", "<s>"]
    assert added.vocab[0] == ("a", -1.0)
    assert added.unk_id == 1
    assert extended(Unigram([("a", -1.0)]), {"ab": 3})[0].unk_id is None


def test_going_on_with_no_words_or_another_model() -> None:
    model = Unigram([("<unk>", 0.0), ("a", -1.0)], 0)
    longer, trainer = extended(model, {}, special_tokens=["<s>"], initial_alphabet=["b", "a"])
    assert longer.vocab == (("<unk>", 0.0), ("a", -1.0), ("<s>", 0.0), ("b", -1.0))
    assert trainer.history == []
    with pytest.raises(ValueError, match=r"use another trainer for models\.BPE"):
        extended(BPE(), BASE)  # type: ignore[arg-type]
