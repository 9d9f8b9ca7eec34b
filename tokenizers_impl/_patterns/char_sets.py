"""Sets of code points, and the named sets of regular expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .._core.arrays import I64, Bools
from .._text.unicode import CODE_POINTS, SPACE, WORD, character_classes, rows

# --- Sets of code points


class CharSet(NamedTuple):
    """A set of code points, stored as the bounds of its runs.

    bounds: int64, shape (2k,), ascending; the set holds the half-open ranges bounds[0]:bounds[1], bounds[2]:bounds[3]
      and so on.

    >>> vowels = CharSet.of("aeiou")
    >>> (CharSet.span("a", "f") - vowels).holds(np.array([ord("a"), ord("b")])).tolist()
    [False, True]
    """

    bounds: I64

    @classmethod
    def of(cls, chars: Iterable[str]) -> CharSet:
        """The set of these characters."""
        codes = np.unique(np.array([ord(char) for char in chars], np.int64))
        # Where a run ends and the next one begins, and the two ends of all.
        gaps = np.flatnonzero(np.diff(codes) > 1)
        return cls(np.sort(np.concatenate((codes[:1], codes[gaps] + 1, codes[gaps + 1], codes[-1:] + 1))))

    @classmethod
    def span(cls, first: str, last: str) -> CharSet:
        """The set of all characters from the first to the last, both included."""
        return cls(np.array([ord(first), ord(last) + 1], np.int64))

    @classmethod
    def where(cls, table: Bools) -> CharSet:
        """The set of the code points for which a table, shape (0x110000,), is true."""
        changes = np.flatnonzero(table[1:] != table[:-1]) + 1
        head = [0] if table[0] else []
        tail = [CODE_POINTS] if table[-1] else []
        return cls(np.concatenate((head, changes, tail)).astype(np.int64))

    def holds(self, codes: I64) -> Bools:
        """Which of these code points are in the set."""
        inside: Bools = np.searchsorted(self.bounds, codes, side="right") % 2 == 1
        return inside

    def __len__(self) -> int:
        """The number of code points."""
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


def union(sets: Sequence[CharSet]) -> CharSet:
    """The union of all these sets; of none, the empty set.

    Neighbours are united first, so that each character is copied only a few times.
    """
    left = list(sets)
    while len(left) > 1:
        odd = left[-1:] if len(left) % 2 else []
        left = [first | second for first, second in zip(left[::2], left[1::2], strict=False)] + odd
    return left[0] if left else NOTHING


EVERY = CharSet(np.array([0, CODE_POINTS], np.int64))
NOTHING = CharSet(np.empty(0, np.int64))


# --- The named character sets of regular expressions in tokenizers 0.23.3

_LONG_NAMES = {
    "letter": "l", "casedletter": "lc", "uppercaseletter": "lu", "lowercaseletter": "ll", "titlecaseletter": "lt",
    "modifierletter": "lm", "otherletter": "lo", "mark": "m", "combiningmark": "m", "nonspacingmark": "mn",
    "spacingmark": "mc", "enclosingmark": "me", "number": "n", "decimalnumber": "nd", "letternumber": "nl",
    "othernumber": "no", "punctuation": "p", "connectorpunctuation": "pc", "dashpunctuation": "pd",
    "openpunctuation": "ps", "closepunctuation": "pe", "initialpunctuation": "pi", "finalpunctuation": "pf",
    "otherpunctuation": "po", "symbol": "s", "mathsymbol": "sm", "currencysymbol": "sc", "modifiersymbol": "sk",
    "othersymbol": "so", "separator": "z", "spaceseparator": "zs", "lineseparator": "zl",
    "paragraphseparator": "zp", "other": "c", "control": "cc", "format": "cf", "privateuse": "co",
    "unassigned": "cn",
}  # fmt: skip


_POSIX = ("word", "space", "digit", "xdigit", "punct", "blank", "cntrl", "ascii")


def named_set(name: str, *, lone: bool = False) -> CharSet | None:
    r"""The set of \p{name}; None for a name that the tables lack.

    Case, spaces, hyphens and underscores of the name do not matter.  lone: whether it is outside brackets, where
    Oniguruma counts six Latin-1 numbers as word characters.

    >>> [len(named_set(name)) for name in ("Lu", "letter", "Han")]
    [1858, 141028, 99030]
    """
    plain = name.lower().translate({ord(char): None for char in " -_"})
    key = _LONG_NAMES.get(plain, plain)
    return lone_word_chars() if lone and key == "word" else _named_sets().get(key)


def posix_set(name: str) -> CharSet | None:
    """The set of [:name:] within brackets; None for a name that the tables lack.

    >>> len(posix_set("punct")) - len(named_set("punct"))
    8514
    """
    if name == "punct":
        return _named_sets()["p"] | _named_sets()["s"]
    return _named_sets().get(name) if name in _POSIX else None


@cache
def lone_word_chars() -> CharSet:
    r"""The set of \w outside brackets, where Oniguruma counts six Latin-1 numbers as word characters."""
    return _named_sets()["word"] | CharSet.of("²³¹¼½¾")


@cache
def _named_sets() -> Mapping[str, CharSet]:
    categories = _sets_of("unicode_categories.txt")
    # No text contains surrogates, so it does not matter which sets hold them.
    categories["cs"] = NOTHING
    groups = {letter: union([each for name, each in categories.items() if name[0] == letter]) for letter in "lmnpszc"}
    groups["lc"] = categories["lu"] | categories["ll"] | categories["lt"]
    classes = character_classes()
    others = {
        # Without the joiners, which only the pre-tokenizer Whitespace counts as word characters.
        "word": CharSet.where(classes & WORD > 0) - CharSet.of("\u200c\u200d"),
        "space": CharSet.where(classes & SPACE > 0),
        "digit": categories["nd"],
        "xdigit": CharSet.of("0123456789abcdefABCDEF"),
        "punct": groups["p"],
        "blank": categories["zs"] | CharSet.of("\t"),
        "cntrl": categories["cc"],
        "ascii": CharSet.span("\0", "\x7f"),
        "any": EVERY,
        "assigned": ~categories["cn"],
    }
    return {**categories, **groups, **others, **_sets_of("unicode_scripts.txt")}


def _sets_of(file: str) -> dict[str, CharSet]:
    """The set of code points for each value of a data file; keys are in lower case without underscores."""
    tables: dict[str, np.ndarray] = {}
    for first, last, value in rows(file):
        table = tables.setdefault(value.lower().replace("_", ""), np.zeros(CODE_POINTS, np.bool_))
        table[first : last + 1] = True
    return {name: CharSet.where(table) for name, table in tables.items()}
