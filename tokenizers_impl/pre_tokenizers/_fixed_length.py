"""The pre-tokenizer that cuts after so many characters."""

from __future__ import annotations

from dataclasses import dataclass

from .._arrays import I32, I64, U8, U32
from .._component import unchanging
from .._kernel import kernel
from .._splits import TEXT, Splits
from ._marks import BEGINS, INSIDE, cut_at_marks
from ._pre_tokenizer import PreTokenizer


@unchanging
@dataclass(frozen=True, repr=False)
class FixedLength(PreTokenizer):
    """Cuts after every `length` characters, as `tokenizers.pre_tokenizers.FixedLength`.

    >>> FixedLength(2).pre_tokenize_str("below")
    [('be', (0, 2)), ('lo', (2, 4)), ('w', (4, 5))]
    """

    length: int = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.length < 1 << 63:
            raise ValueError(f"length={self.length!r}: give a number of characters, 1 or more")

    def cut(self, splits: Splits) -> Splits:
        """Pieces of that length, the last one of what is left."""
        return cut_at_marks(splits, _mark_every, self.length)


@kernel
def _mark_every(chars: U32, starts: I64, ends: I64, added: I32, length: int, marks: U8) -> None:
    for j in range(len(starts)):
        for i in range(starts[j], ends[j]):
            begins = i == starts[j] or (added[j] == TEXT and (i - starts[j]) % length == 0)
            marks[i] = BEGINS if begins else INSIDE
