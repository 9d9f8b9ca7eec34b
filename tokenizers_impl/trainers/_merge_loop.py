"""The merge loop of byte-pair encoding and its initial state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from evenscore.kernel import inner_kernel, kernel

from .._core.arrays import I32, I64, U32, Bools, code_points
from .._text.words import Words
from ._merge_pairs import (
    CORPUS,
    NONE,
    OCCURRENCES,
    PAIRS,
    QUEUE,
    STRIDE,
    TOKENS,
    Pairs,
    Queue,
    Rule,
    State,
    Strings,
    Symbols,
    Tokens,
    best,
    drop_former,
    fill_table,
    lower_least,
    push,
    record,
    token_of,
)

# --- The merge loop of byte-pair encoding
#
# A merge visits only the positions of its pair, and creates only pairs that contain the new symbol.

# Status codes, smaller than every token.  FULL: all rows are used.  FINISHED: no pair is left, or the vocabulary is
# full.  MORE_...: this array must grow.
FULL, FINISHED, MORE_TOKENS, MORE_PAIRS, MORE_OCCURRENCES = range(-5, 0)
# The number of columns in a row of run_merges.
ROW = 6


@inner_kernel
def _replace(
    symbols: Symbols, counts: I64, frequency: I64, positions: I32, p: int, new: int, touched: I32
) -> tuple[int, int]:
    """Replace the pair p by the symbol `new` at these positions, from left to right.

    Positions that now begin another pair leave their old pair and are written to `touched`.  Returns their number, and
    how many occurrences in the corpus were merged.
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
    """Touch every position whose pair contains the symbol `new`, so that one list holds its old and new positions."""
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


@inner_kernel
def merge(state: State, max_length: int, p: int) -> int:
    """Merge pair p; returns the resulting token.

    If an array may be too short, merges nothing and returns MORE_TOKENS, MORE_PAIRS or MORE_OCCURRENCES.
    """
    symbols, counts, pairs, strings, tokens, _, touched, used = state
    n, a, b, start = used[TOKENS], pairs.first[p], pairs.second[p], pairs.start[p]
    size = strings.ends[a + 1] - strings.ends[a] + strings.ends[b + 1] - strings.ends[b]
    if n + 1 >= len(strings.ends) or strings.ends[n] + size > len(strings.chars):
        return MORE_TOKENS
    new = token_of(strings, n, a, b)
    room = len(touched) if tokens.seen[new] else 2 * int(pairs.size[p])
    if used[PAIRS] + min(room, 2 * n + 2) > len(pairs.first):
        return MORE_PAIRS
    if used[OCCURRENCES] + room > len(pairs.occurrences):
        return MORE_OCCURRENCES
    positions = pairs.occurrences[start : start + pairs.size[p]]
    used[TOKENS] = max(n, new + 1)
    touches, merged = _replace(symbols, counts, pairs.frequency, positions, p, new, touched)
    used[CORPUS] -= merged
    if tokens.seen[new]:
        touches = _touch_all(symbols, counts, pairs.frequency, new, touched)
    else:
        tokens.seen[new] = True
        tokens.length[new] = tokens.length[a] + tokens.length[b]
    record(state, max_length, touched[:touches], new)
    return new


@kernel
def run_merges(state: State, rule: Rule, rows: I64) -> tuple[int, int]:
    """Run up to len(rows) merges; returns their number and the status.

    A row holds the two tokens, the resulting token, their count, then the sizes of vocabulary and corpus afterwards.
    """
    pairs, used, step = state.pairs, state.used, 0
    while step < len(rows):
        if used[TOKENS] >= rule.vocab_size:
            return step, FINISHED
        p, n = best(state, rule.tie_break), used[PAIRS]
        if p == NONE:
            if not lower_least(pairs, used, rule.min_count):
                return step, FINISHED
            push(state, rule.tie_break, 0)
            continue
        rows[step, 0], rows[step, 1], rows[step, 3] = pairs.first[p], pairs.second[p], pairs.frequency[p]
        rows[step, 2] = merge(state, rule.max_length, p)
        if rows[step, 2] < 0:
            return step, rows[step, 2]
        push(state, rule.tie_break, n)
        rows[step, 4], rows[step, 5] = used[TOKENS], used[CORPUS]
        step += 1
    return step, FULL


# --- The state of a merge loop from words whose symbols are known

# Room for the tokens of usual vocabularies: an array that grows leaves unused memory behind.
_TOKENS = 1 << 15

# From this many symbols on, indices of occurrences may exceed 32 bits: there are fewer than three per symbol.
_NARROW = 1 << 29

Numbers = TypeVar("Numbers", I32, I64, I32 | I64, U32, Bools)


