"""The parts of a regular expression: what Oniguruma tries at beginnings of lines, and which characters are alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias

import numpy as np

from .._core.arrays import I64, U32
from .._text.unicode import CODE_POINTS
from .char_sets import CharSet, lone_word_chars

# --- The parts of a regular expression


class Place(Enum):
    """The positions that an anchor matches."""

    TEXT_BEGIN = "\\A"
    TEXT_END = "\\z"
    TEXT_END_OR_LAST_LINE_FEED = "\\Z"
    LINE_BEGIN = "^"
    LINE_END = "$"
    WORD_EDGE = "\\b"
    NO_WORD_EDGE = "\\B"


@dataclass(frozen=True)
class Char:
    """One character, by code point."""

    code: int


@dataclass(frozen=True)
class OneOf:
    """Any character of a set."""

    chars: CharSet


@dataclass(frozen=True)
class Anchor:
    """A position; it matches no character."""

    place: Place


@dataclass(frozen=True)
class Chain:
    """A sequence of parts."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Choice:
    """The first of the alternatives that leads to a match."""

    alternatives: tuple[Node, ...]


@dataclass(frozen=True)
class Repeat:
    """A part repeated `least` to `most` times; most=None means no limit.

    mode: "" for greedy, "?" for lazy, "+" for possessive.
    """

    part: Node
    least: int
    most: int | None
    mode: str


@dataclass(frozen=True)
class Atomic:
    """A part without backtracking into it once it has matched."""

    part: Node


@dataclass(frozen=True)
class Look:
    """A look-ahead, or a look-behind if `behind`; if `negative`, the part must not match."""

    part: Node
    behind: bool
    negative: bool


Node: TypeAlias = Char | OneOf | Anchor | Chain | Choice | Repeat | Atomic | Look


def may_be_empty(node: Node) -> bool:
    """Whether the part can match the empty string."""
    match node:
        case Char() | OneOf():
            return False
        case Chain(parts):
            return all(map(may_be_empty, parts))
        case Choice(alternatives):
            return any(map(may_be_empty, alternatives))
        case Repeat(part, least):
            return least == 0 or may_be_empty(part)
        case Atomic(part):
            return may_be_empty(part)
        case _:
            return True


def parts_of(node: Node) -> tuple[Node, ...]:
    """The direct subparts of a part."""
    match node:
        case Chain(parts) | Choice(parts):
            return parts
        case Repeat(part) | Atomic(part) | Look(part):
            return (part,)
        case _:
            return ()


def written_size(node: Node) -> int:
    """The number of characters, sets and anchors that `regex` makes of a part, and of groups that are repeated.

    It writes out the repeats that must occur, and once more the part if it may occur more often.  The edge of a word
    counts as the eight parts of which it is made.

    >>> written_size(Repeat(Repeat(Char(97), 10, 10, ""), 5, None, ""))
    66
    """
    match node:
        case Anchor(Place.WORD_EDGE | Place.NO_WORD_EDGE):
            return 8
        case Repeat(part, least, most):
            is_group = not isinstance(part, (Char, OneOf))
            return (written_size(part) + is_group) * max(least + (most != least), 1)
        case _:
            return max(sum(map(written_size, parts_of(node))), 1)


# --- Patterns that Oniguruma tries only at beginnings of lines

_LINE_FEED = np.array([10])


class _Lead(NamedTuple):
    """The beginning of a part: is_missed as below, whether a condition precedes, whether the part can be empty."""

    is_missed: bool
    has_condition: bool
    may_be_empty: bool


def is_missed(node: Node) -> bool:
    r"""Whether a pattern begins with a condition, such as \b, and then an unlimited repeat of dots.

    A pattern that begins with such dots matches from the beginning of a line or nowhere in it, so Oniguruma 6.9 tries
    no other position.  It overlooks that the condition may hold only at another position.
    """
    return _lead(node, False).is_missed


def _lead(node: Node, has_condition: bool) -> _Lead:
    match node:
        case Anchor(place):
            is_edge = place in (Place.WORD_EDGE, Place.NO_WORD_EDGE)
            return _Lead(False, has_condition or is_edge, True)
        case Look():
            return _Lead(False, True, True)
        case Repeat(OneOf(chars), _, None, "") if _is_dot(chars):
            return _Lead(has_condition, has_condition, False)
        case Repeat(part, least):
            inner = _lead(part, has_condition)
            return inner._replace(may_be_empty=inner.may_be_empty or least == 0)
        case Atomic(part):
            return _lead(part, has_condition)
        case Choice(alternatives):
            return _Lead(*map(any, zip(*(_lead(each, has_condition) for each in alternatives), strict=True)))
        case Chain(parts):
            return _chain_lead(parts, has_condition)
        case _:
            return _Lead(False, has_condition, False)


