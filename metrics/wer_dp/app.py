"""The page of wer_dp, as a Space of the Hub starts it: python app.py."""

from __future__ import annotations

from pathlib import Path

from evenscore.hub.page import Option, Space, build, pairs, serve

UNITS = {"words": "word", "characters": "char"}
TRANSFORMS = {
    "spaces alone, as jiwer": None,
    "no case": ["to_lower_case", "remove_multiple_spaces", "strip"],
    "no case, no punctuation": ["to_lower_case", "remove_punctuation", "remove_multiple_spaces", "strip"],
    "no case, English contractions in full, no Kaldi non-words": "standardize",
}
LENGTHS = {"reference": "reference", "prediction": "prediction", "longer of both": "max", "sum of both": "sum"}
COSTS = {"1, 1, 1": (1, 1, 1), "4, 3, 3, as sclite": (4, 3, 3)}
CHOSEN = "Of a substitution, a deletion, an insertion, to choose between alignments"

SPACE = Space(
    title="Word error rate",
    script=Path(__file__).resolve().with_name("wer_dp.py"),
    lower_is_better=True,
    inputs=pairs("What was recognised, a line a row", "What was said, a line a row"),
    options=[
        Option("unit", "Unit", "What is counted", choices=UNITS),
        Option("transforms", "Before the comparison", "What is done to all texts", choices=TRANSFORMS),
        Option("normalize_by", "Divided by", "The length that the errors are divided by", choices=LENGTHS),
        Option("costs", "Costs", CHOSEN, choices=COSTS),
    ],
    examples={
        "speech": {
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
        "two references": {
            "predictions": ["i am going to buy 2 apples\nmister smith isn't here\nokay"],
            "references": [
                "i'm gonna buy two apples\nmr smith is not here\nokay",
                "i am going to buy two apples\nmister smith is not here\nok",
            ],
        },
    },
)

if __name__ == "__main__":
    serve(build(SPACE))
