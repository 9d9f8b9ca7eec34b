"""Texts to token ids, for a whole corpus at once: the border that strings do not cross."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ._segments import IntArray, Segments

Bytes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

# What str.split() splits at: the ASCII ones by byte, the others by their UTF-8 bytes.
_ASCII_SPACES = np.zeros(256, dtype=np.bool_)
_ASCII_SPACES[[ord(c) for c in map(chr, range(128)) if c.isspace()]] = True
_WIDE_SPACES = [chr(c).encode() for c in range(128, 0x3001) if chr(c).isspace()]


class Utf8(NamedTuple):
    """Texts as bytes: text i is data[offsets[i]:offsets[i + 1]]."""

    data: Bytes
    offsets: IntArray


class Words(NamedTuple):
    """Words of every text as ids into their vocabulary, a list of distinct strings."""

    segments: Segments
    vocabulary: list[str]


def encode(texts: list[str]) -> Utf8:
    """The UTF-8 bytes of the texts, one after another."""
    _, offsets, data = pa.array(texts, pa.large_string()).buffers()
    data_view = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    offsets_view = np.frombuffer(offsets, np.int64)[: len(texts) + 1]
    return Utf8(data_view[: offsets_view[-1]], offsets_view)


def white_space(data: Bytes) -> Mask:
    """Which bytes belong to a character that str.isspace() calls a space."""
    spaces = _ASCII_SPACES[data]
    leads = {space[0] for space in _WIDE_SPACES}
    for lead in leads:
        starts = np.flatnonzero(data == lead)
        for space in (space for space in _WIDE_SPACES if space[0] == lead):
            hits = starts[_starts_with(data, starts, space)]
            for k in range(len(space)):
                spaces[hits + k] = True
    return spaces


def _starts_with(data: Bytes, starts: IntArray, pattern: bytes) -> Mask:
    # The data is valid UTF-8, so a lead byte is always followed by its character's other bytes.
    found = np.ones(len(starts), dtype=np.bool_)
    for k in range(1, len(pattern)):
        found &= data[starts + k] == pattern[k]
    return found


def split_at(text: Utf8, separators: Mask) -> Words:
    """The runs of bytes between separators, as words.

    separators: shape (len(text.data),), True on every byte of a separator.
    """
    # 1. A word starts where a byte that is none follows a separator or the start of a text; it ends likewise.
    inside = ~separators
    starts_text = np.zeros(len(inside) + 1, dtype=np.bool_)
    starts_text[text.offsets] = True
    begins = inside.copy()
    begins[1:] &= separators[:-1] | starts_text[1:-1]
    ends = inside.copy()
    ends[:-1] &= separators[1:] | starts_text[1:-1]
    starts, stops = np.flatnonzero(begins), np.flatnonzero(ends) + 1
    # 2. The words lie one after another in the bytes that are no separators.
    bounds = np.concatenate(([0], np.cumsum(stops - starts)))
    words = pa.LargeStringArray.from_buffers(len(starts), pa.py_buffer(bounds), pa.py_buffer(text.data[inside]))
    return _with_ids(words, np.searchsorted(starts, text.offsets))


def split_words(texts: list[str]) -> Words:
    """The words of every text, split as str.split() does.

    >>> words = split_words(["a b a", ""])
    >>> words.segments.ids.tolist(), words.segments.offsets.tolist(), words.vocabulary
    ([0, 1, 0], [0, 3, 3], ['a', 'b'])
    """
    text = encode(texts)
    return split_at(text, white_space(text.data))


def split_characters(texts: list[str]) -> Segments:
    """The code points of every text but for the white space, which are their own ids."""
    joined = "".join(texts)
    points = np.frombuffer(joined.encode("utf-32-le"), np.int32)
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
    kept = ~np.isin(points, _SPACE_POINTS)
    kept_before = np.concatenate(([0], np.cumsum(kept)))
    return Segments(points[kept], np.concatenate(([0], kept_before[ends])))


_SPACE_POINTS = np.array([c for c in range(0x3001) if chr(c).isspace()], dtype=np.int32)


def from_token_lists(token_lists: list[list[str]]) -> Words:
    """Words of texts that are already split."""
    tokens = pa.array(list(itertools.chain.from_iterable(token_lists)), pa.large_string())
    lengths = np.fromiter(map(len, token_lists), np.int64, len(token_lists))
    return _with_ids(tokens, np.concatenate(([0], np.cumsum(lengths))))


def _with_ids(words: pa.LargeStringArray, offsets: IntArray) -> Words:
    encoded = words.dictionary_encode()
    ids = encoded.indices.to_numpy(zero_copy_only=False)
    return Words(Segments(ids, offsets), encoded.dictionary.to_pylist())


def split_lines(text: str) -> Words:
    """The words of every line of a text, as `split_words(text.split("\\n"))` has them.

    >>> split_lines("a b\\nb").segments.ids.tolist()
    [0, 1, 1]
    """
    data = np.frombuffer(text.encode(), np.uint8)
    line_ends = np.flatnonzero(data == ord("\n")) + 1
    lines = Utf8(data, np.concatenate(([0], line_ends, [len(data)])))
    return split_at(lines, white_space(data))


def map_words(words: Words, tokenize: Callable[[list[str]], Words]) -> Words:
    """Replace every word by its tokens; `tokenize` sees each distinct word once and returns the tokens of each.

    >>> words = map_words(split_words(["ab c", "ab"]), lambda vocabulary: split_words(["a b", "c"]))
    >>> words.segments.ids.tolist(), words.segments.offsets.tolist(), words.vocabulary
    ([0, 1, 2, 0, 1], [0, 3, 5], ['a', 'b', 'c'])
    """
    per_word = tokenize(words.vocabulary)
    return Words(expand(words.segments, per_word.segments), per_word.vocabulary)


def expand(segments: Segments, expansions: Segments) -> Segments:
    """Replace every id by the ids of the expansion that has its number.

    >>> expand(Segments(np.array([1, 0]), np.array([0, 2])), Segments(np.array([5, 6, 7]), np.array([0, 1, 3])))[0]
    array([6, 7, 5])
    """
    expanded = expansions.take(segments.ids)
    return Segments(expanded.ids, expanded.offsets[segments.offsets])
