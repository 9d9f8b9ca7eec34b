"""From a mark on every character to splits."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._arrays import I64, U8
from .._kernel import kernel
from .._splits import Splits

# What a pre-tokenizer says of a character.  A split begins at BEGINS and goes on over INSIDE.
INSIDE, BEGINS, REMOVED = 0, 1, 2


def cut_at_marks(splits: Splits, mark: Any, *arguments: Any) -> Splits:
    """The splits that a kernel marks: mark(chars, starts, ends, added, *arguments, marks) writes into marks.

    Characters in gaps between the splits are REMOVED beforehand; the kernel marks the others, and the first character
    of every split BEGINS or REMOVED.
    """
    marks = np.full(len(splits.chars), REMOVED, np.uint8)
    mark(splits.chars, splits.starts, splits.ends, splits.added, *arguments, marks)
    return splits.recut(*_found(marks, splits.ends))


@kernel
def _found(marks: U8, old_ends: I64) -> tuple[I64, I64, I64]:
    """Where every new split begins and ends, and in which old one it lies."""
    n = 0
    for mark in marks:
        n += mark == BEGINS
    starts, ends, parent = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    old, i = 0, 0
    for j in range(n):
        while marks[i] != BEGINS:
            i += 1
        while old_ends[old] <= i:
            old += 1
        starts[j], parent[j] = i, old
        i += 1
        while i < len(marks) and marks[i] == INSIDE:
            i += 1
        ends[j] = i
    return starts, ends, parent
