"""Regular expressions as the package `regex` runs them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .._arrays import U32
from ._alphabet import EDGE, Alphabet
from ._named_sets import lone_word_chars
from ._nodes import Anchor, Atomic, Chain, Char, Choice, Look, Node, OneOf, Place, Repeat, may_be_empty
from ._syntax import parsed


@dataclass(frozen=True)
class Compiled:
    """An expression over the numbers of its alphabet.

    table: the number of every code point, shape (0x110000,).  program: finds it in texts of numbers, each between two
    EDGEs.  stepper: the same as a group, or else any character, for all matches at once.  may_be_empty: whether it can
    match without a character.
    """

    table: U32
    program: Any
    stepper: Any
    may_be_empty: bool


# What tokenizers have is a tenth as long; ten times as much is compiled for seconds.
_LONGEST = 20_000


# Compiling takes milliseconds, of which a pipeline of many steps and its copies need not pay each.
@lru_cache(maxsize=64)
def compiled(pattern: str) -> Compiled:
    """The expression ready to run; ValueError names what is wrong with it or not implemented."""
    try:
        import regex
    except ImportError as error:
        raise ImportError("a Regex needs the package regex: pip install regex") from error
    if len(pattern) > _LONGEST:
        raise ValueError(f"the pattern {pattern[:40]!r}... has {len(pattern)} characters: give {_LONGEST} at most")
    node = parsed(pattern)
    alphabet = Alphabet.of(node)
    written = _written(node, alphabet)
    try:
        program, stepper = regex.compile(written, regex.V0), regex.compile(f"({written})|.", regex.V0 | regex.DOTALL)
    except regex.error as error:
        raise ValueError(f"the pattern {pattern!r} is not taken by the package regex: {error}") from None
    return Compiled(alphabet.table(), program, stepper, may_be_empty(node))


def _written(node: Node, alphabet: Alphabet) -> str:
    """The expression over numbers, each of them written as the character of that code point."""
    match node:
        case Char(code):
            return _char(alphabet.number(code))
        case OneOf(chars):
            return _set(alphabet.members(chars))
        case Anchor(place):
            return _anchor(place, alphabet)
        case Chain(parts):
            return "".join(_written(part, alphabet) for part in parts)
        case Choice(alternatives):
            return f"(?:{'|'.join(_written(each, alphabet) for each in alternatives)})"
        case Repeat(part, least, most, mode):
            written = _written(part, alphabet)
            atom = written if isinstance(part, (Char, OneOf)) else f"(?:{written})"
            return atom + _bounds(least, most) + mode
        case Atomic(part):
            return f"(?>{_written(part, alphabet)})"
        case Look(part, behind, negative):
            return f"(?{'<' if behind else ''}{'!' if negative else '='}{_written(part, alphabet)})"


def _char(number: int) -> str:
    return f"\\u{number:04x}"


def _set(numbers: list[int]) -> str:
    """A set of ascending numbers; what never matches for an empty one."""
    if not numbers:
        return "(?!)"
    spans = [[numbers[0], numbers[0]]]
    for number in numbers[1:]:
        if number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    if len(numbers) == 1:
        return _char(numbers[0])
    written = "".join(_char(first) if first == last else f"{_char(first)}-{_char(last)}" for first, last in spans)
    return f"[{written}]"


def _bounds(least: int, most: int | None) -> str:
    for sign, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
        if (least, most) == bounds:
            return sign
    return f"{{{least},{'' if most is None else most}}}"


def _anchor(place: Place, alphabet: Alphabet) -> str:
    edge, feed = _char(EDGE), _char(alphabet.number(10))
    if place in (Place.WORD_EDGE, Place.NO_WORD_EDGE):
        word = _set(alphabet.members(lone_word_chars()))
        other = ("!", "=") if place is Place.WORD_EDGE else ("=", "!")
        return f"(?:(?<={word})(?{other[0]}{word})|(?<!{word})(?{other[1]}{word}))"
    return {
        Place.TEXT_BEGIN: f"(?<={edge})",
        Place.TEXT_END: f"(?={edge})",
        Place.TEXT_END_OR_LAST_LINE_FEED: f"(?={feed}?{edge})",
        # No line begins behind a line feed that ends the text.
        Place.LINE_BEGIN: f"(?:(?<={edge})|(?<={feed})(?!{edge}))",
        Place.LINE_END: f"(?=[{edge}{feed}])",
    }[place]
