"""Which of several equally frequent pairs goes first."""

from __future__ import annotations

from .._arrays import I32
from .._kernel import inner_kernel
from ._merge_arrays import FIRST, LEXICOGRAPHIC, SENTENCEPIECE, Pairs, Strings
from ._string_table import tail

# The tie breaks that look at strings.
BY_STRING = (LEXICOGRAPHIC, SENTENCEPIECE)


@inner_kernel
def _compare(strings: Strings, a: int, b: int) -> int:
    """Below, at or above 0 as string a is before, equal to, or after string b."""
    p, p_end, q, q_end = strings.ends[a], strings.ends[a + 1], strings.ends[b], strings.ends[b + 1]
    while p < p_end and q < q_end:
        if strings.chars[p] != strings.chars[q]:
            return 1 if strings.chars[p] > strings.chars[q] else -1
        p, q = p + 1, q + 1
    return int((p_end - p) - (q_end - q))


@inner_kernel
def _compare_merged(strings: Strings, a: int, b: int, c: int, d: int) -> int:
    """Below, at or above 0 as what a and b merge to is shorter, or as long and before what c and d merge to."""
    chars, ends = strings.chars, strings.ends
    i, j, i_tail, j_tail = ends[a], ends[c], tail(strings, b), tail(strings, d)
    i_size, j_size = ends[a + 1] - i, ends[c + 1] - j
    size = i_size + ends[b + 1] - i_tail
    difference = size - (j_size + ends[d + 1] - j_tail)
    if difference != 0:
        return int(difference)
    for k in range(size):
        x = chars[i + k] if k < i_size else chars[i_tail + k - i_size]
        y = chars[j + k] if k < j_size else chars[j_tail + k - j_size]
        if x != y:
            return 1 if x > y else -1
    return 0


@inner_kernel
def string_order(strings: Strings, first: I32, second: I32, tie_break: int, p: int, q: int) -> int:
    """Above 0 if pair q goes before pair p by their strings, below 0 if p before q; 0 if these do not decide.

    tie_break: one of BY_STRING.
    """
    if tie_break == SENTENCEPIECE:
        return _compare_merged(strings, first[p], second[p], first[q], second[q])
    order = _compare(strings, first[q], first[p])
    if order == 0:
        order = _compare(strings, second[q], second[p])
    return order


@inner_kernel
def key_of(pair_at: I32, pairs: Pairs, tie_break: int, p: int) -> int:
    """The smaller one goes first where the strings do not decide: the ids, or where the pair comes first by now.

    pair_at: `Symbols.pair`.
    """
    if tie_break != FIRST or pairs.frequency[p] == 0:
        return int(pairs.first[p]) * 2**32 + int(pairs.second[p])
    while pair_at[pairs.occurrences[pairs.start[p]]] != p:
        pairs.start[p] += 1
        pairs.size[p] -= 1
    return int(pairs.occurrences[pairs.start[p]])
