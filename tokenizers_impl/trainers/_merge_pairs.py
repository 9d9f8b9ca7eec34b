"""The arrays of the merge loop, and its operations on pairs: strings, order, queue, counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evenscore.kernel import inner_kernel, kernel

from .._core.arrays import I32, I64, U32, Bools
from .._text.bytes import visible_byte

# --- The arrays of the merge loop

NONE = -1
# The word is stored for every STRIDE-th position only: for each, it would take as much memory as the symbols.
STRIDE = 8
# The slots of the hash table of pairs at first, a power of two; byte-level words have some thousand pairs.
_SLOTS = 1 << 14
# Indices into State.used.
TOKENS, PAIRS, OCCURRENCES, QUEUE, CORPUS, LEAST = range(6)
# Values of Rule.tie_break.
HF, LEXICOGRAPHIC, FIRST, SENTENCEPIECE, BYTES = range(5)


class Symbols(NamedTuple):
    """One entry per position; each initial symbol of a word has one position.

    A symbol merged from k initial symbols has their k positions.  Its values are stored at the first of them:
    id: its token.
    size: k, also stored at its last position; int16 if that holds the length of every word, else int32.
    pair: the pair that it begins; NONE if it is the last of its word, or the pair would be too long.
    The other positions have pair NONE.

    ends: the end of each word, shape (number of words,).
    first_word: the word of every STRIDE-th position; a search from there finds the word of any other position.
    """

    id: I32
    size: npt.NDArray[np.int16] | I32
    pair: I32
    ends: I32
    first_word: I32


class Pairs(NamedTuple):
    """One entry per pair; occurrences[start:start + size] are the positions where it began when it was created.

    start: int32 if that holds every index into the occurrences, else int64.
    """

    first: I32
    second: I32
    frequency: I64
    start: I32 | I64
    size: I32
    occurrences: I32


class Strings(NamedTuple):
    """The strings of the tokens; token i has the string chars[ends[i]:ends[i + 1]].

    table: hash table of tokens by their strings, NONE in free slots.
    prefix: the second part of a merge loses this prefix.
    """

    chars: U32
    ends: I64
    table: I32
    prefix: U32


class Tokens(NamedTuple):
    """One entry per token.

    length: number of characters of a word that it covers.  seen: whether it has been a symbol of a word.
    left, right: scratch, NONE between merges; the pair of this token with a new token after it, or before it.
    """

    length: I32
    seen: Bools
    left: I32
    right: I32


class Queue(NamedTuple):
    """A binary heap with the best pair on top: the pairs, their counts at insertion, and the keys that break ties."""

    frequency: I64
    key: I64
    pair: I64


class State(NamedTuple):
    """The arrays of the merge loop.

    counts: how often each word occurs.  touched: scratch for positions.
    used: the number of entries in use, by TOKENS to QUEUE; at CORPUS the number of tokens in the corpus; at LEAST the
    smallest count of a pair in the queue.
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
    """The options of the merge loop.

    tie_break: HF, LEXICOGRAPHIC, FIRST, SENTENCEPIECE or BYTES.
    min_count: pairs with a smaller count are not merged; >= 1.
    """

    tie_break: int
    min_count: int
    vocab_size: int
    max_length: int


# --- The strings of the tokens, in a hash table


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
    """The slot of the table that holds the string chars[start:end], or the free slot for it."""
    code = 0
    for i in range(start, end):
        # Products stay below 2**62, so numba and Python compute the same.
        code = (code * 1000003 + int(strings.chars[i]) + 1) & 0x3FFFFFFFFFF
    mask = len(strings.table) - 1
    place = (code ^ (code >> 21)) & mask
    while strings.table[place] != NONE and not _same(strings, strings.table[place], start, end):
        place = (place + 1) & mask
    return place


@kernel
def fill_table(strings: Strings, n: int) -> None:
    """Add the first n tokens to the hash table."""
    for token in range(n):
        strings.table[_place_of(strings, strings.ends[token], strings.ends[token + 1])] = token


