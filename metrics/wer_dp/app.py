"""The page of wer_dp; a Space of the Hub runs `python app.py`."""

from __future__ import annotations

from pathlib import Path

from evenscore.hub.page import Figure, Given, Option, Space, build, pairs, serve

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
        "wer": Figure("Word error rate", rate, "Substitutions, deletions and insertions, by the references' length"),
        "cer": Figure("Character error rate", rate, "The same as the word error rate, of characters, spaces included"),
        "hits": Figure("Hits", units, f"{units.capitalize()} of the references that the predictions have"),
        "substitutions": Figure("Substitutions", units, "Of the references, for which the predictions have others"),
        "deletions": Figure("Deletions", units, "Of the references, which the predictions lack"),
        "insertions": Figure("Insertions", units, "Of the predictions, which the references lack"),
        "reference_length": Figure("Length of references", units, "Of those references that the errors are counted by"),
        "prediction_length": Figure("Length of predictions", units, "Of all predictions"),
        "sentence_error_rate": Figure("Sentence error rate", "of rows", "The share of the rows that have an error"),
        "weighted_error_rate": Figure("Weighted error rate", "", "The costs of all errors, by length"),
        "mer": Figure("Match error rate", "", "Errors, by errors and hits together; from 0 to 1, lower is better"),
        "wil": Figure("Word information lost", "", "1 less the word information preserved; lower is better"),
        "wip": Figure(
            "Word information preserved", "", "Hits by the references' length, times hits by the predictions'"
        ),
    }


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
)

if __name__ == "__main__":
    serve(build(SPACE))
