"""The arrays of the merge loop."""

from __future__ import annotations

from typing import NamedTuple

from .._arrays import I32, I64, U32, Bools

NONE = -1
# The places in State.used.
TOKENS, PAIRS, OCCURRENCES, QUEUE, CORPUS = range(5)


class Symbols(NamedTuple):
    """One entry a position, the place of a symbol's first character; the others are dead once they are merged.

    id: the token, NONE where dead.  next, prev: position of the neighbour in the word, NONE at its ends.  weight: how
    often the word occurs.
    pair: the pair that the symbol begins, NONE if it is the last one, dead, or the pair would be too long.
    """

    id: I32
    next: I32
    prev: I32
    weight: I64
    pair: I32


class Pairs(NamedTuple):
    """One entry a pair; occurrences[start:start + size] are positions at which it began when it arose."""

    first: I32
    second: I32
    frequency: I64
    start: I64
    size: I32
    occurrences: I32


class Tokens(NamedTuple):
    """One entry a token; its string is chars[ends[i]:ends[i + 1]].

    length: characters of a word that it covers.  seen: whether it was a symbol of a word.  table: ids by the hash of
    the string, NONE where free.  left, right: the pair of this token with the new one behind, before it; NONE between
    steps.  prefix: what a second part loses in a merge.
    """

    chars: U32
    ends: I64
    length: I32
    seen: Bools
    table: I32
    left: I32
    right: I32
    prefix: U32


class Queue(NamedTuple):
    """A binary heap, the best pair first: the count of the pair as it was, the key that breaks ties, the pair."""

    frequency: I64
    key: I64
    pair: I64


class State(NamedTuple):
    """All arrays.  touched: scratch for positions.  used: how many entries are."""

    symbols: Symbols
    pairs: Pairs
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
