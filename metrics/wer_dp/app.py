"""The page of wer_dp, as a Space of the Hub starts it: python app.py."""

from __future__ import annotations

from pathlib import Path

import gradio as gr

from evenscore.hub.page import Example, Option, Space, build, pairs, serve

SPACE = Space(
    title="Word error rate",
    script=Path(__file__).resolve().with_name("wer_dp.py"),
    lower_is_better=True,
    inputs=pairs("What was recognised, a line a row", "What was said, a line a row"),
    options=[
        Option("unit", "Unit", "What is counted", "words", {"words": "word", "characters": "char"}),
        Option(
            "transforms",
            "Before the comparison",
            "What is done to all texts",
            "spaces alone, as jiwer",
            {
                "spaces alone, as jiwer": None,
                "no case": ["to_lower_case", "remove_multiple_spaces", "strip"],
                "no case, no punctuation": ["to_lower_case", "remove_punctuation", "remove_multiple_spaces", "strip"],
                "no case, English contractions in full, no Kaldi non-words": "standardize",
            },
        ),
        Option(
            "normalize_by",
            "Divided by",
            "The length that the errors are divided by",
            "reference",
            {"reference": "reference", "prediction": "prediction", "longer of both": "max", "sum of both": "sum"},
        ),
        Option(
            "costs",
            "Costs",
            "Of a substitution, a deletion, an insertion, to choose between alignments",
            "1, 1, 1",
            {"1, 1, 1": (1, 1, 1), "4, 3, 3, as sclite": (4, 3, 3)},
        ),
    ],
    examples=[
        Example(
            "speech",
            {
                "predictions": [
                    "the cat sit on mat\n"
                    "turn of the lights in the kitchen\n"
                    "she had your dark suit in greasy wash water\n"
                    "what is the weather like to morrow"
                ],
                "references": [
                    "the cat sat on the mat\n"
                    "turn off the lights in the kitchen\n"
                    "she had your dark suit in greasy wash water all year\n"
                    "what is the weather like tomorrow"
                ],
            },
        ),
        Example(
            "two references",
            {
                "predictions": ["i am going to buy 2 apples\nmister smith isn't here\nokay"],
                "references": [
                    "i'm gonna buy two apples\nmr smith is not here\nokay",
                    "i am going to buy two apples\nmister smith is not here\nok",
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