@inner_kernel
def tail(strings: Strings, token: int) -> int:
    """The start of the string that a token adds to a merge as its second part: after the prefix, if it has one."""
    begin, size = strings.ends[token], len(strings.prefix)
    if strings.ends[token + 1] - begin < size:
        return int(begin)
    for i in range(size):
        if strings.chars[begin + i] != strings.prefix[i]:
            return int(begin)
    return int(begin + size)


@inner_kernel
def _write_merged(strings: Strings, n: int, a: int, b: int) -> int:
    """Write the string that tokens a and b merge to after the first n strings; returns its end."""
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
    """The token that tokens a and b merge to: the one of the first n with this string, or else the new token n."""
    end = _write_merged(strings, n, a, b)
    place = _place_of(strings, strings.ends[n], end)
    if strings.table[place] == NONE:
        strings.table[place] = n
        strings.ends[n + 1] = end
    return int(strings.table[place])


# --- The order of equally frequent pairs

# The tie breaks that compare strings.
BY_STRING = (LEXICOGRAPHIC, SENTENCEPIECE, BYTES)


@inner_kernel
def _compare(strings: Strings, a: int, b: int, in_bytes: bool) -> int:
    """Compare strings a and b: negative if a comes first, 0 if they are equal, else positive.

    in_bytes: by the bytes that visible characters stand for, instead of by code points.
    """
    p, p_end, q, q_end = strings.ends[a], strings.ends[a + 1], strings.ends[b], strings.ends[b + 1]
    while p < p_end and q < q_end:
        x, y = int(strings.chars[p]), int(strings.chars[q])
        if x != y:
            if in_bytes:
                x, y = visible_byte(x), visible_byte(y)
            return 1 if x > y else -1
        p, q = p + 1, q + 1
    return int((p_end - p) - (q_end - q))


@inner_kernel
def _compare_merged(strings: Strings, a: int, b: int, c: int, d: int) -> int:
    """Compare the merges of a, b and of c, d by length, then by code points: negative if the former is smaller."""
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
    """Compare pairs p and q by their strings: positive if q goes first, negative if p does, 0 if neither.

    tie_break: one of BY_STRING.
    """
    if tie_break == SENTENCEPIECE:
        return _compare_merged(strings, first[p], second[p], first[q], second[q])
    order = _compare(strings, first[q], first[p], tie_break == BYTES)
    if order == 0:
        order = _compare(strings, second[q], second[p], tie_break == BYTES)
    return order


@inner_kernel
def key_of(pair_at: I32, pairs: Pairs, tie_break: int, p: int) -> int:
    """The key of pair p: of pairs that tie in count and strings, the one with the smaller key goes first.

    With FIRST it is the first position where the pair now begins, else it is made of the two ids.
    pair_at: `Symbols.pair`.
    """
    if tie_break != FIRST or pairs.frequency[p] == 0:
        return int(pairs.first[p]) * 2**32 + int(pairs.second[p])
    while pair_at[pairs.occurrences[pairs.start[p]]] != p:
        pairs.start[p] += 1
        pairs.size[p] -= 1
    return int(pairs.occurrences[pairs.start[p]])


# --- The queue of the pairs to merge
#
# The queue holds counts at the time of insertion.  Counts only fall, so an outdated entry is corrected when it reaches
# the top.  Most pairs are rare and never merged: the queue takes pairs at least half as frequent as the best one, and
# takes less frequent pairs only when it is empty.


