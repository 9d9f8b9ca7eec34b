"""Where mteval-v13a and its kin cut words, as sacrebleu 2.6.0 has it, on the bytes of all texts at once."""

from __future__ import annotations

import string

import numpy as np

from ._segments import IntArray
from ._words import Bytes, Mask, Utf8, translate

# Classes of bytes; EDGE is where a text begins or ends, marked by a byte that UTF-8 has not.
_OTHER, _DIGIT, _EDGE, _HYPHEN, _POINT, _MARK = range(6)
_EDGE_BYTE = 0xFF
_CLASS_OF = {
    **dict.fromkeys(string.punctuation, _MARK),
    **dict.fromkeys(string.digits, _DIGIT),
    "'": _OTHER,
    "-": _HYPHEN,
    ".": _POINT,
    ",": _POINT,
    chr(_EDGE_BYTE): _EDGE,
}
_CLASSES = bytes(_CLASS_OF.get(chr(byte), _OTHER) for byte in range(256))
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
# sacrebleu's table of Chinese ranges, each from its first code point up to, but not with, its end.  It means to hold
# U+20000..2A6D6 and U+2F800..2FA1D, but writes them as two-character strings, so that it holds U+2001..2A6D and no
# character beyond U+FFFF.  Followed: see DIFFERENCES.md.
_CHINESE = np.array(
    [
        *(0x2001, 0x2A6E, 0x2E80, 0x2FE0, 0x2FF0, 0x3040, 0x3100, 0x3130, 0x31A0, 0x31F0, 0x3200, 0x4DB6),
        *(0x4E00, 0x9FBC, 0xF900, 0xFA2E, 0xFA30, 0xFA6B, 0xFA70, 0xFADA, 0xFE10, 0xFE20, 0xFE30, 0xFE50),
        *(0xFF00, 0xFFF0),
    ]
)


def unwrapped(text: str) -> str:
    """A text without <skipped> and entities, with lines joined that end in a hyphen: what 13a does at first."""
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "")
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    return text


def cuts_13a(text: Utf8) -> IntArray:
    """The places in words where 13a begins or ends a token (tokenizer_13a.py); where texts meet, as at spaces.

    >>> cuts_13a(Utf8(np.frombuffer(b"1,000.5. (x-3)\\n", np.uint8), np.array([0, 15]))).tolist()
    [9, 13, 7, 10, 14, 8]
    """
    return _around(_singles(translate(text.data, _CLASSES)), 1)


def cuts_zh(text: Utf8) -> IntArray:
    """The same for zh (tokenizer_zh.py), of texts without spaces at their ends: Chinese characters stand alone."""
    data = text.data.copy()
    # There a text's first and last character have no neighbour for a rule to see.
    data[text.offsets[1:] - 1] = _EDGE_BYTE
    singles = _around(_singles(translate(data, _CLASSES)), 1)
    return np.concatenate((singles, _around(_chinese(text.data), 3)))


def _around(places: IntArray, size: int) -> IntArray:
    return np.concatenate((places, places + size))


def _singles(classes: Bytes) -> IntArray:
    """The places of all bytes that are tokens of their own; the last byte is none of them."""
    places = (classes >= _HYPHEN).nonzero()[0]
    kinds = classes[places]
    marks, hyphens, points = (places[kinds == kind] for kind in (_MARK, _HYPHEN, _POINT))
    behind_digits = classes[hyphens - 1] == _DIGIT
    return np.concatenate((marks, hyphens[behind_digits], points[_stands_alone(classes, points)]))


def _stands_alone(classes: Bytes, points: IntArray) -> Mask:
    """Which points and commas are tokens, which parts of numbers.

    First those behind any byte but a digit become tokens, then those before one.  But each match of the first rule uses
    up the byte behind which it cuts: of a row of points only every other one, from the first on if no digit is before
    it, else from the second.  The second rule cuts the rest, but for the last of a row with a digit behind it.
    """
    begins_row = np.diff(points, prepend=-2) != 1
    ends_row = np.append(begins_row[1:], True)[: len(points)]
    first = begins_row.nonzero()[0]
    row = np.cumsum(begins_row) - 1
    behind_digit = _escapes_rules(classes[points[first] - 1])[row]
    is_odd = (np.arange(len(points)) - first[row]) % 2 == 1
    mask: Mask = ~(ends_row & _escapes_rules(classes[points + 1]) & (behind_digit != is_odd))
    return mask


def _escapes_rules(neighbours: Bytes) -> Mask:
    mask: Mask = (neighbours == _DIGIT) | (neighbours == _EDGE)
    return mask


def _chinese(data: Bytes) -> IntArray:
    """Where Chinese characters are, all of three bytes."""
    leads = ((data >= 0xE2) & (data < 0xF0)).nonzero()[0]
    first, second, third = (data[leads + k].astype(np.int64) for k in range(3))
    points = (first & 0xF) << 12 | (second & 0x3F) << 6 | (third & 0x3F)
    chinese: IntArray = leads[np.searchsorted(_CHINESE, points, "right") % 2 == 1]
    return chinese
