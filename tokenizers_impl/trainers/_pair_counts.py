"""The pairs of neighbours with their counts, each with the list of the positions where it begins."""

from __future__ import annotations

import numpy as np

from .._arrays import I32
from .._kernel import kernel
from ._merge_arrays import NONE, OCCURRENCES, PAIRS, TOKENS, Rule, State
from ._pair_queue import push


@kernel
def record(state: State, rule: Rule, positions: I32, new: int) -> None:
    """Enters the pairs that begin at these positions; every one of them has the symbol `new`.

    So they are found by their other symbol, without hashing.
    """
    ids, sizes, words, pair = state.symbols
    first, second, frequency, start, size, occurrences = state.pairs
    length, left, right = state.tokens.length, state.tokens.left, state.tokens.right
    counts, used = state.counts, state.used
    oldest = n = used[PAIRS]
    for i in positions:
        j = i + sizes[i]
        if j == len(ids) or words[j] != words[i]:
            continue
        a, b = ids[i], ids[j]
        if length[a] + length[b] > rule.max_length:
            continue
        p = right[b] if a == new else left[a]
        if p == NONE:
            p = n
            n += 1
            first[p], second[p], frequency[p], size[p] = a, b, 0, 0
            if a == new:
                right[b] = p
            else:
                left[a] = p
        pair[i] = p
        frequency[p] += counts[words[i]]
        size[p] += 1
    end = used[OCCURRENCES]
    for p in range(oldest, n):
        start[p] = end
        end += size[p]
        size[p] = 0
        right[second[p]] = NONE
        left[first[p]] = NONE
    for i in positions:
        p = pair[i]
        if p != NONE:
            occurrences[start[p] + size[p]] = i
            size[p] += 1
    used[PAIRS], used[OCCURRENCES] = n, end
    push(state, rule, oldest)


@kernel
def count_pairs(state: State, rule: Rule) -> None:
    """Enters every pair of the words, and which tokens are symbols: positions sorted by these, one after another."""
    ids, n_tokens = state.symbols.id, state.used[TOKENS]
    # The room behind the first occurrences: memory that the merges need anyway.
    positions = state.pairs.occurrences[len(ids) :]
    ends = np.zeros(n_tokens + 1, np.int64)
    for i in range(len(ids)):
        ends[ids[i] + 1] += 1
    for token in range(n_tokens):
        state.tokens.seen[token] = ends[token + 1] > 0
        ends[token + 1] += ends[token]
    for i in range(len(ids)):
        positions[ends[ids[i]]] = i
        ends[ids[i]] += 1
    start = 0
    while start < len(ids):
        token = ids[positions[start]]
        record(state, rule, positions[start : ends[token]], token)
        start = ends[token]
