"""Edit distances by their definition in plain Python, for readers and as the reference of the tests."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any

Tokens = Sequence[Hashable]
# Of a substitution, a deletion and an insertion.
Costs = tuple[Fraction, Fraction, Fraction]


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


def weighted_edit_table(a: Tokens, b: Tokens, costs: Costs) -> list[list[Fraction]]:
    """Return table[i][j], the least cost of substitutions, deletions and insertions from a[:i] to b[:j]."""
    substitution, deletion, insertion = costs
    table = [[i * deletion + j * insertion for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            diagonal = table[i - 1][j - 1] + (substitution if a[i - 1] != b[j - 1] else 0)
            table[i][j] = min(diagonal, table[i - 1][j] + deletion, table[i][j - 1] + insertion)
    return table


def weighted_edit_steps(reference: Tokens, prediction: Tokens, costs: Costs) -> str:
    """Return the alignment that sclite 2.10 selects: H, S, D or I for each hit, substitution, deletion and insertion.

    >>> weighted_edit_steps("abc", "cxy", (Fraction(4), Fraction(3), Fraction(3)))
    'SSS'
    >>> weighted_edit_steps("abc", "cxy", (Fraction(4), Fraction(2), Fraction(3)))
    'DDHII'
    """
    a, b = reference, prediction
    table = weighted_edit_table(a, b, costs)
    substitution, _, insertion = costs
    i, j = len(a), len(b)
    steps = ""
    while i or j:
        equal = i > 0 and j > 0 and a[i - 1] == b[j - 1]
        if i and j and table[i][j] == table[i - 1][j - 1] + (0 if equal else substitution):
            steps += "H" if equal else "S"
            i, j = i - 1, j - 1
        elif j and table[i][j] == table[i][j - 1] + insertion:
            steps += "I"
            j -= 1
        else:
            steps += "D"
            i -= 1
    return steps[::-1]


def weighted_edit_counts(reference: Tokens, prediction: Tokens, costs: Costs) -> list[int]:
    """Return hits, substitutions, deletions and insertions of the optimal alignment that sclite 2.10 selects.

    >>> weighted_edit_counts([1, 2, 3], [4, 5, 1], (Fraction(4), Fraction(2), Fraction(2)))
    [1, 0, 2, 2]
    """
    steps = weighted_edit_steps(reference, prediction, costs)
    return [steps.count(kind) for kind in "HSDI"]


def table_counts(reference: Tokens, prediction: Tokens) -> list[int]:
    """Return the counts of `edit_counts` for two sides without common ends, neither of them empty.

    Python's long integers have a bit for each reference token. Names and steps follow Hyyrö (2003): bit i of `rises`
    (VP) or `falls` (VN) is set if the row of the table grows or drops by one from i to i + 1. The path back reads both,
    and needs no other number of the table.

    >>> table_counts("sat on the".split(), "sit on a".split())
    [1, 2, 0, 0]
    """
    # 1. Compute the rows of the table.
    masks: dict[Hashable, int] = {}
    bit = 1
    for token in reference:
        masks[token] = masks.get(token, 0) | bit
        bit <<= 1
    full = bit - 1
    rises, falls = full, 0
    rows = []
    for token in prediction:
        match, above = masks.get(token, 0), falls
        xv, xh = match | falls, ((match & rises) + rises) ^ rises | match
        hp, hn = (falls | full ^ (xh | rises)) << 1 | 1, (rises & xh) << 1
        rises, falls = (hn | full ^ (xv | hp)) & full, xv & hp
        rows.append((rises, above, match))
    # 2. Follow the path back, with the ties of `edit_counts`. `column` has the bit of the reference token before it.
    column, hits, deletions, insertions, unread = bit >> 1, 0, 0, 0, len(prediction)
    for rises, above, match in reversed(rows):
        while rises & column:
            deletions += 1
            column >>= 1
        if not column:
            break
        unread -= 1
        if above & column:
            insertions += 1
            continue
        if match & column:
            hits += 1
        column >>= 1
    deletions += column.bit_length()
    return [hits, len(reference) - hits - deletions, deletions, insertions + unread]


def fast_edit_counts(
    reference: Tokens, prediction: Tokens, align: Callable[[Any, Any], list[int]] = table_counts
) -> list[int]:
    """Return the result of `edit_counts`; align: does what `table_counts` does.

    >>> fast_edit_counts("the cat sat on the mat".split(), "the cat sit on mat".split())
    [4, 1, 1, 0]
    """
    if reference == prediction:
        return [len(reference), 0, 0, 0]
    # Cut off the common prefix, then the common suffix.
    start = 0
    for a, b in zip(reference, prediction, strict=False):
        if a != b:
            break
        start += 1
    i, j = len(reference), len(prediction)
    while i > start and j > start and reference[i - 1] == prediction[j - 1]:
        i -= 1
        j -= 1
    ends, n, m = start + len(reference) - i, i - start, j - start
    if n == m == 1 or not (n and m):
        shorter = min(n, m)
        return [ends, shorter, n - shorter, m - shorter]
    hits, substitutions, deletions, insertions = align(reference[start:i], prediction[start:j])
    return [ends + hits, substitutions, deletions, insertions]


def wer(references: Sequence[Tokens], predictions: Sequence[Tokens]) -> float:
    """Return the errors of a corpus divided by the length of its references; the errors if all references are empty.

    >>> wer(["the cat sat on the mat".split()], ["the cat sit on mat".split()])
    0.3333333333333333
    """
    errors = sum(edit_distance(a, b) for a, b in zip(references, predictions, strict=True))
    length = sum(map(len, references))
    return errors / length if length else float(errors)
