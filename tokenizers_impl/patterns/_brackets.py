"""Character sets in brackets."""

from __future__ import annotations

import re

from ._char_set import NOTHING, CharSet
from ._escapes import escaped_char, escaped_set
from ._named_sets import posix_set
from ._source import Source

_POSIX = re.compile(r"\[:(\^?)(\w+):\]")
# What the library has besides.
_OTHER_POSIX = ("alnum", "alpha", "ascii", "blank", "cntrl", "graph", "lower", "print", "upper", "word")
DEEPEST = 20


class Brackets:
    """Reads a set in brackets: characters, ranges, named sets, sets in sets, && for what is in both."""

    def __init__(self, source: Source, depth: int = 0, *, in_negative: bool = False) -> None:
        self._source = source
        self._depth = depth
        self._in_negative = in_negative

    def parsed(self) -> CharSet:
        """The set of the brackets that come next."""
        source, begin = self._source, self._source.at
        if self._depth > DEEPEST:
            source.lack(f"brackets nested more than {DEEPEST} deep", begin)
        source.take()
        negative = source.took("^")
        if negative and self._in_negative:
            # Where a set of one is added to such a set, Oniguruma 6.9 loses characters.
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
        """All up to && or the end of the brackets."""
        source, chars, begin = self._source, NOTHING, self._source.at
        while not source.at_end and source.next != "]" and not source.followed_by("&&"):
            chars |= self._item(in_negative)
        if source.at == begin and not source.at_end:
            source.lack("an empty set", begin)
        return chars

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
        """ValueError where a range would begin with the set that was read."""
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
        """The range that begins with a character, which stands there, or it alone."""
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
