"""The page of perplexity, as a Space of the Hub starts it: python app.py."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import gradio as gr

from evenscore.hub.page import Example, Given, Input, Option, Space, build, serve

UNITS = ("words", "characters")
HEADLINES = ("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "bits_per_character")


def with_source(given: Given) -> Given:
    """An n-gram model, unless log-probabilities are all that is there."""
    return given if "log_probs" in given and "train_texts" not in given else {"source": "ngram", **given}


# Parts of the names that such columns have in files.
_TEXTS, _PROMPTS, _NUMBERS = ("text", "pred", "hyp", "sentence"), ("context", "prompt"), ("log_prob", "logprob")
_NUMBERS_INFO = "Instead of training texts: natural logarithms, the numbers of a text in a line"
_SCORES_INFO = "With an interval and a value a row; rows are sorted by the first"
_optional = partial(Input, is_needed=False)
SPACE = Space(
    title="Perplexity",
    script=Path(__file__).resolve().with_name("perplexity.py"),
    lower_is_better=True,
    inputs=[
        _optional("predictions", "prediction", "Texts", "What is scored, a line a text", called=_TEXTS),
        _optional(
            "train_texts",
            "",
            "Training texts",
            "What an n-gram model is estimated from, a line a text",
            called=["train"],
        ),
        _optional(
            "contexts",
            "context",
            "Contexts",
            "What stands before the texts and is not scored; may be empty",
            called=_PROMPTS,
        ),
        _optional("log_probs", "log_probs", "Log-probabilities", _NUMBERS_INFO, numbers=True, called=_NUMBERS),
    ],
    options=[
        Option("ngram_order", "Longest n-grams", "Of the model, at most 20", 3, most=20),
        Option("ngram_unit", "N-grams of", "What the model is made of", "words", {unit: unit for unit in UNITS}),
        Option("discount", "Discount", "From 0 to 1; empty: estimated, which takes much text", "0.5"),
        Option("end_token", "Score ends", "The end of every text is a token, too", True),
        Option("headlines", "Scores", _SCORES_INFO, ["perplexity"], {name: name for name in HEADLINES}, several=True),
    ],
    examples=[
        Example(
            "n-gram model",
            {
                "predictions": ["the dog sat on the mat\na zebra\nthe cat and the dog sat there"],
                "train_texts": ["the cat sat on the mat\nthe dog sat on the rug\na cat and a dog sat there"],
            },
        ),
        Example("log-probabilities", {"predictions": ["a b c\nd"], "log_probs": ["-1.0 -2.0 -3.0\n-2.0"]}),
    ],
    prepare=with_source,
)


def page() -> gr.Blocks:
    """The page, not served yet."""
    return build(SPACE)


if __name__ == "__main__":
    serve(page())
