"""Texts to the units that are compared: words between spaces, or characters."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._segments import IntArray, Segments
from ._transforms import apply, pipeline
from ._words import Utf8, encode, split_at, white_space

_SPACE = ord(" ")


class Units(NamedTuple):
    """The units of every text as ids, with the text that each id stands for."""

    segments: Segments
    names: Any

    def row(self, i: int) -> list[str]:
        """The units of text i."""
        return [self.names[number] for number in self.segments.row(i).tolist()]


def split_units(texts: list[str], unit: str, transforms: Any) -> Units:
    """The words or characters of every text after the transforms.

    As jiwer has it, only a space separates words (transforms.ReduceToListOfListOfWords); its default transforms
    make one of every two or more white space characters, and leave a single tab inside a word.

    >>> units = split_units(["a  b a", ""], "word", None)
    >>> units.segments.ids.tolist(), units.row(0), units.row(1)
    ([0, 1, 0], ['a', 'b', 'a'], [])
    """
    if unit == "char":
        return _characters(apply(pipeline(transforms, unit), texts))
    if transforms is None:
        text = _default_words(texts)
    else:
        text = encode(apply(pipeline(transforms, unit), texts))
    words = split_at(text, text.data == _SPACE)
    return Units(words.segments, words.vocabulary)


def _default_words(texts: list[str]) -> Utf8:
    """Splitting at spaces does what the default transforms do, but to texts with other white space."""
    text = encode(texts)
    others = np.flatnonzero(white_space(text.data) & (text.data != _SPACE))
    if not len(others):
        return text
    steps = pipeline(None, "word")
    changed = list(texts)
    for i in np.unique(np.searchsorted(text.offsets, others, side="right") - 1).tolist():
        changed[i] = apply(steps, [texts[i]])[0]
    return encode(changed)


def _characters(texts: list[str]) -> Units:
    points: IntArray = np.frombuffer("".join(texts).encode("utf-32-le"), np.int32)
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    return Units(Segments(points, np.concatenate(([0], np.cumsum(lengths)))), _CodePoints())


class _CodePoints:
    """The character of each code point, which is its id."""

    def __getitem__(self, point: int) -> str:
        return chr(point)
