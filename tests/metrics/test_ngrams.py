"""The kernels of BLEU: clipped matches, words of a corpus, sums that are exact."""

from __future__ import annotations

import operator
import random
import sys
from collections.abc import Iterable
from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from evenscore.bleu.score import AVERAGE_PARTS, reference_lengths
from evenscore.exact import from_limbs, mean_of_limbs, to_limbs
from evenscore.text import ngrams
from evenscore.text.ngrams import clipped_matches
from evenscore.text.segments import Segments, similar
from evenscore.text.words import from_token_lists, split_characters, split_words, without_spaces

# Few distinct tokens, so that n-grams match and are clipped.
documents = st.integers(1, 4).flatmap(lambda most: st.lists(st.integers(0, most), max_size=9))
rows = st.tuples(documents, st.lists(documents, min_size=1, max_size=4))
MAX_ORDER = 6

Row = tuple[list[int], list[list[int]]]


def segments(lists: Iterable[list[int]], dtype: type[np.signedinteger] = np.int32) -> Segments:
    kept = list(lists)
    offsets = np.concatenate(([0], np.cumsum([len(one) for one in kept], dtype=np.int64)))
    return Segments(np.array([token for one in kept for token in one], dtype=dtype), offsets)


def matches(corpus: list[Row], max_order: int = MAX_ORDER) -> list[list[int]]:
    predictions = segments(prediction for prediction, _ in corpus)
    references = segments(reference for _, row in corpus for reference in row)
    counts = np.array([len(row) for _, row in corpus], dtype=np.int64)
    return clipped_matches(predictions, references, counts, max_order).tolist()


def slow_matches(corpus: list[Row], max_order: int = MAX_ORDER) -> list[list[int]]:
    return [[naive.clipped_matches(*row, n) for n in range(1, max_order + 1)] for row in corpus]


def random_corpus(n_rows: int, longest: int) -> list[Row]:
    rng = random.Random(5)

    def document() -> list[int]:
        return [rng.randrange(6) for _ in range(rng.randint(0, longest))]

    return [(document(), [document() for _ in range(rng.randint(1, 3))]) for _ in range(n_rows)]


# --- clipped matches


@examples(400)
@given(st.lists(rows, max_size=6))
def test_matches_are_those_of_the_definition(corpus: list[Row]) -> None:
    assert matches(corpus) == slow_matches(corpus)


@examples(100)
@given(st.lists(rows, max_size=6), st.integers(1, 20))
def test_matches_do_not_depend_on_the_size_of_blocks(corpus: list[Row], block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngrams, "_BLOCK_CELLS", block)
        assert matches(corpus) == slow_matches(corpus)


@examples(300)
@given(st.lists(rows, max_size=6), st.integers(0, 30), st.integers(0, 30), st.integers(1, 5))
def test_matches_do_not_depend_on_how_keys_are_sorted(corpus: list[Row], small: int, bits: int, few: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngrams, "_FEW_DOCUMENTS", few)
        patch.setattr(ngrams, "_SMALL_BITS", small)
        patch.setattr(ngrams, "_KEY_BITS", bits)
        assert matches(corpus) == slow_matches(corpus)


@examples(200)
@given(st.lists(rows, min_size=1, max_size=6), st.integers(0, 2**40))
def test_ids_may_be_of_any_size(corpus: list[Row], least: int) -> None:
    larger = [([least + own for own in row[0]], [[least + own for own in each] for each in row[1]]) for row in corpus]
    predictions = segments((prediction for prediction, _ in larger), np.int64)
    references = segments((reference for _, row in larger for reference in row), np.int64)
    counts = np.array([len(row) for _, row in larger])
    assert clipped_matches(predictions, references, counts, MAX_ORDER).tolist() == slow_matches(corpus)


def test_matches_of_more_tokens_than_a_block_holds() -> None:
    corpus = random_corpus(3000, 25)
    assert sum(len(prediction) for prediction, _ in corpus) > ngrams._BLOCK_CELLS // 2
    assert matches(corpus) == slow_matches(corpus)


def test_matches_of_one_row_larger_than_a_block() -> None:
    rng = random.Random(3)
    corpus = [([rng.randrange(9) for _ in range(ngrams._BLOCK_CELLS + 1)], [list(range(9)) * 5, [0, 1]])]
    assert matches([([1], [[1]]), *corpus, ([2], [[1]])]) == slow_matches([([1], [[1]]), *corpus, ([2], [[1]])])


@pytest.mark.parametrize("n_references", [ngrams._FEW_DOCUMENTS - 1, ngrams._FEW_DOCUMENTS, 300])
def test_matches_of_many_references(n_references: int) -> None:
    rng = random.Random(n_references)
    row = [[rng.randrange(30) for _ in range(rng.randint(0, 30))] for _ in range(n_references + 1)]
    corpus = [(row[0], row[1:]), (row[1], [row[0]])]
    assert matches(corpus) == slow_matches(corpus)
    assert all(matches(corpus)[0][:2])


