"""Perplexity of models as users call it; what stays loaded, what is signed."""

from __future__ import annotations

import contextlib
import math
import pickle
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets
import evaluate
import numpy as np
import pytest
import torch
from small_corpus import random_texts, refusal
from small_models import model_for, saved, tokenizer_for

import evenscore
import evenscore.perplexity.sources as sources

TEXTS = random_texts(9, 12, seed=11)
TRAIN = random_texts(300, 12, seed=12)
LOADERS = {
    "evenscore": evenscore.load,
    "evaluate": lambda name, **options: evaluate.load(evenscore.path(name), **options),
}


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(saved("gpt2", tmp_path_factory.mktemp("models")))


def stock(texts: list[str], max_length: int | None = None) -> list[float]:
    """What evaluate's perplexity means to compute: BOS before each text, exp of the mean over its tokens."""
    model, tokenizer = model_for("gpt2"), tokenizer_for("gpt2")
    perplexities = []
    for text in texts:
        ids = [0, *tokenizer(text)["input_ids"][: None if max_length is None else max_length - 1]]
        with torch.no_grad():
            logits = model(torch.tensor([ids])).logits[0, :-1].double()
        nll = -torch.log_softmax(logits, dim=-1)[range(len(ids) - 1), ids[1:]]
        perplexities.append(math.exp(nll.mean().item()))
    return perplexities


@pytest.mark.parametrize("load", LOADERS.values(), ids=LOADERS)
def test_the_stock_arguments_run_unchanged(load: Any, gpt2: str) -> None:
    result = load("perplexity").compute(
        model_id=gpt2, predictions=TEXTS, batch_size=16, add_start_token=True, device="cpu", max_length=20
    )
    expected = stock(TEXTS, max_length=20)
    # The model computes in float32.
    assert result["perplexities"] == pytest.approx(expected, rel=1e-5)
    assert result["mean_perplexity"] == pytest.approx(np.mean(expected), rel=1e-5)
    assert result["signature"].startswith("source:causal:gpt2:float32|start:bos|window:20|stride:None|long:first|")


def test_without_a_start_token_the_first_token_is_not_scored(gpt2: str) -> None:
    texts = [text for text in TEXTS if len(text.split()) > 2]
    metric = evenscore.load("perplexity", model_id=gpt2)
    with_start, without = metric.compute(predictions=texts), metric.compute(predictions=texts, add_start_token=False)
    assert without["tokens"] == with_start["tokens"] - len(texts)
    one = tokenizer_for("gpt2").decode([40])
    assert "predictions[0]" in refusal(lambda: metric.compute(predictions=[one], add_start_token=False))


def test_a_model_stays_loaded_between_calls(gpt2: str, monkeypatch: pytest.MonkeyPatch) -> None:
    loads = []
    load = sources.load_pretrained
    monkeypatch.setattr(sources, "load_pretrained", lambda **given: loads.append(given) or load(**given))
    metric = evenscore.load("perplexity", model_id=gpt2)
    first = metric.compute(predictions=TEXTS)
    metric.add_batch(predictions=TEXTS[:4])
    metric.add_batch(predictions=TEXTS[4:])
    assert metric.compute()["perplexity"] == pytest.approx(first["perplexity"], rel=1e-5)
    metric.compute(predictions=TEXTS, window=8, stride=2, batch_size=2)
    assert len(loads) == 1
    metric.compute(predictions=TEXTS, dtype="bfloat16")
    assert [each["dtype"] for each in loads] == [None, "bfloat16"]
    copied = pickle.loads(pickle.dumps(metric))
    assert copied.compute(predictions=TEXTS) == first


