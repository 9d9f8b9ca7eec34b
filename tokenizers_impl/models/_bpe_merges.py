"""The merges of a byte pair encoding as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from .._arrays import I32, I64, packed
from ._pair_table import find, pair_table

Merge = tuple[str, str]


class Merges(NamedTuple):
    """The merges with ranks 0, 1, ...: lefts[r] followed by rights[r] becomes results[r]; int32, shape (merges,).

    ranks: the pair table from (left, right) to rank; of a pair that comes twice the last rank, as in the library.
    lengthen: whether no right part is empty once its prefix is cut off.

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
        """These merges; ValueError names the first that has a part or a result that is not in ids."""
        parts = [_continuation(right, prefix) for _, right in merges] if prefix else [right for _, right in merges]
        try:
            lefts = _array(ids[left] for left, _ in merges)
            rights = _array(ids[right] for _, right in merges)
            results = _array(ids[left + part] for (left, _), part in zip(merges, parts, strict=True))
        except KeyError:
            raise _unknown_token(merges, parts, ids) from None
        return cls(lefts, rights, results, pair_table(lefts, rights), all(parts))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled without the table, with small integers."""
        return _unpacked, (packed(self.lefts), packed(self.rights), packed(self.results), self.lengthen)

    def in_force(self) -> I64:
        """The ranks that count, sorted, int64: all but those of pairs that come again later."""
        pairs = self.lefts.astype(np.int64) << 32 | self.rights
        _, last = np.unique(pairs[::-1], return_index=True)
        return np.sort(len(pairs) - 1 - last)

    def rank(self, left: int, right: int) -> int | None:
        """The rank of a pair of ids, None if it does not merge."""
        rank = find(self.ranks, left, right)
        return None if rank < 0 else rank


def _unpacked(lefts: Any, rights: Any, results: Any, lengthen: bool) -> Merges:
    lefts, rights, results = (each.astype(np.int32) for each in (lefts, rights, results))
    return Merges(lefts, rights, results, pair_table(lefts, rights), lengthen)


def _array(ids: Iterable[int]) -> I32:
    return np.fromiter(ids, np.int32)


def checked_merges(merges: Sequence[Merge]) -> list[Merge]:
    """The merges as tuples; ValueError names one that is no pair of strings."""
    if not (
        set(map(type, merges)) <= {tuple, list}
        and set(map(len, merges)) <= {2}
        and set(map(type, chain.from_iterable(merges))) <= {str}
    ):
        rank, merge = next((rank, merge) for rank, merge in enumerate(merges) if not _is_pair(merge))
        raise ValueError(f"merges[{rank}]: {merge!r} is no pair of tokens")
    return [(left, right) for left, right in merges]


def _is_pair(merge: object) -> bool:
    return isinstance(merge, (tuple, list)) and list(map(type, merge)) == [str, str]


def _continuation(right: str, prefix: str) -> str:
    """What a right part adds to the left one.

    The library cuts off as many bytes as the prefix has, whether or not the part begins with it, and panics where there
    are fewer.
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
        "add the token to vocab or take the merge out"
    )
