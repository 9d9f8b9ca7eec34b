"""Characters put before splits."""

from __future__ import annotations

import numpy as np

from ._arrays import I32, I64, U32, Bools
from ._kernel import kernel
from ._splits import Splits


def prepended(splits: Splits, head: U32, wanted: Bools) -> Splits:
    """The splits, `head` before each that is wanted and not empty; its origin is the character that follows it."""
    # In numpy what numba would take seconds to compile.
    lengths = splits.ends - splits.starts
    heads = np.where(wanted & (lengths > 0), len(head), 0)
    ends = np.cumsum(lengths + heads)
    firsts = ends - lengths
    size = int(ends[-1]) if len(ends) else 0
    splits.check_room(size)
    chars = np.empty(size, np.uint32)
    source = np.empty(len(chars) if len(splits.origins) else 0, np.int32)
    _write(splits.chars, splits.starts, firsts, ends, head, heads, chars, source)
    return splits.rewritten(chars, source, firsts - heads, ends)


def prepended_once(splits: Splits, char: int, wanted: Bools) -> Splits:
    """The same with one character, before those that do not begin with it."""
    full = np.flatnonzero(wanted & (splits.ends > splits.starts))
    lacking = np.zeros(len(wanted), np.bool_)
    lacking[full] = splits.chars[splits.starts[full]] != char
    return prepended(splits, np.array([char], np.uint32), lacking)


@kernel
def _write(chars: U32, starts: I64, firsts: I64, ends: I64, head: U32, heads: I64, new_chars: U32, source: I32) -> None:
    """Writes the characters, split j from firsts[j] on after heads[j] of the head; and from which each came."""
    tracked = len(source) > 0
    for j in range(len(starts)):
        for i in range(heads[j]):
            new_chars[firsts[j] - heads[j] + i] = head[i]
            if tracked:
                source[firsts[j] - heads[j] + i] = starts[j]
        for i in range(ends[j] - firsts[j]):
            new_chars[firsts[j] + i] = chars[starts[j] + i]
            if tracked:
                source[firsts[j] + i] = starts[j] + i
