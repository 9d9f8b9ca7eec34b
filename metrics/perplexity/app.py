"""The page of perplexity; a Space of the Hub runs `python app.py`."""

from __future__ import annotations

import functools
from pathlib import Path

from evenscore.hub.page import Figure, Given, Input, Option, Space, build, second, serve

TEXTS = ("text", "pred", "hyp", "sentence")
TRAINING = "The texts that an n-gram model is trained on, one per line"
CONTEXTS = "Texts before the texts to score, not scored themselves; may be empty"
NUMBERS = "Instead of training texts: natural logarithms, one line of numbers per text"
SCORES = "Scores with an interval and a value per row; the first one sorts the rows"
UNITS = {"words": "words", "characters": "characters"}
TEXT = """Perplexity measures how much texts surprise a language model: exp of the mean negative logarithm of the
probabilities of their tokens; also per word, per byte, in bits. This page trains an n-gram model on texts, reads one
from an ARPA file, or takes the log-probabilities of any model. In Python, the metric also runs transformers models."""
SUM = "The sum of the negative natural logarithms of all probabilities"
FIGURES = {
    "perplexity": Figure(
        "Perplexity", "", "Predicting a token is as hard as choosing among this many equally likely tokens"
    ),
    "word_perplexity": Figure("Perplexity per word", "", "Perplexity of words, independent of the model's tokens"),
    "byte_perplexity": Figure(
        "Perplexity per byte", "", "Perplexity of UTF-8 bytes, independent of the model's tokens"
    ),
    "bits_per_byte": Figure("Bits per byte", "bits", "The bits that the model needs per byte of the texts"),
    "bits_per_character": Figure("Bits per character", "bits", "The bits that the model needs per character"),
    "mean_perplexity": Figure("Mean perplexity", "", "The mean of the perplexities of the rows"),
    "perplexity_without_unknown": Figure(
        "Perplexity of known tokens", "", "Perplexity without the tokens that the model does not know"
    ),
    "unknown_tokens": Figure("Unknown tokens", "tokens", "Tokens that the model does not know"),
    "nll": Figure("Negative log-likelihood", "nats", SUM),
    "tokens": Figure("Length", "tokens", "The number of scored tokens"),
    "words": Figure("Length in words", "words", "The number of words, separated by white space"),
    "characters": Figure("Length in characters", "characters", "The size of the texts in characters"),
    "bytes": Figure("Length in bytes", "bytes", "The size of the texts in UTF-8"),
}
NAMES = ("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "bits_per_character")
HEADLINES = {FIGURES[name].name: name for name in NAMES}
OF_TRAINING = ("ngram_order", "discount")


def with_source(given: Given) -> Given:
    """Set the source: an ARPA file if given, else an n-gram model, unless there are only log-probabilities."""
    if "source" in given:
        return {name: value for name, value in given.items() if name not in OF_TRAINING}
    return given if "log_probs" in given and "train_texts" not in given else {"source": "ngram", **given}


optional = functools.partial(Input, is_needed=False)
SPACE = Space(
    title="Perplexity",
    script=Path(__file__).resolve().with_name("perplexity.py"),
    text=TEXT,
    lower_is_better=True,
    figures=lambda given: FIGURES,
    inputs=[
        optional("predictions", "prediction", "Texts", "The texts to score, one per line", called=TEXTS),
        second("predictions", "Texts of the second system", "As many lines, scored with the same model"),
        optional("train_texts", "", "Training texts", TRAINING, called=("train",)),
        optional("contexts", "context", "Contexts", CONTEXTS, called=("context", "prompt")),
        optional("log_probs", "log_probs", "Log-probabilities", NUMBERS, numbers=True, called=("log_prob", "logprob")),
        second("log_probs", "Log-probabilities of the second model", "As many lines, for the same texts", numbers=True),
        optional("source", "", "ARPA file", "", boxes=0, called=(".arpa",)),
    ],
    options=[
        Option("ngram_order", "Longest n-grams", "The order of the model, at most 20", most=20),
        Option("ngram_unit", "N-grams of", "The units of the model", choices=UNITS),
        Option("discount", "Discount", "From 0 to 1; empty: estimated, which needs much text", "0.5"),
        Option("end_token", "Score ends", "Score the end of every text as a token"),
        Option("headlines", "Scores", SCORES, choices=HEADLINES, several=True),
    ],
    examples={
        "n-gram model": {
            "predictions": ["the dog sat on the mat\na zebra\nthe cat and the dog sat there"],
            "train_texts": ["the cat sat on the mat\nthe dog sat on the rug\na cat and a dog sat there"],
        },
        "two systems": {
            "predictions": ["the dog sat on the mat\na zebra\nthe cat and the dog sat there"],
            "second_predictions": ["the dog sat on the rug\na cat\nthe cat sat and the dog sat there"],
            "train_texts": ["the cat sat on the mat\nthe dog sat on the rug\na cat and a dog sat there"],
        },
        "log-probabilities": {"predictions": ["a b c\nd"], "log_probs": ["-1.0 -2.0 -3.0\n-2.0"]},
    },
    prepare=with_source,
)

if __name__ == "__main__":
    serve(build(SPACE))
