"""Strings as one, to be pickled: small, its bytes the same whichever of the strings are one object."""

from __future__ import annotations

from collections.abc import Collection
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ._arrays import packed


def packed_strings(strings: Collection[str]) -> tuple[str, Any]:
    """All strings one after another, their lengths."""
    return "".join(strings), packed(np.fromiter(map(len, strings), np.int64, len(strings)))


def unpacked_strings(text: str, lengths: Any) -> list[str]:
    """The way back.

    >>> unpacked_strings(*packed_strings(["low", "", "er"]))
    ['low', '', 'er']
    """
    return [text[start:end] for start, end in pairwise(accumulate(lengths.tolist(), initial=0))]
