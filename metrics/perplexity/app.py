"""The page of perplexity, as a Space of the Hub starts it: python app.py."""

from __future__ import annotations

import functools
from pathlib import Path

from evenscore.hub.page import Given, Input, Option, Space, build, serve

TEXTS = ("text", "pred", "hyp", "sentence")
TRAINING = "What an n-gram model is estimated from, a line a text"
CONTEXTS = "What stands before the texts and is not scored; may be empty"
NUMBERS = "Instead of training texts: natural logarithms, the numbers of a text in a line"
SCORES = "With an interval and a value a row; rows are sorted by the first"
UNITS = {"words": "words", "characters": "characters"}
NAMES = ("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "bits_per_character")
HEADLINES = {name: name for name in NAMES}


def with_source(given: Given) -> Given:
    """An n-gram model, unless log-probabilities are all that is there."""
    return given if "log_probs" in given and "train_texts" not in given else {"source": "ngram", **given}


optional = functools.partial(Input, is_needed=False)
SPACE = Space(
    title="Perplexity",
    script=Path(__file__).resolve().with_name("perplexity.py"),
    lower_is_better=True,
    inputs=[
        optional("predictions", "prediction", "Texts", "What is scored, a line a text", called=TEXTS),
        optional("train_texts", "", "Training texts", TRAINING, called=("train",)),
        optional("contexts", "context", "Contexts", CONTEXTS, called=("context", "prompt")),
        optional("log_probs", "log_probs", "Log-probabilities", NUMBERS, numbers=True, called=("log_prob", "logprob")),
    ],
    options=[
        Option("ngram_order", "Longest n-grams", "Of the model, at most 20", most=20),
        Option("ngram_unit", "N-grams of", "What the model is made of", choices=UNITS),
        Option("discount", "Discount", "From 0 to 1; empty: estimated, which takes much text", "0.5"),
        Option("end_token", "Score ends", "The end of every text is a token, too"),
        Option("headlines", "Scores", SCORES, choices=HEADLINES, several=True),
    ],
    examples={
        "n-gram model": {
            "predictions": ["the dog sat on the mat\na zebra\nthe cat and the dog sat there"],
            "train_texts": ["the cat sat on the mat\nthe dog sat on the rug\na cat and a dog sat there"],
        },
        "log-probabilities": {"predictions": ["a b c\nd"], "log_probs": ["-1.0 -2.0 -3.0\n-2.0"]},
    },
    prepare=with_source,
)

if __name__ == "__main__":
    serve(build(SPACE))
