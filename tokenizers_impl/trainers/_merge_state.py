"""The state of a merge loop from words whose symbols are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from .._arrays import I32, I64, U32, Bools, code_points
from .._words import Words
from ._merge_arrays import (
    NONE,
    OCCURRENCES,
    PAIRS,
    QUEUE,
    STRIDE,
    TOKENS,
    Pairs,
    Queue,
    State,
    Strings,
    Symbols,
    Tokens,
)
from ._pair_counts import drop_former
from ._string_table import fill_table

# Room for the tokens of usual vocabularies: what grows leaves holes behind, of which there is no use.
_TOKENS = 1 << 15

# With so many symbols, places of occurrences, of which there are never three times as many, no longer fit 32 bits.
_NARROW = 1 << 29

Numbers = TypeVar("Numbers", I32, I64, I32 | I64, U32, Bools)


def new_state(tokens: Sequence[str], lengths: I32, ids: I32, offsets: I64, counts: I64, prefix: str) -> State:
    """The state with these tokens, all different, that cover `lengths` characters of a word where they are symbols.

    ids: the symbols of all words; those of word w are ids[offsets[w]:offsets[w + 1]], and it occurs counts[w] times;
    the array becomes the state's own.  prefix: what a second part loses in a merge.
    """
    n, size = len(tokens), len(ids)
    if size >= 2**31:
        raise ValueError(f"the distinct words have {size} symbols together: train on fewer than 2**31")
    strings, nothing = Words.of(tokens), np.empty(0, np.int32)
    starts = _ids(size) if size < _NARROW else _counts(size)
    # numpy does not touch the memory that it gives here: room that is never used costs nothing.
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
    """The symbols, no pairs yet."""
    lengths = np.diff(offsets)
    first_word = np.searchsorted(offsets[1:], np.arange(0, len(ids), STRIDE), side="right").astype(np.int32)
    # Half the memory, save where one of the words is very long.
    sizes = np.ones(len(ids), np.int16) if lengths.max(initial=0) < 1 << 15 else np.ones(len(ids), np.int32)
    return Symbols(ids, sizes, np.full(len(ids), NONE, np.int32), offsets[1:].astype(np.int32), first_word)


def with_more_tokens(state: State) -> State:
    """The same state with room for half as many tokens more."""
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
    """The same state, its pairs counted, with less room for more: large arrays take whole pages of 2 MB.

    What was touched in counting is given back.

    In English, French, German and Russian words the pairs that arise are an eighth to a sixth of the symbols.
    """
    size = len(state.symbols.id)
    return _with_pairs(state, int(state.used[PAIRS]) + size // 4)._replace(touched=_ids(size))


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
    """The same state without occurrences of the past; with room for twice as many, if these were few."""
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
    """The first `used` entries at the head of an array of another size."""
    result = np.empty(size, array.dtype)
    result[:used] = array[:used]
    return result
