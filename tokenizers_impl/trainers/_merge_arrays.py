"""The arrays of the merge loop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .._arrays import I32, I64, U32, Bools

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
