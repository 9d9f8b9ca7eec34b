"""The arrays of the merge loop, and what it does with pairs: strings, order, queue, counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .._core.arrays import I32, I64, U32, Bools
from .._core.kernel import inner_kernel, kernel

# --- The arrays of the merge loop

NONE = -1
# The word of each position would take as much memory as its symbol.
STRIDE = 8
# The places in State.used.
TOKENS, PAIRS, OCCURRENCES, QUEUE, CORPUS, LEAST = range(6)
# What Rule.tie_break says.
HF, LEXICOGRAPHIC, FIRST, SENTENCEPIECE = range(4)


class Symbols(NamedTuple):
    """One entry a position, the place where a symbol was at first.

    A symbol that was merged from k of these has k positions.  At the first one stand
    id: its token.
    size: k, which stands at its last position, too; int16 if no word has more positions than that holds, else int32.
    pair: the pair that it begins, NONE if it is the last of its word, or the pair would be too long.
    The other positions have no pair.

    ends: where the words end, shape (number of words,).
    first_word: the word of every STRIDE-th position, from which that of any other is some steps away.
    """

    id: I32
    size: npt.NDArray[np.int16] | I32
    pair: I32
    ends: I32
    first_word: I32


class Pairs(NamedTuple):
    """One entry a pair; occurrences[start:start + size] are positions at which it began when it arose.

    start: int32 where that holds every place of the occurrences, else int64.
    """

    first: I32
    second: I32
    frequency: I64
    start: I32 | I64
    size: I32
    occurrences: I32


class Strings(NamedTuple):
    """The strings of the tokens: that of token i is chars[ends[i]:ends[i + 1]].

    table: tokens by the hash of the string, NONE where free.  prefix: what a second part loses in a merge.
    """

    chars: U32
    ends: I64
    table: I32
    prefix: U32


class Tokens(NamedTuple):
    """One entry a token.

    length: characters of a word that it covers.  seen: whether it was a symbol of a word.
    left, right: the pair of this token with the new one behind, before it; NONE between steps.
    """

    length: I32
    seen: Bools
    left: I32
    right: I32


class Queue(NamedTuple):
    """A binary heap, the best pair first: the count of the pair as it was, the key that breaks ties, the pair."""

    frequency: I64
    key: I64
    pair: I64


class State(NamedTuple):
    """All arrays.

    counts: how often each word occurs.  touched: scratch for positions.
    used: how many entries are; at LEAST the count that a pair in the queue has.
    """

    symbols: Symbols
    counts: I64
    pairs: Pairs
    strings: Strings
    tokens: Tokens
    queue: Queue
    touched: I32
    used: I64


class Rule(NamedTuple):
    """tie_break: HF, LEXICOGRAPHIC, FIRST or SENTENCEPIECE; a pair needs min_count, which is at least 1."""

    tie_break: int
    min_count: int
    vocab_size: int
    max_length: int


# --- The strings of the tokens, each found by a hash


@inner_kernel
def _same(strings: Strings, token: int, start: int, end: int) -> bool:
    begin = strings.ends[token]
    if strings.ends[token + 1] - begin != end - start:
        return False
    i = 0
    while start + i < end and strings.chars[begin + i] == strings.chars[start + i]:
        i += 1
    return bool(start + i == end)


@inner_kernel
def _place_of(strings: Strings, start: int, end: int) -> int:
    """Where the table has the string chars[start:end], or the free place for it."""
    code = 0
    for i in range(start, end):
        # Below 2**62, so that numba and Python compute the same.
        code = (code * 1000003 + int(strings.chars[i]) + 1) & 0x3FFFFFFFFFF
    mask = len(strings.table) - 1
    place = (code ^ (code >> 21)) & mask
    while strings.table[place] != NONE and not _same(strings, strings.table[place], start, end):
        place = (place + 1) & mask
    return place


@kernel
def fill_table(strings: Strings, n: int) -> None:
    """Enters the first n tokens."""
    for token in range(n):
        strings.table[_place_of(strings, strings.ends[token], strings.ends[token + 1])] = token


@inner_kernel
def tail(strings: Strings, token: int) -> int:
    """Where the string of a token begins in a merge, of which it is the second part: behind its prefix."""
    begin, size = strings.ends[token], len(strings.prefix)
    if strings.ends[token + 1] - begin < size:
        return int(begin)
    for i in range(size):
        if strings.chars[begin + i] != strings.prefix[i]:
            return int(begin)
    return int(begin + size)


@inner_kernel
def _write_merged(strings: Strings, n: int, a: int, b: int) -> int:
    """Writes the string of a merge of tokens a, b behind the n-th token; its end."""
    end = strings.ends[n]
    for i in range(strings.ends[a], strings.ends[a + 1]):
        strings.chars[end] = strings.chars[i]
        end += 1
    for i in range(tail(strings, b), strings.ends[b + 1]):
        strings.chars[end] = strings.chars[i]
        end += 1
    return int(end)


@inner_kernel
def token_of(strings: Strings, n: int, a: int, b: int) -> int:
    """The token that a merge of tokens a, b gives: the one of the first n that has this string, or n, a new one."""
    end = _write_merged(strings, n, a, b)
    place = _place_of(strings, strings.ends[n], end)
    if strings.table[place] == NONE:
        strings.table[place] = n
        strings.ends[n + 1] = end
    return int(strings.table[place])


# --- Which of several equally frequent pairs goes first

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


# --- The pairs in the order in which they are merged
#
# A heap of counts as they were: counts fall, so an entry that is too high is put right when it comes to the top.  Most
# pairs are rare and never merged: those that are half as frequent as the best one enter when no better one is left.


@inner_kernel
def push(state: State, tie_break: int, n: int) -> None:
    """Adds to the queue those of the pairs from the n-th on that are frequent enough."""
    frequencies, keys, queued = state.queue
    pairs, strings, used = state.pairs, state.strings, state.used
    by_string = tie_break in BY_STRING
    for p in range(n, used[PAIRS]):
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
def best(state: State, tie_break: int) -> int:
    """The best pair in the queue, NONE if the queue is empty."""
    frequencies, keys, queued = state.queue
    pairs, used = state.pairs, state.used
    while used[QUEUE] > 0:
        p = queued[0]
        if pairs.frequency[p] < used[LEAST]:
            used[QUEUE] -= 1
            p = queued[used[QUEUE]]
        elif frequencies[0] == pairs.frequency[p] and keys[0] == key_of(state.symbols.pair, pairs, tie_break, p):
            return int(p)
        _sift_down(state, tie_break, p)
    return NONE


@inner_kernel
def lower_least(pairs: Pairs, used: I64, min_count: int) -> bool:
    """Lowers the count that a pair in the queue has to half of the highest one; False if it is min_count already."""
    if used[LEAST] <= min_count:
        return False
    used[LEAST] = 0
    for p in range(used[PAIRS]):
        used[LEAST] = max(used[LEAST], pairs.frequency[p] // 2)
    used[LEAST] = max(used[LEAST], min_count)
    return True


# --- The pairs of neighbours with their counts, each with the list of the positions where it begins


@inner_kernel
def record(state: State, max_length: int, positions: I32, new: int) -> None:
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
        if length[a] + length[b] > max_length:
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


@kernel
def count_pairs(state: State, max_length: int, ends: I64) -> None:
    """Enters every pair of the words, and which tokens are symbols: positions sorted by these, one after another.

    ends: scratch, zeros, one more than there are tokens.
    """
    ids, n_tokens = state.symbols.id, state.used[TOKENS]
    positions = state.touched
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
        record(state, max_length, positions[start : ends[token]], token)
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
