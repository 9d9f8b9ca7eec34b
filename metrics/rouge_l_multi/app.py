"""The page of rouge_l_multi; a Space of the Hub runs `python app.py`."""

from __future__ import annotations

from pathlib import Path

from evenscore.hub.page import Figure, Option, Space, build, pairs, serve
from evenscore.reporting import report_html

TYPES = {f"ROUGE-{kind}": f"rouge{kind}" for kind in ("L", "Lsum", *range(1, 10))}
MANY = {
    "best F, as rouge_score": "best",
    "best precision and best recall, Lin and Och 2004": "max_pr",
    "average": "average",
    "best recall, ROUGE-1.5.5 -f B": "best_recall",
    "summed, ROUGE-1.5.5 -f A": "summed",
    "jackknife, Lin 2004": "jackknife",
}
BETAS = {"0.5": 0.5, "1": 1, "1.2": 1.2, "2": 2, "precision / recall, Lin and Och 2004": "P/R"}
TOKENIZERS = {
    "rouge_score: a-z and 0-9 alone": "rouge_score",
    "unicode: every script": "unicode",
    "white space": "whitespace",
}
STEMMERS = {"no": False, "as rouge_score": True, "as ROUGE-1.5.5 -m": "rouge-1.5.5"}
SENTENCES = {"at line breaks": "newline", "by rules": "rules"}

COMPARED = {
    "rougeL": "of the longest common subsequence",
    "rougeLsum": "of the longest common subsequences of sentences",
    **{f"rouge{n}": f"of the n-grams of {n} words" for n in range(1, 10)},
}
FIGURES = {
    f"{kind}{end}": Figure(f"{kind.replace('rouge', 'ROUGE-')}{name}", "of 1", f"{meaning}, {compared}")
    for kind, compared in COMPARED.items()
    for end, name, meaning in (
        ("", "", "F, the mean of precision and recall"),
        ("_precision", " precision", "The share of the predictions that occurs in the references"),
        ("_recall", " recall", "The share of the references that occurs in the predictions"),
    )
}
SUMMARIES = {
    "predictions": ["the cat was found under the bed\npolice killed the gunman\nprices rose by three percent in May"],
    "references": [
        "the cat was under the bed\npolice ended the gunman\nin May prices went up by three percent",
        "the tiny little cat was found under the big funny bed\n"
        "the gunman was shot down by police\nprices were three percent higher in May",
    ],
}
SECOND = ["the cat was under the funny bed\nthe gunman was shot by police\nin May prices rose by three percent"]

SPACE = Space(
    title="ROUGE-L with several references",
    script=Path(__file__).resolve().with_name("rouge_l_multi.py"),
    lower_is_better=False,
    inputs=pairs("The output of the system, one text per line", "Texts by people, one text per line"),
    options=[
        Option("rouge_types", "Kinds", "The first one sorts the rows", choices=TYPES, several=True),
        Option("multi_reference", "Several references", "How they are combined", choices=MANY),
        Option("beta", "Beta", "The weight of recall relative to precision", choices=BETAS),
        Option("tokenizer", "Tokenizer", "How texts become tokens", choices=TOKENIZERS),
        Option("sentences", "Sentences", "How rougeLsum finds them", choices=SENTENCES),
        Option("stemmer", "Stems", "Compare Porter's stems of English words", choices=STEMMERS),
    ],
    figures=lambda given: FIGURES,
    examples={
        "summaries": SUMMARIES,
        "two systems": {**SUMMARIES, "second_predictions": SECOND},
        "Hindi": {
            "predictions": ["राम घर गया\nसीता बाज़ार से आई"],
            "references": ["राम घर आया\nसीता आज बाज़ार से आई"],
        },
    },
    report=report_html,
)

if __name__ == "__main__":
    serve(build(SPACE))
