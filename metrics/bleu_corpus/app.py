"""The page of bleu_corpus, as a Space of the Hub starts it: python app.py."""

from __future__ import annotations

from pathlib import Path

import gradio as gr

from evenscore.hub.page import Example, Option, Space, build, pairs, serve

BY_CONVENTION = "by convention"
TOKENIZERS = ("13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab")
SMOOTHINGS = ("exp", "floor", "add-k", "none", "add-one", *(f"nltk{n}" for n in range(8)))

SPACE = Space(
    title="Corpus BLEU",
    script=Path(__file__).resolve().with_name("bleu_corpus.py"),
    lower_is_better=False,
    inputs=pairs("What the system wrote, a segment a line", "What people wrote, a segment a line"),
    options=[
        Option(
            "convention",
            "Convention",
            "Whose BLEU it is",
            "sacrebleu",
            {name: name for name in ("sacrebleu", "evaluate", "nltk", "paper")},
        ),
        Option(
            "tokenizer",
            "Tokenizer",
            "How texts become tokens",
            BY_CONVENTION,
            {BY_CONVENTION: None, **{name: name for name in TOKENIZERS}},
        ),
        Option(
            "smoothing",
            "Smoothing",
            "What stands for a precision without a match",
            BY_CONVENTION,
            {BY_CONVENTION: None, **{name: name for name in SMOOTHINGS}},
        ),
        Option("smoothing_value", "Smoothing value", "Of floor, add-k, nltk1, 4, 6, 7; empty: the usual one", ""),
        Option(
            "reference_length",
            "Reference length",
            "Which of several references counts for the brevity penalty",
            BY_CONVENTION,
            {BY_CONVENTION: None, "closest": "closest", "shortest": "shortest", "average": "average"},
        ),
        Option("max_order", "Longest n-grams", "In tokens", 4),
        Option("lowercase", "Without case", "Compare texts in lower case", False),
        Option("effective_order", "Effective order", "Leave out orders without n-grams, for short texts", False),
    ],
    examples=[
        Example(
            "translation",
            {
                "predictions": [
                    "The cat sat on the mat.\n"
                    "The council voted Tuesday for closing the old swimming pool.\n"
                    "Did you see my keys?\n"
                    "Thank you very very much."
                ],
                "references": [
                    "The cat is sitting on the mat.\n"
                    "On Tuesday the council voted to close the old swimming pool.\n"
                    "Have you seen my keys?\n"
                    "Thank you very much."
                ],
            },
        ),
        Example(
            "two references",
            {
                "predictions": ["It is to insure the troops forever hearing the activity guidebook that party direct."],
                "references": [
                    "It is a guide to action that ensures that the military will forever heed Party commands.",
                    "It is the practical guide for the army always to heed the directions of the party.",
                ],
            },
        ),
    ],
)


def page() -> gr.Blocks:
    """The page, not served yet."""
    return build(SPACE)


if __name__ == "__main__":
    serve(page())
