"""Character sets in brackets, escapes, and the reader of a regular expression."""

from __future__ import annotations

import re
from typing import NoReturn

from .char_sets import CharSet, named_set, posix_set, union

# --- The reader of a regular expression


class Source:
    """A pattern and the position up to which it has been read."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    @property
    def at_end(self) -> bool:
        """Whether the whole pattern has been read."""
        return self.at == len(self.pattern)

    @property
    def next(self) -> str:
        """The next character; empty at the end."""
        return self.pattern[self.at : self.at + 1]

    def rest(self, length: int) -> str:
        """The next few characters."""
        return self.pattern[self.at : self.at + length]

    def followed_by(self, text: str) -> bool:
        """Whether this text comes next."""
        return self.pattern.startswith(text, self.at)

    def take(self) -> str:
        """Read one character."""
        self.at += 1
        return self.pattern[self.at - 1 : self.at]

    def took(self, text: str) -> bool:
        """Read this text if it comes next; returns whether it did."""
        if not self.followed_by(text):
            return False
        self.at += len(text)
        return True

    def took_match(self, expected: re.Pattern[str]) -> re.Match[str] | None:
        """Read the match of `expected` if one comes next; returns the match."""
        found = expected.match(self.pattern, self.at)
        if found is not None:
            self.at = found.end()
        return found

    def skip_past(self, text: str, what: str, begin: int) -> None:
        """Read up to the end of this text; ValueError if it is missing."""
        end = self.pattern.find(text, self.at)
        if end < 0:
            self.reject(f"{what} that is not closed", begin)
        self.at = end + len(text)

    def reject(self, what: str, begin: int) -> NoReturn:
        """ValueError for a part that the library refuses, too; begin: where the part begins."""
        self._fail(what, begin, "wrong")

    def lack(self, what: str, begin: int, remedy: str = "") -> NoReturn:
        """ValueError for a part that the library accepts; remedy: what to do instead."""
        self._fail(what, begin, f"not implemented: {remedy}" if remedy else "not implemented")

    def refuse(self, what: str, begin: int) -> NoReturn:
        """ValueError for a part that the library may accept or refuse."""
        self._fail(what, begin, "not implemented or wrong")

    def _fail(self, what: str, begin: int, fault: str) -> NoReturn:
        shown = self.pattern if len(self.pattern) <= 60 else self.pattern[:57] + "..."
        raise ValueError(f"the pattern {shown!r} has, at character {begin}, {what}, which is {fault}")


# --- Escapes

_CONTROLS = {"t": "\t", "v": "\v", "n": "\n", "r": "\r", "f": "\f", "a": "\a", "e": "\x1b"}
# Escapes that only the library supports.
_OTHERS = "GKXyY"
_SETS = {"w": "word", "s": "space", "d": "digit", "h": "xdigit"}
_PROPERTY = re.compile(r"([pP])\{(\^?)([\w \-]{1,60})\}")
_HEXADECIMAL = re.compile(r"x\{([0-9A-Fa-f]{1,8})\}|x([0-7][0-9A-Fa-f])|u([0-9A-Fa-f]{4})")


def escaped_set(source: Source, *, lone: bool = False) -> CharSet | None:
    r"""The set of \s, \p{L} and the like, after the backslash has been read; None if no such set comes next.

    lone: whether it is outside brackets.
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
    """The character of an escape, after the backslash has been read."""
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


# --- Character sets in brackets

_POSIX = re.compile(r"\[:(\^?)(\w+):\]")
# Named sets that only the library supports.
_OTHER_POSIX = ("alnum", "alpha", "ascii", "blank", "cntrl", "graph", "lower", "print", "upper", "word")
DEEPEST = 20


class Brackets:
    """Reads a set in brackets: characters, ranges, named sets, nested sets, and && for intersections."""

    def __init__(self, source: Source, depth: int = 0, *, in_negative: bool = False) -> None:
        self._source = source
        self._depth = depth
        self._in_negative = in_negative

    def parsed(self) -> CharSet:
        """Read the brackets that come next; returns their set."""
        source, begin = self._source, self._source.at
        if self._depth > DEEPEST:
            source.lack(f"brackets nested more than {DEEPEST} deep", begin)
        source.take()
        negative = source.took("^")
        if negative and self._in_negative:
            # If a set of one character is added to such a set, Oniguruma 6.9 loses characters.
            source.lack("a negative set in a negative set", begin)
        if source.next == "]":
            source.refuse("a ] right behind the bracket: write \\]", source.at)
        in_negative = negative or self._in_negative
        chars = self._united(in_negative)
        while source.took("&&"):
            chars &= self._united(in_negative)
        if not source.took("]"):
            source.reject("a bracket that is not closed", begin)
        return ~chars if negative else chars

    def _united(self, in_negative: bool) -> CharSet:
        """The union of all items up to && or the end of the brackets."""
        source, begin = self._source, self._source.at
        items: list[CharSet] = []
        while not source.at_end and source.next != "]" and not source.followed_by("&&"):
            items.append(self._item(in_negative))
        if source.at == begin and not source.at_end:
            source.lack("an empty set", begin)
        return union(items)

    def _item(self, in_negative: bool) -> CharSet:
        source, begin = self._source, self._source.at
        found = source.took_match(_POSIX)
        if found is not None:
            chars = posix_set(found[2])
            if chars is None:
                fault = source.lack if found[2] in _OTHER_POSIX else source.reject
                fault(f"the set {found[0]}", begin)
            self._reject_hyphen()
            return ~chars if found[1] else chars
        if source.next == "[":
            return Brackets(source, self._depth + 1, in_negative=in_negative).parsed()
        chars_or_char = self._member()
        if isinstance(chars_or_char, str):
            return self._span(chars_or_char, begin)
        self._reject_hyphen()
        return chars_or_char

    def _reject_hyphen(self) -> None:
        """ValueError if a range begins with the set that was just read."""
        source = self._source
        if source.next == "-" and source.rest(2) != "-]":
            fault = source.lack if source.followed_by("-&&") else source.reject
            fault("a hyphen behind a set: write \\-", source.at)

    def _member(self) -> CharSet | str:
        """A named set or one character."""
        source = self._source
        if not source.took("\\"):
            return source.take()
        if source.at_end:
            source.reject("a backslash at the end", source.at - 1)
        if source.took("b"):
            return "\b"
        chars = escaped_set(source)
        return escaped_char(source) if chars is None else chars

    def _span(self, first: str, begin: int) -> CharSet:
        """The range that begins with the character `first`, or this character alone."""
        source = self._source
        if source.next != "-" or source.rest(2) == "-]":
            return CharSet.of(first)
        if first == "-":
            source.lack("a range that begins with a hyphen: write \\-", begin)
        hyphen = source.at
        source.take()
        if source.next == "[" or source.followed_by("&&"):
            source.lack("a hyphen before a set: write \\-", hyphen)
        if source.at_end:
            return CharSet.of(first)
        last = self._member()
        if not isinstance(last, str) or last < first:
            source.reject("a range whose end is no later character", begin)
        if source.next == "-" and source.rest(2) != "-]":
            source.lack("a hyphen behind a range: write \\-", source.at)
        return CharSet.span(first, last)
