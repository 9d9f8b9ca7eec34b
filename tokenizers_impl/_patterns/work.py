"""Whether an expression is searched in work proportional to the text, whatever the text is.

`regex` backtracks: it tries the ways in which an expression can match in their order, and for each it reads the same
characters again.  An attempt at one position may also read far beyond the match that it finds, and the next attempt
reads there again.  `is_linear` shows for most expressions that no text has characters that are read more than a fixed
number of times.  `search` then sets no limit.

It follows all attempts over a text of unknown characters.  The ways of an attempt that have read the same number of
characters are its front: a list of places in the expression, in the order in which `regex` tries them.  A place occurs
as often as there are ways to it.  After a way that is sure to match no other way is tried, so the front ends there.  An
attempt that has matched stays as long as a way goes on that it prefers to its match, because `regex` reads on.  So does
an attempt that is going to fail.  What the text rules out is left out: an attempt cannot have failed if a way of it
matches.  If all fronts together never have more than _MOST places, each character is read at most _MOST times.

Where a condition does not depend on the next character alone (a look-behind, the end of an atomic group), both outcomes
are followed.  The answer is no where a look-ahead or a repeat of an empty part could hide work, and where there are too
many cases to follow.  `search` gives such an expression a time limit, which counts the time of its own thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from .nodes import (
    EDGE,
    Alphabet,
    Anchor,
    Atomic,
    Chain,
    Char,
    Choice,
    Look,
    Node,
    OneOf,
    Place,
    Repeat,
    may_be_empty,
    written_size,
)

# How many places the fronts may have together; those of well-known patterns have up to 9.
_MOST = 24
# Larger expressions are not understood, nor are those that need more readings of a character by all attempts.
_MOST_PLACES, _MOST_READINGS = 700, 30_000
# The place behind the expression, that where each attempt begins, and where a way leads that is a match.
_END, _START, _MATCH = 0, 1, -1
# A set of characters is an int: bit i stands for the characters with number i, bit EDGE for the edge of the text.
_EDGE = 1 << EDGE


def is_linear(node: Node, alphabet: Alphabet) -> bool:
    """Whether finding all matches takes work proportional to the text at most; False also if that is not known.

    alphabet: that of the expression.
    """
    # After an empty match the search goes on in another way.
    if may_be_empty(node) or written_size(node) > _MOST_PLACES:
        return False
    try:
        places = _Places(alphabet)
        places.build(node)
        return _Search(places).is_bounded()
    except _NotUnderstoodError:
        return False


class _NotUnderstoodError(Exception):
    """The expression is too large, or has a part whose work is not known."""


# --- The places of an expression


class _Way(NamedTuple):
    """A way from one place to another, open before the characters of a set.

    is_certain: whether `regex` can go this way wherever it is open.
    """

    chars: int
    to: int
    is_certain: bool


class _Places:
    """The places of an expression and the ways between them, in the order in which they are tried."""

    def __init__(self, alphabet: Alphabet) -> None:
        self._alphabet = alphabet
        self.every = (1 << alphabet.size()) - 1
        self._ends = {Place.TEXT_END: _EDGE, Place.LINE_END: _EDGE | 1 << alphabet.number(10)}
        # The ways from each place, and whether they read a character.
        self._ways: list[tuple[_Way, ...]] = [(_Way(self.every, _MATCH, True),), ()]
        self._reads = [False, False]

    def __len__(self) -> int:
        return len(self._ways)

    def build(self, node: Node) -> None:
        """Add the places of the whole expression."""
        self._ways[_START] = (_Way(self.every, self._first(node, _END), True),)

    def next_ways(self, place: int) -> tuple[_Way, ...]:
        """The ways from a place over the next character, and to a match before it, in order."""
        found: list[_Way] = []
        left = [_Way(self.every, place, True)]
        while left:
            before = left.pop()
            if before.to == _MATCH:
                found.append(before)
                continue
            for way in reversed(self._ways[before.to]):
                both = _Way(before.chars & way.chars, way.to, before.is_certain and way.is_certain)
                if both.chars:
                    (found if self._reads[before.to] else left).append(both)
            if len(found) + len(left) > _MOST_PLACES:
                raise _NotUnderstoodError
        return tuple(found)

    def _add(self, *ways: _Way, reads: bool = False) -> int:
        if len(self._ways) > _MOST_PLACES:
            raise _NotUnderstoodError
        self._ways.append(ways)
        self._reads.append(reads)
        return len(self._ways) - 1

    def _fork(self, *to: int) -> int:
        return self._add(*(_Way(self.every, each, True) for each in to))

    def _condition(self, chars: int, after: int) -> int:
        return self._add(_Way(chars, after, True))

    def _maybe(self, after: int) -> int:
        return self._add(_Way(self.every, after, False))

    def _first(self, node: Node, after: int) -> int:
        """Add the places of a part and lead from its end to the place `after`; returns the first one."""
        match node:
            case Char() | OneOf():
                return self._add(_Way(self._set(node), after, True), reads=True)
            case Chain(parts):
                for part in reversed(parts):
                    after = self._first(part, after)
                return after
            case Choice(alternatives):
                return self._fork(*(self._first(each, after) for each in alternatives))
            case Repeat():
                return self._repeat(node, after)
            case Atomic(part):
                return self._first(part, self._maybe(after))
            case Look():
                return self._look(node, after)
            case Anchor(place):
                return self._condition(self._ends[place], after) if place in self._ends else self._maybe(after)

    def _set(self, node: Char | OneOf) -> int:
        members = [self._alphabet.number(node.code)] if isinstance(node, Char) else self._alphabet.members(node.chars)
        return sum(1 << number for number in members)

    def _look(self, look: Look, after: int) -> int:
        if not _is_short(look.part):
            raise _NotUnderstoodError
        if look.behind or not isinstance(look.part, (Char, OneOf)):
            return self._maybe(after)
        chars = self._set(look.part)
        return self._condition(self.every & ~chars if look.negative else chars, after)

    def _repeat(self, node: Repeat, after: int) -> int:
        part, end = node.part, after
        if node.most != 1 and may_be_empty(part):
            raise _NotUnderstoodError
        if node.mode == "+":
            if not isinstance(part, (Char, OneOf)):
                return self._first(Atomic(Repeat(part, node.least, node.most, "")), after)
            # Such a repeat takes all that it can.
            end = self._condition(self.every & ~self._set(part), after)
        first = self._endless(node, end) if node.most is None else self._optional(node, node.most, after, end)
        for _ in range(node.least):
            first = self._first(part, first)
        return first

    def _endless(self, node: Repeat, end: int) -> int:
        loop = self._fork()
        self._ways[loop] = self._ways[self._choice(self._first(node.part, loop), end, node.mode)]
        return loop

    def _optional(self, node: Repeat, most: int, after: int, end: int) -> int:
        first = after
        for _ in range(most - node.least):
            first = self._choice(self._first(node.part, first), end, node.mode)
        return first

    def _choice(self, go_on: int, end: int, mode: str) -> int:
        return self._fork(end, go_on) if mode == "?" else self._fork(go_on, end)


def _is_short(node: Node) -> bool:
    """Whether a look-around of this part takes few steps: it has no repeats, and alternatives only as a whole."""
    alternatives = node.alternatives if isinstance(node, Choice) else (node,)
    parts = [part for each in alternatives for part in (each.parts if isinstance(each, Chain) else (each,))]
    return all(isinstance(part, (Char, OneOf, Anchor)) for part in parts)


# --- All attempts of a search

# Each way of an attempt: its place, and whether it is certain that `regex` tries it if nothing before it matches.
_Front: TypeAlias = tuple[tuple[int, bool], ...]
_AT_START: _Front = ((_START, True),)


class _Reading(NamedTuple):
    """What becomes of a front by the next character.

    front: the ways that go on.  ends: for each match that may end before the character, those of them preferred to it.
    is_sure: whether the attempt is sure to match.
    """

    front: _Front
    ends: tuple[_Front, ...]
    is_sure: bool


class _Attempts(NamedTuple):
    """The attempts up to one position of the text: the fronts of those that are over, sorted, and that of the last."""

    over: tuple[_Front, ...]
    last: _Front

    def size(self) -> int:
        """How many ways read the next character."""
        return sum(map(len, self.over)) + len(self.last)


class _Search:
    """All attempts to match an expression in a text of unknown characters."""

    def __init__(self, places: _Places) -> None:
        self._ways = [places.next_ways(place) for place in range(len(places))]
        self._numbers = range(places.every.bit_length())
        self._sure = self._sure_places(places.every)
        self._known: dict[tuple[_Front, int], _Reading] = {}

    def is_bounded(self) -> bool:
        """Whether the fronts of all attempts together stay small."""
        first = _Attempts((), _AT_START)
        seen, left, readings = {first}, [first], 0
        while left:
            attempts = left.pop()
            readings += len(self._numbers)
            if attempts.size() > _MOST or readings > _MOST_READINGS:
                return False
            new = {after for number in self._numbers for after in self._after(attempts, number)} - seen
            seen |= new
            left += new
        return True

    def _sure_places(self, every: int) -> set[int]:
        """The places from which an attempt matches whatever follows: some way over each character keeps it among them.

        A text ends with the edge, which no way reads, so such an attempt comes to a match.
        """
        sure, kept = {_MATCH}, set(range(len(self._ways)))
        while sure - {_MATCH} != kept:
            sure = kept | {_MATCH}
            kept = {place for place in kept if self._keeps(place, sure) == every}
        return sure

    def _keeps(self, place: int, sure: set[int]) -> int:
        chars = 0
        for way in self._ways[place]:
            if way.is_certain and way.to in sure:
                chars |= way.chars
        return chars

    def _after(self, attempts: _Attempts, number: int) -> Iterator[_Attempts]:
        """What all attempts can be after one more character."""
        readings = [self._read(front, number) for front in attempts.over]
        # An attempt that is sure to match in a preferred way has neither failed nor ended before.
        if not any(reading.is_sure for reading in readings):
            yield from self._last_after([reading.front for reading in readings], attempts.last, number)

    def _last_after(self, over: list[_Front], last: _Front, number: int) -> Iterator[_Attempts]:
        reading = self._read(last, number)
        if reading.front:
            yield _attempts(over, reading.front)
        # The attempt fails, and the next one begins a character later.
        if last == _AT_START and not reading.is_sure:
            yield _attempts([*over, reading.front], _AT_START)
        # The attempt has matched up to here, where the next one begins.
        for end in reading.ends:
            yield from self._last_after([*over, end], _AT_START, number)

    def _read(self, front: _Front, number: int) -> _Reading:
        if (front, number) not in self._known:
            self._known[front, number] = self._read_anew(front, number)
        return self._known[front, number]

    def _read_anew(self, front: _Front, number: int) -> _Reading:
        ways: list[tuple[int, bool]] = []
        ends: list[_Front] = []
        for place, is_tried in front:
            for way in self._ways[place]:
                if not way.chars >> number & 1:
                    continue
                is_certain = is_tried and way.is_certain
                if way.to == _MATCH:
                    ends.append(tuple(ways))
                else:
                    ways.append((way.to, is_certain))
                if is_certain and way.to in self._sure:
                    return _Reading(tuple(ways), tuple(ends), True)
        return _Reading(tuple(ways), tuple(ends), False)


def _attempts(over: list[_Front], last: _Front) -> _Attempts:
    return _Attempts(tuple(sorted(filter(None, over))), last)
