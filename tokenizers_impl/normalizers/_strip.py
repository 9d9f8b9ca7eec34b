"""Text without white space at its ends."""

from __future__ import annotations

from dataclasses import dataclass, field

from .._arrays import I32, I64, U8, U32
from .._component import json_form, unchanging
from .._kernel import kernel
from .._splits import TEXT, Splits
from .._unicode import SPACE, character_classes
from ._normalizer import Normalizer


@unchanging
@dataclass(frozen=True, repr=False)
class Strip(Normalizer):
    """White space is taken off the ends, as `tokenizers.normalizers.Strip`.

    left, right: at which.

    >>> Strip(left=False).normalize_str("  a b \\n")
    '  a b'
    """

    left: bool = field(default=True, metadata=json_form(name="strip_left"))
    right: bool = field(default=True, metadata=json_form(name="strip_right"))

    def normalize_splits(self, splits: Splits) -> Splits:
        """The splits without it."""
        texts = splits.chars, splits.starts, splits.ends, splits.added
        starts, ends = _stripped(*texts, character_classes().copy(), self.left, self.right)
        return splits._replace(starts=starts, ends=ends)


@kernel
def _stripped(chars: U32, starts: I64, ends: I64, added: I32, classes: U8, left: bool, right: bool) -> tuple[I64, I64]:
    """The new bounds of the splits."""
    new_starts, new_ends = starts.copy(), ends.copy()
    for j in range(len(starts)):
        if added[j] != TEXT:
            continue
        while left and new_starts[j] < new_ends[j] and classes[chars[new_starts[j]]] & SPACE:
            new_starts[j] += 1
        while right and new_starts[j] < new_ends[j] and classes[chars[new_ends[j] - 1]] & SPACE:
            new_ends[j] -= 1
    return new_starts, new_ends
