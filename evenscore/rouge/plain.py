"""ROUGE-L by its definition in plain Python, for readers and as the reference of the tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

Tokens = Sequence[Hashable]


def lcs_table(a: Tokens, b: Tokens) -> list[list[int]]:
    """Return table[i][j], the length of the longest common subsequence (LCS) of the first i of a and first j of b."""
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                table[i][j] = table[i - 1][j - 1] + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    return table


def lcs_length(a: Tokens, b: Tokens) -> int:
    """Return the length of the LCS.

    >>> lcs_length("the cat sat".split(), "a cat that sat".split())
    2
    """
    return lcs_table(a, b)[len(a)][len(b)]


def lcs_indices(a: Tokens, b: Tokens) -> list[int]:
    """Return the positions in `a` of the LCS that ROUGE selects among equally long ones.

    Source: rouge_score 0.1.2, rouge_scorer._backtrack_norec. The selection affects the union LCS.

    >>> lcs_indices([1, 2, 3], [1, 3, 2])
    [0, 1]
    """
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


def union_lcs_indices(sentence: Tokens, others: Sequence[Tokens]) -> list[int]:
    """Return the tokens of a reference sentence in its LCS with any prediction sentence (Lin 2004, section 3.2).

    >>> union_lcs_indices([1, 2, 3, 4, 5], [[1, 2, 6, 7, 8], [1, 3, 8, 9, 5]])
    [0, 1, 2, 4]
    """
    return sorted({i for other in others for i in lcs_indices(sentence, other)})


def union_lcs_hits(reference: Sequence[Tokens], prediction: Sequence[Tokens]) -> int:
    """Count the tokens of all unions, each at most as often as the prediction has it."""
    left = Counter(token for sentence in prediction for token in sentence)
    hits = 0
    for sentence in reference:
        for i in union_lcs_indices(sentence, prediction):
            if left[sentence[i]] > 0:
                left[sentence[i]] -= 1
                hits += 1
    return hits


def rouge_l(prediction: Tokens, reference: Tokens) -> tuple[float, float, float]:
    """Return precision, recall and F of ROUGE-L, each from 0 to 1; 0 if either side is empty.

    >>> [round(score, 3) for score in rouge_l("I have a dream".split(), "I had a dream".split())]
    [0.75, 0.75, 0.75]
    """
    hits = lcs_length(prediction, reference)
    precision, recall = hits / max(len(prediction), 1), hits / max(len(reference), 1)
    return precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0
