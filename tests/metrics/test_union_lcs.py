"""Summary-level hits equal the textbook walk, and rouge_score, on texts that reach lanes, big integers and batches."""

from __future__ import annotations

import json
import random

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from rouge_score import rouge_scorer
from shared_data import shared

from evenscore.rouge import lcs
from evenscore.rouge.lcs import Summaries, union_lcs_hits
from evenscore.rouge.tokens import split_sentences
from evenscore.text.segments import Segments

EDGES = [0, 1, 2, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 128]

Text = list[list[int]]
Pair = tuple[Text, Text]


@st.composite
def text_pairs(draw: st.DrawFn) -> Pair:
    """A reference and a prediction of few distinct tokens; some sentences of the one are pieces of the other's."""
    tokens = st.integers(0, draw(st.sampled_from([0, 1, 2, 5])))

    def sentence() -> list[int]:
        n = draw(st.sampled_from(EDGES))
        return draw(st.lists(tokens, min_size=n, max_size=n))

    reference = [sentence() for _ in range(draw(st.integers(0, 4)))]
    prediction = [sentence() for _ in range(draw(st.integers(0, 3)))]
    for piece in draw(st.lists(st.sampled_from(reference), max_size=2)) if reference else []:
        drop = draw(st.sets(st.integers(0, 40), max_size=9))
        prediction.append([token for i, token in enumerate(piece) if i not in drop])
    return reference, prediction


def summaries(texts: list[Text]) -> Summaries:
    sentences = [sentence for text in texts for sentence in text]
    tokens = np.array([token for sentence in sentences for token in sentence], dtype=np.int64)
    return Summaries(Segments(tokens, _offsets(sentences)), _offsets(texts))


def _offsets(rows: list[list[int]] | list[Text] | Text) -> np.ndarray:
    return np.concatenate(([0], np.cumsum([len(row) for row in rows], dtype=np.int64)))


def hits(corpus: list[Pair]) -> list[int]:
    references, predictions = summaries([r for r, _ in corpus]), summaries([p for _, p in corpus])
    return list(union_lcs_hits(references, predictions))


def rouge_score_hits(reference: Text, prediction: Text) -> int:
    recall: float = rouge_scorer._summary_level_lcs(reference, prediction).recall
    return round(recall * sum(map(len, reference)))


def random_corpus(n_texts: int, n_sentences: int, n_tokens: int) -> list[Pair]:
    rng = random.Random(11)

    def sentence() -> list[int]:
        return [rng.randrange(6) for _ in range(rng.randint(0, n_tokens))]

    def text() -> Text:
        return [sentence() for _ in range(rng.randint(0, n_sentences))]

    return [(text(), text()) for _ in range(n_texts)]


def word_ids(texts: list[list[str]], ids: dict[str, int]) -> list[Text]:
    return [[[ids.setdefault(word, len(ids)) for word in line.lower().split()] for line in text] for text in texts]


@examples(150)
@given(st.lists(text_pairs(), max_size=3))
def test_hits_are_those_of_the_textbook_walk(corpus: list[Pair]) -> None:
    assert hits(corpus) == [naive.union_lcs_hits(*pair) for pair in corpus]


@examples(150)
@given(st.lists(text_pairs(), max_size=3))
def test_the_same_tokens_are_in_the_union(corpus: list[Pair]) -> None:
    """Stricter than equal hits: among equally long LCSs it is the same one, token by token."""
    references, predictions = summaries([r for r, _ in corpus]), summaries([p for _, p in corpus])
    expected = []
    for reference, prediction in corpus:
        for sentence in reference:
            union = naive.union_lcs_indices(sentence, prediction)
            expected += [i in union for i in range(len(sentence))]
    every_text = np.ones(len(corpus), dtype=np.bool_)
    assert lcs._in_union(references, predictions, every_text).tolist() == expected


