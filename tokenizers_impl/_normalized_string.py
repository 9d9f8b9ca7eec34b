"""NormalizedString, a text that keeps the origins of its characters, for custom components."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import chain, compress
from operator import index
from typing import Any, TypeAlias

import numpy as np

from ._core.arrays import I32, code_points, text_of
from ._core.encoding import Token
from ._core.options import of_kind
from ._patterns import Pattern, Regex, check_pattern
from ._patterns.search import check_behavior, edges_of, pieces_at
from ._text.char_map import holds_any, lower_case_table, upper_case_table
from ._text.forms import alone_table, form
from ._text.splits import Splits, check_room, check_texts, room_for
from ._text.unicode import white_space

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


def checked_content(name: str, content: Any, owner: str) -> str:
    """Check a string that is put into a text; ValueError for another type and for a lone surrogate."""
    text: str = content if isinstance(content, str) else of_kind(name, content, str, owner)
    text.encode()
    return text


def check_callable(method: str, func: Any, given: str) -> None:
    """ValueError unless func is callable; given: its arguments, for the message."""
    if not callable(func):
        raise ValueError(f"{method} is given {func!r}: give a function of {given}")


def is_kept(func: Callable[[str], Any], char: str) -> bool:
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
    numbers = (int, np.integer)
    if isinstance(range, tuple) and len(range) == 2 and all(isinstance(each, numbers) and each >= 0 for each in range):
        return int(range[0]), int(range[1])
    try:
        number = index(range)
    except TypeError:
        raise ValueError(f"the range is {range!r}: give a number, two numbers from 0 on, or a slice") from None
    if number < -n:
        raise ValueError(f"there is no character {number}: the text has {n}")
    start = number + n if number < 0 else number
    return start, start + 1


# --- The places of characters

# The place of a character in a whole text is the start plus the end of its origin: 2 * i + 1 for character i, 2 * i for
# what was put before it and comes from no character.  A list or a range, as most texts are short.
Places: TypeAlias = Sequence[int]


def places_as_given(n: int) -> Places:
    """The places of the n characters of a text that was not changed."""
    return range(1, 2 * n, 2)


def origins_at(rows: Iterable[Places]) -> I32:
    """The origins, (start, end), of the characters at all these places, shape (n, 2).

    >>> origins_at([[1, 3], [8]]).tolist()
    [[0, 1], [1, 2], [4, 4]]
    """
    places = np.fromiter(chain.from_iterable(rows), np.int64)
    return np.stack((places >> 1, (places + 1) >> 1), axis=1).astype(np.int32)


def places_of(origins: I32) -> Places:
    """The inverse of `origins_at`."""
    places: Places = origins.sum(axis=1, dtype=np.int64).tolist()
    return places


# --- A text with the origins of its characters

_new = object.__new__


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

    # _source: a whole text, and places; the characters have the places places[_at], places[_at + 1] and so on.
    # _reach: the (start, end) of the original in the whole text; None for that of the characters.
    # Parts of a text share its source, because a list in each of many parts would keep the garbage collector busy.
    __slots__ = ("_at", "_normalized", "_reach", "_source")
    _reach: tuple[int, int] | None

    def __init__(self, sequence: str) -> None:
        check_texts([sequence])
        self._source, self._at, self._reach = (sequence, places_as_given(len(sequence))), 0, (0, len(sequence))
        self._normalized = sequence

    @classmethod
    def aligned(cls, whole: str, normalized: str, places: Places) -> NormalizedString:
        """Build from a whole text, a text that comes from it, and the places of its characters."""
        made = _new(cls)
        made._source, made._at, made._reach, made._normalized = (whole, places), 0, (0, len(whole)), normalized
        return made

    def _set(self, normalized: str, places: Places) -> None:
        self._reach, self._source, self._at = self.reach, (self._source[0], places), 0
        self._normalized = normalized

    def _set_text(self, normalized: str, skipped: int = 0) -> None:
        """Set the text; its characters have the places of the present ones, after as many as are skipped."""
        self._reach, self._at = self.reach, self._at + skipped
        self._normalized = normalized

    @property
    def original(self) -> str:
        """The original text; for a part, the part of the original that it comes from."""
        start, end = self.reach
        return self._source[0][start:end]

    @property
    def normalized(self) -> str:
        """The normalized text."""
        return self._normalized

    @property
    def places(self) -> Places:
        """The place of each character in the whole text."""
        return self._source[1][self._at : self._at + len(self._normalized)]

    @property
    def reach(self) -> tuple[int, int]:
        """The (start, end) of the original in the whole text, in characters."""
        if self._reach is None:
            places, first = self._source[1], self._at
            return places[first] >> 1, (places[first + len(self._normalized) - 1] + 1) >> 1
        return self._reach

    def __str__(self) -> str:
        return self.normalized

    def __repr__(self) -> str:
        return f'NormalizedString(original="{self.original}", normalized="{self.normalized}")'

    # As arrays

    def _splits(self) -> Splits:
        """The text as one split."""
        return Splits.of([self.normalized], offsets=False)._replace(origins=origins_at([self.places]))

    def rewrite(self, change: Callable[[Splits], Splits]) -> None:
        """Replace the text by the function's result for its split; the function sees the original as the whole text."""
        splits, shift = self._splits(), np.int32(self.reach[0])
        made = change(splits._replace(origins=splits.origins - shift))
        part = slice(int(made.starts[0]), int(made.ends[0]))
        self._set(text_of(made.chars[part]), places_of(made.origins[part] + shift))

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
        if self.normalized.isascii():
            return
        wanted, chars = form(compatibility=compatibility, composes=composes), code_points(self.normalized)
        if not holds_any(chars, wanted.restless):
            return
        if wanted.begins[chars].all():
            self.translate(alone_table(compatibility=compatibility, composes=composes))
        else:
            self.rewrite(wanted.apply)

    def lowercase(self) -> None:
        """Lowercase every character."""
        # Most texts are ASCII, where `translate` takes five times as long.
        if self.normalized.isascii():
            self._set_text(self.normalized.lower())
        else:
            self.translate(lower_case_table())

    def uppercase(self) -> None:
        """Uppercase every character."""
        self.translate(upper_case_table())

    def translate(self, table: Mapping[int, str], *, removes: bool = False) -> None:
        """Replace every character that is a key by a string, whose characters have its place.

        removes: whether the table has empty strings and long ones, so that an equal length of the texts tells nothing.
        """
        before, after = self.normalized, self.normalized.translate(table)
        if len(after) == len(before) and not removes:
            self._set_text(after)
        else:
            chars = zip(before, self.places, strict=True)
            self._set(after, [place for char, place in chars for _ in table.get(ord(char), char)])

    def strip(self) -> None:
        """Strip white space from both ends."""
        self.lstrip()
        self.rstrip()

    def lstrip(self) -> None:
        """Strip white space from the beginning."""
        kept = self.normalized.lstrip(white_space())
        self._set_text(kept, len(self.normalized) - len(kept))

    def rstrip(self) -> None:
        """Strip white space from the end."""
        self._set_text(self.normalized.rstrip(white_space()))

    def prepend(self, s: str) -> None:
        """Prepend a string; an empty text stays empty."""
        added = checked_content("prepend", s, "normalizer Prepend")
        if self.normalized:
            self._check_room(len(self.normalized) + len(added))
            places = self.places
            self._set(added + self.normalized, [places[0]] * len(added) + [*places])

    def append(self, s: str) -> None:
        """Append a string."""
        check_texts([s])
        places = self.places
        place = places[-1] if places else 2 * self.reach[0]
        self._set(self.normalized + s, [*places, *[place] * len(s)])

    def replace(self, pattern: Pattern, content: str) -> None:
        """Replace every match of a string or a Regex; the empty string matches nothing."""
        if not isinstance(pattern, (str, Regex)):
            of_kind("pattern", pattern, Pattern, "normalizer Replace")
        checked_content("content", content, "normalizer Replace")
        if isinstance(pattern, str) and len(pattern) == len(content) == 1:
            # The characters keep their places.
            self._set_text(self.normalized.replace(pattern, content))
        else:
            self._replace(edges_of(pattern, self.normalized), content)

    def _replace(self, edges: list[int], content: str) -> None:
        """Replace matches with these edges by the content; its place is that of the last character of the match."""
        before, places, size = self.normalized, self.places, len(content)
        texts = [before[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
        self._check_room(sum(map(len, texts)) + size * (len(texts) - 1))
        made = [*places[: edges[1]]]
        for start, end in zip(edges[2::2], edges[3::2], strict=True):
            # What is put before the first character comes from nowhere.
            made += [places[start - 1] if start else 2 * self.reach[0]] * size
            made += places[start:end]
        self._set(content.join(texts), made)

    def _check_room(self, size: int) -> None:
        """ValueError if the text may not grow to this size."""
        check_room(size, room_for(len(self.normalized)))

    def clear(self) -> None:
        """Remove all characters."""
        self._set("", [])

    def filter(self, func: Callable[[str], bool]) -> None:
        """Keep the characters for which the function returns True; ValueError if it returns anything but a bool."""
        check_callable("filter", func, "a character")
        kept = [is_kept(func, char) for char in self.normalized]
        if not all(kept):
            self._set("".join(compress(self.normalized, kept)), list(compress(self.places, kept)))

    def map(self, func: Callable[[str], str]) -> None:
        """Replace every character by the function's result; ValueError if that is not one character.

        ValueError also for a lone surrogate.
        """
        check_callable("map", func, "a character")
        made = "".join([mapped(func, char) for char in self.normalized])
        made.encode()
        self._set_text(made)

    def for_each(self, func: Callable[[str], object]) -> None:
        """Call the function with every character."""
        check_callable("for_each", func, "a character")
        for char in self.normalized:
            func(char)

    # Parts

    def slice(self, range: int | tuple[int, int] | builtins.slice) -> NormalizedString | None:
        """Return one character, or those of a range or slice; None beyond the end of the text.

        A slice may be empty within the text.  Negative numbers count characters from the end; the library counts bytes.
        ValueError for a number before the beginning, a slice with a step, and a value that is not a range.
        """
        n = len(self.normalized)
        start, end = bounds_of(range, n)
        if start > end or (start >= n and (start, end) != (0, 0)):
            return None
        return self.part(start, min(end, n))

    def __getitem__(self, range: int | tuple[int, int] | builtins.slice) -> NormalizedString | None:
        return self.slice(range)

    def copy(self) -> NormalizedString:
        """Return an independent copy."""
        made = _new(NormalizedString)
        made._source, made._at, made._reach = self._source, self._at, self._reach
        made._normalized = self._normalized
        return made

    def within(self, start: int, end: int) -> NormalizedString:
        """A copy whose original is the part start:end of the whole text."""
        made = self.copy()
        made._reach = start, end
        return made

    def part(self, start: int, end: int) -> NormalizedString:
        """The characters start:end with their originals."""
        return self.parts([(start, end)])[0]

    def parts(self, bounds: Iterable[tuple[int, int]]) -> list[NormalizedString]:
        """The characters start:end with their originals, for each (start, end)."""
        source, at, normalized, first = self._source, self._at, self._normalized, self.reach[0]
        made = []
        for start, end in bounds:
            part = _new(NormalizedString)
            part._source, part._at, part._normalized = source, at + start, normalized[start:end]
            # An empty part stands where it would if the text were not normalized.
            part._reach = None if start < end else (first + start, first + start)
            made.append(part)
        return made

    def cut(self, cut: Callable[[Splits], Splits]) -> list[NormalizedString]:
        """Split the text with a pre-tokenizer."""
        splits = cut(self._splits())
        whole = NormalizedString.aligned(self._source[0], text_of(splits.chars), places_of(splits.origins))
        return whole.parts(zip(splits.starts.tolist(), splits.ends.tolist(), strict=True))

    def split(self, pattern: Pattern, behavior: str) -> list[NormalizedString]:
        """Split at the matches of a string or a Regex.

        behavior: the handling of a match, as in `pre_tokenizers.Split`.  The empty string matches nothing.

        >>> [str(part) for part in NormalizedString("the-final--countdown").split("-", "merged_with_previous")]
        ['the-', 'final-', '-', 'countdown']
        """
        check_pattern(pattern)
        check_behavior(behavior)
        edges = edges_of(pattern, self.normalized)
        return self.parts(pieces_at(edges, behavior))


class Strings:
    """A list of copies of normalized strings.

    It holds a list for each attribute, because the garbage collector would look at each object of many.
    """

    __slots__ = ("_ats", "_reaches", "_sources", "texts")

    def __init__(self, strings: Sequence[NormalizedString] = ()) -> None:
        if len(strings) == 1:
            # A text that is not split yet: four loops would take four times as long.
            each = strings[0]
            self.texts, self._sources = [each._normalized], [each._source]
            self._ats, self._reaches = [each._at], [each._reach]
            return
        self.texts = [each._normalized for each in strings]
        self._sources = [each._source for each in strings]
        self._ats = [each._at for each in strings]
        self._reaches = [each._reach for each in strings]

    @classmethod
    def joined(cls, rows: Sequence[Strings]) -> Strings:
        """The strings of all rows, one after another."""
        if len(rows) == 1:
            return rows[0]
        made = cls()
        for row in rows:
            made.texts += row.texts
            made._sources += row._sources
            made._ats += row._ats
            made._reaches += row._reaches
        return made

    def __len__(self) -> int:
        return len(self.texts)

    def __iter__(self) -> Iterator[NormalizedString]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, i: int) -> NormalizedString:
        """A copy of string i."""
        made = _new(NormalizedString)
        made._source, made._at, made._reach = self._sources[i], self._ats[i], self._reaches[i]
        made._normalized = self.texts[i]
        return made

    def places(self) -> Iterator[Places]:
        """The `places` of each string."""
        for (_, places), at, text in zip(self._sources, self._ats, self.texts, strict=True):
            yield places[at : at + len(text)]

    def without_empty(self) -> Strings:
        """The strings that have characters."""
        return self if all(self.texts) else Strings([each for each in self if each.normalized])


def checked_string(normalized: Any) -> NormalizedString:
    """Check an argument; ValueError unless it is a NormalizedString."""
    if not isinstance(normalized, NormalizedString):
        raise ValueError(f"{normalized!r} is not a NormalizedString: give one, or use normalize_str for a str")
    return normalized
