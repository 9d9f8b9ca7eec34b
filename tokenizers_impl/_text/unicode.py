"""The Unicode tables of `tokenizers` 0.23.3, frozen in data files: classes, normalization, graphemes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from evenscore.kernel import inner_kernel

from .._core.arrays import I64, U8, U32

# --- The Unicode classes of the library's regular expressions

CODE_POINTS = 0x110000

# The bits of `character_classes`.
LETTER = 1  # \p{L} in the regular expression of ByteLevel
NUMBER = 2  # \p{N} in the regular expression of ByteLevel
SPACE = 4  # White space: the \s of every regular expression and Rust's char::is_whitespace, which agree on all 25
WORD = 8  # \w in the regular expression of Whitespace
PUNCTUATION = 16  # what Punctuation and BertPreTokenizer isolate
NUMERIC = 32  # Rust's char::is_numeric, which Digits uses: NUMBER plus 13 of a later Unicode version

_BITS = {
    "letter": LETTER,
    "number": NUMBER,
    "space": SPACE,
    "word": WORD,
    "punctuation": PUNCTUATION,
    "numeric": NUMERIC,
}


def rows(name: str) -> Iterator[tuple[int, int, str]]:
    """Read the rows `first..last;value` or `first;value` of a data file: hexadecimal numbers, both ends included."""
    for line in files("tokenizers_impl").joinpath("data", name).read_text("ascii").splitlines():
        if not line.startswith("#"):
            span, value = line.split(";")
            first, _, last = span.partition("..")
            yield int(first, 16), int(last or first, 16), value


@cache
def character_classes() -> U8:
    """The classes of every code point, shape (0x110000,), read-only: an OR of LETTER, NUMBER, SPACE and so on.

    They were measured through the components of tokenizers 0.23.3 that use them.  Surrogates are in no class.

    >>> classes = character_classes()
    >>> bool(classes[ord("é")] & LETTER), bool(classes[ord("½")] & NUMBER), bool(classes[ord("_")] & WORD)
    (True, True, True)
    """
    classes = np.zeros(CODE_POINTS, np.uint8)
    for first, last, names in rows("unicode_classes.txt"):
        classes[first : last + 1] = sum(_BITS[name] for name in names.split())
    classes.flags.writeable = False
    return classes


@cache
def white_space() -> str:
    """The characters of class SPACE.  `str.strip` itself strips four control characters more."""
    return "".join(map(chr, np.flatnonzero(character_classes() & SPACE).tolist()))


# --- The tables of the normalizers

HANGUL, LEADS, VOWELS, TRAILS = 0xAC00, range(0x1100, 0x1113), range(0x1161, 0x1176), range(0x11A7, 0x11C3)


def code_points_by_char(name: str) -> dict[int, list[int]]:
    """Read a data file's mapping from a code point to code points."""
    return {
        code: [int(part, 16) for part in value.split()]
        for first, last, value in rows(name)
        for code in range(first, last + 1)
    }


def removed_by(name: str) -> I64:
    """The code points that the rule of this name removes, ascending.

    strip_accents: the normalizer StripAccents.  bert_strip_accents, bert_clean_text: the options of BertNormalizer.
    """
    spans = [(first, last) for first, last, names in rows("unicode_removals.txt") if name in names.split()]
    return np.concatenate([np.arange(first, last + 1) for first, last in spans])


@cache
def combining_classes() -> U8:
    """The canonical combining class of every code point, shape (0x110000,), read-only: 0 for starters."""
    classes = np.zeros(CODE_POINTS, np.uint8)
    for first, last, value in rows("unicode_combining.txt"):
        classes[first : last + 1] = int(value)
    classes.flags.writeable = False
    return classes


def decompositions(*, compatibility: bool) -> dict[int, list[int]]:
    """The full decomposition of each code point that has one; `compatibility`: of NFKD instead of NFD."""
    found = code_points_by_char("unicode_decompositions.txt")
    if compatibility:
        found |= code_points_by_char("unicode_compatibility.txt")
    for syllable, (first, second) in _hangul().items():
        found[syllable] = [*found.get(first, [first]), second]
    return found


def compositions() -> dict[int, list[int]]:
    """The pair of code points that compose to each composite."""
    return code_points_by_char("unicode_compositions.txt") | _hangul()


def _hangul() -> dict[int, list[int]]:
    """The pair of each Hangul syllable: lead and vowel, or the syllable without trail and the trail (Unicode 3.12)."""
    pairs = {}
    for i in range(len(LEADS) * len(VOWELS)):
        start = HANGUL + i * len(TRAILS)
        pairs[start] = [LEADS[i // len(VOWELS)], VOWELS[i % len(VOWELS)]]
        for t in range(1, len(TRAILS)):
            pairs[start + t] = [start, TRAILS[t]]
    return pairs


# --- The ends of graphemes (Unicode Standard Annex 29)

_U16 = npt.NDArray[np.uint16]

# The bits of `grapheme_kinds`.
CONTROL, ATTACHES, EXTENDS, PREPENDS, LEAD, VOWEL, TRAIL, PICTURE, CONSONANT, LINKER, KEEPS_LINKING, JOINER = (
    1 << bit for bit in range(12)
)
# A Hangul syllable without a trail, and one with a trail.
OPEN, CLOSED = 1 << 12, 1 << 13

_GRAPHEME_BITS = {
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
    """How each code point joins with its neighbours, shape (0x110000,): an OR of the bits above.

    Regional indicators, which join in pairs, have no bits, because no caller needs graphemes of their length.
    """
    kinds = np.zeros(CODE_POINTS, np.uint16)
    for first, last, names in rows("unicode_graphemes.txt"):
        kinds[first : last + 1] = sum(_GRAPHEME_BITS[name] for name in names.split())
    kinds[0x200D] |= JOINER
    kinds[_SYLLABLES.start : _SYLLABLES.stop] = CLOSED
    kinds[_SYLLABLES.start : _SYLLABLES.stop : _TRAILS] = OPEN
    return kinds


@inner_kernel
def grapheme_end(chars: U32, start: int, end: int, kinds: _U16) -> int:
    """The end of the grapheme that begins at `start`, at most `end`."""
    before = kinds[chars[start]]
    # Progress in two sequences: picture, extenders, joiner; and consonant, linker.
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