@examples(200)
@given(st.lists(st.integers(1, 40), max_size=30), st.integers(1, 60))
def test_runs_of_similar_items_are_as_long_as_they_may_be(sizes: list[int], most: int) -> None:
    runs = [run.tolist() for run in similar(np.array(sizes, np.int64), most)]
    order = [item for run in runs for item in run]
    assert order == sorted(range(len(sizes)), key=sizes.__getitem__)
    starts = np.cumsum([0, *map(len, runs)]).tolist()
    for run, end in zip(runs, starts[1:], strict=True):
        assert len(run) == 1 or len(run) * sizes[run[-1]] <= most
        if end < len(order):
            guess = most // sizes[run[0]]
            assert len(run) >= guess or (len(run) + 1) * sizes[order[end]] > most


def test_matches_of_more_distinct_tokens_than_a_key_has_room_for() -> None:
    rng = random.Random(7)
    reference = list(range(40_000))
    prediction = [rng.choice(reference) if rng.random() < 0.2 else token for token in reference]
    corpus = [(prediction, [reference])]
    assert matches(corpus) == slow_matches(corpus)
    assert all(matches(corpus)[0])


def test_ids_may_be_as_large_as_their_type() -> None:
    top = np.iinfo(np.int32).max
    corpus = [([top, top - 1, top], [[top, top - 1], [top, top, 0]]), ([0, top], [[0, top]])]
    assert matches(corpus, 2) == [[3, 1], [2, 1]]


def test_no_rows_have_no_matches() -> None:
    assert clipped_matches(segments([]), segments([]), np.zeros(0, np.int64), 4).shape == (0, 4)


# --- reference lengths


@examples(200)
@given(st.lists(st.tuples(st.integers(0, 9), st.lists(st.integers(0, 9), min_size=1, max_size=20)), max_size=5))
def test_reference_lengths_are_those_of_the_definition(corpus: list[tuple[int, list[int]]]) -> None:
    predictions = np.array([length for length, _ in corpus], dtype=np.int64)
    references = np.array([length for _, row in corpus for length in row], dtype=np.int64)
    counts = np.array([len(row) for _, row in corpus], dtype=np.int64)

    def ours(rule: str) -> list[int]:
        return reference_lengths(predictions, references, counts, rule).tolist()

    assert ours("closest") == [min(row, key=lambda length: (abs(length - own), length)) for own, row in corpus]
    assert ours("shortest") == [min(row) for _, row in corpus]
    assert [Fraction(parts, AVERAGE_PARTS) for parts in ours("average")] == [
        Fraction(sum(row), len(row)) for _, row in corpus
    ]


# --- words


def words_of(texts: list[str]) -> list[list[str]]:
    words = split_words(texts)
    vocabulary = words.vocabulary.to_pylist()
    return [[vocabulary[i] for i in words.segments.row(row)] for row in range(len(texts))]


def code_points() -> Iterable[str]:
    return (chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c <= 0xDFFF)


def test_words_are_split_at_the_code_points_where_str_splits() -> None:
    text = " ".join(f"a{c}b" for c in code_points())
    [words] = words_of([text])
    # Not compared by `assert`, which would print a million words.
    assert len(words) == len(text.split())
    assert all(map(operator.eq, words, text.split()))


def test_characters_are_all_code_points_but_white_space() -> None:
    text = "".join(code_points())
    units = split_characters(["a", text, "", " \n"])
    characters = units.segments
    assert characters.row(1).tolist() == list(map(ord, text))
    assert characters.lengths.tolist() == [1, len(text), 0, 2]
    kept = [ord(c) for c in "".join(text.split())]
    assert without_spaces(units).segments.row(1).tolist() == kept
    assert without_spaces(units).segments.lengths.tolist() == [1, len(kept), 0, 0]


@examples(300)
@given(st.lists(st.text(st.sampled_from("ab é\u00a0\u2003\u3000\x1c\x85𝟘\n"), max_size=12), max_size=5))
def test_words_of_several_texts(texts: list[str]) -> None:
    assert words_of(texts) == [text.split() for text in texts]
    vocabulary = split_words(texts).vocabulary.to_pylist()
    assert len(set(vocabulary)) == len(vocabulary)


def test_tokens_may_hold_spaces_or_nothing() -> None:
    words = from_token_lists([["a b", "", "a b"], [], [""]])
    assert words.segments.ids.tolist() == [0, 1, 0, 1]
    assert words.segments.offsets.tolist() == [0, 3, 3, 4]


# --- sums of quotients

quotients = st.tuples(st.integers(0, 2**43), st.integers(1, 2**43)).map(lambda pair: min(pair) / max(pair))


@examples(300)
@given(st.lists(quotients, max_size=30))
def test_limbs_hold_quotients_and_their_sums_exactly(values: list[float]) -> None:
    limbs = to_limbs(np.array(values))
    assert from_limbs(limbs).tolist() == values
    high, middle, low = map(int, limbs.sum(axis=0))
    total = sum(map(Fraction, values))
    assert Fraction((high << 64) + (middle << 32) + low, 1 << 96) == total
    # One correctly rounded division, as Fraction does it.
    assert mean_of_limbs(limbs.sum(axis=0), len(values)) == (float(total / len(values)) if values else 0.0)


def test_means_of_quotients_are_rounded_once() -> None:
    rng = random.Random(4)
    for _ in range(300):
        values = [rng.randint(0, 30) / 31 for _ in range(rng.randint(1, 9))]
        mean = float(sum(map(Fraction, values)) / len(values))
        assert mean_of_limbs(to_limbs(np.array(values)).sum(axis=0), len(values)) == mean
