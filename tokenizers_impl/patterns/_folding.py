"""What (?i) makes of characters."""

from __future__ import annotations

import numpy as np

from ._char_set import CharSet
from ._nodes import Chain, Char, Choice, Node, OneOf, Repeat
from ._source import Source

# Besides the other case of ASCII letters: the two characters beyond ASCII that fold to one.
_ALSO = {"k": "\u212a", "s": "\u017f"}
# Two letters that also fold from one ligature or from a sharp s.
_LIGATURES = ("ss", "st", "ff", "fi", "fl")


def folded_char(source: Source, char: str, begin: int) -> OneOf | Char:
    """The character in both cases; ValueError beyond ASCII.  begin, here and below: where it stands in the pattern."""
    if not char.isascii():
        source.lack(f"the character {char!r} under (?i): take (?i) off it", begin)
    return OneOf(_cases(char)) if char.isalpha() else Char(ord(char))


def folded_set(source: Source, chars: CharSet, begin: int) -> CharSet:
    """The set with both cases; ValueError for one that reaches beyond ASCII."""
    if len(chars) and chars.bounds[-1] > 0x80:
        source.lack("a set of more than ASCII characters under (?i): take (?i) off it", begin)
    folded = chars
    for code in range(0x80):
        if chr(code).isalpha() and chars.holds(np.array([code])).any():
            folded |= _cases(chr(code))
    return folded


def _cases(letter: str) -> CharSet:
    return CharSet.of(letter.lower() + letter.upper() + _ALSO.get(letter.lower(), ""))


def folded_chain(source: Source, parts: list[Node], begins: list[int]) -> Node:
    """The parts one after another; ValueError where two letters in a row could also be one character."""
    texts = ["".join(letter for letter in "stfil" if _may_be(part, letter)) for part in parts]
    for part, begin, first, second in zip(parts, begins, texts, [*texts[1:], ""], strict=True):
        doubled = first if isinstance(part, Repeat) else ""
        for pair in _LIGATURES:
            if pair[0] in first and pair[1] in second + doubled:
                what = f"the letters {pair} in a row under (?i), which also match one character: write (?i) off"
                source.lack(what, begin)
    return parts[0] if len(parts) == 1 else Chain(tuple(parts))


def _may_be(part: Node, letter: str) -> bool:
    if isinstance(part, Repeat):
        return _may_be(part.part, letter)
    if isinstance(part, (Chain, Choice)):
        return any(_may_be(each, letter) for each in (part.parts if isinstance(part, Chain) else part.alternatives))
    return isinstance(part, OneOf) and len(part.chars) < 4 and bool(part.chars.holds(np.array([ord(letter)])).any())
