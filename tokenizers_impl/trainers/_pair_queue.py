"""The pairs in the order in which they are merged.

A heap of counts as they were: counts fall, so an entry that is too high is put right when it comes to the top.  Most
pairs are rare and never merged: those that are half as frequent as the best one enter when no better one is left.
"""

from __future__ import annotations

from .._kernel import inner_kernel
from ._merge_arrays import LEAST, NONE, PAIRS, QUEUE, Rule, State
from ._pair_order import BY_STRING, key_of, string_order


@inner_kernel
def push(state: State, rule: Rule, n: int) -> None:
    """Enters those of the last n pairs that are frequent enough."""
    frequencies, keys, queued = state.queue
    pairs, strings, used = state.pairs, state.strings, state.used
    tie_break, by_string = rule.tie_break, rule.tie_break in BY_STRING
    for p in range(used[PAIRS] - n, used[PAIRS]):
        frequency = pairs.frequency[p]
        if frequency < used[LEAST]:
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


@inner_kernel
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


@inner_kernel
def _push_rarer(state: State, rule: Rule) -> bool:
    """Enters the best pairs that are not in the queue, which is empty; whether there can be any."""
    used, most = state.used, 0
    if used[LEAST] <= rule.min_count:
        return False
    for p in range(used[PAIRS]):
        most = max(most, state.pairs.frequency[p])
    used[LEAST] = max(rule.min_count, most // 2)
    push(state, rule, used[PAIRS])
    return True


@inner_kernel
def best(state: State, rule: Rule) -> int:
    """The pair to merge, NONE if no pair is frequent enough."""
    frequencies, keys, queued = state.queue
    pairs, used, tie_break = state.pairs, state.used, rule.tie_break
    while used[QUEUE] > 0 or _push_rarer(state, rule):
        p = queued[0]
        if used[QUEUE] == 0:
            continue
        if pairs.frequency[p] < used[LEAST]:
            used[QUEUE] -= 1
            p = queued[used[QUEUE]]
        elif frequencies[0] == pairs.frequency[p] and keys[0] == key_of(state.symbols.pair, pairs, tie_break, p):
            return int(p)
        _sift_down(state, tie_break, p)
    return NONE
