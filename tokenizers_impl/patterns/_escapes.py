"""What a backslash stands before."""

from __future__ import annotations

import re

from ._char_set import CharSet
from ._named_sets import named_set
from ._source import Source

_CONTROLS = {"t": "\t", "v": "\v", "n": "\n", "r": "\r", "f": "\f", "a": "\a", "e": "\x1b"}
# What the library has besides.
_OTHERS = "GKXyY"
_SETS = {"w": "word", "s": "space", "d": "digit", "h": "xdigit"}
_PROPERTY = re.compile(r"([pP])\{(\^?)([\w \-]{1,60})\}")
_HEXADECIMAL = re.compile(r"x\{([0-9A-Fa-f]{1,8})\}|x([0-7][0-9A-Fa-f])|u([0-9A-Fa-f]{4})")


def escaped_set(source: Source, *, lone: bool = False) -> CharSet | None:
    r"""The set of \s, \p{L} and the like, of which the backslash is read; None if none comes next.

    lone: outside of brackets.
    """
    begin = source.at - 1
    if source.next.lower() in _SETS:
        letter = source.take()
        return _named(source, _SETS[letter.lower()], begin, lone=lone, negative=letter.isupper())
    found = source.took_match(_PROPERTY)
    if found is None:
        return None
    return _named(source, found[3], begin, lone=lone, negative=(found[1] == "P") != (found[2] == "^"))


def _named(source: Source, name: str, begin: int, *, lone: bool, negative: bool) -> CharSet:
    chars = named_set(name, lone=lone)
    if chars is None:
        source.refuse(f"the property {name}", begin)
    return ~chars if negative else chars


def escaped_char(source: Source) -> str:
    """The character of an escape, of which the backslash is read."""
    begin = source.at - 1
    found = source.took_match(_HEXADECIMAL)
    if found is not None:
        code = int(found[1] or found[2] or found[3], 16)
        if code >= 0x110000 or 0xD800 <= code < 0xE000:
            source.lack(f"the code point {code:X} of no character", begin)
        return chr(code)
    name = source.take()
    if name in _CONTROLS:
        return _CONTROLS[name]
    if name.isascii() and name.isalnum():
        what = f"the escape \\{name}"
        if name in _OTHERS:
            source.lack(what, begin)
        source.refuse(what, begin)
    return name
