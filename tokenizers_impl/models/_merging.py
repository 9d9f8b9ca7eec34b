"""Merging the symbols of a word."""

from __future__ import annotations

import numpy as np

from .._arrays import I32, I64
from .._kernel import kernel
from ._bpe_tables import Tables
from ._merge_by_heap import merge_by_heap
from ._merge_by_scan import merge_by_scan

# Up to so many symbols a scan for the lowest rank is faster than a heap.
SHORT = 64


@kernel
def merge(
    ids: I32, lengths: I32, n: int, tables: Tables, ranks: I64, dropout: float, rng: np.random.Generator | None
) -> int:
    """Merges n symbols in place; returns how many are left.

    A scan sees every pair's present rank, the heap also ranks of pairs that have changed since.  Both do the same as
    long as a changed pair never makes the token that it made before, which holds where ids are distinct and every merge
    lengthens its left part: `Tables.scannable`.
    """
    if rng is None and n <= SHORT and tables.scannable:
        return merge_by_scan(ids, lengths, n, tables.merges, tables.results, ranks)
    return merge_by_heap(ids, lengths, n, tables.merges, tables.results, dropout, rng)
