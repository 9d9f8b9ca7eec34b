"""The merge loop of byte-pair encoding.

The words are linked symbols.  Every pair of neighbours has a number, a count and the list of the positions where it
begins, in the order of the corpus.  Merging a pair goes through its list alone; only pairs with the new symbol arise,
so they are found by the other symbol, without hashing.  A heap of counts gives the best pair: counts fall, an entry
that is too high is put right when it comes to the top.
"""

from __future__ import annotations

import numpy as np

from .._arrays import I32, I64
from .._kernel import kernel
from ._merge_arrays import CORPUS, NONE, OCCURRENCES, PAIRS, QUEUE, TOKENS, Rule, State, Tokens

HF, LEXICOGRAPHIC, FIRST, SENTENCEPIECE = range(4)
# Why run_merges came back: all steps are made; nothing is left to merge; the next step needs more room.
STEPS, FINISHED, MORE_TOKENS, MORE_PAIRS = range(4)
# The columns of a row of run_merges.
ROW = 6


@kernel
def _same(tokens: Tokens, token: int, start: int, end: int) -> bool:
    begin = tokens.ends[token]
    if tokens.ends[token + 1] - begin != end - start:
        return False
    i = 0
    while start + i < end and tokens.chars[begin + i] == tokens.chars[start + i]:
        i += 1
    return bool(start + i == end)


@kernel
def _place(tokens: Tokens, start: int, end: int) -> int:
    """Where the table has the string chars[start:end], or the free place for it."""
    code = 0
    for i in range(start, end):
        # Below 2**62, so that numba and Python compute the same.
        code = (code * 1000003 + int(tokens.chars[i]) + 1) & 0x3FFFFFFFFFF
    mask = len(tokens.table) - 1
    place = (code ^ (code >> 21)) & mask
    while tokens.table[place] != NONE and not _same(tokens, tokens.table[place], start, end):
        place = (place + 1) & mask
    return place


@kernel
def fill_table(tokens: Tokens, n: int) -> None:
    """Enters the first n tokens."""
    for token in range(n):
        tokens.table[_place(tokens, tokens.ends[token], tokens.ends[token + 1])] = token


@kernel
def _tail(tokens: Tokens, token: int) -> int:
    """Where the string of a token begins in a merge, of which it is the second part: behind its prefix."""
    begin, size = tokens.ends[token], len(tokens.prefix)
    if tokens.ends[token + 1] - begin < size:
        return int(begin)
    for i in range(size):
        if tokens.chars[begin + i] != tokens.prefix[i]:
            return int(begin)
    return int(begin + size)


@kernel
def _write_merged(state: State, a: int, b: int) -> int:
    """Writes the string of a merge behind the last token; its end."""
    tokens = state.tokens
    end = tokens.ends[state.used[TOKENS]]
    for i in range(tokens.ends[a], tokens.ends[a + 1]):
        tokens.chars[end] = tokens.chars[i]
        end += 1
    for i in range(_tail(tokens, b), tokens.ends[b + 1]):
        tokens.chars[end] = tokens.chars[i]
        end += 1
    return int(end)


@kernel
def _token_of(state: State, a: int, b: int) -> int:
    """The token that a merge gives: the one that has this string, or a new one."""
    tokens, n = state.tokens, state.used[TOKENS]
    end = _write_merged(state, a, b)
    place = _place(tokens, tokens.ends[n], end)
    if tokens.table[place] == NONE:
        tokens.table[place] = n
        tokens.ends[n + 1] = end
        state.used[TOKENS] += 1
    return int(tokens.table[place])


@kernel
def _compare(tokens: Tokens, a: int, b: int) -> int:
    """Below, at or above 0 as string a is before, equal to, or after string b."""
    p, p_end, q, q_end = tokens.ends[a], tokens.ends[a + 1], tokens.ends[b], tokens.ends[b + 1]
    while p < p_end and q < q_end:
        if tokens.chars[p] != tokens.chars[q]:
            return 1 if tokens.chars[p] > tokens.chars[q] else -1
        p, q = p + 1, q + 1
    return int((p_end - p) - (q_end - q))


