"""The page of bleu_corpus; a Space of the Hub runs `python app.py`."""

from __future__ import annotations

from pathlib import Path

from evenscore.hub.page import Figure, Option, Space, build, pairs, serve
from evenscore.reporting import report_html

BY_CONVENTION = "by convention"
COUNTED = "The reference that counts for the brevity penalty if there are several"
TOKENIZERS = {name: name for name in ("13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab")}

BY_ORDER = "one number per order: words, pairs of words, and so on"
FIGURES = {
    "score": Figure("BLEU", "of 100", "The geometric mean of the precisions, times the brevity penalty, times 100"),
    "bleu": Figure("BLEU as a fraction", "of 1", "The same number, from 0 to 1"),
    "precisions": Figure("Precisions", "of 1", f"The share of the predictions' n-grams that match; {BY_ORDER}"),
    "counts": Figure("Matches", "n-grams", f"The n-grams of the predictions that occur in a reference; {BY_ORDER}"),
    "totals": Figure("N-grams", "", f"All n-grams of the predictions; {BY_ORDER}"),
    "brevity_penalty": Figure("Brevity penalty", "of 1", "Below 1 if the predictions are shorter than the references"),
    "length_ratio": Figure("Ratio of lengths", "", "The length of the predictions divided by that of the references"),
    "translation_length": Figure("Length of predictions", "tokens", "The length of all predictions"),
    "reference_length": Figure(
        "Length of references", "tokens", "The length of the references that count for the brevity penalty"
    ),
    "bleu_cumulative": Figure("BLEU-1, BLEU-2, …", "of 1", "BLEU of n-grams up to each order"),
    "bleu_individual": Figure("BLEU of each order", "of 1", "Each precision, times the brevity penalty"),
}
TRANSLATION = {
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
}
SECOND = [
    "The cat is sitting on the mat.\n"
    "On Tuesday the council voted to close the swimming pool.\n"
    "Have you seen my key?\n"
    "Thanks very much."
]

SPACE = Space(
    title="Corpus BLEU",
    script=Path(__file__).resolve().with_name("bleu_corpus.py"),
    lower_is_better=False,
    inputs=pairs("The output of the system, one segment per line", "Texts by people, one segment per line"),
    options=[
        Option("convention", "Convention", "The tool or paper whose BLEU is computed"),
        Option("tokenizer", "Tokenizer", "How texts become tokens", BY_CONVENTION, TOKENIZERS),
        Option("smoothing", "Smoothing", "The replacement for a precision without a match", BY_CONVENTION),
        Option("smoothing_value", "Smoothing value", "For floor, add-k, nltk1, 4, 6, 7; empty: the default"),
        Option("reference_length", "Reference length", COUNTED, BY_CONVENTION),
        Option("max_order", "Longest n-grams", "In tokens"),
        Option("lowercase", "Without case", "Compare texts in lower case"),
        Option("effective_order", "Effective order", "Leave out orders without n-grams, for short texts"),
    ],
    figures=lambda given: FIGURES,
    examples={
        "translation": TRANSLATION,
        "two systems": {**TRANSLATION, "second_predictions": SECOND},
        "two references": {
            "predictions": ["It is to insure the troops forever hearing the activity guidebook that party direct."],
            "references": [
                "It is a guide to action that ensures that the military will forever heed Party commands.",
                "It is the practical guide for the army always to heed the directions of the party.",
            ],
        },
    },
    report=report_html,
)

if __name__ == "__main__":
    serve(build(SPACE))
