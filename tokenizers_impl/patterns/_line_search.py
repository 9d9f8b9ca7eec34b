"""Patterns that Oniguruma looks for at the beginnings of lines alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._unicode import CODE_POINTS
from ._char_set import CharSet
from ._nodes import Anchor, Atomic, Chain, Choice, Look, Node, OneOf, Place, Repeat

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