@kernel
def _compare_merged(state: State, p: int, q: int) -> int:
    """Below, at or above 0 as the string that pair p would give is shorter, or as long and before that of pair q."""
    tokens, pairs = state.tokens, state.pairs
    a, b, c, d = pairs.first[p], pairs.second[p], pairs.first[q], pairs.second[q]
    i, j, i_tail, j_tail = tokens.ends[a], tokens.ends[c], _tail(tokens, b), _tail(tokens, d)
    i_size, j_size = tokens.ends[a + 1] - i, tokens.ends[c + 1] - j
    size = i_size + tokens.ends[b + 1] - i_tail
    difference = size - (j_size + tokens.ends[d + 1] - j_tail)
    if difference != 0:
        return int(difference)
    for k in range(size):
        x = tokens.chars[i + k] if k < i_size else tokens.chars[i_tail + k - i_size]
        y = tokens.chars[j + k] if k < j_size else tokens.chars[j_tail + k - j_size]
        if x != y:
            return 1 if x > y else -1
    return 0


@kernel
def _key(state: State, rule: Rule, p: int) -> int:
    """The smaller one goes first among pairs of one count, where their strings do not decide."""
    pairs = state.pairs
    if rule.tie_break != FIRST or pairs.frequency[p] == 0:
        return int(pairs.first[p]) * 2**32 + int(pairs.second[p])
    while state.symbols.pair[pairs.occurrences[pairs.start[p]]] != p:
        pairs.start[p] += 1
        pairs.size[p] -= 1
    return int(pairs.occurrences[pairs.start[p]])


@kernel
def _order(state: State, rule: Rule, p: int, q: int) -> int:
    """Above 0 if pair q goes before pair p, of the same count, by their strings; 0 if these do not decide."""
    tokens, pairs = state.tokens, state.pairs
    if rule.tie_break == SENTENCEPIECE:
        return _compare_merged(state, p, q)
    order = _compare(tokens, pairs.first[q], pairs.first[p])
    if order == 0:
        order = _compare(tokens, pairs.second[q], pairs.second[p])
    return order


@kernel
def _push(state: State, rule: Rule, oldest: int) -> None:
    """Enters all pairs from the oldest on that are frequent enough."""
    queue_count, queue_key, queue_pair = state.queue
    count, by_string = state.pairs.frequency, rule.tie_break in (LEXICOGRAPHIC, SENTENCEPIECE)
    n = state.used[QUEUE]
    for p in range(oldest, state.used[PAIRS]):
        if count[p] < rule.min_count:
            continue
        i, c, key = n, count[p], _key(state, rule, p)
        n += 1
        while i > 0:
            j = (i - 1) // 2
            ahead = queue_count[j] - c
            if ahead == 0 and by_string:
                ahead = _order(state, rule, p, queue_pair[j])
            if ahead > 0 or (ahead == 0 and queue_key[j] <= key):
                break
            queue_count[i], queue_key[i], queue_pair[i] = queue_count[j], queue_key[j], queue_pair[j]
            i = j
        queue_count[i], queue_key[i], queue_pair[i] = c, key, p
    state.used[QUEUE] = n


