"""The words that methods of strings take, as enumerations."""

from __future__ import annotations

from enum import Enum


class OffsetReferential(str, Enum):
    """What offsets count in: the text as it was given, or as it is by now."""

    ORIGINAL = "original"
    NORMALIZED = "normalized"


class OffsetType(str, Enum):
    """What offsets count: bytes of UTF-8, or characters."""

    BYTE = "byte"
    CHAR = "char"


class SplitDelimiterBehavior(str, Enum):
    """What becomes of a delimiter; each may be given wherever its name may.

    >>> from tokenizers_impl.pre_tokenizers import Punctuation
    >>> Punctuation(SplitDelimiterBehavior.REMOVED).pre_tokenize_str("a-b")
    [('a', (0, 1)), ('b', (2, 3))]
    """

    REMOVED = "removed"
    ISOLATED = "isolated"
    MERGED_WITH_PREVIOUS = "merged_with_previous"
    MERGED_WITH_NEXT = "merged_with_next"
    CONTIGUOUS = "contiguous"
