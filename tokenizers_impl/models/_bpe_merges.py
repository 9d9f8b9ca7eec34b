"""The merges of a byte-pair encoding in the form that kernels read: ids, and a table from pairs to ranks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from operator import add
from typing import Any, NamedTuple

import numpy as np

from evenscore.kernel import inner_kernel, kernel

from .._core.arrays import I32, I64, U32, packed

# --- A hash table from pairs of numbers to numbers, such as from merges to their ranks

EMPTY = -1
ABSENT = -1


@kernel
def find(slots: I64, left: int, right: int) -> int:
    """The number of the pair (left, right); ABSENT if it has none.

    slots: shape (2 * a power of two,); keys and numbers alternate, so that a look-up touches one cache line.  The key
    of (left, right), both in 0..2**31 - 1, is left * 2**32 + right; the key of a free slot is EMPTY.
    """
    key = (left << 32) | right
    mask = len(slots) // 2 - 1
    # Products of a 31-bit and a 32-bit number stay below 2**63, so Python and machine integers agree.
    mixed = (left * 0x9E3779B1) ^ (right * 0x85EBCA6B)
    slot = (mixed ^ (mixed >> 29)) & mask
    while True:
        found = int(slots[2 * slot])
        if found == key:
            return int(slots[2 * slot + 1])
        if found == EMPTY:
            return ABSENT
        slot = (slot + 1) & mask


@inner_kernel
def put(slots: I64, left: int, right: int, number: int) -> None:
    """Set the number of the pair (left, right); there must be a free slot."""
    key = (left << 32) | right
    mask = len(slots) // 2 - 1
    mixed = (left * 0x9E3779B1) ^ (right * 0x85EBCA6B)
    slot = (mixed ^ (mixed >> 29)) & mask
    while int(slots[2 * slot]) != EMPTY and int(slots[2 * slot]) != key:
        slot = (slot + 1) & mask
    slots[2 * slot] = key
    slots[2 * slot + 1] = number


@kernel
def put_in_order(slots: I64, lefts: I32, rights: I32) -> None:
    """Set the number of every pair to its index; of equal pairs, the last one counts."""
    for i in range(len(lefts)):
        put(slots, int(lefts[i]), int(rights[i]), i)


def free_slots(pairs: int) -> I64:
    """An empty table with room for this many pairs, at most four fifths full.

    >>> free_slots(4).tolist()
    [-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1]
    """
    return np.full(2 << (pairs * 5 // 4 + 1).bit_length(), EMPTY, np.int64)


def pair_table(lefts: I32, rights: I32) -> I64:
    """The table from each pair (lefts[i], rights[i]) to i; of equal pairs, the last one counts.

    >>> table = pair_table(np.array([1, 1, 1], np.int32), np.array([2, 3, 2], np.int32))
    >>> find(table, 1, 2), find(table, 1, 3), find(table, 2, 2)
    (2, 1, -1)
    """
    slots = free_slots(2 * len(lefts))
    put_in_order(slots, lefts, rights)
    return slots


# --- The merges of a byte-pair encoding as ids

Merge = tuple[str, str]


class FlatMerges(Sequence[Merge]):
    """Merges as one list of tokens, left and right in turn: large files load faster without a tuple for each merge."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens

    def __len__(self) -> int:
        return len(self.tokens) // 2

    def __iter__(self) -> Iterator[Merge]:
        return zip(self.tokens[::2], self.tokens[1::2], strict=True)

    def __getitem__(self, rank: Any) -> Any:
        return self.tokens[2 * rank], self.tokens[2 * rank + 1]


