"""LCS lengths equal the textbook table, and rouge_score, on pairs that reach every lane width and the big integers."""

from __future__ import annotations

import random
from collections.abc import Iterator

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from rouge_score import rouge_scorer
from shared_data import shared

from evenscore.rouge.lcs import lcs_lengths
from evenscore.text import lanes
from evenscore.text.lanes import MAX_LANE_COLUMNS, match_masks
from evenscore.text.segments import Segments

# A segment can end on either side of a lane's width.
EDGES = [0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129]

Pair = tuple[list[int], list[int]]


@pytest.fixture(scope="module", autouse=True, params=[1, lanes._WORTHWHILE])
def _few_pairs_too(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every test runs with lanes for any number of pairs, then with Python's integers for a few."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lanes, "_WORTHWHILE", request.param)
        yield


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    """Two unrelated segments of few distinct tokens, or one and what is left of it after some edits."""
    tokens = st.integers(0, draw(st.sampled_from([0, 1, 3, 50])))
    n, m = draw(st.sampled_from(EDGES)), draw(st.sampled_from(EDGES))
    left = draw(st.lists(tokens, min_size=n, max_size=n))
    if draw(st.booleans()):
        return left, draw(st.lists(tokens, min_size=m, max_size=m))
    edits = draw(st.dictionaries(st.integers(0, max(n - 1, 0)), st.lists(tokens, max_size=2), max_size=9))
    return left, [new for i, token in enumerate(left) for new in edits.get(i, [token])]


def segments(rows: list[list[int]]) -> Segments:
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows], dtype=np.int64)))
    return Segments(np.array([token for row in rows for token in row], dtype=np.int64), offsets)


def lengths(corpus: list[Pair]) -> list[int]:
    return list(lcs_lengths(segments([left for left, _ in corpus]), segments([right for _, right in corpus])))


def random_pairs(n_pairs: int, n: tuple[int, int], m: tuple[int, int]) -> list[Pair]:
    rng = random.Random(7)
    return [
        ([rng.randrange(9) for _ in range(rng.randint(*n))], [rng.randrange(9) for _ in range(rng.randint(*m))])
        for _ in range(n_pairs)
    ]


@examples(150)
@given(st.lists(pairs(), max_size=5))
def test_lcs_lengths_are_those_of_the_textbook_table(corpus: list[Pair]) -> None:
    assert lengths(corpus) == [naive.lcs_length(left, right) for left, right in corpus]


@examples(50)
@given(pairs())
def test_the_textbook_table_is_the_one_of_rouge_score(pair: Pair) -> None:
    assert naive.lcs_table(*pair) == rouge_scorer._lcs_table(*pair)


@pytest.mark.parametrize(("n", "m"), [(n, m) for n in EDGES for m in EDGES])
def test_every_meeting_of_two_edges(n: int, m: int) -> None:
    corpus = random_pairs(1, (n, n), (m, m))
    assert lengths(corpus) == [naive.lcs_length(*corpus[0])]


@pytest.mark.parametrize("n", [8, 64, 65])
@pytest.mark.parametrize("m", [MAX_LANE_COLUMNS - 1, MAX_LANE_COLUMNS, MAX_LANE_COLUMNS + 1, 900])
def test_a_short_side_against_a_long_one(n: int, m: int) -> None:
    [(left, right)] = random_pairs(1, (n, n), (m, m))
    expected = naive.lcs_length(left, right)
    assert lengths([(left, right), (right, left)]) == [expected, expected]


def test_a_corpus_of_several_blocks() -> None:
    corpus = random_pairs(2500, (0, 33), (0, 33))
    assert lengths(corpus) == [naive.lcs_length(left, right) for left, right in corpus]


def test_no_pairs_give_no_lengths() -> None:
    assert lengths([]) == []


def test_empty_sides_have_nothing_in_common() -> None:
    assert lengths([([], []), ([1], []), ([], [1] * 70)]) == [0, 0, 0]


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64])
def test_ids_of_any_signed_type_are_read_and_left_as_they_are(dtype: type[np.signedinteger]) -> None:
    ids, offsets = np.array([3, 1, 2, 3, 1], dtype=dtype), np.array([0, 3, 5])
    before = ids.copy()
    assert lcs_lengths(Segments(ids, offsets), Segments(ids[::-1].copy(), offsets)).tolist() == [2, 1]
    assert ids.tolist() == before.tolist()


def test_masks_hold_the_positions_of_tokens_of_both_sides() -> None:
    masks = match_masks([5, 6, 5, 7], [5, 8, 7])
    assert [masks.get(token, 0) for token in (5, 7, 8)] == [0b101, 0b1000, 0]


def test_real_translations_have_the_lengths_of_rouge_score() -> None:
    def lines(name: str) -> list[list[int]]:
        words = [
            line.lower().split()
            for line in shared(f"mt/wmt17_en_de/{name}").read_text(encoding="utf-8").split("\n")[:600]
        ]
        return [[ids.setdefault(word, len(ids)) for word in line] for line in words]

    ids: dict[str, int] = {}
    corpus = list(zip(lines("ref.txt"), lines("newstest2017.online-A.0.en-de.txt"), strict=True))
    assert len(corpus) == 600
    assert sum(len(left) for left, _ in corpus) > 5000
    assert lengths(corpus) == [rouge_scorer._lcs_table(left, right)[-1][-1] for left, right in corpus]
