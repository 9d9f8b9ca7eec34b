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
    starts = np.flatnonzero(marks == BEGINS)
    ends, parent = _ends(marks, starts, splits.ends)
    return splits.recut(starts, ends, parent)


@kernel
def _ends(marks: U8, starts: I64, old_ends: I64) -> tuple[I64, I64]:
    """Where every new split ends, and in which old one it lies."""
    ends, parent = np.empty(len(starts), np.int64), np.empty(len(starts), np.int64)
    old = 0
    for j in range(len(starts)):
        while old_ends[old] <= starts[j]:
            old += 1
        end = starts[j] + 1
        while end < len(marks) and marks[end] == INSIDE:
            end += 1
        ends[j], parent[j] = end, old
    return ends, parent
