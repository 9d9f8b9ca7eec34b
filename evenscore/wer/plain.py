"""Edit distances by their definition in plain Python, for readers and as the reference of the tests."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction

Tokens = Sequence[Hashable]


def edit_distance_table(a: Tokens, b: Tokens) -> list[list[int]]:
    """Return table[i][j], the fewest substitutions, deletions and insertions from a[:i] to b[:j]."""
    table = [[i + j for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            substitution = table[i - 1][j - 1] + (a[i - 1] != b[j - 1])
            table[i][j] = min(substitution, table[i - 1][j] + 1, table[i][j - 1] + 1)
    return table


def edit_distance(a: Tokens, b: Tokens) -> int:
    """Return the Levenshtein distance.

    >>> edit_distance("kitten", "sitting")
    3
    """
    return edit_distance_table(a, b)[len(a)][len(b)]


def edit_counts(reference: Tokens, prediction: Tokens) -> list[int]:
    """Return hits, substitutions, deletions and insertions of the optimal alignment that jiwer 4.0 selects.

    >>> edit_counts("the cat sat on the mat".split(), "the cat sit on mat".split())
    [4, 1, 1, 0]
    """
    a, b = reference, prediction
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


def weighted_edit_counts(
    reference: Tokens, prediction: Tokens, costs: tuple[Fraction, Fraction, Fraction]
) -> list[int]:
    """Return hits, substitutions, deletions and insertions for minimal cost, then most hits, then fewest errors.

    >>> weighted_edit_counts([1, 2, 3], [4, 5, 1], (Fraction(4), Fraction(2), Fraction(2)))
    [1, 0, 2, 2]
    """

    def key(counts: tuple[int, ...]) -> tuple[Fraction, int, int]:
        hits, *errors = counts
        return sum((c * n for c, n in zip(costs, errors, strict=True)), Fraction()), -hits, sum(errors)

    def plus(counts: tuple[int, ...], kind: int) -> tuple[int, ...]:
        return tuple(n + (k == kind) for k, n in enumerate(counts))

    a, b = reference, prediction
    table = {(i, 0): (0, 0, i, 0) for i in range(len(a) + 1)} | {(0, j): (0, 0, 0, j) for j in range(len(b) + 1)}
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            diagonal = plus(table[i - 1, j - 1], 0 if a[i - 1] == b[j - 1] else 1)
            table[i, j] = min(diagonal, plus(table[i - 1, j], 2), plus(table[i, j - 1], 3), key=key)  # type: ignore[assignment]
    return list(table[len(a), len(b)])


def wer(references: Sequence[Tokens], predictions: Sequence[Tokens]) -> float:
    """Return the errors of a corpus divided by the length of its references; the errors if all references are empty.

    >>> wer(["the cat sat on the mat".split()], ["the cat sit on mat".split()])
    0.3333333333333333
    """
    errors = sum(edit_distance(a, b) for a, b in zip(references, predictions, strict=True))
    length = sum(map(len, references))
    return errors / length if length else float(errors)
