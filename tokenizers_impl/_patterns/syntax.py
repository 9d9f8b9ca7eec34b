"""Parses regular expressions into their parts, and folds characters under (?i)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from .brackets import Brackets, Source, escaped_char, escaped_set
from .char_sets import EVERY, CharSet
from .nodes import Anchor, Atomic, Chain, Char, Choice, Look, Node, OneOf, Place, Repeat, is_missed, written_size

# --- Characters under (?i)

# The two characters beyond ASCII that fold to an ASCII letter.
_ALSO = {"k": "\u212a", "s": "\u017f"}
# Pairs of letters to which a ligature or a sharp s folds.
_LIGATURES = ("ss", "st", "ff", "fi", "fl")


def folded_char(source: Source, char: str, begin: int) -> OneOf | Char:
    """The character in both cases; ValueError beyond ASCII.  begin, here and below: its position in the pattern."""
    if not char.isascii():
        source.lack(f"the character {char!r} under (?i)", begin, "remove (?i) from it")
    return OneOf(_cases(char)) if char.isalpha() else Char(ord(char))


def folded_set(source: Source, chars: CharSet, begin: int) -> CharSet:
    """The set with both cases of its letters; ValueError if it has characters beyond ASCII."""
    if len(chars) and chars.bounds[-1] > 0x80:
        source.lack("a set of more than ASCII characters under (?i)", begin, "remove (?i) from it")
    folded = chars
    for code in range(0x80):
        if chr(code).isalpha() and chars.holds(np.array([code])).any():
            folded |= _cases(chr(code))
    return folded


def _cases(letter: str) -> CharSet:
    return CharSet.of(letter.lower() + letter.upper() + _ALSO.get(letter.lower(), ""))


def folded_chain(source: Source, parts: list[Node], begins: list[int]) -> Node:
    """The sequence of the parts; ValueError if two adjacent letters could also match one character."""
    texts = ["".join(letter for letter in "stfil" if _may_be(part, letter)) for part in parts]
    for part, begin, first, second in zip(parts, begins, texts, [*texts[1:], ""], strict=True):
        doubled = first if isinstance(part, Repeat) else ""
        for pair in _LIGATURES:
            if pair[0] in first and pair[1] in second + doubled:
                what = f"the letters {pair} in a row under (?i), which also match one character"
                source.lack(what, begin, "remove (?i)")
    return parts[0] if len(parts) == 1 else Chain(tuple(parts))


def _may_be(part: Node, letter: str) -> bool:
    if isinstance(part, Repeat):
        return _may_be(part.part, letter)
    if isinstance(part, (Chain, Choice)):
        return any(_may_be(each, letter) for each in (part.parts if isinstance(part, Chain) else part.alternatives))
    return isinstance(part, OneOf) and len(part.chars) < 4 and bool(part.chars.holds(np.array([ord(letter)])).any())


# --- The parser of regular expressions

# Deeper nesting raises ValueError.
DEEPEST = 50
_MOST_REPEATS = 100_000
# The package `regex` expands required repeats; it compiles this many parts in a fraction of a second.
_LARGEST = 20_000
_INTERVAL = re.compile(r"\{(?:([0-9]+)(,?)([0-9]*)|,([0-9]+))\}")
_OPTIONS = re.compile(r"\(\?([im]*)(?:-([im]+))?([:)])")
# Groups that only the library supports: named groups, absence operators, options.
_OTHER_GROUPS = re.compile(r"\(\?(?:<[^\W\d]\w*>|'[^\W\d]\w*'|~|[imxILSWDP]+(?:-[imx]+)?[:)])")
_PLACES = {"A": Place.TEXT_BEGIN, "z": Place.TEXT_END, "Z": Place.TEXT_END_OR_LAST_LINE_FEED}
_PLACES |= {"b": Place.WORD_EDGE, "B": Place.NO_WORD_EDGE}
_LOOKS = {"(?=": (False, False), "(?!": (False, True), "(?<=": (True, False), "(?<!": (True, True)}
_LINE_ENDS = CharSet.of("\n\v\f\r\x85\u2028\u2029")


@dataclass(frozen=True)
class Options:
    """The options in effect at a position of the pattern.

    ignore_case, dot_all: set by (?i) and (?m): both cases match; the dot also matches a line feed.
    behind: whether the position is inside a look-behind, where Oniguruma refuses some parts and matches others in
    another order than `regex`.
    """

    ignore_case: bool = False
    dot_all: bool = False
    behind: bool = False


def parsed(pattern: str) -> Node:
    """Parse a regular expression in the syntax of Oniguruma, which tokenizers 0.23.3 uses.

    ValueError names the part that is invalid, or that cannot be matched exactly.
    """
    source = Source(pattern)
    node = _choice(source, Options(), 0, 0)
    if not source.at_end:
        source.reject("a ) that closes nothing", source.at)
    if (size := written_size(node)) > _LARGEST:
        source.lack(f"repeats that, nested, ask for {size} characters: more than {_LARGEST}", 0)
    if is_missed(node):
        source.lack("a condition before dots repeated without limit, of which the library misses matches", 0)
    return node


def _choice(source: Source, options: Options, depth: int, begin: int) -> Node:
    """Parse the alternatives of the group that begins at `begin`."""
    if depth > DEEPEST:
        source.lack(f"groups nested more than {DEEPEST} deep", begin)
    alternatives = [_chain(source, options, depth)]
    while source.took("|"):
        alternatives.append(_chain(source, options, depth))
    return alternatives[0] if len(alternatives) == 1 else Choice(tuple(alternatives))


def _chain(source: Source, options: Options, depth: int) -> Node:
    parts: list[Node] = []
    begins: list[int] = []
    _skip_comments(source)
    while not source.at_end and source.next not in "|)":
        begin = source.at
        parts.append(_repeated(source, _part(source, options, depth), options))
        begins.append(begin)
    if options.ignore_case:
        return folded_chain(source, parts, begins)
    return parts[0] if len(parts) == 1 else Chain(tuple(parts))


def _skip_comments(source: Source) -> None:
    begin = source.at
    while source.took("(?#"):
        source.skip_past(")", "a comment", begin)
        begin = source.at


def _repeated(source: Source, part: Node, options: Options) -> Node:
    """Parse the quantifiers and comments after a part; returns the repeated part."""
    _skip_comments(source)
    quantified, begin = False, source.at
    while (bounds := _bounds(source)) is not None:
        if _is_place(part):
            source.reject("a repeat of an anchor or of a look-around", begin)
        if quantified and isinstance(part, Repeat):
            source.lack("a repeat of a repeat", begin, "put a group around what it repeats")
        least, most, is_interval = bounds
        mode, doubled = "", False
        if source.took("?"):
            # a{n}? is optional, not lazy.
            mode, doubled = ("", True) if is_interval and least == most else ("?", False)
        elif not is_interval and source.took("+"):
            mode = "+"
        part = Repeat(part, least, most, mode)
        if doubled:
            part = Repeat(part, 0, 1, "")
        # a{1,2}+ is not possessive; it repeats a{1,2}.
        if is_interval and source.took("+"):
            part = Repeat(part, 1, None, "")
        if options.behind and not 0 < part.least == part.most:
            source.refuse("a repeat without a fixed number in a look-behind", begin)
        _skip_comments(source)
        quantified, begin = True, source.at
    return part


def _is_place(part: Node) -> bool:
    """Whether a part, or an alternative of it, consists only of anchors and look-arounds."""
    match part:
        case Chain(parts):
            return bool(parts) and all(map(_is_place, parts))
        case Choice(alternatives):
            return any(map(_is_place, alternatives))
        case _:
            return isinstance(part, (Anchor, Look))


def _bounds(source: Source) -> tuple[int, int | None, bool] | None:
    """Parse a quantifier: its least and most repeats, and whether it is in braces; None if no quantifier follows."""
    begin = source.at
    for sign, least, most in (("*", 0, None), ("+", 1, None), ("?", 0, 1)):
        if source.took(sign):
            return least, most, False
    found = source.took_match(_INTERVAL)
    if found is None:
        return None
    if found[4] is not None:
        return 0, _limited(source, found[4], begin), True
    least = _limited(source, found[1], begin)
    most = least if not found[2] else _limited(source, found[3], begin) if found[3] else None
    if most is not None and most < least:
        source.lack(f"the interval {found[0]}, whose first number is the larger one", begin)
    return least, most, True


def _limited(source: Source, number: str, begin: int) -> int:
    digits = number.lstrip("0") or "0"
    # int() accepts only a few thousand digits.
    if len(digits) > len(str(_MOST_REPEATS)) or int(digits) > _MOST_REPEATS:
        source.reject(f"{digits:.20} repeats: more than {_MOST_REPEATS}", begin)
    return int(digits)


def _part(source: Source, options: Options, depth: int) -> Node:
    char, begin = source.next, source.at
    if char == "(":
        return _group(source, options, depth)
    if char == "[":
        chars = Brackets(source).parsed()
        return OneOf(folded_set(source, chars, begin) if options.ignore_case else chars)
    if char == "\\":
        return _escape(source, options)
    if char in "*+?" or source.took_match(_INTERVAL):
        source.reject(f"a {char} that repeats nothing", begin)
    source.take()
    if char == ".":
        return OneOf(EVERY if options.dot_all else ~CharSet.of("\n"))
    if char in "^$":
        return Anchor(Place(char))
    return folded_char(source, char, begin) if options.ignore_case else Char(ord(char))


def _escape(source: Source, options: Options) -> Node:
    begin = source.at
    source.take()
    if source.at_end:
        source.reject("a backslash at the end", begin)
    name = source.next
    if options.behind and name in "zZR":
        source.refuse(f"a \\{name} in a look-behind", begin)
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
            source.lack(r"\p under (?i)", begin)
        return OneOf(chars)
    char = escaped_char(source)
    return folded_char(source, char, begin) if options.ignore_case else Char(ord(char))


def _group(source: Source, options: Options, depth: int) -> Node:
    begin = source.at
    if options.behind and not source.followed_by("(?:") and _OPTIONS.match(source.pattern, begin) is None:
        source.refuse(f"the group {source.rest(3)} in a look-behind, where (?: can stand", begin)
    for sign, (behind, negative) in _LOOKS.items():
        if source.took(sign):
            return Look(_closed(source, replace(options, behind=behind), depth, begin), behind, negative)
    if source.took("(?>"):
        return Atomic(_closed(source, options, depth, begin))
    found = source.took_match(_OPTIONS)
    if found is not None:
        changed = _changed(options, found[1], found[2] or "")
        if found[3] == ":":
            return _closed(source, changed, depth, begin)
        # An option without a colon groups the rest of the enclosing group, including its alternatives.
        return _choice(source, changed, depth + 1, begin)
    if source.followed_by("(?") or source.followed_by("(*"):
        what = f"the group {source.rest(4)}"
        if source.took_match(_OTHER_GROUPS):
            source.lack(what, begin)
        source.refuse(what, begin)
    source.take()
    return _closed(source, options, depth, begin)


def _closed(source: Source, options: Options, depth: int, begin: int) -> Node:
    node = _choice(source, options, depth + 1, begin)
    if not source.took(")"):
        source.reject("a group that is not closed", begin)
    return node


def _changed(options: Options, on: str, off: str) -> Options:
    """The options with some switched on, then some off."""
    return replace(
        options,
        ignore_case=(options.ignore_case or "i" in on) and "i" not in off,
        dot_all=(options.dot_all or "m" in on) and "m" not in off,
    )