@inner_kernel
def push(state: State, tie_break: int, n: int) -> None:
    """Add the pairs n, n + 1, ... that are frequent enough to the queue."""
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
    """Replace the top of the queue by pair p, whose count must not exceed that of the top."""
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
    """The best pair in the queue; NONE if the queue is empty."""
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
    """Lower the least count in the queue to half of the highest count; False if it is already min_count."""
    if used[LEAST] <= min_count:
        return False
    used[LEAST] = 0
    for p in range(used[PAIRS]):
        used[LEAST] = max(used[LEAST], pairs.frequency[p] // 2)
    used[LEAST] = max(used[LEAST], min_count)
    return True


# --- The counts of the pairs, and the lists of the positions where they begin


@inner_kernel
def record(state: State, max_length: int, positions: I32, new: int) -> None:
    """Record the pairs that begin at these positions.

    Each pair contains the symbol `new`, so its other symbol identifies it and no hashing is needed.
    """
    ids, sizes, pair, ends, first_word = state.symbols
    first, second, frequency, size = state.pairs.first, state.pairs.second, state.pairs.frequency, state.pairs.size
    length, left, right = state.tokens.length, state.tokens.left, state.tokens.right
    oldest = n = state.used[PAIRS]
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
        frequency[p] += state.counts[word]
        size[p] += 1
    for p in range(oldest, n):
        right[second[p]] = NONE
        left[first[p]] = NONE
    state.used[PAIRS] = n
    _list_positions(state, oldest, positions)


@inner_kernel
def _list_positions(state: State, oldest: int, positions: Iterable[int]) -> None:
    """List the positions of the pairs oldest, oldest + 1, ..., which begin at some of these positions."""
    pair, pairs, used = state.symbols.pair, state.pairs, state.used
    end = used[OCCURRENCES]
    for p in range(oldest, used[PAIRS]):
        pairs.start[p] = end
        end += pairs.size[p]
        pairs.size[p] = 0
    for i in positions:
        p = pair[i]
        if p != NONE:
            pairs.occurrences[pairs.start[p] + pairs.size[p]] = i
            pairs.size[p] += 1
    used[OCCURRENCES] = end


@kernel
def count_pairs(state: State, max_length: int) -> None:
    """Record every pair of the words, and mark the tokens that occur as symbols."""
    ids, _, pair, ends, _ = state.symbols
    first, second, frequency, size = state.pairs.first, state.pairs.second, state.pairs.frequency, state.pairs.size
    length, slots = state.tokens.length, np.full(_SLOTS, NONE, np.int32)
    i = n = 0
    for word in range(len(ends)):
        while i < ends[word]:
            state.tokens.seen[ids[i]] = True
            if i + 1 < ends[word] and length[ids[i]] + length[ids[i + 1]] <= max_length:
                slot = _slot_of(slots, first, second, ids[i], ids[i + 1])
                p = slots[slot]
                if p == NONE:
                    p = slots[slot] = n
                    first[p], second[p], frequency[p], size[p] = ids[i], ids[i + 1], 0, 0
                    n += 1
                    if 2 * n > len(slots):
                        slots = _with_more_slots(slots, first, second, n)
                pair[i] = p
                frequency[p] += state.counts[word]
                size[p] += 1
            i += 1
    state.used[PAIRS] = n
    _list_positions(state, 0, range(len(ids)))


@inner_kernel
def _slot_of(slots: I32, first: I32, second: I32, a: int, b: int) -> int:
    """The slot of the hash table that holds the pair of a and b, or the free slot for it."""
    code = int(a) * 1000003 + int(b)
    slot = (code ^ (code >> 15)) & (len(slots) - 1)
    while slots[slot] != NONE and (first[slots[slot]] != a or second[slots[slot]] != b):
        slot = (slot + 1) & (len(slots) - 1)
    return slot


@inner_kernel
def _with_more_slots(slots: I32, first: I32, second: I32, n: int) -> I32:
    """A hash table of the first n pairs with twice the slots."""
    more = np.full(2 * len(slots), NONE, np.int32)
    for p in range(n):
        more[_slot_of(more, first, second, first[p], second[p])] = p
    return more


@kernel
def drop_former(pairs: Pairs, pair: I32, n: int) -> int:
    """Remove outdated positions from the lists of the first n pairs; returns how many positions are left.

    A position is outdated if it no longer begins the pair.
    """
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
