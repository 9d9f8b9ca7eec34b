"""Regular expressions as an object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ._compiled import compiled


@dataclass(frozen=True)
class Regex:
    r"""A regular expression in the syntax of Oniguruma, as `tokenizers.Regex`; needs the package `regex`.

    What cannot be kept exactly is refused with a ValueError that names it: references back to groups, named groups, \G,
    \K, \X, conditions, comments that span lines ((?x)), properties other than general categories and scripts, and (?i)
    beyond ASCII.  Classes of characters are those of tokenizers 0.23.3, whichever Unicode version `regex` has.

    >>> from tokenizers_impl.pre_tokenizers import Split
    >>> Split(Regex(r"\p{N}{1,3}"), "isolated").pre_tokenize_str("in 2024")
    [('in ', (0, 3)), ('202', (3, 6)), ('4', (6, 7))]
    """

    pattern: str

    def __post_init__(self) -> None:
        if not isinstance(self.pattern, str):
            raise ValueError(f"pattern={self.pattern!r}: give a string")
        compiled(self.pattern)


Pattern: TypeAlias = str | Regex


def check_pattern(pattern: Any) -> None:
    """ValueError for what is no pattern."""
    if not isinstance(pattern, (str, Regex)):
        raise ValueError(f"pattern={pattern!r}: give a string or a Regex of tokenizers_impl")


def pattern_json(pattern: Pattern) -> dict[str, str]:
    """The pattern in tokenizer.json."""
    return {"Regex": pattern.pattern} if isinstance(pattern, Regex) else {"String": pattern}


def pattern_from_json(data: Any) -> Pattern:
    """The pattern of that object of tokenizer.json."""
    if not isinstance(data, Mapping) or len(data) != 1 or not all(isinstance(each, str) for each in data.values()):
        raise ValueError(f'the pattern is {data!r}: expected {{"String": ...}} or {{"Regex": ...}}')
    [(kind, text)] = data.items()
    if kind not in ("String", "Regex"):
        raise ValueError(f"the pattern is a {kind!r}: expected String or Regex")
    return Regex(text) if kind == "Regex" else text
