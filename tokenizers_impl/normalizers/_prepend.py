"""Text with another one before it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import I32, I64, U32, code_points
from .._kernel import kernel
from .._splits import TEXT, Splits
from ._normalizer import Normalizer


@dataclass(frozen=True)
class Prepend(Normalizer):
    """A string is put before every text that is not empty, as `tokenizers.normalizers.Prepend`.

    >>> Prepend().normalize_str("low")
    '▁low'
    """

    prepend: str = "▁"

    def __post_init__(self) -> None:
        if not isinstance(self.prepend, str):
            raise ValueError(f"prepend={self.prepend!r}: give a string")

    def normalize_splits(self, splits: Splits) -> Splits:
        """The splits with it; its origin is their first character."""
        texts = splits.chars, splits.starts, splits.ends, splits.added
        return splits.rewritten(*_prepended(*texts, code_points(self.prepend), len(splits.origins) > 0))


@kernel
def _prepended(chars: U32, starts: I64, ends: I64, added: I32, head: U32, tracked: bool) -> tuple[U32, I32, I64, I64]:
    """The characters with `head` put in; if tracked, the character that each came from or precedes."""
    lengths = ends - starts
    lengths[(lengths > 0) & (added == TEXT)] += len(head)
    new_ends = np.cumsum(lengths)
    new_starts = new_ends - lengths
    new_chars = np.empty(lengths.sum(), np.uint32)
    source = np.empty(len(new_chars) if tracked else 0, np.int32)
    for j in range(len(starts)):
        shift = new_ends[j] - ends[j]
        for i in range(new_starts[j], new_ends[j]):
            old = i - shift
            new_chars[i] = chars[old] if old >= starts[j] else head[i - new_starts[j]]
            if tracked:
                source[i] = max(old, starts[j])
    return new_chars, source, new_starts, new_ends
