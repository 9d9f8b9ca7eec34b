"""The arrays that go into an encoding kernel and come out of it."""

from __future__ import annotations

import numpy as np

from .._arrays import I32, I64
from .._words import Words
from ._model import Pieces

Room = tuple[I32, I32, I32, I64]


def read_only(words: Words) -> Words:
    """The same words, their arrays views that cannot be written to.

    numba compiles a kernel once more for arrays that differ in this from those it knows.
    """
    views = Words(words.chars.view(), words.offsets.view())
    for view in views:
        view.flags.writeable = False
    return views


def room(words: Words, pieces: int) -> Room:
    """The arrays of `Pieces`, unwritten, for so many pieces of these words."""
    ids, starts, ends = (np.empty(pieces, np.int32) for _ in range(3))
    return ids, starts, ends, np.empty(len(words.offsets), np.int64)


def used(written: Room) -> Pieces:
    """The pieces that were written; copies, so that the rest of the room is given back."""
    ids, starts, ends, offsets = written
    return Pieces(ids[: offsets[-1]].copy(), starts[: offsets[-1]].copy(), ends[: offsets[-1]].copy(), offsets)
