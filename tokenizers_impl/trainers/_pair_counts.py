"""The pairs of neighbours with their counts, each with the list of the positions where it begins."""

from __future__ import annotations

import numpy as np

from .._arrays import I32
from .._kernel import inner_kernel, kernel
from ._merge_arrays import NONE, OCCURRENCES, PAIRS, STRIDE, TOKENS, Pairs, Rule, State
from ._pair_queue import push


@inner_kernel
def record(state: State, rule: Rule, positions: I32, new: int) -> None:
    """Enters the pairs that begin at these positions; every one of them has the symbol `new`.

    So they are found by their other symbol, without hashing.
    """
    ids, sizes, pair, ends, first_word = state.symbols
    first, second, frequency, start, size, occurrences = state.pairs
    length, left, right = state.tokens.length, state.tokens.left, state.tokens.right
    counts, used = state.counts, state.used
    oldest = n = used[PAIRS]
    for i in positions:
        word = first_word[i // STRIDE]
        while ends[word] <= i:
            word += 1
        j = i + sizes[i]
        if j == ends[word]:
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
        frequency[p] += counts[word]
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
    push(state, rule, n - oldest)


@kernel
def count_pairs(state: State, rule: Rule) -> None:
    """Enters every pair of the words, and which tokens are symbols: positions sorted by these, one after another."""
    ids, n_tokens = state.symbols.id, state.used[TOKENS]
    positions = state.touched
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


@kernel
def drop_former(pairs: Pairs, pair: I32, n: int) -> int:
    """Takes out of the lists of the first n pairs the positions that begin none or others by now; how many are left."""
    end = 0
    for p in range(n):
        first, last = pairs.start[p], pairs.start[p] + pairs.size[p]
        pairs.start[p] = end
        for position in pairs.occurrences[first:last]:
            if pair[position] == p:
                pairs.occurrences[end] = position
                end += 1
        pairs.size[p] = end - pairs.start[p]
    return end
