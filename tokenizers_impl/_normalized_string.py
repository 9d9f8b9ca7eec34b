"""NormalizedString, a text that keeps the origins of its characters, for custom components."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from enum import Enum
from functools import partial
from itertools import pairwise
from operator import index
from typing import Any

import numpy as np

from ._core.arrays import I32, code_points, text_of
from ._core.encoding import Token
from ._core.options import of_kind
from ._patterns import Pattern, check_pattern, matches
from ._patterns.search import JOINS, check_behavior, replaced
from ._text.char_map import lower_case, upper_case
from ._text.forms import in_form
from ._text.splits import TEXT, Splits, prepended, stripped

# --- Enumerations of arguments


class OffsetReferential(str, Enum):
    """The text that offsets refer to: the original or the normalized one."""

    ORIGINAL = "original"
    NORMALIZED = "normalized"


class OffsetType(str, Enum):
    """The unit of offsets: UTF-8 bytes or characters."""

    BYTE = "byte"
    CHAR = "char"


class SplitDelimiterBehavior(str, Enum):
    """The handling of a delimiter; a member is accepted wherever its name is.

    >>> from tokenizers_impl.pre_tokenizers import Punctuation
    >>> Punctuation(SplitDelimiterBehavior.REMOVED).pre_tokenize_str("a-b")
    [('a', (0, 1)), ('b', (2, 3))]
    """

    REMOVED = "removed"
    ISOLATED = "isolated"
    MERGED_WITH_PREVIOUS = "merged_with_previous"
    MERGED_WITH_NEXT = "merged_with_next"
    CONTIGUOUS = "contiguous"


# --- Checks of arguments


def name_of(func: Any) -> str:
    """The name of a function in messages."""
    return getattr(func, "__qualname__", None) or repr(func)


def check_callable(method: str, func: Any, given: str) -> None:
    """ValueError unless func is callable; given: its arguments, for the message."""
    if not callable(func):
        raise ValueError(f"{method} is given {func!r}: give a function of {given}")


def told(func: Callable[[str], Any], char: str) -> bool:
    """Call the function of `filter`; ValueError if it returns anything but True or False."""
    answer = func(char)
    if not isinstance(answer, (bool, np.bool_)):
        raise ValueError(f"the function given to filter says {answer!r} of {char!r}: return True or False")
    return bool(answer)


def mapped(func: Callable[[str], Any], char: str) -> str:
    """Call the function of `map`; ValueError if it returns anything but one character."""
    made = func(char)
    if not isinstance(made, str) or len(made) != 1:
        raise ValueError(f"the function given to map makes {made!r} of {char!r}: return one character")
    return made


def tokens_of(func: Callable[[str], Any], text: str) -> list[Token]:
    """Call the function of `tokenize`; ValueError if it returns anything but a list of Token."""
    tokens = func(text)
    if not isinstance(tokens, list) or not all(isinstance(token, Token) for token in tokens):
        raise ValueError(f"{name_of(func)} returned {tokens!r} for {text!r}: give a list of Token")
    return tokens


def chosen(name: str, value: Any, choices: type[Enum]) -> str:
    """Check a choice, given as a name or as a member of the enumeration; ValueError for any other value."""
    known = [choice.value for choice in choices]
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name}={value!r}: choose one of {', '.join(known)}")
    return str(choices(value).value)


def bounds_of(range: Any, n: int) -> tuple[int, int]:
    """The (start, end) of a range in n characters; the end may be greater than n.

    ValueError for a value that is not a range, for a slice with a step, and for a start before the first character.

    >>> bounds_of(-1, 3), bounds_of(slice(1, None), 3), bounds_of((2, 9), 3)
    ((2, 3), (1, 3), (2, 9))
    """
    if isinstance(range, slice):
        if range.step not in (None, 1):
            raise ValueError(f"the range {range!r} has a step: take every character, then filter")
        start, end, _ = range.indices(n)
        return start, end
    if isinstance(range, tuple) and len(range) == 2 and all(isinstance(each, int) and each >= 0 for each in range):
        return range
    try:
        number = index(range)
    except TypeError:
        raise ValueError(f"the range is {range!r}: give a number, two numbers from 0 on, or a slice") from None
    if number < -n:
        raise ValueError(f"there is no character {number}: the text has {n}")
    start = number + n if number < 0 else number
    return start, start + 1


# --- A text with the origins of its characters


class NormalizedString:
    """An original text and its normalized form, like `tokenizers.NormalizedString` 0.23.3; methods change it in place.

    Custom normalizers work on it: see `normalizers.Normalizer.custom`.  Characters that are inserted before or after a
    character have the origin of that character.
    ValueError for a text that is not a string or has a lone surrogate.

    >>> text = NormalizedString("Été 24")
    >>> text.nfd()
    >>> text.filter(str.isascii)
    >>> text.lowercase()
    >>> text
    NormalizedString(original="Été 24", normalized="ete 24")
    >>> text[2:5]
    NormalizedString(original="é 2", normalized="e 2")
    """

    __slots__ = ("_normalized", "_original", "_origins", "_shift")

    def __init__(self, sequence: str) -> None:
        self._set(sequence, 0, sequence, Splits.of([sequence], offsets=True).origins)

    def _set(self, original: str, shift: int, normalized: str, origins: I32) -> None:
        self._original, self._shift, self._normalized, self._origins = original, shift, normalized, origins

    @classmethod
    def aligned(cls, original: str, shift: int, normalized: str, origins: I32) -> NormalizedString:
        """Build from a normalized text whose character i comes from whole[origins[i, 0]:origins[i, 1]] of a whole text.

        original: the part of the whole text that begins at its character `shift`.  origins: int32, shape (n, 2).
        """
        made = cls.__new__(cls)
        made._set(original, shift, normalized, origins)
        return made

    @property
    def original(self) -> str:
        """The original text; for a part, the part of the original that it comes from."""
        return self._original

    @property
    def normalized(self) -> str:
        """The normalized text."""
        return self._normalized

    @property
    def origins(self) -> I32:
        """The (start, end) of each character in the whole text, in characters, shape (n, 2)."""
        return self._origins

    @property
    def reach(self) -> tuple[int, int]:
        """The (start, end) of the original in the whole text, in characters."""
        return self._shift, self._shift + len(self._original)

    def __str__(self) -> str:
        return self._normalized

    def __repr__(self) -> str:
        return f'NormalizedString(original="{self._original}", normalized="{self._normalized}")'

    # As arrays

    def splits(self) -> Splits:
        """The text as one split."""
        return Splits.of([self._normalized], offsets=True)._replace(origins=self._origins, given=None)

    def rewrite(self, change: Callable[[Splits], Splits]) -> None:
        """Replace the text by the function's result for its split; the function sees the original as the whole text."""
        shift = np.int32(self._shift)
        splits = change(self.splits()._replace(origins=self._origins - shift))
        part = slice(int(splits.starts[0]), int(splits.ends[0]))
        self._normalized, self._origins = text_of(splits.chars[part]), splits.origins[part] + shift

    # Changes

    def nfc(self) -> None:
        """Normalize to NFC."""
        self._put_in_form(compatibility=False, composes=True)

    def nfd(self) -> None:
        """Normalize to NFD."""
        self._put_in_form(compatibility=False, composes=False)

    def nfkc(self) -> None:
        """Normalize to NFKC."""
        self._put_in_form(compatibility=True, composes=True)

    def nfkd(self) -> None:
        """Normalize to NFKD."""
        self._put_in_form(compatibility=True, composes=False)

    def _put_in_form(self, *, compatibility: bool, composes: bool) -> None:
        # ASCII is the same in every form.
        if not self._normalized.isascii():
            self.rewrite(partial(in_form, compatibility=compatibility, composes=composes))

    def lowercase(self) -> None:
        """Lowercase every character."""
        # Most texts are ASCII, where arrays take 20 times as long as Python does.
        if self._normalized.isascii():
            self._normalized = self._normalized.lower()
        else:
            self.rewrite(lower_case().apply)

    def uppercase(self) -> None:
        """Uppercase every character."""
        if self._normalized.isascii():
            self._normalized = self._normalized.upper()
        else:
            self.rewrite(upper_case().apply)

    def strip(self) -> None:
        """Strip white space from both ends."""
        self.rewrite(partial(stripped, left=True, right=True))

    def lstrip(self) -> None:
        """Strip white space from the beginning."""
        self.rewrite(partial(stripped, left=True, right=False))

    def rstrip(self) -> None:
        """Strip white space from the end."""
        self.rewrite(partial(stripped, left=False, right=True))

    def prepend(self, s: str) -> None:
        """Prepend a string; an empty text stays empty."""
        added = code_points(of_kind("prepend", s, str, "normalizer Prepend"))
        self.rewrite(lambda splits: prepended(splits, added, splits.added == TEXT))

    def append(self, s: str) -> None:
        """Append a string."""
        origin = self._origins[-1:] if len(self._origins) else np.full((1, 2), self._shift, np.int32)
        added = NormalizedString(s).normalized
        self._origins = np.concatenate((self._origins, np.repeat(origin, len(added), axis=0)))
        self._normalized += added

    def replace(self, pattern: Pattern, content: str) -> None:
        """Replace every match of a string or a Regex; the empty string matches nothing."""
        of_kind("pattern", pattern, Pattern, "normalizer Replace")
        chars = code_points(of_kind("content", content, str, "normalizer Replace"))
        is_absent = isinstance(pattern, str) and (not pattern or pattern not in self._normalized)
        if not is_absent:
            self.rewrite(lambda splits: replaced(splits, matches(pattern, splits), chars))

    def clear(self) -> None:
        """Remove all characters."""
        self._normalized, self._origins = "", self._origins[:0]

    def filter(self, func: Callable[[str], bool]) -> None:
        """Keep the characters for which the function returns True; ValueError if it returns anything but a bool."""
        check_callable("filter", func, "a character")
        kept = [told(func, char) for char in self._normalized]
        self._normalized = "".join(char for char, keep in zip(self._normalized, kept, strict=True) if keep)
        self._origins = self._origins[np.array(kept, np.bool_)]

    def map(self, func: Callable[[str], str]) -> None:
        """Replace every character by the function's result; ValueError if that is not one character."""
        check_callable("map", func, "a character")
        self._normalized = "".join([mapped(func, char) for char in self._normalized])

    def for_each(self, func: Callable[[str], object]) -> None:
        """Call the function with every character."""
        check_callable("for_each", func, "a character")
        for char in self._normalized:
            func(char)

    # Parts

    def slice(self, range: int | tuple[int, int] | builtins.slice) -> NormalizedString | None:
        """Return one character, or those of a range or slice; None beyond the end of the text.

        A slice may be empty within the text.  Negative numbers count characters from the end; the library counts bytes.
        ValueError for a number before the beginning, a slice with a step, and a value that is not a range.
        """
        n = len(self._normalized)
        start, end = bounds_of(range, n)
        if start > end or (start >= n and (start, end) != (0, 0)):
            return None
        return self.part(start, min(end, n))

    def __getitem__(self, range: int | tuple[int, int] | builtins.slice) -> NormalizedString | None:
        return self.slice(range)

    def copy(self) -> NormalizedString:
        """Return an independent copy."""
        return NormalizedString.aligned(self._original, self._shift, self._normalized, self._origins)

    def part(self, start: int, end: int) -> NormalizedString:
        """The characters start:end with their originals."""
        return self._made_of(self._normalized[start:end], self._origins[start:end], self._shift + start)

    def cut(self, cut: Callable[[Splits], Splits]) -> list[NormalizedString]:
        """Split the text with a pre-tokenizer."""
        splits = cut(self.splits())
        bounds = zip(splits.starts.tolist(), splits.ends.tolist(), strict=True)
        return list(map(self._made_of, splits.texts(), (splits.origins[start:end] for start, end in bounds)))

    def _made_of(self, normalized: str, origins: I32, empty_at: int = 0) -> NormalizedString:
        """A part of the text with these origins; empty_at: the position of an empty part."""
        first, last = (int(origins[0, 0]), int(origins[-1, 1])) if len(origins) else (empty_at, empty_at)
        original = self._original[first - self._shift : last - self._shift]
        return NormalizedString.aligned(original, first, normalized, origins)

    def split(self, pattern: Pattern, behavior: str) -> list[NormalizedString]:
        """Split at the matches of a string or a Regex.

        behavior: the handling of a match, as in `pre_tokenizers.Split`.  The empty string matches nothing.

        >>> [str(part) for part in NormalizedString("the-final--countdown").split("-", "merged_with_previous")]
        ['the-', 'final-', '-', 'countdown']
        """
        check_pattern(pattern)
        check_behavior(behavior)
        joins, joined = JOINS[behavior], list[tuple[int, int]]()
        before = False
        for start, end, delimits in self._pieces(pattern):
            if delimits and behavior == "removed":
                continue
            begin = joined.pop()[0] if joined and joins[before][delimits] else start
            joined.append((begin, end))
            before = delimits
        return [self.part(start, end) for start, end in joined]

    def _pieces(self, pattern: Pattern) -> list[tuple[int, int, bool]]:
        """The (start, end, is a match) of matches and of the text between them; at least one piece."""
        n = len(self._normalized)
        found = matches(pattern, self.splits()) if pattern != "" else None
        spans = [] if found is None else list(zip(found.starts.tolist(), found.ends.tolist(), strict=True))
        gaps = [(end, start) for (_, end), (start, _) in pairwise([(0, 0), *spans, (n, n)])]
        pieces = [(start, end, False) for start, end in gaps if start < end] + [(*span, True) for span in spans]
        return sorted(pieces) or [(0, n, False)]


def checked_string(normalized: Any) -> NormalizedString:
    """Check an argument; ValueError unless it is a NormalizedString."""
    if not isinstance(normalized, NormalizedString):
        raise ValueError(f"{normalized!r} is not a NormalizedString: give one, or use normalize_str for a str")
    return normalized
