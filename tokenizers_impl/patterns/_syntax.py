"""From the text of a regular expression to its parts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ._brackets import Brackets
from ._char_set import EVERY, CharSet
from ._escapes import escaped_char, escaped_set
from ._folding import folded_chain, folded_char, folded_set
from ._nodes import Anchor, Atomic, Chain, Char, Choice, Look, Node, OneOf, Place, Repeat
from ._source import Source

# Deeper nesting than this is refused.
DEEPEST = 50
_INTERVAL = re.compile(r"\{(?:(\d{1,6})(,?)(\d{0,6})|,(\d{1,6}))\}")
_OPTIONS = re.compile(r"\(\?([im]*)(?:-([im]+))?([:)])")
_PLACES = {"A": Place.TEXT_BEGIN, "z": Place.TEXT_END, "Z": Place.TEXT_END_OR_LAST_LINE_FEED}
_PLACES |= {"b": Place.WORD_EDGE, "B": Place.NO_WORD_EDGE}
_LOOKS = {"(?=": (False, False), "(?!": (False, True), "(?<=": (True, False), "(?<!": (True, True)}
_LINE_ENDS = CharSet.of("\n\v\f\r\x85\u2028\u2029")


@dataclass(frozen=True)
class Options:
    """What (?im) sets.  ignore_case: both cases match.  dot_all: the dot matches a line feed, too."""

    ignore_case: bool = False
    dot_all: bool = False


def parsed(pattern: str) -> Node:
    """The parts of a regular expression in the syntax of Oniguruma, which is that of tokenizers 0.23.3.

    ValueError names what is wrong, or what is not taken as it could not be kept exactly.
    """
    source = Source(pattern)
    node = _choice(source, Options(), 0)
    if not source.at_end:
        source.refuse("a ) that closes nothing")
    return node


def _choice(source: Source, options: Options, depth: int) -> Node:
    if depth > DEEPEST:
        source.refuse(f"groups nested more than {DEEPEST} deep")
    alternatives = [_chain(source, options, depth)]
    while source.took("|"):
        alternatives.append(_chain(source, options, depth))
    return alternatives[0] if len(alternatives) == 1 else Choice(tuple(alternatives))


def _chain(source: Source, options: Options, depth: int) -> Node:
    parts: list[Node] = []
    while not source.at_end and source.next not in "|)":
        if source.took("(?#"):
            source.skip_past(")", "a comment")
            continue
        parts.append(_repeated(source, _part(source, options, depth), options))
    if options.ignore_case:
        return folded_chain(source, parts)
    return parts[0] if len(parts) == 1 else Chain(tuple(parts))


def _repeated(source: Source, part: Node, options: Options) -> Node:
    """The part with the quantifiers behind it."""
    quantified = False
    while (bounds := _bounds(source)) is not None:
        if isinstance(part, (Anchor, Look)) or (quantified and isinstance(part, Repeat)):
            source.refuse("a repeat of a repeat, of an anchor or of a look-around: put a group around what it repeats")
        least, most, is_interval = bounds
        mode, doubled = "", False
        if source.took("?"):
            # a{n}? is not lazy but optional.
            mode, doubled = ("", True) if is_interval and least == most else ("?", False)
        elif not is_interval and source.took("+"):
            mode = "+"
        part = Repeat(part, least, most, mode)
        if doubled:
            part = Repeat(part, 0, 1, "")
        # a{1,2}+ repeats what a{1,2} matches.
        if is_interval and source.took("+"):
            part = Repeat(part, 1, None, "")
        quantified = True
    return part


def _bounds(source: Source) -> tuple[int, int | None, bool] | None:
    """Least, most and whether they stand in braces; None if no quantifier follows."""
    for sign, least, most in (("*", 0, None), ("+", 1, None), ("?", 0, 1)):
        if source.took(sign):
            return least, most, False
    found = source.took_match(_INTERVAL)
    if found is None:
        return None
    if found[4] is not None:
        return 0, _limited(source, found[4]), True
    least = _limited(source, found[1])
    most = least if not found[2] else _limited(source, found[3]) if found[3] else None
    if most is not None and most < least:
        source.refuse(f"the interval {found[0]}, whose first number is the larger one")
    return least, most, True


def _limited(source: Source, number: str) -> int:
    if int(number) > 100_000:
        source.refuse(f"{number} repeats: more than 100000")
    return int(number)


def _part(source: Source, options: Options, depth: int) -> Node:
    char = source.next
    if char == "(":
        return _group(source, options, depth)
    if char == "[":
        chars = Brackets(source).parsed()
        return OneOf(folded_set(source, chars) if options.ignore_case else chars)
    if char == "\\":
        return _escape(source, options)
    if char in "*+?":
        source.refuse(f"a {char} that repeats nothing")
    source.take()
    if char == ".":
        return OneOf(EVERY if options.dot_all else ~CharSet.of("\n"))
    if char in "^$":
        return Anchor(Place(char))
    return folded_char(source, char) if options.ignore_case else Char(ord(char))


def _escape(source: Source, options: Options) -> Node:
    source.take()
    if source.at_end:
        source.refuse("a backslash at the end")
    name = source.next
    if name in _PLACES:
        source.take()
        return Anchor(_PLACES[name])
    if name in "NO":
        source.take()
        return OneOf(EVERY if name == "O" else ~CharSet.of("\n"))
    if source.took("R"):
        return Atomic(Choice((Chain((Char(0x0D), Char(0x0A))), OneOf(_LINE_ENDS))))
    chars = escaped_set(source, lone=True)
    if chars is not None:
        if options.ignore_case and name in "pP":
            source.refuse(r"\p under (?i)")
        return OneOf(chars)
    char = escaped_char(source)
    return folded_char(source, char) if options.ignore_case else Char(ord(char))


def _group(source: Source, options: Options, depth: int) -> Node:
    for sign, (behind, negative) in _LOOKS.items():
        if source.took(sign):
            return Look(_closed(source, options, depth), behind, negative)
    if source.took("(?>"):
        return Atomic(_closed(source, options, depth))
    found = source.took_match(_OPTIONS)
    if found is not None:
        changed = _changed(options, found[1], found[2] or "")
        if found[3] == ":":
            return _closed(source, changed, depth)
        # An option alone makes a group of all that follows in the group around it, alternatives too.
        return _choice(source, changed, depth + 1)
    if source.followed_by("(?") or source.followed_by("(*"):
        source.refuse(f"the group {source.rest(4)}")
    source.take()
    return _closed(source, options, depth)


def _closed(source: Source, options: Options, depth: int) -> Node:
    node = _choice(source, options, depth + 1)
    if not source.took(")"):
        source.refuse("a group that is not closed")
    return node


def _changed(options: Options, on: str, off: str) -> Options:
    """The options with some switched on, then some off."""
    return Options(
        ignore_case=(options.ignore_case or "i" in on) and "i" not in off,
        dot_all=(options.dot_all or "m" in on) and "m" not in off,
    )