def _chain_lead(parts: tuple[Node, ...], has_condition: bool) -> _Lead:
    lead = _Lead(False, has_condition, True)
    for part in parts:
        lead = _lead(part, lead.has_condition)
        if lead.is_missed or not lead.may_be_empty:
            break
    return lead


def _is_dot(chars: CharSet) -> bool:
    """Whether the set is that of a dot, with or without the line feed."""
    return len(chars) == CODE_POINTS or (len(chars) == CODE_POINTS - 1 and not chars.holds(_LINE_FEED).any())


# --- One number for all code points that an expression does not distinguish

# Separates texts; it is in no set.
EDGE = 0
# More numbers than this would reach the surrogates.
_MOST_NUMBERS = 0xD7FF
_MOST_SETS = 1024


class Alphabet(NamedTuple):
    """The numbers of code points, from 1 on; code points in the same sets of an expression share a number.

    The expression then needs no Unicode table, and a text of numbers takes little memory: see `_numbered_text`.

    begins: int64, the first code point of each run with one number.  numbers: uint32, the number of each run.
    """

    begins: I64
    numbers: U32

    @classmethod
    def of(cls, node: Node) -> Alphabet:
        """The alphabet of an expression; ValueError if it has too many different sets or characters."""
        sets = {each.bounds.tobytes(): each for each in _sets(node)}
        if len(sets) > _MOST_SETS:
            raise ValueError(f"the pattern has {len(sets)} different sets of characters: {_MOST_SETS} are possible")
        codes = np.unique(np.fromiter(_codes(node), np.int64))
        return cls._telling_apart(sorted(sets.values(), key=len, reverse=True), codes)

    @classmethod
    def _telling_apart(cls, sets: Sequence[CharSet], codes: I64) -> Alphabet:
        """Number the members of large sets first, so that their numbers are consecutive and fast to compare."""
        bounds = np.concatenate([np.zeros(1, np.int64), codes, codes + 1, *(each.bounds for each in sets)])
        begins = np.unique(bounds[bounds < CODE_POINTS])
        numbers = np.zeros(len(begins), np.int64)
        for each in sets:
            _, numbers = np.unique(2 * numbers + ~each.holds(begins), return_inverse=True)
        places = np.searchsorted(begins, codes)
        alone = np.zeros(len(begins), np.int64)
        alone[places] = np.arange(1, len(codes) + 1)
        _, numbers = np.unique(numbers * (len(codes) + 1) + alone, return_inverse=True)
        if numbers.max() >= _MOST_NUMBERS:
            raise ValueError(f"the pattern distinguishes {numbers.max() + 1} characters: {_MOST_NUMBERS} are possible")
        return cls(begins, (numbers + 1).astype(np.uint32))

    def table(self) -> U32:
        """The number of every code point, shape (0x110000,)."""
        return np.repeat(self.numbers, np.diff(np.append(self.begins, CODE_POINTS)))

    def number(self, code: int) -> int:
        """The number of a code point."""
        return int(self.numbers[np.searchsorted(self.begins, code, side="right") - 1])

    def members(self, chars: CharSet) -> list[int]:
        """The numbers of a set of the expression, ascending."""
        listed: list[int] = np.unique(self.numbers[chars.holds(self.begins)]).tolist()
        return listed

    def size(self) -> int:
        """How many numbers there are, EDGE included."""
        return int(self.numbers.max()) + 1


def _sets(node: Node) -> Iterator[CharSet]:
    if isinstance(node, OneOf):
        yield node.chars
    elif isinstance(node, Anchor) and node.place in (Place.WORD_EDGE, Place.NO_WORD_EDGE):
        yield lone_word_chars()
    for part in parts_of(node):
        yield from _sets(part)


def _codes(node: Node) -> Iterator[int]:
    if isinstance(node, Char):
        yield node.code
    elif isinstance(node, Anchor) and node.place in (
        Place.LINE_BEGIN,
        Place.LINE_END,
        Place.TEXT_END_OR_LAST_LINE_FEED,
    ):
        yield 10
    for part in parts_of(node):
        yield from _codes(part)