@kernel
def _sift_down(state: State, rule: Rule, p: int) -> None:
    """Puts pair p, whose count is at most that of the top, in the place of the top."""
    queue_count, queue_key, queue_pair = state.queue
    by_string = rule.tie_break in (LEXICOGRAPHIC, SENTENCEPIECE)
    n, i, c, key = state.used[QUEUE], 0, state.pairs.frequency[p], _key(state, rule, p)
    while 2 * i + 1 < n:
        j = 2 * i + 1
        if j + 1 < n:
            ahead = queue_count[j + 1] - queue_count[j]
            if ahead == 0 and by_string:
                ahead = _order(state, rule, queue_pair[j], queue_pair[j + 1])
            if ahead > 0 or (ahead == 0 and queue_key[j + 1] < queue_key[j]):
                j += 1
        ahead = queue_count[j] - c
        if ahead == 0 and by_string:
            ahead = _order(state, rule, p, queue_pair[j])
        if ahead < 0 or (ahead == 0 and queue_key[j] >= key):
            break
        queue_count[i], queue_key[i], queue_pair[i] = queue_count[j], queue_key[j], queue_pair[j]
        i = j
    queue_count[i], queue_key[i], queue_pair[i] = c, key, p


@kernel
def _best(state: State, rule: Rule) -> int:
    """The pair to merge, NONE if no pair is frequent enough."""
    queue, count, used = state.queue, state.pairs.frequency, state.used
    while used[QUEUE] > 0:
        p = queue.pair[0]
        if count[p] < rule.min_count:
            used[QUEUE] -= 1
            p = queue.pair[used[QUEUE]]
        elif queue.frequency[0] == count[p] and queue.key[0] == _key(state, rule, p):
            return int(p)
        _sift_down(state, rule, p)
    return NONE


@kernel
def _record(state: State, rule: Rule, positions: I32, new: int) -> None:
    """Enters the pairs that begin at these positions; every one of them has the symbol `new`."""
    ids, following, _, weights, pair = state.symbols
    first, second, count, start, size, occurrences = state.pairs
    length, left, right = state.tokens.length, state.tokens.left, state.tokens.right
    used = state.used
    oldest = n = used[PAIRS]
    for i in positions:
        j = following[i]
        if j == NONE or length[ids[i]] + length[ids[j]] > rule.max_length:
            continue
        a, b = ids[i], ids[j]
        p = right[b] if a == new else left[a]
        if p == NONE:
            p = n
            n += 1
            first[p], second[p], count[p], size[p] = a, b, 0, 0
            if a == new:
                right[b] = p
            else:
                left[a] = p
        pair[i] = p
        count[p] += weights[i]
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
    _push(state, rule, oldest)


@kernel
def _replace(state: State, p: int, new: int) -> int:
    """Puts the symbol `new` for the pair p everywhere, from left to right; how many positions begin other pairs now.

    These positions leave their old pairs and are touched.
    """
    ids, following, previous, weights, pair = state.symbols
    count, occurrences = state.pairs.frequency, state.pairs.occurrences
    touched, start = state.touched, state.pairs.start[p]
    n = merged = 0
    for k in range(start, start + state.pairs.size[p]):
        i = occurrences[k]
        if pair[i] != p:
            continue
        before, j, weight = previous[i], following[i], weights[i]
        if before != NONE and pair[before] != NONE:
            count[pair[before]] -= weight
            pair[before] = NONE
            touched[n] = before
            n += 1
        if pair[j] != NONE:
            count[pair[j]] -= weight
            pair[j] = NONE
        pair[i] = NONE
        touched[n] = i
        n += 1
        after = following[j]
        ids[i], ids[j], following[i] = new, NONE, after
        if after != NONE:
            previous[after] = i
        merged += weight
    count[p] = 0
    state.used[CORPUS] -= merged
    return n


@kernel
def _touch_all(state: State, new: int) -> int:
    """Touches every position whose pair has the symbol `new`, so that its old and new places are one list."""
    ids, following, _, weights, pair = state.symbols
    count, touched = state.pairs.frequency, state.touched
    n = 0
    for i in range(len(ids)):
        j = following[i]
        if ids[i] != NONE and j != NONE and (ids[i] == new or ids[j] == new):
            if pair[i] != NONE:
                count[pair[i]] -= weights[i]
                pair[i] = NONE
            touched[n] = i
            n += 1
    return n


