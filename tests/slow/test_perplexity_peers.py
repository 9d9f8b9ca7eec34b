"""Perplexity of torch's tensors, beside torchmetrics and lm-eval."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
import torchmetrics
from lm_eval.api.metrics import bits_per_byte, weighted_perplexity
from lm_eval.utils import get_rolling_token_windows, make_disjoint_window
from small_corpus import refusal

import evenscore
from evenscore.perplexity.models.windows import Spans, strided_windows

# Rows of every kind: certain, likely, tiny, huge, long.
LOG_PROBS = [[-1.5, -0.25, -3.0], [0.0], [-1e-12, -700.25], [-0.1] * 50, [-2.0, -1e300 / 1e298]]
TEXTS = ["a b c", "one", " two  spaces", "é" * 3, "日本語 です"]


def computed(**given: Any) -> dict[str, Any]:
    return dict(evenscore.load("perplexity").compute(**given))


# --- tensors


def test_log_probs_may_be_tensors() -> None:
    rows = [torch.tensor(row, dtype=torch.float64, requires_grad=True) for row in LOG_PROBS]
    assert computed(log_probs=rows) == computed(log_probs=LOG_PROBS)
    one = np.full((3, 4), -0.5, dtype=np.float32)
    assert computed(log_probs=torch.tensor(one)) == computed(log_probs=one)
    assert computed(log_probs=torch.tensor(one).bfloat16())["perplexity"] == math.exp(0.5)


def test_one_tensor_for_one_text_is_refused() -> None:
    message = refusal(lambda: computed(log_probs=torch.tensor([-1.0])))
    assert message.startswith("log_probs[0] is a number: give one list per text")


# --- torchmetrics


def test_moderate_logits_give_the_number_of_torchmetrics() -> None:
    generator = torch.Generator().manual_seed(1)
    logits = torch.randn(4, 7, 30, generator=generator)
    labels = torch.randint(0, 30, (4, 7), generator=generator)
    labels[1, 3:] = -100
    theirs = torchmetrics.text.Perplexity(ignore_index=-100)(logits, labels)
    # Theirs is taken in float32.
    assert computed(logits=logits, labels=labels)["perplexity"] == pytest.approx(theirs.item(), rel=1e-5)


def test_far_logits_do_not_become_infinite() -> None:
    """A gap of 120 underflows in a float32 softmax, where torchmetrics 1.9 says infinite."""
    logits, labels = torch.tensor([[[120.0, 0.0], [0.0, 0.0]]]), torch.tensor([[1, 0]])
    assert torchmetrics.text.Perplexity()(logits, labels).item() == math.inf
    expected = math.exp((120 + math.log(2)) / 2)
    assert computed(logits=logits, labels=labels)["perplexity"] == pytest.approx(expected, rel=1e-12)
    assert computed(logits=logits * 1e30, labels=labels)["perplexity"] == math.inf


# --- lm-eval


def harness_figures(rows: Sequence[Sequence[float]], texts: Sequence[str]) -> dict[str, float]:
    """The figures as lm-eval's loglikelihood_rolling tasks make them, by its own aggregations."""
    sums = [math.fsum(row) for row in rows]
    words = [len(re.split(r"\s+", text)) for text in texts]
    sizes = [len(text.encode("utf-8")) for text in texts]
    return {
        "word_perplexity": weighted_perplexity(list(zip(sums, words, strict=True))),
        "byte_perplexity": weighted_perplexity(list(zip(sums, sizes, strict=True))),
        "bits_per_byte": bits_per_byte(list(zip(sums, sizes, strict=True))),
    }


def test_word_byte_and_bit_figures_are_those_of_the_harness() -> None:
    result = computed(log_probs=LOG_PROBS, predictions=TEXTS)
    # The harness rounds at every addition.
    for name, value in harness_figures(LOG_PROBS, TEXTS).items():
        assert result[name] == pytest.approx(value, rel=1e-12), name
    assert (result["words"], result["characters"], result["bytes"]) == (10, 29, 42)
    assert result["bits_per_character"] * 29 == pytest.approx(result["bits_per_byte"] * 42, rel=1e-15)
    assert "words" not in computed(log_probs=LOG_PROBS)


def strided(length: int, window: int, stride: int) -> list[tuple[int, ...]]:
    """The windows over one text whose first token is not scored."""
    spans = Spans(*(np.array([place]) for place in (0, 1, length)))
    return [tuple(map(int, row)) for row in zip(*strided_windows(spans, window, stride), strict=True)]


@pytest.mark.parametrize("length", range(1, 40))
@pytest.mark.parametrize(("window", "stride"), [(1, 1), (2, 1), (5, 1), (5, 2), (5, 5), (8, 4), (8, 7), (50, 25)])
def test_strided_windows_are_those_of_lm_eval(length: int, window: int, stride: int) -> None:
    """lm-eval's token i is ours i + 1: ours counts the start token."""
    ids = list(range(1, length + 1))
    theirs = list(get_rolling_token_windows(ids, 0, window, window - stride + 1))
    ours = [
        (list(range(start, stop)), list(range(first, last)))
        for start, stop, first, last in strided(length + 1, window, stride)
    ]
    assert ours == theirs


@pytest.mark.parametrize("length", range(1, 30))
@pytest.mark.parametrize("window", [1, 2, 5, 8, 40])
def test_windows_at_the_largest_stride_are_lm_evals_rolling_ones(length: int, window: int) -> None:
    """What the model is fed is context + targets without the last token (HFLM._loglikelihood_tokens)."""
    rolling = get_rolling_token_windows(list(range(1, length + 1)), 0, window, 1)
    theirs = [(context + targets)[:-1] for context, targets in map(make_disjoint_window, rolling)]
    assert [list(range(start, stop)) for start, stop, _, _ in strided(length + 1, window, window)] == theirs
