"""One character put before texts that do not begin with it."""

from __future__ import annotations

import numpy as np

from .._arrays import I32, I64, U32, Bools
from .._kernel import kernel
from .._splits import Splits


def prepended(splits: Splits, char: int, wanted: Bools) -> Splits:
    """The splits, `char` before each that is wanted, not empty, without it so far; its origin is what follows it."""
    return splits.rewritten(*_prepend(splits.chars, splits.starts, splits.ends, char, wanted, len(splits.origins) > 0))


@kernel
def _prepend(chars: U32, starts: I64, ends: I64, char: int, wanted: Bools, tracked: bool) -> tuple[U32, I32, I64, I64]:
    """The characters with `char` put in; if tracked, the character that each came from or precedes."""
    lengths = ends - starts
    for j in range(len(starts)):
        if wanted[j] and lengths[j] > 0 and chars[starts[j]] != char:
            lengths[j] += 1
    new_ends = np.cumsum(lengths)
    new_starts = new_ends - lengths
    new_chars = np.empty(lengths.sum(), np.uint32)
    source = np.empty(len(new_chars) if tracked else 0, np.int32)
    for j in range(len(starts)):
        shift = new_ends[j] - ends[j]
        if lengths[j] > ends[j] - starts[j]:
            new_chars[new_starts[j]] = char
        for i in range(starts[j], ends[j]):
            new_chars[i + shift] = chars[i]
        if tracked:
            for i in range(new_starts[j], new_ends[j]):
                source[i] = max(i - shift, starts[j])
    return new_chars, source, new_starts, new_ends
