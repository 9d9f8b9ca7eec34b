"""The options of rouge_l_multi, aliases for the names in evaluate's rouge, and the keys of the result."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TypedDict

from evenscore.options import Alias, HostOptions, Option, Options, check_choice, check_number, rename
from evenscore.rouge.tokens import TOKENIZERS


def rouge_types(given: Any) -> tuple[str, ...]:
    """Return the ROUGE types in the option, without duplicates, in the order given."""
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, (list, tuple)) or not all(isinstance(name, str) for name in listed):
        raise ValueError(f"rouge_types={given!r}: give a list such as ['rougeL', 'rouge1']")
    return tuple(dict.fromkeys(listed))


def _check_types(name: str, value: Any) -> None:
    kinds = rouge_types(value)
    if not kinds:
        raise ValueError("rouge_types is empty: give one or more of rougeL, rougeLsum, rouge1 .. rouge9")
    for kind in kinds:
        if not re.fullmatch(r"rouge([1-9]|L|Lsum)", kind):
            raise ValueError(f"rouge_types holds {kind!r}: choose from rougeL, rougeLsum, rouge1 .. rouge9")


def _check_beta(name: str, value: Any) -> None:
    if isinstance(value, str) and value != "P/R":
        raise ValueError(f"beta={value!r}: give a number, or 'P/R'")
    if not isinstance(value, str):
        check_number(name, value, least=0, below=1e100)


def _check_tokenizer(name: str, value: Any) -> None:
    if not callable(value):
        check_choice(name, value, TOKENIZERS)


class RougeOptions(Options, total=False):
    """The options of rouge_l_multi."""

    rouge_types: Annotated[
        str | Sequence[str],
        Option(
            ("rougeL", "rougeLsum"),
            'scores to compute: `"rougeL"`, `"rougeLsum"`, `"rouge1"` to `"rouge9"`',
            _check_types,
        ),
    ]
    multi_reference: Annotated[
        Literal["best", "max_pr", "average", "best_recall", "summed", "jackknife"],
        Option(
            "best",
            '`"best"`: highest F, as rouge_score; `"max_pr"`: highest P and highest R (Lin & Och 2004); `"average"`: '
            'mean over references; `"best_recall"`, `"summed"`: ROUGE-1.5.5 `-f B`, `-f A`; `"jackknife"`: Lin (2004)',
            counts=True,
        ),
    ]
    beta: Annotated[
        float | str,
        Option(1, 'weight of recall relative to precision: a number, or `"P/R"`', _check_beta, counts=True),
    ]
    tokenizer: Annotated[
        str | Callable[[str], list[str]],
        Option(
            "rouge_score",
            '`"rouge_score"`: a-z and 0-9; `"unicode"`: every script, one token per Han or Kana character; '
            '`"whitespace"`; or a function from text to tokens',
            _check_tokenizer,
            counts=True,
        ),
    ]
    stemmer: Annotated[
        bool | Literal["rouge-1.5.5"],
        Option(
            False,
            'compare stems: `True`: as rouge_score (needs nltk); `"rouge-1.5.5"`: as ROUGE-1.5.5 `-m`, which knows '
            "irregular words",
            counts=True,
        ),
    ]
    sentences: Annotated[
        Literal["newline", "rules"],
        Option(
            "newline",
            'how rougeLsum splits sentences: `"newline"`: one per line; `"rules"`: built-in rules',
            counts=True,
        ),
    ]
    aggregate: Annotated[
        Literal["mean", "bootstrap", "none"],
        Option("mean", '`"mean"`; `"bootstrap"`: the mid of rouge_score, seeded; `"none"`: one value per row'),
    ]

    use_stemmer: Annotated[bool | None, rename("stemmer")]
    use_aggregator: Annotated[bool | None, Alias(lambda value: {"aggregate": "bootstrap" if value else "none"})]
    split_summaries: Annotated[bool | None, Alias(lambda value: {"sentences": "rules" if value else "newline"})]


# What does the same as an option of other metrics or libraries that rouge_l_multi lacks.
INSTEAD = {
    "lowercase": "tokenizer='rouge_score', the default, and tokenizer='unicode' compare lower case",
    "max_order": "rouge_types=['rouge1', 'rouge2'] chooses the lengths of n-grams",
}


class RougeLoad(RougeOptions, HostOptions, total=False):
    """The keyword arguments of evenscore.load for rouge_l_multi."""


# A mean, or a list with one value per row for aggregate="none".
_Figure = Any


# The result of compute: F under each type's name, precision and recall. The options decide which keys are present.
class RougeResult(TypedDict, total=False):
    rougeL: _Figure
    rougeL_precision: _Figure
    rougeL_recall: _Figure
    rougeL_low: float
    rougeL_mean: float
    rougeL_high: float
    rougeL_per_example: list[float]
    rougeLsum: _Figure
    rougeLsum_precision: _Figure
    rougeLsum_recall: _Figure
    rougeLsum_low: float
    rougeLsum_mean: float
    rougeLsum_high: float
    rougeLsum_per_example: list[float]
    rouge1: _Figure
    rouge1_precision: _Figure
    rouge1_recall: _Figure
    rouge1_low: float
    rouge1_mean: float
    rouge1_high: float
    rouge1_per_example: list[float]
    rouge2: _Figure
    rouge2_precision: _Figure
    rouge2_recall: _Figure
    rouge2_low: float
    rouge2_mean: float
    rouge2_high: float
    rouge2_per_example: list[float]
    rouge3: _Figure
    rouge3_precision: _Figure
    rouge3_recall: _Figure
    rouge3_low: float
    rouge3_mean: float
    rouge3_high: float
    rouge3_per_example: list[float]
    rouge4: _Figure
    rouge4_precision: _Figure
    rouge4_recall: _Figure
    rouge4_low: float
    rouge4_mean: float
    rouge4_high: float
    rouge4_per_example: list[float]
    rouge5: _Figure
    rouge5_precision: _Figure
    rouge5_recall: _Figure
    rouge5_low: float
    rouge5_mean: float
    rouge5_high: float
    rouge5_per_example: list[float]
    rouge6: _Figure
    rouge6_precision: _Figure
    rouge6_recall: _Figure
    rouge6_low: float
    rouge6_mean: float
    rouge6_high: float
    rouge6_per_example: list[float]
    rouge7: _Figure
    rouge7_precision: _Figure
    rouge7_recall: _Figure
    rouge7_low: float
    rouge7_mean: float
    rouge7_high: float
    rouge7_per_example: list[float]
    rouge8: _Figure
    rouge8_precision: _Figure
    rouge8_recall: _Figure
    rouge8_low: float
    rouge8_mean: float
    rouge8_high: float
    rouge8_per_example: list[float]
    rouge9: _Figure
    rouge9_precision: _Figure
    rouge9_recall: _Figure
    rouge9_low: float
    rouge9_mean: float
    rouge9_high: float
    rouge9_per_example: list[float]
    groups: dict[Any, dict[str, Any]]
    signature: str  # fmt: skip