def test_what_is_written_anew_is_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As checkpoints are, in a loop that trains."""
    folder, train = saved("gpt2", tmp_path), tmp_path / "train.txt"
    metric = evenscore.load("perplexity")
    before = metric.compute(predictions=TEXTS, model_id=str(folder))["nll"]
    model = model_for("gpt2")
    with torch.no_grad():
        model.transformer.wte.weight.mul_(0.5)
    model.save_pretrained(folder)
    after = metric.compute(predictions=TEXTS, model_id=str(folder))["nll"]
    assert after == evenscore.load("perplexity").compute(predictions=TEXTS, model_id=str(folder))["nll"] != before
    results = []
    for text in ("a b\n", "a b c\n"):
        train.write_text(text * 3, encoding="utf-8")
        options = {"source": "ngram", "train_texts": str(train), "discount": 0.5}
        results.append(metric.compute(predictions=["a b"], **options)["nll"])
        assert results[-1] == evenscore.load("perplexity").compute(predictions=["a b"], **options)["nll"]
    assert results[0] != results[1]


def test_a_truncated_text_has_no_figures_per_byte(gpt2: str) -> None:
    metric = evenscore.load("perplexity", model_id=gpt2)
    for options in ({"long_texts": "first"}, {"max_length": 5}, {"start_token": False}):
        result = metric.compute(predictions=[text for text in TEXTS if len(text.split()) > 2], **options)
        assert "bits_per_byte" not in result
        with pytest.raises(ValueError, match="needs texts that are scored completely"):
            metric.compute(predictions=TEXTS[:1], headlines=["bits_per_byte"], **options)


@pytest.mark.parametrize("window", [2, 3, 8, 9])
def test_a_long_context_leaves_half_of_the_first_window_to_the_text(gpt2: str, window: int) -> None:
    metric = evenscore.load("perplexity", model_id=gpt2, window=window, long_texts="first")
    long = "the cat sat on a mat " * 9
    assert metric.compute(predictions=[long], contexts=[long])["tokens"] == window // 2


def test_what_is_no_language_model_says_so(gpt2: str, tmp_path: Path) -> None:
    model = model_for("gpt2")
    tokenizer = tokenizer_for("gpt2")
    said = refusal(
        lambda: evenscore.load("perplexity").compute(
            predictions=TEXTS, model=model.transformer, tokenizer=tokenizer, model_type="causal"
        )
    )
    assert "GPT2Model gives no logits for every token: load it with AutoModelForCausalLM" in said
    model.save_pretrained(tmp_path / "alone")
    alone = str(tmp_path / "alone")
    said = refusal(lambda: evenscore.load("perplexity").compute(predictions=TEXTS, model_id=alone))
    assert said == f"there is no tokenizer in {alone!r}, only a model: also give tokenizer="
    assert evenscore.load("perplexity").compute(predictions=TEXTS, model_id=alone, tokenizer=gpt2)["tokens"] > 0


def test_a_loaded_model_is_what_is_saved(gpt2: str) -> None:
    ours = evenscore.load("perplexity", model=model_for("gpt2"), tokenizer=tokenizer_for("gpt2"))
    assert (
        ours.compute(predictions=TEXTS)["nll"]
        == evenscore.load("perplexity", model_id=gpt2).compute(predictions=TEXTS)["nll"]
    )


def test_tokens_have_their_places_in_the_text(gpt2: str) -> None:
    result = evenscore.load("perplexity", model_id=gpt2).compute(predictions=TEXTS, per_token=True)
    for text, tokens, offsets, log_probs in zip(
        TEXTS, result["token_texts"], result["token_offsets"], result["token_log_probs"], strict=True
    ):
        assert len(tokens) == len(offsets) == len(log_probs)
        assert "".join(text[start:end] for start, end in offsets if text[start:end].isascii()).replace(" ", "") == (
            "".join(filter(str.isascii, text)).replace(" ", "")
        )
    assert sum(map(sum, result["token_log_probs"])) == pytest.approx(-result["nll"], rel=1e-12)


def test_prompts_are_read_and_not_scored(gpt2: str) -> None:
    metric = evenscore.load("perplexity", model_id=gpt2)
    # Short enough for the window.
    short = [" ".join(text.split()[:2]) for text in TEXTS]
    whole = metric.compute(predictions=[f"{a} {b}" for a, b in zip(short[:4], short[4:8], strict=True)], per_token=True)
    after = metric.compute(predictions=[f" {b}" for b in short[4:8]], contexts=short[:4], per_token=True)
    for row, tail in zip(whole["token_log_probs"], after["token_log_probs"], strict=True):
        assert 0 < len(tail) < len(row)
        assert row[-len(tail) :] == pytest.approx(tail, rel=1e-4, abs=1e-5)


def test_models_are_compared_in_bits_per_byte(gpt2: str) -> None:
    metric = evenscore.load("perplexity")
    tested = metric.compare(
        {"model_id": gpt2}, {"source": "ngram", "train_texts": TRAIN, "discount": 0.5},
        predictions=TEXTS, headlines=["bits_per_byte"], n_trials=200,
    )  # fmt: skip
    assert tested["sources"] == ["causal:gpt2:float32", "ngram:3:words:kn0.5"]
    assert tested["systems"][0]["bits_per_byte"] < tested["baseline"]["bits_per_byte"]
    assert tested["systems"][0]["bits_per_byte_p_value"] < 0.05


def test_a_signature_says_more_once_the_source_is_loaded(gpt2: str) -> None:
    regular = {"source": "ngram", "train_texts": ["a b c"] * 3, "ngram_order": 2}
    expected = {
        "source:causal:gpt2:float32|start:bos|": ({"model_id": gpt2}, "source:gpt2|start:bos|"),
        "source:ngram:2:words:mkn,fallback1,fallback2|start:bos|": (regular, "source:ngram:2|start:bos|"),
    }
    for after, (options, before) in expected.items():
        metric = evenscore.load("perplexity", **options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sums = metric.statistics(predictions=["a b"]).sum(axis=0)
        assert metric.score_statistics(sums)["signature"].startswith(after)
        assert evenscore.load("perplexity", **options).score_statistics(sums)["signature"].startswith(before)


# --- bars


@pytest.mark.parametrize("shown", [True, False])
def test_who_waits_sees_a_bar(
    shown: bool, gpt2: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evenscore.parallel._PATIENCE", 0 if shown else 1000)
    monkeypatch.setattr("evenscore.perplexity.ngram.arpa._BLOCK_LINES", 100)
    monkeypatch.setattr("evenscore.perplexity.ngram.source._BLOCK_WORDS", 10)
    metric = evenscore.load("perplexity", model_id=gpt2, batch_size=2)
    plain = metric.compute(predictions=TEXTS)["perplexity"]
    trained = evenscore.load("perplexity", source="ngram", train_texts=TRAIN, ngram_unit=str.split)
    trained.compute(predictions=TEXTS)
    trained.write_arpa(tmp_path / "lm.arpa")
    evenscore.load("perplexity", source=str(tmp_path / "lm.arpa")).compute(predictions=TEXTS)
    written = capsys.readouterr().err
    for title in ("Score", "Count n-grams", "Estimate", "Tokenize", "Read 3-grams"):
        assert (f"{title}:" in written) == shown
    with datasets_without_bars():
        assert metric.compute(predictions=TEXTS)["perplexity"] == plain
    assert "Score" not in capsys.readouterr().err


@contextlib.contextmanager
def datasets_without_bars() -> Iterator[None]:
    datasets.disable_progress_bars()
    try:
        yield
    finally:
        datasets.enable_progress_bars()
