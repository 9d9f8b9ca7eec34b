"""Definitions of other tools as slow, obviously right code; those of our own are in `plain.py` of each metric."""

from __future__ import annotations

import math
import unicodedata
from fractions import Fraction
from typing import Any

from evenscore.bleu.plain import clipped_matches as clipped_matches
from evenscore.bleu.plain import n_grams as n_grams
from evenscore.rouge.plain import lcs_indices as lcs_indices
from evenscore.rouge.plain import lcs_length as lcs_length
from evenscore.rouge.plain import lcs_table as lcs_table
from evenscore.rouge.plain import union_lcs_hits as union_lcs_hits
from evenscore.rouge.plain import union_lcs_indices as union_lcs_indices
from evenscore.wer.plain import edit_counts as edit_counts
from evenscore.wer.plain import edit_distance as edit_distance
from evenscore.wer.plain import weighted_edit_counts as weighted_edit_counts
from evenscore.wer.plain import weighted_edit_steps as weighted_edit_steps


def evaluate_bleu(
    predictions: list[list[str]], references: list[list[list[str]]], max_order: int, smooth: bool
) -> dict[str, float | list[float]]:
    """BLEU of tokens as `evaluate` defines it (compute_bleu of tensorflow/nmt); divides by zero where that does."""
    rows = list(zip(predictions, references, strict=True))
    length = sum(len(prediction) for prediction in predictions)
    reference_length = sum(min(map(len, row)) for row in references)
    precisions = []
    for n in range(1, max_order + 1):
        matches = sum(clipped_matches(prediction, row, n) for prediction, row in rows)
        total = sum(max(len(prediction) - n + 1, 0) for prediction in predictions)
        if smooth:
            precisions.append((matches + 1.0) / (total + 1.0))
        else:
            precisions.append(matches / total if total else 0.0)
    mean = math.exp(sum((1.0 / max_order) * math.log(p) for p in precisions)) if min(precisions) > 0 else 0.0
    ratio = length / reference_length
    penalty = 1.0 if ratio > 1.0 else math.exp(1 - 1.0 / ratio)
    return {
        "bleu": mean * penalty,
        "precisions": precisions,
        "brevity_penalty": penalty,
        "length_ratio": ratio,
        "translation_length": length,
        "reference_length": reference_length,
    }


def error_rate(rows: list[list[int]], normalize_by: str, costs: tuple[Fraction, ...] = (Fraction(1),) * 3) -> Fraction:
    """Errors at their costs by a length of each row, over all rows of hits, substitutions, deletions, insertions."""
    errors, length = Fraction(), 0
    for hits, *kinds in rows:
        errors += sum(cost * count for cost, count in zip(costs, kinds, strict=True))
        reference, prediction = hits + kinds[0] + kinds[1], hits + kinds[0] + kinds[2]
        lengths = {
            "reference": reference,
            "prediction": prediction,
            "max": max(reference, prediction),
            "sum": reference + prediction,
        }
        length += lengths[normalize_by]
    return errors / length if length else errors


def f_measure(precision: Any, recall: Any, beta: Any) -> Any:
    """F of Lin & Och (2004), section 3.1, in fractions or floats; beta "P/R" is theirs."""
    if precision + recall == 0:
        return 0 * precision
    square = (precision / recall if beta == "P/R" else beta) ** 2
    return (1 + square) * precision * recall / (recall + square * precision)


def rouge_of_several(counts: list[tuple[int, int, int]], rule: str, beta: float) -> tuple[float, float, float]:
    """Precision, recall, F of a prediction from its hits with each reference and the lengths of both sides."""

    def scores(hits: int, length: int, reference_length: int) -> tuple[float, float, float]:
        precision, recall = hits / max(length, 1), hits / max(reference_length, 1)
        return precision, recall, f_measure(precision, recall, beta)

    def mean(rows: list[tuple[float, float, float]]) -> tuple[float, float, float]:
        precision, recall, f = (float(sum(map(Fraction, column)) / len(rows)) for column in zip(*rows, strict=True))
        return precision, recall, f

    def best(rows: list[tuple[float, float, float]]) -> tuple[float, float, float]:
        return max(rows, key=lambda row: row[2])

    rows = [scores(*each) for each in counts]
    if rule == "best":
        return best(rows)
    if rule == "best_recall":
        return max(rows, key=lambda row: row[1])
    if rule == "average":
        return mean(rows)
    if rule == "jackknife":
        without_one = [rows[:i] + rows[i + 1 :] for i in range(len(rows))] if len(rows) > 1 else [rows]
        return mean([best(others) for others in without_one])
    if rule == "summed":
        return scores(*map(sum, zip(*counts, strict=True)))
    assert rule == "max_pr"
    precision, recall = max(row[0] for row in rows), max(row[1] for row in rows)
    return precision, recall, f_measure(precision, recall, beta)


def coco_rouge_l(prediction: str, references: list[str]) -> float:
    """ROUGE-L as pycocoevalcap/rouge/rouge.py has it: words at single spaces, beta = 1.2."""
    words = prediction.split(" ")
    lengths = [lcs_length(words, reference.split(" ")) for reference in references]
    precision = max(length / float(len(words)) for length in lengths)
    recall = max(length / float(len(r.split(" "))) for length, r in zip(lengths, references, strict=True))
    if precision == 0 or recall == 0:
        return 0.0
    return ((1 + 1.2**2) * precision * recall) / float(recall + 1.2**2 * precision)


def unicode_tokens(text: str) -> list[str]:
    """Runs of letters, marks and numbers, lower-cased and composed; a Han or Kana letter with its marks is a token."""
    result: list[str] = []
    inside, alone = False, False
    for character in unicodedata.normalize("NFC", text.lower()):
        if character in "\u00ad\u200c\u200d\u2060\ufeff" or 0xFE00 <= ord(character) <= 0xFE0F:
            continue
        kind = unicodedata.category(character)[0]
        name = unicodedata.name(character, "").removeprefix("HALFWIDTH ")
        starts_alone = kind == "L" and name.startswith(("CJK ", "IDEOGRAPHIC ITERATION", "HIRAGANA", "KATAKANA"))
        if kind not in "LMN":
            inside = False
        elif inside and not starts_alone and (kind == "M" or not alone):
            result[-1] += character
        else:
            result.append(character)
            inside, alone = True, starts_alone
    return result
