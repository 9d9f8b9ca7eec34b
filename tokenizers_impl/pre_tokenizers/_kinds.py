"""Pre-tokenizers that cut where the kind of the character changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from .._arrays import I32, I64, U8, U32
from .._component import unchanging
from .._kernel import kernel
from .._splits import TEXT, Splits
from .._unicode import PUNCTUATION, SPACE, WORD, character_classes
from ._marks import BEGINS, INSIDE, REMOVED, cut_at_marks
from ._pre_tokenizer import PreTokenizer

# Kinds of characters.  Neighbours of the same kind stay together, save that every ISOLATED character is a split.
_DROPPED, _FIRST, _SECOND, _ISOLATED = 0, 1, 2, 3


@unchanging
@dataclass(frozen=True, repr=False)
class Whitespace(PreTokenizer):
    r"""Cuts by `\\w+|[^\\w\\s]+`, as `tokenizers.pre_tokenizers.Whitespace`.

    >>> Whitespace().pre_tokenize_str("Hi, you!")
    [('Hi', (0, 2)), (',', (2, 3)), ('you', (4, 7)), ('!', (7, 8))]
    """

    def cut(self, splits: Splits) -> Splits:
        """Runs of word characters, runs of anything else but white space."""
        return cut_at_marks(splits, _mark_kinds, _kinds(WORD, SPACE, _FIRST, _SECOND))


@unchanging
@dataclass(frozen=True, repr=False)
class WhitespaceSplit(PreTokenizer):
    """Cuts at white space, as `tokenizers.pre_tokenizers.WhitespaceSplit`.

    >>> WhitespaceSplit().pre_tokenize_str("Hi,  you!")
    [('Hi,', (0, 3)), ('you!', (5, 9))]
    """

    def cut(self, splits: Splits) -> Splits:
        """Runs of anything but white space."""
        return cut_at_marks(splits, _mark_kinds, _kinds(0, SPACE, _FIRST, _FIRST))


@unchanging
@dataclass(frozen=True, repr=False)
class BertPreTokenizer(PreTokenizer):
    """Cuts at white space and around every punctuation character, as `tokenizers.pre_tokenizers.BertPreTokenizer`.

    >>> BertPreTokenizer().pre_tokenize_str("Hi (you)")
    [('Hi', (0, 2)), ('(', (3, 4)), ('you', (4, 7)), (')', (7, 8))]
    """

    def cut(self, splits: Splits) -> Splits:
        """Runs of letters, digits and the like; single punctuation characters."""
        return cut_at_marks(splits, _mark_kinds, _kinds(PUNCTUATION, SPACE, _ISOLATED, _FIRST))


@cache
def _kinds(inner: int, dropped: int, kind: int, other_kind: int) -> U8:
    """The kind of every code point: of those in class `inner`, of those in class `dropped`, of all others."""
    classes = character_classes()
    kinds = np.full(len(classes), other_kind, np.uint8)
    kinds[(classes & dropped) > 0] = _DROPPED
    kinds[(classes & inner) > 0] = kind
    return kinds


@kernel
def _mark_kinds(chars: U32, starts: I64, ends: I64, added: I32, kinds: U8, marks: U8) -> None:
    for j in range(len(starts)):
        if added[j] != TEXT:
            marks[starts[j] : ends[j]] = INSIDE
            marks[starts[j]] = BEGINS
            continue
        before = _DROPPED
        for i in range(starts[j], ends[j]):
            kind = kinds[chars[i]]
            if kind == _DROPPED:
                marks[i] = REMOVED
            elif kind == before and kind != _ISOLATED:
                marks[i] = INSIDE
            else:
                marks[i] = BEGINS
            before = kind
