"""Hints for options of other metrics or libraries: the option of the metric that does the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_LOWER_CASES = "--tokenizer rouge_score and unicode always compare lower case"
# By metric and by the option that it lacks, including option names of other libraries.
_INSTEAD: Mapping[str, Mapping[str, str]] = {
    "bleu_corpus": {
        "unit": "--tokenizer char compares characters",
        "transforms": "--lowercase does the same as to_lower_case",
    },
    "rouge_l_multi": {
        "lowercase": _LOWER_CASES,
        "max_order": "--rouge-types rouge1 rouge2 chooses the lengths of n-grams",
    },
    "wer_dp": {
        "lowercase": "--transforms to_lower_case does the same",
        "tokenizer": "--unit char compares characters, --transforms changes texts before their words are told apart",
        "tokenize": "--unit char compares characters, --transforms changes texts before their words are told apart",
    },
    "perplexity": {
        "max_order": "--ngram-order does the same for --source ngram",
        "unit": "--ngram-unit characters does the same for --source ngram",
    },
}


def instead(option: str, metrics: Sequence[str]) -> str:
    """The hints for metrics that all lack the option; an empty string if no option does the same.

    >>> instead("lowercase", ["wer_dp"])
    "unknown option 'lowercase' of wer_dp: --transforms to_lower_case does the same"
    """
    found = [(metric, _INSTEAD[metric].get(option)) for metric in metrics]
    return "; ".join(f"unknown option {option!r} of {metric}: {remedy}" for metric, remedy in found if remedy)
