"""The definitions as slow, obviously right code: what the tests hold the fast code against."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any


def lcs_table(a: list[int], b: list[int]) -> list[list[int]]:
    """table[i][j]: length of the longest common subsequence of the first i of a and the first j of b."""
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                table[i][j] = table[i - 1][j - 1] + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    return table


def lcs_length(a: list[int], b: list[int]) -> int:
    """Length of the longest common subsequence."""
    return lcs_table(a, b)[len(a)][len(b)]


def lcs_indices(a: list[int], b: list[int]) -> list[int]:
    """Where the longest common subsequence that ROUGE reads out of the table stands in a."""
    table = lcs_table(a, b)
    i, j, indices = len(a), len(b), []
    while i > 0 and j > 0:
        if a[i - 1] == b[j - 1]:
            indices.append(i - 1)
            i, j = i - 1, j - 1
        elif table[i][j - 1] > table[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return indices[::-1]


def union_lcs_indices(sentence: list[int], others: list[list[int]]) -> list[int]:
    """Which tokens of a reference sentence are in its LCS with any sentence of the prediction."""
    return sorted({i for other in others for i in lcs_indices(sentence, other)})


def union_lcs_hits(reference: list[list[int]], prediction: list[list[int]]) -> int:
    """Tokens of all unions, each counted no more often than the prediction has it."""
    left = Counter(token for sentence in prediction for token in sentence)
    hits = 0
    for sentence in reference:
        for i in union_lcs_indices(sentence, prediction):
            if left[sentence[i]] > 0:
                left[sentence[i]] -= 1
                hits += 1
    return hits


def edit_distance_table(a: list[int], b: list[int]) -> list[list[int]]:
    """table[i][j]: fewest substitutions, deletions, insertions that turn the first i of a into the first j of b."""
    table = [[i + j for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            substitution = table[i - 1][j - 1] + (a[i - 1] != b[j - 1])
            table[i][j] = min(substitution, table[i - 1][j] + 1, table[i][j - 1] + 1)
    return table


def edit_distance(a: list[int], b: list[int]) -> int:
    """Levenshtein distance."""
    return edit_distance_table(a, b)[len(a)][len(b)]


def edit_counts(a: list[int], b: list[int]) -> list[int]:
    """Hits, substitutions, deletions, insertions of the alignment that jiwer reads out of the table."""
    if a and b and (a[0] == b[0] or a[-1] == b[-1]):
        cut = slice(1, None) if a[0] == b[0] else slice(None, -1)
        hits, *errors = edit_counts(a[cut], b[cut])
        return [hits + 1, *errors]
    table = edit_distance_table(a, b)
    i, j = len(a), len(b)
    hits = substitutions = deletions = insertions = 0
    while i > 0 and j > 0:
        if table[i - 1][j] < table[i][j]:
            deletions += 1
            i -= 1
        elif table[i][j - 1] < table[i - 1][j - 1]:
            insertions += 1
            j -= 1
        else:
            hits += a[i - 1] == b[j - 1]
            substitutions += a[i - 1] != b[j - 1]
            i, j = i - 1, j - 1
    return [hits, substitutions, deletions + i, insertions + j]


def weighted_edit_counts(a: list[int], b: list[int], costs: tuple[Fraction, Fraction, Fraction]) -> list[int]:
    """Hits, substitutions, deletions, insertions: least cost, then most hits, then fewest errors."""

    def key(counts: tuple[int, ...]) -> tuple[Fraction, int, int]:
        hits, *errors = counts
        return sum((c * n for c, n in zip(costs, errors, strict=True)), Fraction()), -hits, sum(errors)

    def plus(counts: tuple[int, ...], kind: int) -> tuple[int, ...]:
        return tuple(n + (k == kind) for k, n in enumerate(counts))

    table = {(i, 0): (0, 0, i, 0) for i in range(len(a) + 1)} | {(0, j): (0, 0, 0, j) for j in range(len(b) + 1)}
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            diagonal = plus(table[i - 1, j - 1], 0 if a[i - 1] == b[j - 1] else 1)
            table[i, j] = min(diagonal, plus(table[i - 1, j], 2), plus(table[i, j - 1], 3), key=key)
    return list(table[len(a), len(b)])


def n_grams(tokens: Sequence[Hashable], n: int) -> Counter[tuple[Hashable, ...]]:
    """How often each run of n tokens occurs."""
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def clipped_matches(prediction: Sequence[Hashable], references: Sequence[Sequence[Hashable]], n: int) -> int:
    """n-grams of the prediction, each counted no more often than the reference that has most of it."""
    most: Counter[tuple[Hashable, ...]] = Counter()
    for reference in references:
        most |= n_grams(reference, n)
    return sum((n_grams(prediction, n) & most).values())


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
        if character in "\u00ad\u200c\u200d\u2060\ufeff":
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