def new_state(tokens: Sequence[str], lengths: I32, ids: I32, offsets: I64, counts: I64, prefix: str) -> State:
    """Build the state before the first merge; the tokens must be distinct.

    lengths: how many characters of a word each token covers.
    ids: the symbols of all words; word w has ids[offsets[w]:offsets[w + 1]] and occurs counts[w] times.  The state
    takes over this array.  prefix: the second part of a merge loses this prefix.
    """
    n, size = len(tokens), len(ids)
    if size >= 2**31:
        raise ValueError(f"the distinct words have {size} symbols together: train on fewer than 2**31")
    strings, nothing = Words.of(tokens), np.empty(0, np.int32)
    starts = _ids(size) if size < _NARROW else _counts(size)
    # np.empty does not touch the memory, so room that is never used costs nothing.
    state = State(
        _unmerged(ids, offsets),
        counts,
        Pairs(_ids(size), _ids(size), _counts(size), starts, _ids(size), _ids(size + size // 8 + 16)),
        Strings(strings.chars, strings.offsets, nothing, code_points(prefix)),
        Tokens(lengths, np.zeros(n, np.bool_), nothing, nothing),
        Queue(_counts(size), _counts(size), _counts(size)),
        _ids(size),
        np.array([n, 0, 0, 0, np.diff(offsets) @ counts, np.iinfo(np.int64).max]),
    )
    return with_more_tokens(state)


def _unmerged(ids: I32, offsets: I64) -> Symbols:
    """The symbols before any pair is recorded."""
    lengths = np.diff(offsets)
    first_word = np.searchsorted(offsets[1:], np.arange(0, len(ids), STRIDE), side="right").astype(np.int32)
    # int16 takes half the memory, and suffices unless a word is very long.
    sizes = np.ones(len(ids), np.int16) if lengths.max(initial=0) < 1 << 15 else np.ones(len(ids), np.int32)
    return Symbols(ids, sizes, np.full(len(ids), NONE, np.int32), offsets[1:].astype(np.int32), first_word)


def with_more_tokens(state: State) -> State:
    """The same state with room for at least half as many tokens again."""
    tokens, strings, n = state.tokens, state.strings, state.used[TOKENS]
    room = n + n // 2 + _TOKENS
    strings = Strings(
        _longer(strings.chars, strings.ends[n], len(strings.chars) * 5 // 4 + 16 * _TOKENS),
        _longer(strings.ends, n + 1, room + 1),
        np.full(1 << int(2 * room).bit_length(), NONE, np.int32),
        strings.prefix,
    )
    tokens = Tokens(
        _longer(tokens.length, n, room),
        _longer(tokens.seen, n, room),
        np.full(room, NONE, np.int32),
        np.full(room, NONE, np.int32),
    )
    tokens.seen[n:] = False
    fill_table(strings, n)
    return state._replace(strings=strings, tokens=tokens)


def with_usual_pairs(state: State) -> State:
    """The state after counting pairs, with less room for new ones, because large arrays take whole pages of 2 MB.

    In English, French, German and Russian words, merges create an eighth to a sixth as many pairs as there are symbols.
    """
    size = len(state.symbols.id)
    return _with_pairs(state, int(state.used[PAIRS]) + size // 4)


def with_more_pairs(state: State) -> State:
    """The same state with room for twice the pairs."""
    return _with_pairs(state, 2 * len(state.pairs.first) + 16)


def _with_pairs(state: State, room: int) -> State:
    used, pairs = state.used, state.pairs
    return state._replace(
        pairs=Pairs(
            _longer(pairs.first, used[PAIRS], room),
            _longer(pairs.second, used[PAIRS], room),
            _longer(pairs.frequency, used[PAIRS], room),
            _longer(pairs.start, used[PAIRS], room),
            _longer(pairs.size, used[PAIRS], room),
            pairs.occurrences,
        ),
        queue=Queue(
            _longer(state.queue.frequency, used[QUEUE], room),
            _longer(state.queue.key, used[QUEUE], room),
            _longer(state.queue.pair, used[QUEUE], room),
        ),
    )


def with_more_occurrences(state: State) -> State:
    """The same state without outdated occurrences; if these were few, with room for twice as many occurrences."""
    old, before = state.pairs.occurrences, state.used[OCCURRENCES]
    state.used[OCCURRENCES] = left = drop_former(state.pairs, state.symbols.pair, state.used[PAIRS])
    if before - left > len(old) // 8:
        return state
    return state._replace(pairs=state.pairs._replace(occurrences=_longer(old, left, 2 * len(old))))


def _ids(size: int) -> I32:
    return np.empty(size, np.int32)


def _counts(size: int) -> I64:
    return np.empty(size, np.int64)


def _longer(array: Numbers, used: int, size: int) -> Numbers:
    """A new array of `size` entries that begins with the first `used` entries of the array."""
    result = np.empty(size, array.dtype)
    result[:used] = array[:used]
    return result
