"""Where a grapheme of text ends (Unicode Standard Annex 29)."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from .._arrays import U32
from .._kernel import inner_kernel
from .._unicode import CODE_POINTS, rows

_U16 = npt.NDArray[np.uint16]

# The bits of `grapheme_kinds`.
CONTROL, ATTACHES, EXTENDS, PREPENDS, LEAD, VOWEL, TRAIL, PICTURE, CONSONANT, LINKER, KEEPS_LINKING, JOINER = (
    1 << bit for bit in range(12)
)
# A syllable without a trail, one with.
OPEN, CLOSED = 1 << 12, 1 << 13

_BITS = {
    "control": CONTROL,
    "attaches": ATTACHES,
    "extends": EXTENDS,
    "prepends": PREPENDS,
    "lead": LEAD,
    "vowel": VOWEL,
    "trail": TRAIL,
    "picture": PICTURE,
    "consonant": CONSONANT,
    "linker": LINKER,
    "keeps_linking": KEEPS_LINKING,
}
_SYLLABLES, _TRAILS = range(0xAC00, 0xD7A4), 28
_CARRIAGE_RETURN, _LINE_FEED = 13, 10


@cache
def grapheme_kinds() -> _U16:
    """How every code point joins with its neighbours, shape (0x110000,): an OR of the bits above.

    Regional indicators, which join in pairs, have none: nothing here asks for graphemes of their length.
    """
    kinds = np.zeros(CODE_POINTS, np.uint16)
    for first, last, names in rows("unicode_graphemes.txt"):
        kinds[first : last + 1] = sum(_BITS[name] for name in names.split())
    kinds[0x200D] |= JOINER
    kinds[_SYLLABLES.start : _SYLLABLES.stop] = CLOSED
    kinds[_SYLLABLES.start : _SYLLABLES.stop : _TRAILS] = OPEN
    return kinds


@inner_kernel
def grapheme_end(chars: U32, start: int, end: int, kinds: _U16) -> int:
    """Where the grapheme ends that begins at `start`, `end` at the latest."""
    before = kinds[chars[start]]
    # How much has been read of a picture, what extends it and a joiner; of a consonant and a linker.
    picture, conjunct = 1 if before & PICTURE else 0, 1 if before & CONSONANT else 0
    i = start + 1
    while i < end:
        kind = kinds[chars[i]]
        if (before | kind) & CONTROL:
            is_line_end = i == start + 1 and chars[start] == _CARRIAGE_RETURN and chars[i] == _LINE_FEED
            return i + 1 if is_line_end else i
        if not (
            kind & (ATTACHES | JOINER)
            or before & PREPENDS
            or (before & LEAD and kind & (LEAD | VOWEL | OPEN | CLOSED))
            or (before & (OPEN | VOWEL) and kind & (VOWEL | TRAIL))
            or (before & (CLOSED | TRAIL) and kind & TRAIL)
            or (picture == 2 and kind & PICTURE)
            or (conjunct == 2 and kind & CONSONANT)
        ):
            return i
        if kind & PICTURE:
            picture = 1
        elif not (picture == 1 and kind & EXTENDS):
            picture = 2 if picture == 1 and kind & JOINER else 0
        if kind & CONSONANT:
            conjunct = 1
        elif conjunct > 0:
            conjunct = 2 if kind & LINKER else conjunct if kind & KEEPS_LINKING else 0
        before = kind
        i += 1
    return end
