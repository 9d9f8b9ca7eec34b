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
    TOKENS,
    Pairs,
    Queue,
    State,
    Strings,
    Symbols,
    Tokens,
)
from ._string_table import fill_table

Numbers = TypeVar("Numbers", I32, I64, U32, Bools)


def new_state(tokens: Sequence[str], lengths: I32, ids: I32, offsets: I64, counts: I64, prefix: str) -> State:
    """The state with these tokens, all different, that cover `lengths` characters of a word where they are symbols.

    ids: the symbols of all words; those of word w are ids[offsets[w]:offsets[w + 1]], and it occurs counts[w] times;
    the array becomes the state's own.  prefix: what a second part loses in a merge.
    """
    n, size = len(tokens), len(ids)
    if size >= 2**31:
        raise ValueError(f"the distinct words have {size} symbols together: train on fewer than 2**31")
    strings, nothing = Words.of(tokens), np.empty(0, np.int32)
    # numpy does not touch the memory that it gives here: room that is never used costs nothing.  Every merge takes away
    # a symbol and touches two at most, so 3 * size occurrences are enough unless a merge gives a symbol that there was.
    state = State(
        _unmerged(ids, offsets),
        counts,
        Pairs(_ids(size), _ids(size), _counts(size), _counts(size), _ids(size), _ids(3 * size)),
        Strings(strings.chars, strings.offsets, nothing, code_points(prefix)),
        Tokens(lengths, np.zeros(n, np.bool_), nothing, nothing),
        Queue(_counts(size), _counts(size), _counts(size)),
        _ids(size),
        np.array([n, 0, 0, 0, np.diff(offsets) @ counts]),
    )
    return with_more_tokens(state)


def _unmerged(ids: I32, offsets: I64) -> Symbols:
    """The symbols, no pairs yet."""
    lengths = np.diff(offsets)
    words = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    # Half the memory, save where one of the words is very long.
    sizes = np.ones(len(ids), np.int16) if lengths.max(initial=0) < 1 << 15 else np.ones(len(ids), np.int32)
    return Symbols(ids, sizes, words, np.full(len(ids), NONE, np.int32))


def with_more_tokens(state: State) -> State:
    """The same state with room for twice the tokens."""
    tokens, strings, n = state.tokens, state.strings, state.used[TOKENS]
    room = 2 * len(tokens.length) + 4096
    strings = Strings(
        _longer(strings.chars, strings.ends[n], 2 * len(strings.chars) + 16 * 4096),
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

    In English, French, German and Russian words the pairs that arise are an eighth to a sixth of the symbols.
    """
    return _with_pairs(state, int(state.used[PAIRS]) + len(state.symbols.id) // 4)


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
    """The same state with room for twice the occurrences."""
    old = state.pairs.occurrences
    longer = _longer(old, state.used[OCCURRENCES], 2 * len(old) + 16)
    return state._replace(pairs=state.pairs._replace(occurrences=longer))


def _ids(size: int) -> I32:
    return np.empty(size, np.int32)


def _counts(size: int) -> I64:
    return np.empty(size, np.int64)


def _longer(array: Numbers, used: int, size: int) -> Numbers:
    """The first `used` entries at the head of an array of another size."""
    result = np.empty(size, array.dtype)
    result[:used] = array[:used]
    return result
