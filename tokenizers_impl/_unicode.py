"""The Unicode classes of the library's regular expressions, frozen in a data file."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files

import numpy as np

from ._arrays import U8

CODE_POINTS = 0x110000

# The bits of `character_classes`.
LETTER = 1  # \p{L} in the regular expression of ByteLevel
NUMBER = 2  # \p{N} in the regular expression of ByteLevel
SPACE = 4  # White space: the \s of every regular expression and Rust's char::is_whitespace, which agree on all 25
WORD = 8  # \w in the regular expression of Whitespace
PUNCTUATION = 16  # what Punctuation and BertPreTokenizer isolate
NUMERIC = 32  # Rust's char::is_numeric, which Digits asks: NUMBER plus 13 of a later Unicode version

_BITS = {
    "letter": LETTER,
    "number": NUMBER,
    "space": SPACE,
    "word": WORD,
    "punctuation": PUNCTUATION,
    "numeric": NUMERIC,
}


def rows(name: str) -> Iterator[tuple[int, int, str]]:
    """The rows `first..last;value` or `first;value` of a data file, its numbers hexadecimal, both ends included."""
    for line in files(__package__).joinpath(name).read_text("ascii").splitlines():
        if not line.startswith("#"):
            span, value = line.split(";")
            first, _, last = span.partition("..")
            yield int(first, 16), int(last or first, 16), value


@cache
def character_classes() -> U8:
    """The classes of every code point, shape (0x110000,), read only: an OR of LETTER, NUMBER, SPACE and so on.

    They are those of tokenizers 0.23.3, measured through the components that use them; surrogates are in no class.

    >>> classes = character_classes()
    >>> bool(classes[ord("é")] & LETTER), bool(classes[ord("½")] & NUMBER), bool(classes[ord("_")] & WORD)
    (True, True, True)
    """
    classes = np.zeros(CODE_POINTS, np.uint8)
    for first, last, names in rows("unicode_classes.txt"):
        classes[first : last + 1] = sum(_BITS[name] for name in names.split())
    classes.flags.writeable = False
    return classes
