"""A text that knows where each of its characters comes from."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from ._arrays import I32, text_of
from ._splits import Splits
from ._string_arguments import bounds_of, check_callable, mapped, told
from .normalizers import NFC, NFD, NFKC, NFKD, Lowercase, Prepend, Replace, Strip
from .normalizers._uppercase import upper_case
from .patterns import Pattern, check_pattern, matches
from .pre_tokenizers._behaviors import JOINS, check_behavior


class NormalizedString:
    """A text as it was given and as it is by now, as `tokenizers.NormalizedString`; methods change it in place.

    It is what components of the user's own work on: see `normalizers.Normalizer.custom`.  What is put before or behind
    a character has the origin of that character.
    ValueError for a text that is no string, or that UTF-8 lacks.

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
        """The text `normalized`, whose character i comes from origins[i, 0]:origins[i, 1] of a whole text.

        original: the part of the whole text that begins at its character `shift`.  origins: int32, shape (n, 2).
        """
        made = cls.__new__(cls)
        made._set(original, shift, normalized, origins)
        return made

    @property
    def original(self) -> str:
        """The text as it was given; of a part of a text, the part of it that this one comes from."""
        return self._original

    @property
    def normalized(self) -> str:
        """The text as it is by now."""
        return self._normalized

    @property
    def origins(self) -> I32:
        """From where to where in the whole text each character comes, in characters, shape (n, 2)."""
        return self._origins

    @property
    def reach(self) -> tuple[int, int]:
        """From where to where the original reaches in the whole text, in characters."""
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
        """Become what the function makes of the one split, which it sees as if its original were the whole text."""
        shift = np.int32(self._shift)
        splits = change(self.splits()._replace(origins=self._origins - shift))
        part = slice(int(splits.starts[0]), int(splits.ends[0]))
        self._normalized, self._origins = text_of(splits.chars[part]), splits.origins[part] + shift

    # Changes

    def nfc(self) -> None:
        """Unicode's form NFC."""
        self.rewrite(NFC().normalize_splits)

    def nfd(self) -> None:
        """Unicode's form NFD."""
        self.rewrite(NFD().normalize_splits)

    def nfkc(self) -> None:
        """Unicode's form NFKC."""
        self.rewrite(NFKC().normalize_splits)

    def nfkd(self) -> None:
        """Unicode's form NFKD."""
        self.rewrite(NFKD().normalize_splits)

    def lowercase(self) -> None:
        """Every character in lower case."""
        self.rewrite(Lowercase().normalize_splits)

    def uppercase(self) -> None:
        """Every character in upper case."""
        self.rewrite(upper_case().apply)

    def strip(self) -> None:
        """Take white space off both ends."""
        self.rewrite(Strip().normalize_splits)

    def lstrip(self) -> None:
        """Take white space off the beginning."""
        self.rewrite(Strip(right=False).normalize_splits)

    def rstrip(self) -> None:
        """Take white space off the end."""
        self.rewrite(Strip(left=False).normalize_splits)

    def prepend(self, s: str) -> None:
        """Put a string before the text, unless that is empty."""
        self.rewrite(Prepend(s).normalize_splits)

    def append(self, s: str) -> None:
        """Put a string behind the text."""
        origin = self._origins[-1:] if len(self._origins) else np.full((1, 2), self._shift, np.int32)
        added = NormalizedString(s).normalized
        self._origins = np.concatenate((self._origins, np.repeat(origin, len(added), axis=0)))
        self._normalized += added

    def replace(self, pattern: Pattern, content: str) -> None:
        """Put the content in place of every match of a string or a Regex; the empty string matches nothing."""
        replaced = Replace(pattern, content)
        if pattern != "":
            self.rewrite(replaced.normalize_splits)

    def clear(self) -> None:
        """Take all characters out."""
        self._normalized, self._origins = "", self._origins[:0]

    def filter(self, func: Callable[[str], bool]) -> None:
        """Keep the characters for which the function says True; ValueError if it says anything but True or False."""
        check_callable("filter", func, "a character")
        kept = [told(func, char) for char in self._normalized]
        self._normalized = "".join(char for char, keep in zip(self._normalized, kept, strict=True) if keep)
        self._origins = self._origins[np.array(kept, np.bool_)]

    def map(self, func: Callable[[str], str]) -> None:
        """Put the function's character in place of every character; ValueError if it gives anything but one."""
        check_callable("map", func, "a character")
        self._normalized = "".join([mapped(func, char) for char in self._normalized])

    def for_each(self, func: Callable[[str], object]) -> None:
        """Call the function with every character."""
        check_callable("for_each", func, "a character")
        for char in self._normalized:
            func(char)

    # Parts

    def slice(self, range: int | tuple[int, int] | builtins.slice) -> NormalizedString | None:
        """The character of that number, or those from a number to another; None where there are none.

        A slice may be empty where a character stands.  Negative numbers count from the end, in characters, where the
        library counts bytes.  ValueError for a number before the beginning, a slice with a step, what is no range.
        """
        n = len(self._normalized)
        start, end = bounds_of(range, n)
        if start > end or (start >= n and (start, end) != (0, 0)):
            return None
        return self.part(start, min(end, n))

    def __getitem__(self, range: int | tuple[int, int] | builtins.slice) -> NormalizedString | None:
        return self.slice(range)

    def copy(self) -> NormalizedString:
        """The same, to be changed by itself."""
        return NormalizedString.aligned(self._original, self._shift, self._normalized, self._origins)

    def part(self, start: int, end: int) -> NormalizedString:
        """The characters from `start` to `end`, and what they come from."""
        return self._made_of(self._normalized[start:end], self._origins[start:end], self._shift + start)

    def cut(self, cut: Callable[[Splits], Splits]) -> list[NormalizedString]:
        """The parts that a pre-tokenizer makes of the text."""
        splits = cut(self.splits())
        bounds = zip(splits.starts.tolist(), splits.ends.tolist(), strict=True)
        return list(map(self._made_of, splits.texts(), (splits.origins[start:end] for start, end in bounds)))

    def _made_of(self, normalized: str, origins: I32, empty_at: int = 0) -> NormalizedString:
        """A part of the text, with these origins; of an empty one it is said where it stands."""
        first, last = (int(origins[0, 0]), int(origins[-1, 1])) if len(origins) else (empty_at, empty_at)
        original = self._original[first - self._shift : last - self._shift]
        return NormalizedString.aligned(original, first, normalized, origins)

    def split(self, pattern: Pattern, behavior: str) -> list[NormalizedString]:
        """The parts between matches of a string or a Regex, and what the behavior leaves of the matches.

        behavior: as with `pre_tokenizers.Split`; the empty string matches nothing.

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
        """Matches, and what is between them: from where to where, whether it is a match; at least one piece."""
        n = len(self._normalized)
        found = matches(pattern, self.splits()) if pattern != "" else None
        spans = [] if found is None else list(zip(found.starts.tolist(), found.ends.tolist(), strict=True))
        gaps = [(end, start) for (_, end), (start, _) in pairwise([(0, 0), *spans, (n, n)])]
        pieces = [(start, end, False) for start, end in gaps if start < end] + [(*span, True) for span in spans]
        return sorted(pieces) or [(0, n, False)]


def checked_string(normalized: Any) -> NormalizedString:
    """The same; ValueError for what is no NormalizedString."""
    if not isinstance(normalized, NormalizedString):
        raise ValueError(f"{normalized!r} is no NormalizedString: make one of it; for a str there is normalize_str")
    return normalized
