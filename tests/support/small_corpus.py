"""A corpus of three rows, for tests of what all metrics share."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import evenscore

PREDICTIONS = ["the cat sat on the mat", "hello there, you", "no word here matches"]
# One reference a row, as many a row, any number a row.
SINGLE = ["the cat sat on a mat", "hello there you", "ours is another one"]
EVEN = [["the cat sat on a mat", "a cat on the mat"], ["hello there you", "hi"], ["ours is another one", "ours"]]
VARYING = [["the cat sat on a mat"], ["hello there you", "hi", ""], ["ours is another one", "ours"]]

ALL_METRICS = list(evenscore.METRICS)
# Those of predictions against references.
METRICS = [name for name in ALL_METRICS if name != "perplexity"]
# What compute takes of the corpus.
COLUMNS: dict[str, dict[str, Any]] = {
    **{name: {"predictions": PREDICTIONS, "references": VARYING} for name in METRICS},
    "perplexity": {"predictions": PREDICTIONS, "log_probs": [[-1.5, -0.25, -3.0], [-0.125], [-2.0, -7.75]]},
}
# An option of each metric that decides what is counted, with a value that is not the default.
COUNTING: dict[str, dict[str, Any]] = {
    "bleu_corpus": {"lowercase": True},
    "rouge_l_multi": {"tokenizer": "whitespace"},
    "wer_dp": {"unit": "char"},
}


def random_rows(count: int) -> tuple[list[str], list[list[str]]]:
    """Predictions of up to 12 words of a few, with one to three references each; always the same."""
    draw = random.Random(4)
    words = ["the", "cat", "sat", "on", "a", "mat", "by", "the", "door", "of", "an", "old", "house"]
    predictions = [" ".join(draw.choices(words, k=draw.randint(0, 12))) for _ in range(count)]
    references = [[" ".join(draw.choices(words, k=8)) for _ in range(draw.randint(1, 3))] for _ in range(count)]
    return predictions, references


def random_texts(count: int, longest: int, seed: int) -> list[str]:
    """Texts of 1 to `longest` words, of which some are odd."""
    rng = random.Random(seed)
    known = "the cat sat on a mat and saw some rain over these old hills while it slept by warm stones of ever"
    words = [*known.split(), "Zyx", "naïve", "12", "日本", "—"]
    return [" ".join(rng.choices(words, k=rng.randint(1, longest))) for _ in range(count)]


def column_scores(name: str) -> dict[str, Any]:
    """The result of any metric for COLUMNS, with one score a row."""
    result: dict[str, Any] = evenscore.load(name).compute(**COLUMNS[name], per_example=True)
    return result


def scores(name: str, predictions: Any = PREDICTIONS, references: Any = VARYING, **options: Any) -> dict[str, Any]:
    """The result of a metric, with one score a row."""
    return evenscore.load(name).compute(
        predictions=predictions, references=references, **{"per_example": True, **options}
    )


def refusal(call: Callable[[], Any]) -> str:
    """The message of the ValueError that the call raises."""
    with pytest.raises(ValueError, match=r"\w") as caught:
        call()
    return str(caught.value)
