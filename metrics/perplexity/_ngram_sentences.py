"""Sentences put together of parts, taken apart in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ._segments import Segments


def side_by_side(*parts: Segments) -> Segments:
    """Row by row, the segments of all parts one after another; every part has as many.

    >>> side_by_side(repeated([0], 2), Segments(np.array([3, 4]), np.array([0, 2, 2]))).ids.tolist()
    [0, 3, 4, 0]
    """
    ends = np.cumsum([len(part.ids) for part in parts])
    starts = ends - [len(part.ids) for part in parts]
    offsets = [part.offsets[:-1] + start for part, start in zip(parts, starts, strict=True)]
    joined = Segments(np.concatenate([part.ids for part in parts]), np.append(np.concatenate(offsets), ends[-1]))
    rows = np.arange(len(joined.offsets) - 1).reshape(len(parts), -1)
    taken = joined.take(rows.T.ravel())
    return Segments(taken.ids, taken.offsets[:: len(parts)])


def repeated(words: Sequence[int], n: int) -> Segments:
    """n segments, the same words in each."""
    return Segments(np.tile(np.array(words, np.int64), n), np.arange(n + 1) * len(words))


def blocks(sentences: Segments, most: int) -> Iterator[tuple[int, int]]:
    """Ranges of rows with at most so many words each, or of one row.

    >>> list(blocks(repeated([1, 2], 3), 4))
    [(0, 2), (2, 3)]
    """
    ends, start, done = sentences.offsets[1:], 0, 0
    while start < len(ends):
        stop = max(start + 1, int(np.searchsorted(ends, done + most, side="right")))
        yield start, stop
        start, done = stop, int(ends[stop - 1])
