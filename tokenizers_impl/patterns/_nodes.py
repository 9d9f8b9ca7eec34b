"""The parts of a regular expression."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from ._char_set import CharSet


class Place(Enum):
    """Places in a text that an anchor stands for."""

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
    """A place, nothing long."""

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
    """A part that is never tried otherwise once it has matched."""

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
    """The parts that a part is made of."""
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
