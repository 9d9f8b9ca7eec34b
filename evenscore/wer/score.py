"""The error rates."""

from __future__ import annotations

from typing import Any

import numpy as np

from evenscore.options import callable_name
from evenscore.scorer import Result
from evenscore.significance import FloatArray
from evenscore.text.segments import IntArray, Segments
from evenscore.wer.alignment import Alignment
from evenscore.wer.costs import Costs, weighted_edit_counts, weighted_edit_operations
from evenscore.wer.edits import edit_counts, edit_operations
from evenscore.wer.options import WerOptions

_STATISTICS = ("hits", "substitutions", "deletions", "insertions", "wrong_rows", "normalizer")


_RATE_NAMES = {"word": "wer", "char": "cer"}
_SEPARATORS = {"word": " ", "char": ""}


def _best_counts(segments: Segments, reference_counts: IntArray, options: WerOptions) -> tuple[IntArray, IntArray]:
    """Hits, substitutions, deletions, insertions of each row, shape (n, 4), with the number of the reference taken.

    It is the reference with the lowest rate, of equals the first.
    """
    n = len(reference_counts)
    predictions, references = segments.split(n)
    paired = predictions.repeat(reference_counts)
    if options.weighted:
        counts = weighted_edit_counts(references, paired, Costs(*options.costs))
    else:
        counts = edit_counts(references, paired)
    rates = _rates(_errors(counts), _normalizer(counts, options.normalize_by))
    row = np.repeat(np.arange(n), reference_counts)
    order = np.lexsort((np.arange(len(row)), rates, row))
    best = order[np.cumsum(reference_counts) - reference_counts]
    return counts[best], best


def _errors(counts: IntArray) -> IntArray:
    """Substitutions, deletions and insertions together, shape (n,)."""
    errors: IntArray = counts[:, 1:4].sum(axis=1)
    return errors


def _normalizer(counts: IntArray, normalize_by: str) -> IntArray:
    """What the errors of each row are divided by, shape (n,)."""
    reference, prediction = counts[:, [0, 1, 2]].sum(axis=1), counts[:, [0, 1, 3]].sum(axis=1)
    lengths: dict[str, IntArray] = {
        "reference": reference,
        "prediction": prediction,
        "max": np.maximum(reference, prediction),
        "sum": reference + prediction,
    }
    return lengths[normalize_by]


def _rates(errors: IntArray, normalizers: IntArray) -> FloatArray:
    """`_rate` of many, shape (n,)."""
    return np.where(normalizers > 0, errors / np.maximum(normalizers, 1), errors)


def _rate(errors: float, normalizer: int) -> float:
    """Silence: where there is nothing to divide by, the number of errors itself, as jiwer 4 has it."""
    return errors / normalizer if normalizer else float(errors)


def _information_preserved(hits: int, reference_length: int, prediction_length: int) -> float:
    """WIP of Morris et al. (2004); 1 if both sides are empty, 0 if one is, as jiwer 4 has it."""
    if reference_length == 0 and prediction_length == 0:
        return 1.0
    if reference_length == 0 or prediction_length == 0:
        return 0.0
    return (hits / reference_length) * (hits / prediction_length)


def _weighted(substitutions: int, deletions: int, insertions: int, normalizer: int, options: WerOptions) -> Result:
    if not options.weighted:
        return {}
    costs = Costs(*options.costs)
    cost = costs.substitution * substitutions + costs.deletion * deletions + costs.insertion * insertions
    return {"weighted_error_rate": _rate(cost, normalizer)}


def _align(
    segments: Segments, words: list[list[str]], prediction: int, reference: int, options: WerOptions
) -> Alignment:
    ids = segments.row(reference), segments.row(prediction)
    if options.weighted:
        operations = weighted_edit_operations(*ids, Costs(*options.costs))
    else:
        operations = edit_operations(*ids)
    return Alignment(words[reference], words[prediction], operations)


def _transforms_name(transforms: Any) -> str:
    if transforms is None:
        return "default"
    steps = transforms if isinstance(transforms, (list, tuple)) else [transforms]
    return "+".join(callable_name(step) if callable(step) else str(step) for step in steps) or "none"


def _summary(result: Result, n_rows: int, unit: str) -> str:
    counts = " ".join(f"{kind}={result[kind]}" for kind in ("substitutions", "deletions", "insertions", "hits"))
    names = ("mer", "wil", "wip", "wer") if unit == "word" else ("cer",)
    rates = "\n".join(f"{name}={result[name] * 100:.2f}%" for name in names)
    return f"=== SUMMARY ===\nnumber of sentences: {n_rows}\n{counts}\n\n{rates}\n"
