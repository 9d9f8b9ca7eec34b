"""The pairs in the order in which they are merged.

A heap of counts as they were: counts fall, so an entry that is too high is put right when it comes to the top.
"""

from __future__ import annotations

from .._kernel import kernel
from ._merge_arrays import NONE, PAIRS, QUEUE, Rule, State
from ._pair_order import BY_STRING, key_of, string_order


@kernel
def push(state: State, rule: Rule, oldest: int) -> None:
    """Enters all pairs from the oldest on that are frequent enough."""
    frequencies, keys, queued = state.queue
    pairs, strings, used = state.pairs, state.strings, state.used
    tie_break, by_string = rule.tie_break, rule.tie_break in BY_STRING
    for p in range(oldest, used[PAIRS]):
        frequency = pairs.frequency[p]
        if frequency < rule.min_count:
            continue
        i, key = used[QUEUE], key_of(state.symbols.pair, pairs, tie_break, p)
        used[QUEUE] += 1
        while i > 0:
            j = (i - 1) // 2
            ahead = frequencies[j] - frequency
            if ahead == 0 and by_string:
                ahead = string_order(strings, pairs.first, pairs.second, tie_break, p, queued[j])
            if ahead > 0 or (ahead == 0 and keys[j] <= key):
                break
            frequencies[i], keys[i], queued[i] = frequencies[j], keys[j], queued[j]
            i = j
        frequencies[i], keys[i], queued[i] = frequency, key, p


@kernel
def _sift_down(state: State, tie_break: int, p: int) -> None:
    """Puts pair p, whose count is at most that of the top, in the place of the top."""
    frequencies, keys, queued = state.queue
    pairs, strings, n = state.pairs, state.strings, state.used[QUEUE]
    by_string = tie_break in BY_STRING
    i, frequency, key = 0, pairs.frequency[p], key_of(state.symbols.pair, pairs, tie_break, p)
    while 2 * i + 1 < n:
        j = 2 * i + 1
        if j + 1 < n:
            ahead = frequencies[j + 1] - frequencies[j]
            if ahead == 0 and by_string:
                ahead = string_order(strings, pairs.first, pairs.second, tie_break, queued[j], queued[j + 1])
            if ahead > 0 or (ahead == 0 and keys[j + 1] < keys[j]):
                j += 1
        ahead = frequencies[j] - frequency
        if ahead == 0 and by_string:
            ahead = string_order(strings, pairs.first, pairs.second, tie_break, p, queued[j])
        if ahead < 0 or (ahead == 0 and keys[j] >= key):
            break
        frequencies[i], keys[i], queued[i] = frequencies[j], keys[j], queued[j]
        i = j
    frequencies[i], keys[i], queued[i] = frequency, key, p


@kernel
def best(state: State, rule: Rule) -> int:
    """The pair to merge, NONE if no pair is frequent enough."""
    frequencies, keys, queued = state.queue
    pairs, used, tie_break = state.pairs, state.used, rule.tie_break
    while used[QUEUE] > 0:
        p = queued[0]
        if pairs.frequency[p] < rule.min_count:
            used[QUEUE] -= 1
            p = queued[used[QUEUE]]
        elif frequencies[0] == pairs.frequency[p] and keys[0] == key_of(state.symbols.pair, pairs, tie_break, p):
            return int(p)
        _sift_down(state, tie_break, p)
    return NONE
