"""Character sets in brackets."""

from __future__ import annotations

import re

from ._char_set import NOTHING, CharSet
from ._escapes import escaped_char, escaped_set
from ._named_sets import posix_set
from ._source import Source

_POSIX = re.compile(r"\[:(\^?)(\w+):\]")
DEEPEST = 20


class Brackets:
    """Reads a set in brackets: characters, ranges, named sets, sets in sets, && for what is in both."""

    def __init__(self, source: Source, depth: int = 0) -> None:
        self._source = source
        self._depth = depth

    def parsed(self) -> CharSet:
        """The set of the brackets that come next."""
        source = self._source
        if self._depth > DEEPEST:
            source.refuse(f"brackets nested more than {DEEPEST} deep")
        source.take()
        negative = source.took("^")
        if source.next == "]":
            source.refuse("a ] right behind the bracket: write \\]")
        chars = self._united()
        while source.took("&&"):
            chars &= self._united()
        if not source.took("]"):
            source.refuse("a bracket that is not closed")
        return ~chars if negative else chars

    def _united(self) -> CharSet:
        """All up to && or the end of the brackets."""
        source, chars, begin = self._source, NOTHING, self._source.at
        while not source.at_end and source.next != "]" and not source.followed_by("&&"):
            chars |= self._item()
        if source.at == begin:
            source.refuse("an empty set")
        return chars

    def _item(self) -> CharSet:
        source = self._source
        found = source.took_match(_POSIX)
        if found is not None:
            chars = posix_set(found[2])
            if chars is None:
                source.refuse(f"the set {found[0]}")
            return ~chars if found[1] else chars
        if source.next == "[":
            return Brackets(source, self._depth + 1).parsed()
        chars_or_char = self._member()
        if isinstance(chars_or_char, str):
            return self._span(chars_or_char)
        if source.next == "-" and source.rest(2) != "-]":
            source.refuse("a hyphen behind a set: write \\-")
        return chars_or_char

    def _member(self) -> CharSet | str:
        """A named set or one character."""
        source = self._source
        if not source.took("\\"):
            return source.take()
        if source.at_end:
            source.refuse("a backslash at the end")
        if source.took("b"):
            return "\b"
        chars = escaped_set(source)
        return escaped_char(source) if chars is None else chars

    def _span(self, first: str) -> CharSet:
        """The range that begins with a character, or it alone."""
        source = self._source
        if source.next != "-" or source.rest(2) == "-]":
            return CharSet.of(first)
        if first == "-":
            source.refuse("a range that begins with a hyphen: write \\-")
        source.take()
        if source.next == "[" or source.followed_by("&&"):
            source.refuse("a hyphen before a set: write \\-")
        last = self._member()
        if not isinstance(last, str) or last < first:
            source.refuse("a range whose end is no later character")
        if source.next == "-" and source.rest(2) != "-]":
            source.refuse("a hyphen behind a range: write \\-")
        return CharSet.span(first, last)
