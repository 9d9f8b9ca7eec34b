"""The options of wer_dp, an alias for an option of evaluate's wer, and the keys of the result."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TypedDict

from evenscore.options import Alias, HostOptions, Option, Options, check_number
from evenscore.wer.costs import Costs


def _check_costs(name: str, value: Any) -> None:
    if not isinstance(value, (list, tuple)) or len(value) != len(Costs._fields):
        raise ValueError(f"{name}={value!r}: give three numbers, for substitution, deletion and insertion")
    for part, cost in zip(Costs._fields, value, strict=True):
        check_number(f"{name} ({part})", cost, above=0)


class WerOptions(Options, total=False):
    """The options of wer_dp."""

    unit: Annotated[
        Literal["word", "char", "mixed"],
        Option(
            "word",
            '`"word"`: word error rate; `"char"`: character error rate; `"mixed"`: rate of characters in scripts '
            "without spaces between words, such as Chinese and Thai, and of words in others",
            counts=True,
        ),
    ]
    normalize_by: Annotated[
        Literal["reference", "prediction", "max", "sum"],
        Option("reference", 'divisor of the errors: `"reference"`, `"prediction"`, `"max"` or `"sum"`', counts=True),
    ]
    transforms: Annotated[
        str | Callable[[str], str] | Sequence[Any] | None,
        Option(
            None,
            'changes to texts before comparison: `"standardize"`, `"whisper-english"`, `"whisper-basic"`, or a list of '
            'steps such as `["to_lower_case", "remove_punctuation"]`; `None`: as jiwer, which removes extra spaces '
            "only",
            counts=True,
        ),
    ]
    costs: Annotated[
        Sequence[float],
        Option(
            (1, 1, 1),
            "of a substitution, a deletion and an insertion; sclite has `(4, 3, 3)`",
            _check_costs,
            counts=True,
        ),
    ]
    synonyms: Annotated[
        str | os.PathLike[str] | Sequence[Any] | None,
        Option(
            None,
            'pairs such as `("i am", "i\'m")`, whose right side may stand for the left one in references only, or the '
            "path of a file of fstalign or of a GLM file of NIST; give both directions to accept either side in either "
            "text",
            counts=True,
        ),
    ]

    # The alias has no effect: evaluate's wer gives the same number with either value.
    concatenate_texts: Annotated[bool | None, Alias(lambda value: {})]


_OTHER_UNITS = "unit='char' compares characters, transforms= changes texts before their words are told apart"
# What does the same as an option of other metrics or libraries that wer_dp lacks.
INSTEAD = {
    "lowercase": "transforms='to_lower_case' does the same",
    "tokenizer": _OTHER_UNITS,
    "tokenize": _OTHER_UNITS,
}


class WerLoad(WerOptions, HostOptions, total=False):
    """The keyword arguments of evenscore.load for wer_dp."""


# The result of compute, with cer in place of wer for characters. The options decide which keys are present.
class WerResult(TypedDict, total=False):
    wer: float
    wer_low: float
    wer_mean: float
    wer_high: float
    wer_per_example: list[float]
    cer: float
    cer_low: float
    cer_mean: float
    cer_high: float
    cer_per_example: list[float]
    mer: float
    wil: float
    wip: float
    weighted_error_rate: float
    sentence_error_rate: float
    hits: int
    substitutions: int
    deletions: int
    insertions: int
    reference_length: int
    prediction_length: int
    groups: dict[Any, dict[str, Any]]
    signature: str  # fmt: skip
