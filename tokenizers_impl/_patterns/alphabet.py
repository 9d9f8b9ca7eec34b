"""One number for all code points that a regular expression does not distinguish."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from .._core.arrays import I64, U32
from .._text.unicode import CODE_POINTS
from .char_sets import CharSet, lone_word_chars
from .nodes import Anchor, Char, Node, OneOf, Place, parts_of

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
