"""The metrics with transformers' Trainer and models and in the evaluation harness, as they are really run."""

from __future__ import annotations

import json
import math
import re
import textwrap
from pathlib import Path
from typing import Any

import datasets
import lm_eval
import numpy as np
import pytest
import torch
import transformers
from lm_eval.api.instance import Instance
from lm_eval.api.model import LM
from lm_eval.api.task import ConfigurableTask
from lm_eval.models.huggingface import HFLM
from small_corpus import random_texts
from small_models import byte_level_tokenizer, model_for, saved, tokenizer_for

import evenscore

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "frameworks.md").read_text(encoding="utf-8")
TEXTS = random_texts(12, 9, seed=3)


# --- Trainer


@pytest.fixture(scope="module")
def rows() -> datasets.Dataset:
    """Texts as a causal language model is trained on them, padded with labels that do not count."""
    tokenizer = tokenizer_for("gpt2")
    ids = [tokenizer(text)["input_ids"][:20] for text in TEXTS]
    longest = max(map(len, ids))
    pad = [[0] * (longest - len(row)) for row in ids]
    return datasets.Dataset.from_dict(
        {
            "input_ids": [row + zeros for row, zeros in zip(ids, pad, strict=True)],
            "attention_mask": [[1] * len(row) + zeros for row, zeros in zip(ids, pad, strict=True)],
            "labels": [row + [-100] * len(zeros) for row, zeros in zip(ids, pad, strict=True)],
        }
    )


def trainer(folder: Path, rows: datasets.Dataset, compute_metrics: Any, **options: Any) -> Any:
    arguments = transformers.TrainingArguments(
        output_dir=str(folder), per_device_eval_batch_size=5, report_to=[], use_cpu=True, **options
    )
    return transformers.Trainer(
        model=model_for("gpt2"), args=arguments, eval_dataset=rows, compute_metrics=compute_metrics
    )


def expected_perplexity(rows: datasets.Dataset) -> tuple[float, int]:
    """Row by row, from the model's own loss."""
    model, nll, tokens = model_for("gpt2"), 0.0, 0
    for row in rows:
        batch = {name: torch.tensor([row[name]]) for name in ("input_ids", "attention_mask", "labels")}
        counted = sum(label != -100 for label in row["labels"][1:])
        if not counted:
            continue
        with torch.no_grad():
            nll += model(**batch).loss.item() * counted
        tokens += counted
    return math.exp(nll / tokens), tokens


def test_a_trainer_reports_perplexity_and_words(rows: datasets.Dataset, tmp_path: Path) -> None:
    perplexity = evenscore.load("perplexity", scalars_only=True, shift=True)
    wer = evenscore.load("wer_dp", scalars_only=True)
    tokenizer = tokenizer_for("gpt2")

    def compute_metrics(given: Any) -> dict[str, Any]:
        logits, labels = given
        texts = [tokenizer.decode(row[row >= 0]) for row in labels]
        guesses = [tokenizer.decode(row) for row in logits.argmax(axis=-1)]
        return {
            **perplexity.compute(logits=logits, labels=labels),
            "wer": wer.compute(predictions=guesses, references=texts)["wer"],
        }

    result = trainer(tmp_path, rows, compute_metrics).evaluate()
    expected, tokens = expected_perplexity(rows)
    # The Trainer's batches and the loss are float32.
    assert result["eval_perplexity"] == pytest.approx(expected, rel=1e-4)
    assert result["eval_tokens"] == tokens
    assert result["eval_wer"] > 0


def test_a_trainer_may_evaluate_batch_by_batch(rows: datasets.Dataset, tmp_path: Path) -> None:
    perplexity = evenscore.load("perplexity", scalars_only=True, shift=True)
    sizes = []

    def compute_metrics(given: Any, compute_result: bool) -> dict[str, Any]:
        sizes.append(len(given.predictions))
        perplexity.add_batch(logits=given.predictions, labels=given.label_ids)
        return dict(perplexity.compute()) if compute_result else {}

    evaluated = trainer(tmp_path, rows, compute_metrics, batch_eval_metrics=True)
    expected, tokens = expected_perplexity(rows)
    for _ in range(2):
        result = evaluated.evaluate()
        assert result["eval_perplexity"] == pytest.approx(expected, rel=1e-4)
        assert result["eval_tokens"] == tokens
    assert sizes == [5, 5, 2] * 2


# --- the guide's lines for models


def run_lines_of_the_guide(containing: str, **names: Any) -> dict[str, Any]:
    """What is named after a run of the one indented block that has this."""
    (lines,) = (block for block in re.findall(r"(?:^    .*\n)+", GUIDE, re.MULTILINE) if containing in block)
    named = {"transformers": transformers, "metric": evenscore.load("wer_dp"), **names}
    exec(textwrap.dedent(lines), named)
    return named


