"""The pre-tokenizer that cuts where the script changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from .._arrays import I32, I64, U8, U32
from .._component import unchanging
from .._kernel import kernel
from .._splits import TEXT, Splits
from .._unicode import CODE_POINTS, rows
from ._marks import BEGINS, INSIDE, REMOVED, cut_at_marks
from ._pre_tokenizer import PreTokenizer

# The script of what goes with any: spaces and code points that the library's table lacks.
_ANY = 0


@unchanging
@dataclass(frozen=True, repr=False)
class UnicodeScripts(PreTokenizer):
    """Cuts where the script changes, as `tokenizers.pre_tokenizers.UnicodeScripts`.

    Han, Hiragana and Katakana are one script; punctuation and digits are one, too; spaces go with what stands before
    them, and are left out where nothing does.

    >>> UnicodeScripts().pre_tokenize_str(" どこ go?")
    [('どこ ', (1, 4)), ('go', (4, 6)), ('?', (6, 7))]
    """

    def cut(self, splits: Splits) -> Splits:
        """Runs of one script."""
        return cut_at_marks(splits, _mark_scripts, _scripts())


@cache
def _scripts() -> U8:
    """The script of every code point, as a number, shape (0x110000,)."""
    found: dict[str, int] = {}
    table = np.full(CODE_POINTS, _ANY, np.uint8)
    for first, last, sample in rows("unicode_sentencepiece_scripts.txt"):
        table[first : last + 1] = found.setdefault(sample, len(found) + 1)
    return table


@kernel
def _mark_scripts(chars: U32, starts: I64, ends: I64, added: I32, scripts: U8, marks: U8) -> None:
    for j in range(len(starts)):
        before = _ANY
        for i in range(starts[j], ends[j]):
            script = scripts[chars[i]]
            if added[j] != TEXT:
                marks[i] = BEGINS if i == starts[j] else INSIDE
            elif script in (_ANY, before):
                marks[i] = REMOVED if before == _ANY else INSIDE
            else:
                marks[i] = BEGINS
            if script != _ANY:
                before = script
