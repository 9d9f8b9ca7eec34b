"""The frozen tables that normalizers rewrite by."""

from __future__ import annotations

from functools import cache

import numpy as np

from .._arrays import I64, U8
from .._unicode import CODE_POINTS, rows

HANGUL, LEADS, VOWELS, TRAILS = 0xAC00, range(0x1100, 0x1113), range(0x1161, 0x1176), range(0x11A7, 0x11C3)


def code_points_by_char(name: str) -> dict[int, list[int]]:
    """From code point to code points, as a data file has it."""
    return {
        code: [int(part, 16) for part in value.split()]
        for first, last, value in rows(name)
        for code in range(first, last + 1)
    }


def removed_by(name: str) -> I64:
    """The code points, in order, that the rule of that name takes out.

    strip_accents: the normalizer StripAccents.  bert_strip_accents, bert_clean_text: the options of BertNormalizer.
    """
    spans = [(first, last) for first, last, names in rows("unicode_removals.txt") if name in names.split()]
    return np.concatenate([np.arange(first, last + 1) for first, last in spans])


@cache
def combining_classes() -> U8:
    """The canonical combining class of every code point, shape (0x110000,), read only: 0 for one that starts anew."""
    classes = np.zeros(CODE_POINTS, np.uint8)
    for first, last, value in rows("unicode_combining.txt"):
        classes[first : last + 1] = int(value)
    classes.flags.writeable = False
    return classes


def decompositions(*, compatibility: bool) -> dict[int, list[int]]:
    """From code point to its full decomposition; `compatibility`: as of NFKD, else as of NFD."""
    found = code_points_by_char("unicode_decompositions.txt")
    if compatibility:
        found |= code_points_by_char("unicode_compatibility.txt")
    for syllable, (first, second) in _hangul().items():
        found[syllable] = [*found.get(first, [first]), second]
    return found


def compositions() -> dict[int, list[int]]:
    """From code point to the two that compose to it."""
    return code_points_by_char("unicode_compositions.txt") | _hangul()


def _hangul() -> dict[int, list[int]]:
    """From syllable to lead and vowel, or to the syllable without its trail and the trail (Unicode 3.12)."""
    pairs = {}
    for i in range(len(LEADS) * len(VOWELS)):
        start = HANGUL + i * len(TRAILS)
        pairs[start] = [LEADS[i // len(VOWELS)], VOWELS[i % len(VOWELS)]]
        for t in range(1, len(TRAILS)):
            pairs[start + t] = [start, TRAILS[t]]
    return pairs
