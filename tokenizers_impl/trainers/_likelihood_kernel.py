"""Which pair gains most, kept up to date from merge to merge.

A merge makes its two parts rarer, so the gains of all their other pairs rise: every pair that has one of the parts is
looked at again after each merge, and moved in a heap that always has the best pair on top.  Scores are floats: where
the products of counts pass 2**53, equal ones may differ in the last bit.
"""

from __future__ import annotations

from typing import NamedTuple

from .._arrays import F64, I32, I64
from .._kernel import inner_kernel, kernel
from ._merge_arrays import NONE, PAIRS, Pairs, State

QUOTIENT, UNION = range(2)
# The places in Candidates.used.
KNOWN, HEAP = range(2)


class Candidates(NamedTuple):
    """frequency: of every token as a symbol.  first, second: a pair that begins, ends with the token, NONE without one.

    next_first, next_second: the next such pair.  score, together: of every pair, with its frequency, when it got its
    place in the heap, whose top is the best pair.  place: where a pair stands there, NONE for one that is too rare.
    used: how many pairs are known, are in the heap.
    """

    frequency: I64
    first: I64
    second: I64
    next_first: I64
    next_second: I64
    score: F64
    together: I64
    heap: I64
    place: I32
    used: I64


class Rule(NamedTuple):
    """criterion: QUOTIENT or UNION; a pair needs min_count, which is at least 1."""

    criterion: int
    min_count: int


@inner_kernel
def _score(pairs: Pairs, candidates: Candidates, criterion: int, p: int) -> None:
    """Writes down the score of pair p, its place still to be found."""
    first, second = candidates.frequency[pairs.first[p]], candidates.frequency[pairs.second[p]]
    together = pairs.frequency[p]
    product = float(first) * float(second)
    if criterion == UNION:
        product *= float(first + second - together)
    candidates.score[p] = float(together) / product
    candidates.together[p] = together


@inner_kernel
def _better(score: F64, together: I64, first: I32, second: I32, p: int, q: int) -> bool:
    """Whether pair p goes before pair q: by score, then by frequency, then the smaller ids."""
    if score[p] != score[q]:
        return bool(score[p] > score[q])
    if together[p] != together[q]:
        return bool(together[p] > together[q])
    if first[p] != first[q]:
        return bool(first[p] < first[q])
    return bool(second[p] < second[q])


@inner_kernel
def _up(pairs: Pairs, candidates: Candidates, p: int) -> None:
    """Moves pair p towards the top as far as it belongs."""
    heap, place, score = candidates.heap, candidates.place, candidates.score
    together, first, second = candidates.together, pairs.first, pairs.second
    i = place[p]
    while i > 0 and _better(score, together, first, second, p, heap[(i - 1) // 2]):
        heap[i] = heap[(i - 1) // 2]
        place[heap[i]] = i
        i = (i - 1) // 2
    heap[i] = p
    place[p] = i


@inner_kernel
def _down(pairs: Pairs, candidates: Candidates, p: int) -> None:
    """Moves pair p away from the top as far as it belongs."""
    heap, place, score, n = candidates.heap, candidates.place, candidates.score, candidates.used[HEAP]
    together, first, second = candidates.together, pairs.first, pairs.second
    i = place[p]
    while 2 * i + 1 < n:
        j = 2 * i + 1
        if j + 1 < n and _better(score, together, first, second, heap[j + 1], heap[j]):
            j += 1
        if _better(score, together, first, second, p, heap[j]):
            break
        heap[i] = heap[j]
        place[heap[i]] = i
        i = j
    heap[i] = p
    place[p] = i


@inner_kernel
def _remove(pairs: Pairs, candidates: Candidates, p: int) -> None:
    """Takes pair p out of the heap; the last one gets its place."""
    heap, place, used = candidates.heap, candidates.place, candidates.used
    used[HEAP] -= 1
    last = heap[used[HEAP]]
    if last != p:
        place[last] = place[p]
        _up(pairs, candidates, last)
        _down(pairs, candidates, last)
    place[p] = NONE


@inner_kernel
def _look_again(pairs: Pairs, candidates: Candidates, rule: Rule, head: I64, following: I64, token: int) -> None:
    """Scores the pairs of a list again; those that are too rare leave the heap and the list, for good."""
    frequency, place = pairs.frequency, candidates.place
    p, before = head[token], NONE
    while p != NONE:
        after = following[p]
        if frequency[p] >= rule.min_count:
            _score(pairs, candidates, rule.criterion, p)
            _up(pairs, candidates, p)
            _down(pairs, candidates, p)
            before = p
        else:
            if place[p] != NONE:
                _remove(pairs, candidates, p)
            if before == NONE:
                head[token] = after
            else:
                following[before] = after
        p = after


@inner_kernel
def _enter(pairs: Pairs, candidates: Candidates, rule: Rule, n: int) -> None:
    """Enters all pairs up to the n-th that are not known yet."""
    used, place = candidates.used, candidates.place
    for p in range(used[KNOWN], n):
        place[p] = NONE
        if pairs.frequency[p] >= rule.min_count:
            a, b = pairs.first[p], pairs.second[p]
            candidates.next_first[p], candidates.first[a] = candidates.first[a], p
            candidates.next_second[p], candidates.second[b] = candidates.second[b], p
            _score(pairs, candidates, rule.criterion, p)
            place[p] = used[HEAP]
            used[HEAP] += 1
            _up(pairs, candidates, p)
    used[KNOWN] = n


@kernel
def start(state: State, candidates: Candidates, rule: Rule) -> None:
    """Counts the symbols and enters their pairs."""
    symbols, counts = state.symbols, state.counts
    word = 0
    for i in range(len(symbols.id)):
        while symbols.ends[word] <= i:
            word += 1
        candidates.frequency[symbols.id[i]] += counts[word]
    _enter(state.pairs, candidates, rule, state.used[PAIRS])


@kernel
def update(state: State, candidates: Candidates, rule: Rule, a: int, b: int, new: int, merged: int) -> None:
    """Puts everything right after `merged` occurrences of tokens a, b became `new`."""
    candidates.frequency[a] -= merged
    candidates.frequency[b] -= merged
    candidates.frequency[new] += merged
    for token in (a, b, new):
        _look_again(state.pairs, candidates, rule, candidates.first, candidates.next_first, token)
        _look_again(state.pairs, candidates, rule, candidates.second, candidates.next_second, token)
    _enter(state.pairs, candidates, rule, state.used[PAIRS])