class Merges(NamedTuple):
    """The merges: at rank r = 0, 1, ..., lefts[r] followed by rights[r] becomes results[r]; int32, shape (merges,).

    ranks: the pair table from (left, right) to rank; a pair that occurs twice has the last rank, as in the library.
    lengthen: whether every right part has characters besides its prefix.

    >>> ids = {"l": 0, "##o": 1, "lo": 2}
    >>> Merges.of([("l", "##o")], ids, prefix="##").results.tolist()
    [2]
    """

    lefts: I32
    rights: I32
    results: I32
    ranks: I64
    lengthen: bool

    @classmethod
    def of(cls, merges: Sequence[Merge], ids: Mapping[str, int], prefix: str) -> Merges:
        """Look up these merges; ValueError names one that is not a pair of strings, or that has a part or a result
        that is not in `ids`.
        """
        tokens = _tokens(merges)
        seconds = tokens[1::2]
        parts = [_continuation(right, prefix) for right in seconds] if prefix else seconds
        try:
            # Maps of functions in C load a large file a tenth faster than loops.
            pairs = np.fromiter(map(ids.__getitem__, tokens), np.int32, len(tokens)).reshape(-1, 2)
            results = np.fromiter(map(ids.__getitem__, map(add, tokens[::2], parts)), np.int32, len(parts))
        except KeyError:
            raise _unknown_token(merges, parts, ids) from None
        lefts, rights = pairs.T.copy()
        return cls(lefts, rights, results, pair_table(lefts, rights), all(parts))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without the table, with the smallest integer types."""
        return _unpacked, (packed(self.lefts), packed(self.rights), packed(self.results), self.lengthen)

    def in_force(self) -> I64:
        """The ranks in use, sorted, int64: all but those of pairs that occur again later."""
        pairs = self.lefts.astype(np.int64) << 32 | self.rights
        _, last = np.unique(pairs[::-1], return_index=True)
        return np.sort(len(pairs) - 1 - last)

    def rank(self, left: int, right: int) -> int | None:
        """The rank of a pair of ids; None if it does not merge."""
        rank = find(self.ranks, left, right)
        return None if rank < 0 else rank


def _unpacked(lefts: Any, rights: Any, results: Any, lengthen: bool) -> Merges:
    lefts, rights, results = (each.astype(np.int32) for each in (lefts, rights, results))
    return Merges(lefts, rights, results, pair_table(lefts, rights), lengthen)


def _tokens(merges: Sequence[Merge]) -> list[str]:
    """The left and the right token of every merge, in turn; ValueError names one that is not a pair of strings."""
    if isinstance(merges, FlatMerges):
        return merges.tokens
    if set(map(type, merges)) <= {tuple, list} and set(map(len, merges)) <= {2}:
        tokens = list(chain.from_iterable(merges))
        if set(map(type, tokens)) <= {str}:
            return tokens
    rank, merge = next((rank, merge) for rank, merge in enumerate(merges) if not _is_pair(merge))
    raise ValueError(f"merges[{rank}]: {merge!r} is not a pair of tokens")


def _is_pair(merge: object) -> bool:
    return isinstance(merge, (tuple, list)) and list(map(type, merge)) == [str, str]


def _continuation(right: str, prefix: str) -> str:
    """The string that a right part adds to the left one.

    Like the library, this cuts off as many bytes as the prefix has, whether or not the part begins with the prefix.
    The library panics if the part has fewer bytes; this raises ValueError.
    """
    if right.startswith(prefix):
        return right[len(prefix) :]
    coded, cut = right.encode(), len(prefix.encode())
    if len(coded) < cut:
        raise ValueError(f"merges: the right part {right!r} is shorter than continuing_subword_prefix={prefix!r}")
    return coded[cut:].decode("utf-8", "surrogateescape")


def _unknown_token(merges: Sequence[Merge], parts: Sequence[str], ids: Mapping[str, int]) -> ValueError:
    rank, token = next(
        (rank, token)
        for rank, ((left, right), part) in enumerate(zip(merges, parts, strict=True))
        for token in (left, right, left + part)
        if token not in ids
    )
    left, right = merges[rank]
    return ValueError(
        f"Token `{token}` out of vocabulary: merges[{rank}] is {(left, right)!r}; "
        "add the token to vocab or remove the merge"
    )


# --- A byte-pair encoding in the form that its kernels read

NONE = -1
# Values of `Tables.unk` that are not ids.  DROPPED: drop unknown characters.  MISSING: they need a token, and there is
# none.
DROPPED = -1
MISSING = -2


class Tables(NamedTuple):
    """A model in the form that its kernels read.

    edges, ids: the trie of the vocabulary (`Trie`).
    merges: the pair table from (left id, right id) to rank; results: int32, shape (merges,), the resulting ids.
    rest: the node of continuing_subword_prefix, from which symbols that are not first in their word are looked up.
    suffix: the characters of end_of_word_suffix, which end the last symbol of a word.
    end_of_word: the id of the suffix as a separate symbol after the last character; NONE if it is part of that symbol.
    unk: the id of unknown characters, DROPPED or MISSING; fuse_unk: whether adjacent unknown characters share one.
    bytes: int32, shape (256,), the ids of <0x00>..<0xFF>, NONE if the vocabulary lacks one; shape (0,) without byte
      fallback.  prefix_bytes, suffix_bytes: the ids of the bytes of the two affixes.
    whole_words: whether a word that is a token is not split.
    scannable: whether the lowest rank may be found by a scan (see `_bpe_kernel.merge`).
    """

    edges: I64
    ids: I32
    merges: I64
    results: I32
    rest: int
    suffix: U32
    end_of_word: int
    unk: int
    fuse_unk: bool
    bytes: I32
    prefix_bytes: I32
    suffix_bytes: I32
    whole_words: bool
    scannable: bool
