"""Sets of code points."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from .._arrays import I64, Bools
from .._unicode import CODE_POINTS


class CharSet(NamedTuple):
    """Code points, as the bounds of runs.

    bounds: int64, shape (2k,), ascending; the set holds bounds[0] up to but not bounds[1], then bounds[2] up to but not
      bounds[3], and so on.

    >>> vowels = CharSet.of("aeiou")
    >>> (CharSet.span("a", "f") - vowels).holds(np.array([ord("a"), ord("b")])).tolist()
    [False, True]
    """

    bounds: I64

    @classmethod
    def of(cls, chars: Iterable[str]) -> CharSet:
        """These characters."""
        table = np.zeros(CODE_POINTS, np.bool_)
        table[[ord(char) for char in chars]] = True
        return cls.where(table)

    @classmethod
    def span(cls, first: str, last: str) -> CharSet:
        """From the first character to the last, both included."""
        return cls(np.array([ord(first), ord(last) + 1], np.int64))

    @classmethod
    def where(cls, table: Bools) -> CharSet:
        """The code points at which a table, shape (0x110000,), is true."""
        changes = np.flatnonzero(table[1:] != table[:-1]) + 1
        head = [0] if table[0] else []
        tail = [CODE_POINTS] if table[-1] else []
        return cls(np.concatenate((head, changes, tail)).astype(np.int64))

    def holds(self, codes: I64) -> Bools:
        """Which of these code points are in the set."""
        inside: Bools = np.searchsorted(self.bounds, codes, side="right") % 2 == 1
        return inside

    def __len__(self) -> int:
        """Number of code points."""
        return int((self.bounds[1::2] - self.bounds[::2]).sum())

    def __or__(self, other: CharSet) -> CharSet:
        return self._combined(other, np.logical_or)

    def __and__(self, other: CharSet) -> CharSet:
        return self._combined(other, np.logical_and)

    def __sub__(self, other: CharSet) -> CharSet:
        return self & ~other

    def __invert__(self) -> CharSet:
        return EVERY._combined(self, np.not_equal)

    def _combined(self, other: CharSet, combine: Callable[[Bools, Bools], Any]) -> CharSet:
        points = np.union1d(self.bounds, other.bounds)
        inside = np.concatenate(([False], combine(self.holds(points), other.holds(points))))
        return CharSet(points[inside[1:] != inside[:-1]])


EVERY = CharSet(np.array([0, CODE_POINTS], np.int64))
NOTHING = CharSet(np.empty(0, np.int64))
