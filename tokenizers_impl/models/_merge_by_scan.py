"""Merging the symbols of a short word: the lowest rank is found by a scan."""

from __future__ import annotations

from .._arrays import I32, I64
from .._kernel import inner_kernel
from ._bpe_tables import NONE
from ._pair_table import find

NO_RANK = 2**31


@inner_kernel
def _rank_of(left: int, right: int, merges: I64) -> int:
    """The rank of a pair, NO_RANK if it does not merge."""
    rank = find(merges, left, right)
    return NO_RANK if rank == NONE else rank


@inner_kernel
def merge_by_scan(ids: I32, lengths: I32, n: int, merges: I64, results: I32, ranks: I64) -> int:
    """Merges n symbols, each time the pair of lowest rank, the leftmost of several; returns how many are left."""
    for i in range(n - 1):
        ranks[i] = _rank_of(int(ids[i]), int(ids[i + 1]), merges)
    while n > 1:
        best = 0
        for i in range(1, n - 1):
            if ranks[i] < ranks[best]:
                best = i
        if ranks[best] == NO_RANK:
            break
        ids[best] = results[ranks[best]]
        lengths[best] += lengths[best + 1]
        n -= 1
        for i in range(best + 1, n):
            ids[i] = ids[i + 1]
            lengths[i] = lengths[i + 1]
            ranks[i - 1] = ranks[i]
        if best + 1 < n:
            ranks[best] = _rank_of(int(ids[best]), int(ids[best + 1]), merges)
        if best > 0:
            ranks[best - 1] = _rank_of(int(ids[best - 1]), int(ids[best]), merges)
    return n
