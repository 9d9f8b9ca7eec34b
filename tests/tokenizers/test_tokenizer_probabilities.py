"""Tokenizers as language models: the probabilities of the pieces that they cut a text into."""

from __future__ import annotations

import math

import pytest
from shared_data import lines
from small_corpus import refusal

import evenscore
from tokenizers_impl import Tokenizer, models, normalizers, pre_tokenizers, trainers


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return [text for text in lines("text/wikitext2.valid.txt")[:1500] if text.strip() and "<unk>" not in text]


@pytest.fixture(scope="module")
def tokenizer(texts: list[str]) -> Tokenizer:
    trained = Tokenizer(models.Unigram())
    trained.normalizer = normalizers.NFKC()
    trained.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=400, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False)
    trained.train_from_iterator(texts, trainer)
    return trained


def test_they_are_the_scores_of_the_pieces_that_encode_gives(tokenizer: Tokenizer, texts: list[str]) -> None:
    scores = dict(tokenizer.model.vocab)
    expected = [[scores[piece] for piece in encoding.tokens] for encoding in tokenizer.encode_batch(texts)]
    given = [row.tolist() for row in tokenizer.log_probs(texts)]
    assert given == expected
    assert len(set(map(len, given))) > 50
    assert tokenizer.log_probs(tuple(texts[:2]))[1].tolist() == expected[1]
    assert tokenizer.log_probs([]) == []
    assert tokenizer.log_probs([""])[0].tolist() == []


@pytest.mark.slow
def test_a_tokenizer_is_a_source_of_perplexity(tokenizer: Tokenizer, texts: list[str]) -> None:
    result = evenscore.load("perplexity", source=tokenizer).compute(predictions=texts)
    rows = tokenizer.log_probs(texts)
    assert result["nll"] == math.fsum(-x for row in rows for x in row.tolist())
    assert result["tokens"] == sum(map(len, tokenizer.encode_batch(texts)))
    assert 1 < result["perplexity"] < 400
    assert result["perplexities"][0] == pytest.approx(math.exp(-rows[0].mean()))


def test_what_has_no_probability_is_refused(tokenizer: Tokenizer) -> None:
    message = refusal(lambda: tokenizer.log_probs(["fine", "a <unk> b"]))
    assert message == "text 1 holds the added token '<unk>', which has no probability: remove it"
    other = Tokenizer(models.BPE({"a": 0}, []))
    assert "models.BPE has no probabilities: use a tokenizer with models.Unigram" in refusal(
        lambda: other.log_probs(["a"])
    )
    assert "give a list of strings" in refusal(lambda: tokenizer.log_probs("a"))
