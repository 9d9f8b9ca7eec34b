"""The options of bleu_corpus, aliases for the names in other libraries, and the keys of the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

from evenscore.bleu.smoothing import LOOKING_AHEAD
from evenscore.bleu.tokenizers import check_tokenizer
from evenscore.options import Alias, HostOptions, Option, Options, check_number, integer, number, rename

Smoothing = Literal[
    "exp", "floor", "add-k", "none", "add-one",
    "nltk0", "nltk1", "nltk2", "nltk3", "nltk4", "nltk5", "nltk6", "nltk7",
]  # fmt: skip
ReferenceLength = Literal["closest", "shortest", "average"]

_CONVENTIONS: dict[str, dict[str, Any]] = {
    "sacrebleu": {},
    "evaluate": {"smoothing": "none", "reference_length": "shortest"},
    "nltk": {"tokenizer": "none", "smoothing": "nltk0"},
    "paper": {"tokenizer": "none", "smoothing": "none"},
}


def weight_sets(weights: Any) -> list[list[float]]:
    """Return the option `weights` as a list of weight lists, empty for uniform weights."""
    if weights is None:
        return []
    several = _is_list(weights) and any(map(_is_list, weights))
    sets = weights if several else [weights]
    if not all(_is_list(each) and each for each in sets):
        raise ValueError(f"weights={weights!r}: give a list with one weight per order, or a list of such lists")
    return [list(each) for each in sets]


def highest_order(options: BleuOptions) -> int:
    """Return the highest n-gram order to score."""
    return max([options["max_order"], *map(len, weight_sets(options["weights"]))])


def orders(options: BleuOptions) -> int:
    """Return the highest n-gram order to count, which some smoothing methods need to be one higher."""
    return highest_order(options) + (options["smoothing"] in LOOKING_AHEAD)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _check_weights(name: str, value: Any) -> None:
    for weights in weight_sets(value):
        for weight in weights:
            check_number(name, weight, least=0)


class BleuOptions(Options, total=False):
    """The options of bleu_corpus."""

    convention: Annotated[
        Literal["sacrebleu", "evaluate", "nltk", "paper"],
        Option(
            "sacrebleu",
            '`"sacrebleu"`, `"evaluate"`, `"nltk"` or `"paper"`: use the tokenizer, smoothing, reference length and '
            "arithmetic of that tool",
            counts=True,
            sets=_CONVENTIONS,
        ),
    ]
    tokenizer: Annotated[
        str | Path | Callable[[str], Any],
        Option(
            "13a",
            '`"13a"`, `"intl"`, `"char"`, `"zh"`, `"none"`, `"ja-mecab"`, `"ko-mecab"`, a function from '
            "text to tokens, or the path of a SentencePiece `.model` or `tokenizer.json` file",
            check_tokenizer,
            counts=True,
        ),
    ]
    lowercase: Annotated[bool, Option(False, "ignore case", counts=True)]
    max_order: Annotated[int, Option(4, "length of the longest n-grams", integer(least=1, most=100))]
    weights: Annotated[
        Sequence[float] | Sequence[Sequence[float]] | None,
        Option(None, "one weight per order, or a list of such lists; `None`: equal weights", _check_weights),
    ]
    smoothing: Annotated[
        Smoothing,
        Option("exp", '`"exp"`, `"floor"`, `"add-k"`, `"none"`, `"add-one"` (as evaluate), `"nltk0"` to `"nltk7"`'),
    ]
    smoothing_value: Annotated[
        float | None,
        Option(
            None,
            "parameter of the smoothing; `None`: 0.1 for floor and nltk1, 1 for add-k, 5 for nltk4, nltk6 and nltk7",
            number(least=0),
        ),
    ]
    effective_order: Annotated[bool, Option(False, "leave out orders for which the predictions have no n-grams")]
    reference_length: Annotated[
        ReferenceLength,
        Option("closest", '`"closest"` (the shorter one on a tie), `"shortest"` or `"average"`', counts=True),
    ]
    force: Annotated[bool, Option(False, "do not warn when predictions look tokenized")]

    smooth: Annotated[bool | None, Alias(lambda value: {"smoothing": "add-one" if value else "none"})]
    tokenize: Annotated[str | None, rename("tokenizer")]
    smooth_method: Annotated[Smoothing | None, rename("smoothing")]
    smooth_value: Annotated[float | None, rename("smoothing_value")]
    use_effective_order: Annotated[bool | None, rename("effective_order")]


# What does the same as an option of other metrics or libraries that bleu_corpus lacks.
INSTEAD = {
    "unit": "tokenizer='char' compares characters",
    "transforms": "lowercase=True does the same as 'to_lower_case'",
}


class BleuLoad(BleuOptions, HostOptions, total=False):
    """The keyword arguments of evenscore.load for bleu_corpus."""


# The result of compute. The options decide which keys are present.
class BleuResult(TypedDict, total=False):
    score: float
    score_low: float
    score_mean: float
    score_high: float
    score_per_example: list[float]
    bleu: float
    bleu_cumulative: list[float]
    bleu_individual: list[float]
    bleu_by_weights: list[float]
    precisions: list[float]
    counts: list[int]
    totals: list[int]
    brevity_penalty: float
    length_ratio: float
    translation_length: int
    reference_length: float
    groups: dict[Any, dict[str, Any]]
    signature: str  # fmt: skip
