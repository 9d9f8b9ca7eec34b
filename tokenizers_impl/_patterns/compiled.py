"""Regular expressions over renumbered characters, compiled by the package `regex`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np

from .._core.arrays import U32, code_points, text_of
from .char_sets import lone_word_chars
from .nodes import EDGE, Alphabet, Anchor, Atomic, Chain, Char, Choice, Look, Node, OneOf, Place, Repeat, may_be_empty
from .syntax import parsed
from .work import is_linear

# --- Regular expressions compiled by the package `regex`


@dataclass(frozen=True)
class Compiled:
    """An expression over the numbers of its alphabet.

    table: the number of every code point, shape (0x110000,).
    program: matches the expression in texts of numbers, each between two EDGEs.
    stepper: matches the expression as a group, or else any character, which finds all matches at once.
    may_be_empty: whether it can match the empty string.
    is_linear: whether a search is known to take work proportional to the text; see `work`.
    """

    table: U32
    program: Any
    stepper: Any
    may_be_empty: bool
    is_linear: bool

    @cached_property
    def _ascii(self) -> bytes:
        """The numbers of ASCII as a table of `bytes.translate`; empty if one exceeds a byte."""
        numbers = self.table[:256]
        return numbers.astype(np.uint8).tobytes() if numbers[:128].max() < 256 else b""

    def numbers(self, text: str) -> str:
        """The numbers of the characters of a text; each is the character with that code point."""
        if self._ascii and text.isascii():
            # A third of the time of arrays, which counts for a short text.
            return text.encode("ascii").translate(self._ascii).decode("latin-1")
        return text_of(self.table[code_points(text)])


# Patterns of tokenizers are at most a tenth as long.  A pattern ten times as long takes seconds to compile.
_LONGEST = 20_000


# Compiling takes milliseconds; the steps of a pipeline and its copies share compiled patterns.
@lru_cache(maxsize=64)
def compiled(pattern: str) -> Compiled:
    """Compile an expression; ValueError names the part that is invalid or not implemented."""
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
        raise ValueError(f"the pattern {pattern!r} is not accepted by the package regex: {error}") from None
    return Compiled(alphabet.table(), program, stepper, may_be_empty(node), is_linear(node, alphabet))


def _written(node: Node, alphabet: Alphabet) -> str:
    """The expression over numbers; each number is written as the character with that code point."""
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
    """The expression for a set of ascending numbers; for an empty set, an expression that never matches."""
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
        # No line begins after a line feed at the end of the text.
        Place.LINE_BEGIN: f"(?:(?<={edge})|(?<={feed})(?!{edge}))",
        Place.LINE_END: f"(?=[{edge}{feed}])",
    }[place]


# --- The class Regex, and patterns in tokenizer.json


@dataclass(frozen=True)
class Regex:
    r"""A regular expression in the syntax of Oniguruma, like `tokenizers.Regex` 0.23.3; needs the package `regex`.

    Character classes are those of tokenizers 0.23.3, whatever Unicode version `regex` has.  ValueError for an invalid
    pattern, and for parts that cannot be matched exactly: back references, named groups, \G, \K, \X, conditions,
    comments over several lines ((?x)), properties other than general categories and scripts, and (?i) beyond ASCII.

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
    """ValueError unless the pattern is a string or a Regex."""
    if not isinstance(pattern, (str, Regex)):
        raise ValueError(f"pattern={pattern!r}: give a string or a Regex of tokenizers_impl")


def pattern_json(pattern: Pattern) -> dict[str, str]:
    """Return the pattern's object of tokenizer.json."""
    return {"Regex": pattern.pattern} if isinstance(pattern, Regex) else {"String": pattern}


def pattern_from_json(data: Any) -> Pattern:
    """Read a pattern from its object of tokenizer.json."""
    if not isinstance(data, Mapping) or len(data) != 1 or not all(isinstance(each, str) for each in data.values()):
        raise ValueError(f'the pattern is {data!r}: expected {{"String": ...}} or {{"Regex": ...}}')
    [(kind, text)] = data.items()
    if kind not in ("String", "Regex"):
        raise ValueError(f"the pattern is a {kind!r}: expected String or Regex")
    return Regex(text) if kind == "Regex" else text
