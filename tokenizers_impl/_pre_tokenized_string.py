"""PreTokenizedString, a text in splits, for custom pre-tokenizers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain, pairwise, repeat
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from ._core.arrays import I64, code_points, text_of
from ._core.encoding import Encoding, Token
from ._core.token_lists import TokenLists
from ._normalized_string import (
    NormalizedString,
    OffsetReferential,
    OffsetType,
    Strings,
    check_callable,
    chosen,
    name_of,
    origins_at,
    places_of,
    tokens_of,
)
from ._text.splits import TEXT, Given, Splits, room_for

T = TypeVar("T")

# --- Conversion of splits to strings for custom components, and back


class Part(NamedTuple):
    """A split as a string; added: the id of the added token that it is, or TEXT."""

    string: NormalizedString
    added: int


def parts_with_surroundings(splits: Splits, given: Given) -> Iterator[list[Part]]:
    """The splits of every text before pre-tokenization; their originals extend to the next added tokens."""
    for row, text in zip(parts(splits, given), _texts(given), strict=True):
        tokens = [part.string.reach if part.added != TEXT else None for part in row]
        yield [
            part if token else part._replace(string=part.string.within(*room))
            for part, token, room in zip(row, tokens, _between(tokens, len(text)), strict=True)
        ]


def _between(tokens: Sequence[tuple[int, int] | None], length: int) -> list[tuple[int, int]]:
    """The (start, end) that each split may cover: from the added token before it to the one after it.

    tokens: the (start, end) of splits that are added tokens, None for others.

    >>> _between([None, (2, 5), None], 9)
    [(0, 2), (0, 9), (5, 9)]
    """
    starts = accumulate(tokens, lambda start, token: token[1] if token else start, initial=0)
    ends = accumulate(reversed(tokens), lambda end, token: token[0] if token else end, initial=length)
    return list(zip(starts, list(ends)[-2::-1], strict=False))


def parts(splits: Splits, given: Given) -> Iterator[list[Part]]:
    """The splits of every text, each with the original that its characters come from."""
    chars, places = text_of(splits.chars), places_of(splits.origins)
    starts, ends, added = splits.starts.tolist(), splits.ends.tolist(), splits.added.tolist()
    for text, (first, last) in zip(_texts(given), pairwise(splits.firsts.tolist()), strict=True):
        whole = NormalizedString.aligned(text, chars, places)
        strings = whole.parts(zip(starts[first:last], ends[first:last], strict=True))
        yield list(map(Part, strings, added[first:last]))


def _texts(given: Given) -> Iterator[str]:
    """Every text as given."""
    whole = text_of(given.chars)
    return (whole[start:end] for start, end in pairwise([0, *given.ends.tolist()]))


class Row(NamedTuple):
    """All splits of a text; added: the id of the added token that each is, or TEXT."""

    strings: Strings
    added: Sequence[int]


def splits_of(rows: Sequence[Row], given: Given) -> Splits:
    """Build splits from strings; row i has those of text i."""
    texts = list(chain.from_iterable(row.strings.texts for row in rows))
    ends = np.cumsum(list(map(len, texts)), dtype=np.int64)
    starts = np.concatenate((np.zeros(min(1, len(texts)), np.int64), ends[:-1]))
    added = np.array(list(chain.from_iterable(row.added for row in rows)), np.int32)
    firsts = np.cumsum([0, *(len(row.strings) for row in rows)], dtype=np.int64)
    origins = origins_at(chain.from_iterable(row.strings.places() for row in rows))
    chars = code_points("".join(texts))
    return Splits(chars, starts, ends, added, firsts, origins, given, room_for(len(given.chars)))


def _check_strings(returned: Sequence[Any], func: Any, i: int) -> None:
    """ValueError unless the function returned nothing but NormalizedStrings for split i."""
    for k, each in enumerate(returned):
        if not isinstance(each, NormalizedString):
            raise ValueError(
                f"item {k} of what {name_of(func)} returned for split {i} is {each!r}: give a NormalizedString"
            )


def _results(
    func: Callable[[int, NormalizedString], Sequence[NormalizedString]], i: int, string: NormalizedString
) -> list[NormalizedString]:
    """The non-empty results of the function of `split`; ValueError if it returns anything else."""
    returned = func(i, string)
    # Other sequences are few, and asking for them takes longer.
    if not isinstance(returned, list) and (isinstance(returned, str) or not isinstance(returned, Sequence)):
        raise ValueError(f"{name_of(func)} returned {returned!r} for split {i}: give a list of NormalizedString")
    # One look at all types is faster than one at each string.
    if not set(map(type, returned)) <= {NormalizedString}:
        _check_strings(returned, func, i)
    return [each for each in returned if each._normalized]


def _repeated(values: list[T], counts: Sequence[int]) -> list[T]:
    """Each value as often as its count says."""
    # Most texts are not split yet.
    return values * counts[0] if len(values) == 1 else list(chain.from_iterable(map(repeat, values, counts)))


# --- A text in splits

Tokens: TypeAlias = list[Token] | None
# The splits, the id of the added token that each is, or TEXT, and the tokens of each.  Replaced, never changed.
Columns: TypeAlias = tuple[Strings, list[int], list[Tokens]]


def _untouched(strings: Strings) -> Columns:
    """The columns of splits without tokens, none of which is an added token."""
    n = len(strings.texts)
    return strings, [TEXT] * n, [None] * n


class PreTokenizedString:
    """A text in splits, some of which may have tokens, like `tokenizers.PreTokenizedString` 0.23.3.

    Custom pre-tokenizers split it: see `pre_tokenizers.PreTokenizer.custom`.  Methods change it in place; if a function
    argument raises, nothing changes.  Splits with tokens stay as they are.
    ValueError for a text that is not a string or has a lone surrogate.

    >>> text = PreTokenizedString("low lower")
    >>> text.split(lambda i, split: split.split(" ", "removed"))
    >>> text.get_splits()
    [('low', (0, 3), None), ('lower', (4, 9), None)]
    """

    __slots__ = ("_columns", "_original")

    def __init__(self, sequence: str) -> None:
        self._original, self._columns = sequence, _untouched(Strings([NormalizedString(sequence)]))

    @classmethod
    def of_strings(cls, original: str, strings: Sequence[NormalizedString]) -> PreTokenizedString:
        """Build from splits, none of which is an added token."""
        made = cls.__new__(cls)
        made._original, made._columns = original, _untouched(Strings(strings))
        return made

    @classmethod
    def of_parts(cls, original: str, parts: Sequence[Part]) -> PreTokenizedString:
        """Build from splits; an added token becomes the only token of its split."""
        made = cls.__new__(cls)
        tokens = [None if part.added == TEXT else [_token(part)] for part in parts]
        strings, added = Strings([part.string for part in parts]), [part.added for part in parts]
        made._original, made._columns = original, (strings, added, tokens)
        return made

    @property
    def row(self) -> Row:
        """The splits; ValueError if one has tokens, which only a model may assign."""
        strings, added, tokens = self._columns
        if tokens.count(None) < added.count(TEXT):
            splits = zip(strings.texts, added, tokens, strict=True)
            text = next(text for text, id, made in splits if made is not None and id == TEXT)
            raise ValueError(
                f"the split {text!r} has tokens: in a Tokenizer the model makes them; only cut, "
                "or make an Encoding yourself, with to_encoding"
            )
        return Row(strings, added)

    def _replace(self, before: Columns, after: Columns) -> None:
        """Replace the splits; ValueError if a function has changed them meanwhile, and then all stay as they were."""
        if self._columns is not before:
            self._columns = before
            raise ValueError(
                "a function given to a PreTokenizedString changed this text itself: return the parts of a split, or "
                "change the string that the function is given"
            )
        self._columns = after

    def split(self, func: Callable[[int, NormalizedString], Sequence[NormalizedString]]) -> None:
        """Replace every split by the non-empty results of a function.

        func: takes the index of a split and the split; returns a list of NormalizedString: the split itself, or parts
          of it from its `split` and `slice`.  Offsets of other strings are meaningless.
        ValueError if it returns anything else, or changes this text.
        """
        check_callable("split", func, "the number of a split and the split")
        strings, added, tokens = before = self._columns
        # Copies, because the function may keep the strings and change them later.
        made = [
            Strings(_results(func, i, string) if own is None else [string])
            for i, (string, own) in enumerate(zip(strings, tokens, strict=True))
        ]
        counts = [len(each.texts) for each in made]
        self._replace(before, (Strings.joined(made), _repeated(added, counts), _repeated(tokens, counts)))

    def normalize(self, func: Callable[[NormalizedString], object]) -> None:
        """Let the function change every split in place; its result is ignored; ValueError if it changes this text."""
        check_callable("normalize", func, "a split")
        strings, added, tokens = before = self._columns
        changed = list(strings)
        for string, own in zip(changed, tokens, strict=True):
            if own is None:
                func(string)
        # Copies, because the function may keep the strings and change them later.
        self._replace(before, (Strings(changed), added, tokens))

    def tokenize(self, func: Callable[[str], list[Token]]) -> None:
        """Assign to every split the tokens that the function returns for its text; ValueError for any other result."""
        check_callable("tokenize", func, "a text")
        strings, added, tokens = before = self._columns
        made: list[Tokens] = [
            tokens_of(func, text) if own is None else own for text, own in zip(strings.texts, tokens, strict=True)
        ]
        self._replace(before, (strings, added, made))

    def get_splits(
        self, offset_referential: str = "original", offset_type: str = "char"
    ) -> list[tuple[str, tuple[int, int], Tokens]]:
        """Return the text, the offsets and the tokens (or None) of every split.

        offset_referential: "original": offsets of the split's original in the text; "normalized": offsets in the
          concatenated splits.  offset_type: "char" or "byte".
        The library converts bytes to characters with the wrong text for "normalized" offsets.
        """
        referential = chosen("offset_referential", offset_referential, OffsetReferential)
        unit = chosen("offset_type", offset_type, OffsetType)
        strings, _, tokens = self._columns
        texts = strings.texts
        if referential == "original":
            whole, reach = self._original, [string.reach for string in strings]
        else:
            ends = np.cumsum([len(text) for text in texts], dtype=np.int64).tolist()
            whole, reach = "".join(texts), list(zip([0, *ends], ends, strict=False))
        if unit == "byte":
            places = _byte_places(whole)
            reach = [(int(places[start]), int(places[end])) for start, end in reach]
        return list(zip(texts, reach, tokens, strict=True))

    def to_encoding(self, type_id: int = 0, word_idx: int | None = None) -> Encoding:
        """Build an Encoding of all tokens; word_idx: the word index of all tokens, None: the index of their split.

        ValueError if a split has no tokens yet, or a token extends beyond its split.
        """
        strings, _, made = self._columns
        if None in made:
            raise ValueError("a split has no tokens yet: call tokenize first")
        rows = [
            (token, i if word_idx is None else word_idx, _place(string, token))
            for i, (string, tokens) in enumerate(zip(strings, made, strict=True))
            for token in tokens or ()
        ]
        zeros, ones = [0] * len(rows), [1] * len(rows)
        ids, texts = [token.id for token, _, _ in rows], [token.value for token, _, _ in rows]
        words: list[int | None] = [word for _, word, _ in rows]
        return Encoding(
            TokenLists(ids, [type_id] * len(rows), texts, words, [place for _, _, place in rows], zeros, ones)
        )


def checked_pre_tokenized(pretok: Any) -> PreTokenizedString:
    """Check an argument; ValueError unless it is a PreTokenizedString."""
    if not isinstance(pretok, PreTokenizedString):
        raise ValueError(f"{pretok!r} is not a PreTokenizedString: give one, or use pre_tokenize_str for a str")
    return pretok


def _token(part: Part) -> Token:
    """The token of a split that is an added token."""
    text = part.string.normalized
    return Token(part.added, text, (0, len(text.encode())))


def _byte_places(text: str) -> I64:
    """The UTF-8 byte offset of each character, then that of the end, shape (len(text) + 1,)."""
    chars = code_points(text)
    lengths = 1 + sum((chars >= first).astype(np.int64) for first in (0x80, 0x800, 0x10000))
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))


def _place(string: NormalizedString, token: Token) -> tuple[int, int]:
    """The (start, end) of a token in the whole text; the token's own offsets are bytes of the split."""
    places = _byte_places(string.normalized)
    start, end = token.offsets
    if not start <= end <= places[-1]:
        raise ValueError(
            f"the token {token.value!r} has the offsets ({start}, {end}), but {string.normalized!r} has {places[-1]} "
            "UTF-8 bytes: give offsets in these bytes"
        )
    first = int(np.searchsorted(places, start, side="right")) - 1
    if start == end:
        # As in the library, an empty token is placed as if the split were not normalized.
        return string.reach[0] + first, string.reach[0] + first
    last = int(np.searchsorted(places, end, side="left")) - 1
    return string.places[first] >> 1, (string.places[last] + 1) >> 1
