"""Texts to the units that are compared: words between spaces, or characters."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._transforms import apply, pipeline
from ._words import Units, Utf8, encode, split_characters, units_by_key, white_space

_SPACE = ord(" ")


def split_units(texts: list[str], unit: str, transforms: Any) -> Units:
    """The words or characters of every text after the transforms.

    As jiwer has it, only a space separates words (transforms.ReduceToListOfListOfWords); its default transforms
    make one of every two or more white space characters, and leave a single tab inside a word.

    >>> units = split_units(["a  b a", ""], "word", None)
    >>> units.row(0), units.row(1)
    (['a', 'b', 'a'], [])
    """
    if unit == "char":
        return split_characters(apply(pipeline(transforms, unit), texts))
    text = _default_words(texts) if transforms is None else encode(apply(pipeline(transforms, unit), texts))
    return units_by_key(text, text.data == _SPACE)


def _default_words(texts: list[str]) -> Utf8:
    """The texts in which splitting at spaces does what the default transforms do."""
    text = encode(texts)
    # Only other white space makes a difference, and most texts have none: all of it in ASCII is below the space.
    if np.count_nonzero(text.data < _SPACE) == len(texts) and text.data.max(initial=0) < 128:
        return text
    separators = white_space(text.data) & (text.data != _SPACE)
    separators[text.offsets[1:] - 1] = False
    unusual = np.unique(np.searchsorted(text.offsets, separators.nonzero()[0], side="right") - 1).tolist()
    if not unusual:
        return text
    changed = dict(zip(unusual, apply(pipeline(None, "word"), [texts[i] for i in unusual]), strict=True))
    return encode([changed.get(i, text) for i, text in enumerate(texts)])
