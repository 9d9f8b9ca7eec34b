"""Words of SentencePiece: the space as a visible character before the word."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .._core.arrays import I32, I64, U8, U32, Bools
from .._core.component import json_form, unchanging
from .._core.kernel import kernel
from .._core.options import choice_of
from .._text.splits import BEGINS, INSIDE, TEXT, Splits, cut_at_marks, prepended_once
from ._pre_tokenizer import PreTokenizer

PREPEND_SCHEMES = ("always", "first", "never")


@unchanging
@dataclass(frozen=True, repr=False)
class Metaspace(PreTokenizer):
    """Every space becomes the replacement, and a word begins at it, as `tokenizers.pre_tokenizers.Metaspace`.

    replacement: one character.  prepend_scheme: put it before a text that does not begin with it: "always", "first"
    (only at the very beginning of the input) or "never".  split: cut at all.

    >>> Metaspace().pre_tokenize_str("Hi you")
    [('▁Hi', (0, 2)), ('▁you', (2, 6))]
    """

    replacement: str = "▁"
    prepend_scheme: str = field(default="always", metadata=json_form(read=choice_of))
    split: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.replacement) != 1:
            raise ValueError(f"replacement={self.replacement!r}: give one character")
        if self.prepend_scheme not in PREPEND_SCHEMES:
            raise ValueError(f"prepend_scheme={self.prepend_scheme!r}: choose one of {', '.join(PREPEND_SCHEMES)}")

    @property
    def needs_origins(self) -> bool:
        """Whether it must be known where in the input a split stands."""
        return self.prepend_scheme == "first"

    def cut(self, splits: Splits) -> Splits:
        """Words with the replacement before them."""
        mark = ord(self.replacement)
        text = splits.added == TEXT
        spaced = splits._replace(chars=_replaced(splits.chars, splits.starts, splits.ends, splits.added, mark))
        if self.prepend_scheme != "never":
            wanted = text & _at_the_beginning(spaced) if self.needs_origins else text
            spaced = prepended_once(spaced, mark, wanted)
        return cut_at_marks(spaced, _mark_before, mark) if self.split else spaced.without_empty()


def _at_the_beginning(splits: Splits) -> Bools:
    """Which splits come from the very beginning of the input; an empty one is none."""
    first = np.zeros(len(splits.starts), np.bool_)
    full = np.flatnonzero(splits.ends > splits.starts)
    first[full] = splits.origins[splits.starts[full], 0] == 0
    return first


@kernel
def _replaced(chars: U32, starts: I64, ends: I64, added: I32, replacement: int) -> U32:
    new = chars.copy()
    for j in range(len(starts)):
        if added[j] == TEXT:
            for i in range(starts[j], ends[j]):
                if chars[i] == 32:
                    new[i] = replacement
    return new


@kernel
def _mark_before(chars: U32, starts: I64, ends: I64, added: I32, char: int, marks: U8) -> None:
    for j in range(len(starts)):
        for i in range(starts[j], ends[j]):
            begins = i == starts[j] or (chars[i] == char and added[j] == TEXT)
            marks[i] = BEGINS if begins else INSIDE
