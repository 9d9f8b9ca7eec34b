"""The character sets that have a name in regular expressions, as tokenizers 0.23.3 has them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from .._unicode import CODE_POINTS, SPACE, WORD, character_classes, rows
from ._char_set import EVERY, NOTHING, CharSet

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
    r"""What \p{name} holds; None for a name that is not among the tables.

    Case, spaces, hyphens and underscores of the name do not matter.  lone: outside of brackets, where Oniguruma takes
    six Latin-1 numbers for word characters as well.

    >>> [len(named_set(name)) for name in ("Lu", "letter", "Han")]
    [1858, 141028, 99030]
    """
    plain = name.lower().translate({ord(char): None for char in " -_"})
    key = _LONG_NAMES.get(plain, plain)
    return lone_word_chars() if lone and key == "word" else _named_sets().get(key)


def posix_set(name: str) -> CharSet | None:
    """What [:name:] holds within brackets; None for a name that is not among the tables.

    >>> len(posix_set("punct")) - len(named_set("punct"))
    8514
    """
    if name == "punct":
        return _named_sets()["p"] | _named_sets()["s"]
    return _named_sets().get(name) if name in _POSIX else None


def lone_word_chars() -> CharSet:
    r"""What \w holds outside of brackets, where Oniguruma takes these six numbers for word characters as well."""
    return _named_sets()["word"] | CharSet.of("²³¹¼½¾")


@cache
def _named_sets() -> Mapping[str, CharSet]:
    categories = _sets_of("unicode_categories.txt")
    # A surrogate is in no text, so it does not matter in which sets it is.
    categories["cs"] = NOTHING
    groups = {letter: _union(categories, letter) for letter in "lmnpszc"}
    groups["lc"] = categories["lu"] | categories["ll"] | categories["lt"]
    classes = character_classes()
    others = {
        # Without the joiners, which are word characters to the pre-tokenizer Whitespace.
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


def _union(sets: Mapping[str, CharSet], initial: str) -> CharSet:
    united = NOTHING
    for name, each in sets.items():
        if name[0] == initial:
            united |= each
    return united


def _sets_of(file: str) -> dict[str, CharSet]:
    """From the values of a data file, in lower case without underscores, to the code points that have them."""
    tables: dict[str, np.ndarray] = {}
    for first, last, value in rows(file):
        table = tables.setdefault(value.lower().replace("_", ""), np.zeros(CODE_POINTS, np.bool_))
        table[first : last + 1] = True
    return {name: CharSet.where(table) for name, table in tables.items()}