@examples(75)
@given(text_pairs())
def test_the_textbook_walk_is_the_one_of_rouge_score(pair: Pair) -> None:
    reference, prediction = pair
    assert naive.union_lcs_hits(reference, prediction) == rouge_score_hits(reference, prediction)
    for sentence in reference:
        for other in prediction:
            assert naive.lcs_indices(sentence, other) == rouge_scorer.lcs_ind(sentence, other)


@pytest.mark.parametrize(("n_sentences", "n_tokens"), [(3, 20), (12, 9), (1, 40), (3, 100), (2, 600)])
def test_hits_are_those_of_rouge_score(n_sentences: int, n_tokens: int) -> None:
    corpus = random_corpus(9_000 // (n_sentences * n_tokens), n_sentences, n_tokens)
    assert hits(corpus) == [rouge_score_hits(*pair) for pair in corpus]


@pytest.mark.parametrize("batch", [1, 2, 7])
def test_batches_do_not_show(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = random_corpus(40, 4, 20)
    expected = hits(corpus)
    monkeypatch.setattr(lcs, "_BATCH", batch)
    assert hits(corpus) == expected


def test_a_text_without_tokens_has_no_hits() -> None:
    without: list[Pair] = [([], []), ([[1]], []), ([], [[1]]), ([[]], [[]]), ([[], []], [[1], []])]
    assert hits([*without, ([[1]], [[1]])]) == [0, 0, 0, 0, 0, 1]


def test_no_texts_have_no_hits() -> None:
    assert hits([]) == []


def test_a_token_is_spent_once() -> None:
    assert hits([([[1, 2], [1, 3]], [[1], [2]])]) == [2]


@pytest.mark.parametrize("n", [n for n in EDGES if n > 2])
def test_the_walk_passes_over_long_stretches_without_a_match(n: int) -> None:
    """Of the two 1s at the far end it meets the second first, however wide the lane."""
    references, predictions = summaries([[[1, 1, *range(3, n), 2]]]), summaries([[[1, 2]]])
    in_union = lcs._in_union(references, predictions, np.array([True]))
    assert np.flatnonzero(in_union).tolist() == [1, n - 1]


def test_the_ends_of_equally_long_subsequences_are_preferred() -> None:
    """1 stands twice in the reference and once in the prediction: the walk from the end takes the second."""
    references, predictions = summaries([[[1, 1]]]), summaries([[[1]]])
    assert lcs._in_union(references, predictions, np.array([True])).tolist() == [False, True]


def test_equal_texts_hit_with_every_token() -> None:
    corpus = [(reference, reference) for reference, _ in random_corpus(50, 4, 70)]
    assert hits(corpus) == [sum(map(len, reference)) for reference, _ in corpus]


def test_real_summaries_have_the_hits_of_rouge_score() -> None:
    items = json.loads(shared("summarization/rouge155/test_data.json").read_text(encoding="utf-8")).values()
    pairs = [(r, s) for item in items for r in item["references"] for s in item["summaries"]]
    ids: dict[str, int] = {}
    references = word_ids([split_sentences(r) for r, _ in pairs], ids)
    predictions = word_ids([s.split("/") for _, s in pairs], ids)
    corpus = list(zip(references, predictions, strict=True))
    expected = [rouge_score_hits(*pair) for pair in corpus]
    assert len(corpus) == 800
    assert sum(expected) > 900
    assert hits(corpus) == expected


def test_real_translations_taken_as_texts_have_the_hits_of_rouge_score() -> None:
    """Six lines at a time make a text."""

    def texts(name: str) -> list[list[str]]:
        lines = shared(f"mt/wmt17_en_de/{name}").read_text(encoding="utf-8").split("\n")[:300]
        return [lines[i : i + 6] for i in range(0, 300, 6)]

    ids: dict[str, int] = {}
    references = word_ids(texts("ref.txt"), ids)
    predictions = word_ids(texts("newstest2017.online-A.0.en-de.txt"), ids)
    corpus = list(zip(references, predictions, strict=True))
    assert hits(corpus) == [rouge_score_hits(*pair) for pair in corpus]
