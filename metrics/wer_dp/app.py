"""The page of wer_dp; a Space of the Hub runs `python app.py`."""

from __future__ import annotations

from pathlib import Path

from evenscore.hub.page import Figure, Given, Option, Space, build, pairs, serve
from evenscore.reporting import report_html

UNITS = {"words": "word", "characters": "char", "characters of scripts without spaces, other words": "mixed"}
TRANSFORMS = {
    "spaces alone, as jiwer": None,
    "no case": ["to_lower_case", "remove_multiple_spaces", "strip"],
    "no case, no punctuation": ["to_lower_case", "remove_punctuation", "remove_multiple_spaces", "strip"],
    "no case, English contractions in full, no Kaldi non-words": "standardize",
}
LENGTHS = {"reference": "reference", "prediction": "prediction", "longer of both": "max", "sum of both": "sum"}
COSTS = {"1, 1, 1": (1, 1, 1), "4, 3, 3, as sclite": (4, 3, 3)}
CHOSEN = "The costs of substitutions, deletions and insertions when choosing an alignment"

SPEECH = {
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
}
SECOND = [
    "the cat sat on the mat\n"
    "turn off the light in the kitchen\n"
    "she had your dark suit in greasy wash water all year\n"
    "what is the weather like tomorrow"
]


def figures(given: Given) -> dict[str, Figure]:
    """The figures to show; the unit is words or characters."""
    unit, units = ("character", "characters") if given.get("unit") == "char" else ("word", "words")
    rate = f"errors per {unit}"
    return {
        "wer": Figure(
            "Word error rate", rate, "Substitutions, deletions and insertions, divided by the references' length"
        ),
        "cer": Figure("Character error rate", rate, "The error rate of characters, including spaces"),
        "hits": Figure("Hits", units, f"{units.capitalize()} of the references that match the predictions"),
        "substitutions": Figure("Substitutions", units, "Those of the references that are replaced in the predictions"),
        "deletions": Figure("Deletions", units, "Those of the references that the predictions lack"),
        "insertions": Figure("Insertions", units, "Those of the predictions that the references lack"),
        "reference_length": Figure(
            "Length of references", units, "The length of the references with which errors are counted"
        ),
        "prediction_length": Figure("Length of predictions", units, "The length of all predictions"),
        "sentence_error_rate": Figure("Sentence error rate", "of rows", "The share of rows with an error"),
        "weighted_error_rate": Figure("Weighted error rate", "", "The costs of all errors, divided by the length"),
        "mer": Figure("Match error rate", "", "Errors divided by errors plus hits; from 0 to 1, lower is better"),
        "wil": Figure("Word information lost", "", "1 minus the word information preserved; lower is better"),
        "wip": Figure("Word information preserved", "", "Hits / references' length, times hits / predictions' length"),
    }


SPACE = Space(
    title="Word error rate",
    script=Path(__file__).resolve().with_name("wer_dp.py"),
    lower_is_better=True,
    inputs=pairs("The recognised texts, one per line", "The spoken texts, one per line"),
    options=[
        Option("unit", "Unit", "The unit of all counts", choices=UNITS),
        Option("transforms", "Before the comparison", "Steps that all texts go through", choices=TRANSFORMS),
        Option("normalize_by", "Divided by", "The length by which the errors are divided", choices=LENGTHS),
        Option("costs", "Costs", CHOSEN, choices=COSTS),
    ],
    figures=figures,
    examples={
        "speech": SPEECH,
        "two systems": {**SPEECH, "second_predictions": SECOND},
        "two references": {
            "predictions": ["i am going to buy 2 apples\nmister smith isn't here\nokay"],
            "references": [
                "i'm gonna buy two apples\nmr smith is not here\nokay",
                "i am going to buy two apples\nmister smith is not here\nok",
            ],
        },
    },
    report=report_html,
)

if __name__ == "__main__":
    serve(build(SPACE))
