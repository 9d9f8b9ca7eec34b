"""Words of a text numbered, equal ones alike."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ._segments import IntArray

# A short word is an integer: its bytes, the first one lowest, below its length in the highest byte.
_SHORT = 7
_LEAST_SHORT = 1 << 8 * _SHORT
_MASKS = np.array([(1 << 8 * length) - 1 for length in range(_SHORT + 1)], np.int64)


@dataclass(frozen=True)
class Keyed:
    """Of every word its key, equal for equal words alone; what the words of keys are.

    keys: shape (number of words,), int64, from 0 on; the integer of a short word, the number of a long one, which is
    below all of these.
    long_words: distinct.
    """

    keys: IntArray
    long_words: pa.LargeStringArray

    def spell(self, keys: IntArray) -> pa.LargeStringArray:
        """The words of these keys."""
        is_short = keys >= _LEAST_SHORT
        long_words = self.long_words.take(pa.array(keys[~is_short]))
        rows = keys[is_short].astype("<i8").view(np.uint8).reshape(-1, 8)
        lengths = rows[:, _SHORT].astype(np.int64)
        data = rows[np.arange(8) < lengths[:, None]]
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        short_words = pa.LargeStringArray.from_buffers(len(lengths), pa.py_buffer(offsets), pa.py_buffer(data))
        place = np.where(is_short, np.cumsum(is_short), len(lengths) + np.cumsum(~is_short)) - 1
        return pa.concat_arrays([short_words, long_words]).take(pa.array(place))


@dataclass(frozen=True)
class Numbered:
    """Of every word its number, in order of first appearance; the words by their numbers.

    ids: shape (number of words,).
    """

    ids: IntArray
    keyed: Keyed
    distinct_keys: IntArray

    @functools.cached_property
    def vocabulary(self) -> pa.LargeStringArray:
        """The distinct words by their numbers."""
        return self.keyed.spell(self.distinct_keys)


def number_words(data: npt.NDArray[np.uint8], edges: IntArray) -> Numbered:
    """Number the words of UTF-8 text; word j is data[edges[2 * j]:edges[2 * j + 1]], at least a byte.

    >>> numbered = number_words(np.frombuffer(b"a refrain a", np.uint8), np.array([0, 1, 2, 9, 10, 11]))
    >>> numbered.ids.tolist(), numbered.vocabulary.to_pylist()
    ([0, 1, 0], ['a', 'refrain'])
    """
    keyed = word_keys(data, edges)
    encoded = pa.array(keyed.keys).dictionary_encode()
    return Numbered(encoded.indices.to_numpy(zero_copy_only=False), keyed, encoded.dictionary.to_numpy())


def word_keys(data: npt.NDArray[np.uint8], edges: IntArray) -> Keyed:
    """The keys of the words, given as for `number_words`.

    Of ten words nine are short, and integers compare and are numbered in a third of the time that strings take.
    """
    starts = edges[::2]
    lengths = edges[1::2] - starts
    long = (lengths > _SHORT).nonzero()[0]
    # With the edges as offsets, the bytes are an array of words with what separates them in between.
    offsets = pa.py_buffer(edges if len(edges) else np.zeros(1, np.int64))
    between = pa.LargeStringArray.from_buffers(max(len(edges) - 1, 0), offsets, pa.py_buffer(data))
    long_words = between.take(pa.array(2 * long)).dictionary_encode()
    keys = _short_keys(data, starts, np.minimum(lengths, _SHORT, out=lengths))
    keys[long] = long_words.indices.to_numpy(zero_copy_only=False)
    return Keyed(keys, long_words.dictionary)


def _short_keys(data: npt.NDArray[np.uint8], starts: IntArray, lengths: IntArray) -> IntArray:
    padded = np.concatenate((data, np.zeros(8, np.uint8)))
    # The eight bytes from every place on, as an integer, without a copy.
    eights = np.ndarray(len(data) + 1, "<i8", padded, strides=1)
    keys: IntArray = eights[starts].astype(np.int64, copy=False)
    keys &= _MASKS.take(lengths)
    # In place: fresh memory takes longer than the work on it.
    lengths <<= 8 * _SHORT
    keys |= lengths
    return keys
