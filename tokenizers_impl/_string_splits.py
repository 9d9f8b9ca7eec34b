"""Splits as strings, for components of the user's own, which see no arrays, and back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np

from ._arrays import code_points, text_of
from ._normalized_string import NormalizedString
from ._splits import TEXT, Given, Splits, room_for


class Part(NamedTuple):
    """A split as a string; added: the id of the added token that it is, or TEXT."""

    string: NormalizedString
    added: int


def parts_with_surroundings(splits: Splits, given: Given) -> Iterator[list[Part]]:
    """The splits of every text, their originals up to the next added tokens, as they are before text is cut."""
    for i, row in enumerate(_rows(splits)):
        text = given.text(i)
        tokens = [_reach(splits, j) if splits.added[j] != TEXT else None for j in row]
        around = _between(tokens, len(text))
        yield [_part(splits, text, j, *(token or room)) for j, token, room in zip(row, tokens, around, strict=True)]


def _between(tokens: Sequence[tuple[int, int] | None], length: int) -> list[tuple[int, int]]:
    """How far each split may reach: from the added token before it to the one behind it.

    tokens: where those splits reach that are added tokens.

    >>> _between([None, (2, 5), None], 9)
    [(0, 2), (0, 9), (5, 9)]
    """
    starts = accumulate(tokens, lambda start, token: token[1] if token else start, initial=0)
    ends = accumulate(reversed(tokens), lambda end, token: token[0] if token else end, initial=length)
    return list(zip(starts, list(ends)[-2::-1], strict=False))


def parts(splits: Splits, given: Given) -> Iterator[list[Part]]:
    """The splits of every text, none of them empty, each with the original that its characters come from."""
    for i, row in enumerate(_rows(splits)):
        text = given.text(i)
        yield [_part(splits, text, j, *_reach(splits, j)) for j in row]


def _rows(splits: Splits) -> Iterator[range]:
    firsts = splits.firsts.tolist()
    return map(range, firsts[:-1], firsts[1:])


def _reach(splits: Splits, j: int) -> tuple[int, int]:
    """From where to where a split reaches in its text, as its first and its last character say."""
    return int(splits.origins[splits.starts[j], 0]), int(splits.origins[splits.ends[j] - 1, 1])


def _part(splits: Splits, text: str, j: int, first: int, last: int) -> Part:
    chars = slice(int(splits.starts[j]), int(splits.ends[j]))
    string = NormalizedString.aligned(text[first:last], first, text_of(splits.chars[chars]), splits.origins[chars])
    return Part(string, int(splits.added[j]))


def splits_of(rows: Sequence[Sequence[Part]], given: Given) -> Splits:
    """The splits of texts, side by side; row i holds those of text i."""
    flat = list(chain.from_iterable(rows))
    strings = [part.string for part in flat]
    ends = np.cumsum([len(string.normalized) for string in strings], dtype=np.int64)
    starts = np.concatenate((np.zeros(min(1, len(flat)), np.int64), ends[:-1]))
    added = np.array([part.added for part in flat], np.int32)
    firsts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    origins = np.concatenate([np.empty((0, 2), np.int32), *(string.origins for string in strings)])
    chars = code_points("".join(string.normalized for string in strings))
    return Splits(chars, starts, ends, added, firsts, origins, given, room_for(len(given.chars)))
