"""Tokenized texts as two arrays, the input of all kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.signedinteger[Any]]


def offsets_of(lengths: npt.NDArray[Any]) -> IntArray:
    """Return the start of each of n consecutive runs, and the end of the last one, shape (n + 1,)."""
    return np.concatenate(([0], np.cumsum(lengths)))


def lengths_of(items: Sequence[Sized]) -> IntArray:
    """Return the length of each item, int64, shape (n,).

    >>> lengths_of(["ab", ""]).tolist()
    [2, 0]
    """
    return np.fromiter(map(len, items), np.int64, len(items))


class Segments(NamedTuple):
    """Token ids of n segments, segment after segment.

    ids: any signed integer type, shape (tokens,); equal tokens have equal ids.
    offsets: int64, shape (n + 1,); segment i is ids[offsets[i]:offsets[i + 1]].

    >>> two = Segments(np.array([7, 8, 7]), np.array([0, 2, 3]))
    >>> two.lengths.tolist(), two.row(0).tolist()
    ([2, 1], [7, 8])
    """

    ids: IntArray
    offsets: IntArray

    @property
    def lengths(self) -> IntArray:
        """The number of tokens of each segment, shape (n,)."""
        return self.offsets[1:] - self.offsets[:-1]

    def row(self, i: int) -> IntArray:
        """Return the token ids of segment i."""
        return self.ids[self.offsets[i] : self.offsets[i + 1]]

    def take(self, rows: IntArray) -> Segments:
        """Return the segments at `rows`, in that order; rows may repeat."""
        return self.runs(self.offsets[rows], self.lengths[rows])

    def runs(self, starts: IntArray, lengths: IntArray) -> Segments:
        """Return segments of the same ids with these starts and lengths."""
        offsets = offsets_of(lengths)
        return Segments(self.ids[np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1])], offsets)

    def repeat(self, times: IntArray) -> Segments:
        """Repeat segment i times[i] times; times: shape (n,)."""
        return self if (times == 1).all() else self.take(np.repeat(np.arange(len(times)), times))

    def tiled(self, times: int) -> Segments:
        """Return all segments `times` times, one after another."""
        return self if times == 1 else Segments(np.tile(self.ids, times), offsets_of(np.tile(self.lengths, times)))

    def rows(self, start: int, stop: int) -> Segments:
        """Return the segments from start to stop (exclusive), as a view."""
        first, last = self.offsets[start], self.offsets[stop]
        return Segments(self.ids[first:last], self.offsets[start : stop + 1] - first)

    def split(self, n: int) -> tuple[Segments, Segments]:
        """Return the first n segments, and the others."""
        return self.rows(0, n), self.rows(n, len(self.offsets) - 1)

    def padded(self, rows: IntArray, width: int, filler: int) -> IntArray:
        """Return the segments at `rows`, shape (len(rows), width), with the filler behind their ids.

        Ids are >= 0, so a negative filler differs from all tokens.
        """
        places = self.offsets[rows, None] + np.arange(width)
        if not len(self.ids):
            return np.full(places.shape, filler, self.ids.dtype)
        table = self.ids.take(places, mode="clip")
        np.copyto(table, filler, where=places >= self.offsets[rows + 1, None])
        return table


def both_sides(tokens: Segments, n_predictions: int, reference_counts: IntArray) -> tuple[Segments, Segments, IntArray]:
    """Return the predictions of one or more systems, their references, and the number of references of each prediction.

    tokens: the predictions of all rows by the first system, by the next one, ..., then the references of all rows.
    reference_counts: the number of references of each row, shape (n,); n_predictions is a multiple of n.

    >>> tokens = Segments(np.array([4, 5, 6]), np.array([0, 1, 2, 3]))
    >>> predictions, references, counts = both_sides(tokens, 2, np.array([1]))
    >>> predictions.ids.tolist(), references.ids.tolist(), counts.tolist()
    ([4, 5], [6, 6], [1, 1])
    """
    predictions, references = tokens.split(n_predictions)
    systems = n_predictions // max(len(reference_counts), 1)
    counts = reference_counts if systems == 1 else np.tile(reference_counts, systems)
    return predictions, references.tiled(systems), counts


def stacked(*parts: Segments) -> Segments:
    """Return the segments of all parts, one part after another.

    >>> stacked(repeated([0], 2), Segments(np.array([3, 4]), np.array([0, 2, 2]))).lengths.tolist()
    [1, 1, 2, 0]
    """
    ends = np.cumsum([len(part.ids) for part in parts])
    starts = ends - [len(part.ids) for part in parts]
    offsets = [part.offsets[:-1] + start for part, start in zip(parts, starts, strict=True)]
    return Segments(np.concatenate([part.ids for part in parts]), np.append(np.concatenate(offsets), ends[-1]))


def side_by_side(*parts: Segments) -> Segments:
    """Concatenate segment i of all parts, for each i; all parts have the same number of segments.

    >>> side_by_side(repeated([0], 2), Segments(np.array([3, 4]), np.array([0, 2, 2]))).ids.tolist()
    [0, 3, 4, 0]
    """
    joined = stacked(*parts)
    rows = np.arange(len(joined.offsets) - 1).reshape(len(parts), -1)
    taken = joined.take(rows.T.ravel())
    return Segments(taken.ids, taken.offsets[:: len(parts)])


def repeated(words: Sequence[int], n: int) -> Segments:
    """Return n segments with the same words."""
    return Segments(np.tile(np.array(words, np.int64), n), np.arange(n + 1) * len(words))


def similar(sizes: IntArray, most: int) -> Iterator[IntArray]:
    """Yield the items in order of size, in runs that take at most `most` if each takes as much as the largest.

    A run has at least one item. Sizes are at least 1.

    >>> [run.tolist() for run in similar(np.array([3, 9, 2, 2]), 6)]
    [[2, 3], [0], [1]]
    """
    order = sizes.argsort(kind="stable")
    if len(order) and len(order) * int(sizes[order[-1]]) <= most:
        # Finding where to cut takes a small batch as long as sorting it.
        yield order
        return
    start = 0
    while start < len(order):
        guess = order[start : start + max(1, most // int(sizes[order[start]]))]
        # What the first, the first two, ... items take.
        taken = sizes[guess] * np.arange(1, len(guess) + 1)
        run = guess[: max(1, int(np.searchsorted(taken, most, side="right")))]
        yield run
        start += len(run)
