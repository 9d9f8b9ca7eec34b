"""The merge loop of byte-pair encoding.

Merging a pair goes through the list of its positions alone, and only pairs with the new symbol arise.
"""

from __future__ import annotations

from .._arrays import I32, I64
from .._kernel import inner_kernel, kernel
from ._merge_arrays import CORPUS, NONE, OCCURRENCES, PAIRS, STRIDE, TOKENS, Rule, State, Symbols
from ._pair_counts import record
from ._pair_queue import best
from ._string_table import known_token, token_of

# What a merge lacks, or run_merges to go on: nothing; pairs or the right to more tokens; room for tokens, for pairs,
# for their occurrences.
NOTHING, FINISHED, MORE_TOKENS, MORE_PAIRS, MORE_OCCURRENCES = range(5)
# The columns of a row of run_merges.
ROW = 6


@inner_kernel
def _replace(
    symbols: Symbols, counts: I64, frequency: I64, positions: I32, p: int, new: int, touched: I32
) -> tuple[int, int]:
    """Puts the symbol `new` for the pair p at these positions, from left to right.

    Returns how many positions begin other pairs now, which leave their old pairs and are touched; and how often the
    corpus has what was merged.
    """
    ids, sizes, pair, ends, first_word = symbols
    n = merged = 0
    for i in positions:
        if pair[i] != p:
            continue
        word = first_word[i // STRIDE]
        while ends[word] <= i:
            word += 1
        j, weight = i + sizes[i], counts[word]
        before = i - sizes[i - 1] if i > 0 and (word == 0 or ends[word - 1] < i) else NONE
        if before != NONE and pair[before] != NONE:
            frequency[pair[before]] -= weight
            pair[before] = NONE
            touched[n] = before
            n += 1
        if pair[j] != NONE:
            frequency[pair[j]] -= weight
            pair[j] = NONE
        pair[i] = NONE
        touched[n] = i
        n += 1
        size = sizes[i] + sizes[j]
        ids[i] = new
        sizes[i] = sizes[i + size - 1] = size
        merged += weight
    frequency[p] = 0
    return n, merged


@inner_kernel
def _touch_all(symbols: Symbols, counts: I64, frequency: I64, new: int, touched: I32) -> int:
    """Touches every position whose pair has the symbol `new`, so that its old and new places are one list."""
    ids, sizes, pair, ends, _ = symbols
    i = n = word = 0
    while i < len(ids):
        while ends[word] <= i:
            word += 1
        j = i + int(sizes[i])
        if j < ends[word] and (ids[i] == new or ids[j] == new):
            if pair[i] != NONE:
                frequency[pair[i]] -= counts[word]
                pair[i] = NONE
            touched[n] = i
            n += 1
        i = j
    return n


@kernel
def merge(state: State, rule: Rule, p: int) -> int:
    """Merges pair p; the token that it gives."""
    symbols, counts, pairs, strings, tokens, _, touched, used = state
    a, b, start = pairs.first[p], pairs.second[p], pairs.start[p]
    positions = pairs.occurrences[start : start + pairs.size[p]]
    new = token_of(strings, used[TOKENS], a, b)
    used[TOKENS] = max(used[TOKENS], new + 1)
    n, merged = _replace(symbols, counts, pairs.frequency, positions, p, new, touched)
    used[CORPUS] -= merged
    if tokens.seen[new]:
        n = _touch_all(symbols, counts, pairs.frequency, new, touched)
    else:
        tokens.seen[new] = True
        tokens.length[new] = tokens.length[a] + tokens.length[b]
    record(state, rule, touched[:n], new)
    return new


@kernel
def lack(state: State, p: int) -> int:
    """MORE_TOKENS, MORE_PAIRS or MORE_OCCURRENCES if a merge of pair p may need such room, else NOTHING."""
    pairs, strings, used = state.pairs, state.strings, state.used
    n, a, b = used[TOKENS], pairs.first[p], pairs.second[p]
    size = strings.ends[a + 1] - strings.ends[a] + strings.ends[b + 1] - strings.ends[b]
    if n + 1 >= len(strings.ends) or strings.ends[n] + size > len(strings.chars):
        return MORE_TOKENS
    known, room = known_token(strings, n, a, b), 2 * int(pairs.size[p])
    if known != NONE and state.tokens.seen[known]:
        room = len(state.touched)
    if used[PAIRS] + min(room, 2 * n + 2) > len(pairs.first):
        return MORE_PAIRS
    if used[OCCURRENCES] + room > len(pairs.occurrences):
        return MORE_OCCURRENCES
    return NOTHING


@kernel
def run_merges(state: State, rule: Rule, rows: I64) -> tuple[int, int]:
    """Makes up to len(rows) merges and says how many, with the reason why it came back.

    A row: the two tokens, the token they give, their count, then the size of vocabulary and corpus after the merge.
    """
    pairs, used = state.pairs, state.used
    for step in range(len(rows)):
        if used[TOKENS] >= rule.vocab_size:
            return step, FINISHED
        p = best(state, rule)
        if p == NONE:
            return step, FINISHED
        lacking = lack(state, p)
        if lacking != NOTHING:
            return step, lacking
        rows[step, 0], rows[step, 1], rows[step, 3] = pairs.first[p], pairs.second[p], pairs.frequency[p]
        rows[step, 2] = merge(state, rule, p)
        rows[step, 4], rows[step, 5] = used[TOKENS], used[CORPUS]
    return len(rows), NOTHING
