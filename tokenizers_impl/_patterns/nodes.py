"""The parts of a regular expression, and which patterns match at the beginnings of lines alone."""

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
    """A position, which matches no character."""

    place: Place


@dataclass(frozen=True)
class Chain:
    """One part after another."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Choice:
    """The first of the alternatives that leads to a match."""

    alternatives: tuple[Node, ...]


@dataclass(frozen=True)
class Repeat:
    """A part from `least` to `most` times, None for without end.

    mode: "" as often as it can be, "?" as seldom, "+" as often, and never taken back.
    """

    part: Node
    least: int
    most: int | None
    mode: str


@dataclass(frozen=True)
class Atomic:
    """A part that is never backtracked into once it has matched."""

    part: Node


@dataclass(frozen=True)
class Look:
    """A part that must follow or precede, or must not."""

    part: Node
    behind: bool
    negative: bool


Node: TypeAlias = Char | OneOf | Anchor | Chain | Choice | Repeat | Atomic | Look


def may_be_empty(node: Node) -> bool:
    """Whether the part can match without a character."""
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
    """How many characters, sets and anchors a part has, what must be repeated counted as often as it must be.

    >>> written_size(Repeat(Repeat(Char(97), 10, 10, ""), 5, None, ""))
    50
    """
    inner = max(sum(map(written_size, parts_of(node))), 1)
    return inner * max(node.least, 1) if isinstance(node, Repeat) else inner


# --- Patterns that Oniguruma looks for at the beginnings of lines alone

_LINE_FEED = np.array([10])


class _Lead(NamedTuple):
    """What a part begins with: whether with what is searched for too seldom, with a condition, with nothing long."""

    is_missed: bool
    has_condition: bool
    may_be_empty: bool


def is_missed(node: Node) -> bool:
    r"""Whether a pattern begins with a condition, then with dots without end.

    What begins with such dots matches from the beginning of a line or nowhere in it, so Oniguruma 6.9 tries no other
    place.  It does not see that a condition before the dots, such as \b, may hold there only.
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
    """Whether the set is that of a dot, with the line feed or without."""
    return len(chars) == CODE_POINTS or (len(chars) == CODE_POINTS - 1 and not chars.holds(_LINE_FEED).any())