def speech_model(folder: Path) -> Path:
    """A small recogniser of random weights."""
    letters = {letter: id for id, letter in enumerate(["<pad>", "<s>", "</s>", "<unk>", "|", *"abcdefg"])}
    (folder / "letters.json").write_text(json.dumps(letters), encoding="utf-8")
    torch.manual_seed(0)
    config = transformers.Wav2Vec2Config(
        vocab_size=len(letters), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        conv_dim=(16, 16), conv_stride=(5, 2), conv_kernel=(10, 3), num_feat_extract_layers=2,
        num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=2, pad_token_id=0,
    )  # fmt: skip
    transformers.Wav2Vec2ForCTC(config).save_pretrained(folder / "speech")
    transformers.Wav2Vec2CTCTokenizer(str(folder / "letters.json")).save_pretrained(folder / "speech")
    transformers.Wav2Vec2FeatureExtractor().save_pretrained(folder / "speech")
    return folder / "speech"


def test_what_a_recogniser_hears_is_scored(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    audio = [{"array": rng.normal(size=size).astype(np.float32)} for size in (4000, 6000)]
    rows = {"audio": audio, "text": ["a bad cab", "a cage"]}
    named = run_lines_of_the_guide("recognizer(", MODEL=str(speech_model(tmp_path)), rows=rows)
    assert (len(named["predictions"]), named["result"]["reference_length"]) == (2, 5)
    assert named["result"] == named["metric"].compute(predictions=named["predictions"], references=rows["text"])


def test_what_a_model_of_sequences_writes_is_scored(tmp_path: Path) -> None:
    tokenizer = byte_level_tokenizer(["</s>", "<pad>"], eos_token="</s>", pad_token="<pad>")
    tokenizer.save_pretrained(tmp_path)
    torch.manual_seed(0)
    config = transformers.T5Config(
        vocab_size=len(tokenizer), d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2,
        decoder_start_token_id=1, pad_token_id=1, eos_token_id=0,
    )  # fmt: skip
    transformers.T5ForConditionalGeneration(config).save_pretrained(tmp_path)
    rows = {"source": TEXTS[:3], "text": TEXTS[3:6]}
    named = run_lines_of_the_guide("model.generate(", MODEL=str(tmp_path), rows=rows)
    words = sum(len(text.split()) for text in rows["text"])
    assert (len(named["predictions"]), named["result"]["reference_length"]) == (3, words)
    assert named["result"] == named["metric"].compute(predictions=named["predictions"], references=rows["text"])


# --- the harness


class Echo(LM):  # type: ignore[misc]
    """A model that repeats the prompt without its last word."""

    def generate_until(self, requests: list[Instance]) -> list[str]:
        return [request.args[0].rsplit(" ", 1)[0] for request in requests]

    def loglikelihood(self, requests: list[Instance]) -> list[tuple[float, bool]]:
        raise NotImplementedError

    def loglikelihood_rolling(self, requests: list[Instance]) -> list[float]:
        raise NotImplementedError


def task(folder: Path, **settings: Any) -> ConfigurableTask:
    """A task of the harness over documents in a file."""
    file = folder / "documents.jsonl"
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS), encoding="utf-8")
    return ConfigurableTask(
        config={
            "task": "small",
            "dataset_path": "json",
            "dataset_kwargs": {"data_files": {"test": str(file)}},
            "test_split": "test",
            **settings,
        }
    )


def run(model: LM, small: ConfigurableTask) -> dict[str, Any]:
    results = lm_eval.simple_evaluate(model=model, tasks=[small], bootstrap_iters=0)["results"]["small"]
    return {name.partition(",")[0]: value for name, value in results.items()}


def test_the_harness_scores_generated_text_by_a_path(tmp_path: Path) -> None:
    metric = {"metric": evenscore.path("wer_dp"), "hf_evaluate": True, "scalars_only": True, "aggregation": "mean"}
    small = task(
        tmp_path,
        output_type="generate_until",
        doc_to_text="{{text}}",
        doc_to_target="{{text}}",
        metric_list=[{**metric, "higher_is_better": False}],
    )
    result = run(Echo(), small)
    wer = evenscore.load("wer_dp")
    rates = [wer.compute(predictions=[t.rsplit(" ", 1)[0]], references=[t])["wer"] for t in TEXTS]
    assert result["wer"] == pytest.approx(sum(rates) / len(rates), rel=1e-12)
    assert result["deletions"] == pytest.approx(sum(len(t.split()) > 1 for t in TEXTS) / len(TEXTS), rel=1e-12)


def test_word_byte_and_bit_figures_equal_those_of_a_whole_run_of_the_harness(tmp_path: Path) -> None:
    names = ("word_perplexity", "byte_perplexity", "bits_per_byte")
    folder = saved("gpt2", tmp_path)
    small = task(
        tmp_path,
        output_type="loglikelihood_rolling",
        doc_to_text="",
        doc_to_target="{{text}}",
        metric_list=[{"metric": name} for name in names],
    )
    model = HFLM(pretrained=model_for("gpt2"), tokenizer=tokenizer_for("gpt2"), batch_size=4, device="cpu")
    theirs = run(model, small)
    ours = evenscore.load("perplexity", model_id=str(folder), long_texts="disjoint").compute(predictions=TEXTS)
    # Other batches: float32 noise.
    assert {name: ours[name] for name in names} == pytest.approx({name: theirs[name] for name in names}, rel=1e-5)
