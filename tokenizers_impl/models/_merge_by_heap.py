"""Merging the symbols of a long word, or with dropout: the lowest rank is on top of a heap."""

from __future__ import annotations

import numpy as np

from .._arrays import I32, I64
from .._kernel import inner_kernel
from ._bpe_tables import NONE
from ._heap import pop, push
from ._pair_table import find

GONE = -1


@inner_kernel
def _push_pair(heap: I64, size: int, ids: I32, left: int, right: int, merges: I64) -> int:
    """Adds rank and place of the pair (left, right), if it merges, to a heap; returns its new size."""
    rank = find(merges, int(ids[left]), int(ids[right]))
    return size if rank == NONE else push(heap, size, (rank << 32) | left)


@inner_kernel
def merge_by_heap(
    ids: I32, lengths: I32, n: int, merges: I64, results: I32, dropout: float, rng: np.random.Generator | None
) -> int:
    """The same as `merge_by_scan` in n log n time; with a generator each merge is left out with probability dropout.

    An entry is the rank and the place of a pair as they were when it was pushed.  As in the library it still holds if
    the pair that stands there by now makes the same token; with dropout (Provilkov et al. 2020) an entry that was left
    out comes back after the next one that was not.
    """
    following = np.arange(1, n + 1).astype(np.int32)
    previous = np.arange(-1, n - 1).astype(np.int32)
    heap = np.empty(2 * n, np.int64)
    skipped = np.empty(2 * n if rng is not None else 0, np.int64)
    size, skips = 0, 0
    for i in range(n - 1):
        size = _push_pair(heap, size, ids, i, i + 1, merges)
    while size > 0:
        entry = int(heap[0])
        size = pop(heap, size)
        if rng is not None:
            if rng.random() < dropout:
                skipped[skips] = entry
                skips += 1
                continue
            for i in range(skips):
                size = push(heap, size, int(skipped[i]))
            skips = 0
        left = entry & 0xFFFFFFFF
        right = int(following[left])
        if ids[left] == GONE or right == n:
            continue
        rank = find(merges, int(ids[left]), int(ids[right]))
        token = int(results[entry >> 32])
        if rank == NONE or results[rank] != token:
            continue
        ids[left] = token
        ids[right] = GONE
        lengths[left] += lengths[right]
        following[left] = following[right]
        if following[left] < n:
            previous[following[left]] = left
            size = _push_pair(heap, size, ids, left, int(following[left]), merges)
        if previous[left] >= 0:
            size = _push_pair(heap, size, ids, int(previous[left]), left, merges)
    return _without_gone(ids, lengths, n)


@inner_kernel
def _without_gone(ids: I32, lengths: I32, n: int) -> int:
    """Moves the symbols that are left together; returns how many there are."""
    kept = 0
    for i in range(n):
        if ids[i] != GONE:
            ids[kept] = ids[i]
            lengths[kept] = lengths[i]
            kept += 1
    return kept