@kernel
def merge(state: State, rule: Rule, p: int) -> int:
    """Merges pair p; the token that it gives."""
    a, b, tokens = state.pairs.first[p], state.pairs.second[p], state.tokens
    new = _token_of(state, a, b)
    n = _replace(state, p, new)
    if tokens.seen[new]:
        n = _touch_all(state, new)
    else:
        tokens.seen[new] = True
        tokens.length[new] = tokens.length[a] + tokens.length[b]
    _record(state, rule, state.touched[:n], new)
    return new


@kernel
def tokens_fit(state: State, p: int) -> bool:
    """Whether there is room for the token that a merge of pair p may bring."""
    tokens, n = state.tokens, state.used[TOKENS]
    a, b = state.pairs.first[p], state.pairs.second[p]
    size = tokens.ends[a + 1] - tokens.ends[a] + tokens.ends[b + 1] - tokens.ends[b]
    return bool(n + 1 < len(tokens.ends) and tokens.ends[n] + size <= len(tokens.chars))


@kernel
def pairs_fit(state: State, p: int) -> bool:
    """Whether there is room for the pairs that a merge of pair p may bring."""
    pairs, tokens, used = state.pairs, state.tokens, state.used
    n, room = used[TOKENS], 2 * int(pairs.size[p])
    known = tokens.table[_place(tokens, tokens.ends[n], _write_merged(state, pairs.first[p], pairs.second[p]))]
    if known != NONE and tokens.seen[known]:
        room = len(state.touched)
    if used[OCCURRENCES] + room > len(pairs.occurrences):
        return False
    return bool(used[PAIRS] + min(room, 2 * n + 2) <= len(pairs.first))


@kernel
def link(state: State, offsets: I64, counts: I64) -> None:
    """Links the symbols of every word: offsets[w]:offsets[w + 1] are those of word w, which occurs counts[w] times."""
    symbols = state.symbols
    for w in range(len(offsets) - 1):
        start, end = offsets[w], offsets[w + 1]
        for i in range(start, end):
            symbols.prev[i] = i - 1 if i > start else NONE
            symbols.next[i] = i + 1 if i + 1 < end else NONE
            symbols.weight[i] = counts[w]
            symbols.pair[i] = NONE
            state.tokens.seen[symbols.id[i]] = True
        state.used[CORPUS] += (end - start) * counts[w]


@kernel
def count_pairs(state: State, rule: Rule) -> None:
    """Enters every pair of the words: positions sorted by their symbol, then one symbol after another."""
    ids, n_tokens = state.symbols.id, state.used[TOKENS]
    ends = np.zeros(n_tokens + 1, np.int64)
    for i in range(len(ids)):
        ends[ids[i] + 1] += 1
    for token in range(n_tokens):
        ends[token + 1] += ends[token]
    for i in range(len(ids)):
        state.touched[ends[ids[i]]] = i
        ends[ids[i]] += 1
    start = 0
    while start < len(ids):
        token = ids[state.touched[start]]
        _record(state, rule, state.touched[start : ends[token]], token)
        start = ends[token]


@kernel
def run_merges(state: State, rule: Rule, rows: I64) -> tuple[int, int]:
    """Makes up to len(rows) merges and says how many, with the reason why it came back.

    A row: the two tokens, the token they give, their count, then the size of vocabulary and corpus after the merge.
    """
    for step in range(len(rows)):
        if state.used[TOKENS] >= rule.vocab_size:
            return step, FINISHED
        p = _best(state, rule)
        if p == NONE:
            return step, FINISHED
        if not tokens_fit(state, p):
            return step, MORE_TOKENS
        if not pairs_fit(state, p):
            return step, MORE_PAIRS
        rows[step, 0], rows[step, 1], rows[step, 3] = (
            state.pairs.first[p],
            state.pairs.second[p],
            state.pairs.frequency[p],
        )
        rows[step, 2] = merge(state, rule, p)
        rows[step, 4], rows[step, 5] = state.used[TOKENS], state.used[CORPUS]
    return len(rows), STEPS
