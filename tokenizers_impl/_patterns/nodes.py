"""The parts of a regular expression, and the patterns that Oniguruma tries only at beginnings of lines."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias

import numpy as np

from .._text.unicode import CODE_POINTS
from .char_sets import CharSet

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
