"""Texts to token ids, for a whole corpus at once: the border that strings do not cross."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ._numbering import Numbered, number_words, word_keys
from ._segments import IntArray, Segments

Bytes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

LINE_FEED = 10

# What str.isspace() calls a space, by code point; the last one is U+3000.
_SPACES = np.array([chr(point).isspace() for point in range(0x4000)])
# Classes of bytes: 1 a space by itself, 2 the first byte of a character that may be one, 0 any other.
_SPACE, _LEAD = 1, 2
_LEADS = {chr(point).encode()[0] for point in range(128, 0x4000) if chr(point).isspace()}
_CLASSES = bytes(_LEAD if byte in _LEADS else int(byte < 128 and _SPACES[byte]) for byte in range(256))


class Utf8(NamedTuple):
    """Texts as bytes, a line feed after each: text i is data[offsets[i]:offsets[i + 1] - 1]."""

    data: Bytes
    offsets: IntArray


class Units(NamedTuple):
    """The units of every text as ids, with the function from ids to the units, for what people read."""

    segments: Segments
    names: Callable[[IntArray], list[str]]

    def row(self, i: int) -> list[str]:
        """The units of text i."""
        return self.names(self.segments.row(i))

    def rows(self) -> list[list[str]]:
        """The units of every text, which is faster than text by text."""
        names, offsets = self.names(self.segments.ids), self.segments.offsets.tolist()
        return [names[start:end] for start, end in itertools.pairwise(offsets)]


class Words(NamedTuple):
    """Words of every text as ids into their vocabulary, an array of distinct strings."""

    segments: Segments
    vocabulary: pa.LargeStringArray

    @property
    def units(self) -> Units:
        """The words with their names."""
        return Units(self.segments, lambda ids: self.vocabulary.take(pa.array(ids)).to_pylist())


def encode(texts: list[str]) -> Utf8:
    """The UTF-8 bytes of the texts."""
    data = np.frombuffer("\n".join([*texts, ""]).encode(), np.uint8)
    ends = (data == LINE_FEED).nonzero()[0] + 1
    if len(ends) != len(texts):
        # Some text holds line feeds of its own.
        ends = np.cumsum([len(text.encode()) + 1 for text in texts])
    return Utf8(data, np.concatenate(([0], ends)))


def translate(data: Bytes, table: bytes) -> Bytes:
    """Every byte replaced by what stands at its place in the table, of 256 bytes; twice as fast as numpy's indexing."""
    return np.frombuffer(data.tobytes().translate(table), np.uint8)


def white_space(data: Bytes) -> Mask:
    """Which bytes belong to a character that str.isspace() calls a space."""
    classes = translate(data, _CLASSES)
    spaces: Mask = classes == _SPACE
    leads = (classes == _LEAD).nonzero()[0]
    if len(leads):
        # U+0080 .. U+00BF are their second byte, behind C2; the others have three bytes, with 4, 6 and 6 bits.
        short = leads[data[leads] == 0xC2]
        short = short[_SPACES[data[short + 1]]]
        long = leads[data[leads] != 0xC2]
        first, second, third = (data[long + k].astype(np.int64) for k in range(3))
        long = long[_SPACES[(first & 0xF) << 12 | (second & 0x3F) << 6 | (third & 0x3F)]]
        spaces[np.concatenate((short, short + 1, long, long + 1, long + 2))] = True
    return spaces


def split_at(text: Utf8, separators: Mask) -> Words:
    """The runs of bytes between separators, as words.

    separators: shape (len(text.data),), True on every byte of a separator.
    """
    numbered, offsets = _numbered(text, separators, None)
    return Words(Segments(numbered.ids, offsets), numbered.vocabulary)


def units_at(text: Utf8, separators: Mask, cuts: IntArray | None = None) -> Units:
    """The same as units, whose names are spelled when somebody asks for them.

    cuts: places where a unit ends and the next one begins, without a separator in between, in any order.
    """
    numbered, offsets = _numbered(text, separators, cuts)
    return Units(Segments(numbered.ids, offsets), lambda ids: numbered.vocabulary.take(pa.array(ids)).to_pylist())


def units_by_key(text: Utf8, separators: Mask) -> Units:
    """The same, with ids that are not numbers of a vocabulary but integers of any size, from 0 on: less work."""
    edges = _edges(text, separators, None)
    keyed = word_keys(text.data, edges)
    return Units(Segments(keyed.keys, _first_words(text, edges)), lambda keys: keyed.spell(keys).to_pylist())


def _numbered(text: Utf8, separators: Mask, cuts: IntArray | None) -> tuple[Numbered, IntArray]:
    """The words of all texts, with the first word of every text, shape (number of texts + 1,)."""
    edges = _edges(text, separators, cuts)
    return number_words(text.data, edges), _first_words(text, edges)


def _edges(text: Utf8, separators: Mask, cuts: IntArray | None) -> IntArray:
    """Where every word begins and ends, one after another."""
    # A word lies from an edge where separators end to the next edge; a text's end is a separator, too.
    inside = np.zeros(len(separators) + 2, dtype=np.bool_)
    np.logical_not(separators, out=inside[1:-1])
    inside[text.offsets[1:]] = False
    is_edge = inside[1:] != inside[:-1]
    if cuts is not None:
        is_edge[cuts] = True
    places: IntArray = is_edge.nonzero()[0]
    # A cut is an edge for each of its two sides that is no separator.
    return places if cuts is None else np.repeat(places, inside[places].astype(np.int8) + inside[places + 1])


def _first_words(text: Utf8, edges: IntArray) -> IntArray:
    first: IntArray = (np.searchsorted(edges, text.offsets) + 1) // 2
    return first


def split_words(texts: list[str]) -> Words:
    """The words of every text, split as str.split() does.

    >>> words = split_words(["a b a", ""])
    >>> words.segments.ids.tolist(), words.segments.offsets.tolist(), words.vocabulary.to_pylist()
    ([0, 1, 0], [0, 3, 3], ['a', 'b'])
    """
    text = encode(texts)
    return split_at(text, white_space(text.data))


def split_characters(texts: list[str]) -> Units:
    """The code points of every text, which are their own ids.

    >>> split_characters(["ab", "", "b"]).segments.ids.tolist()
    [97, 98, 98]
    """
    points = np.frombuffer("".join(texts).encode("utf-32-le"), np.int32)
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    return Units(Segments(points, np.concatenate(([0], np.cumsum(lengths)))), _characters)


def _characters(points: IntArray) -> list[str]:
    return list(map(chr, points.tolist()))


def without_spaces(characters: Units) -> Units:
    """Code points without those that str.isspace() calls spaces."""
    points, offsets = characters.segments
    kept = ~_SPACES[np.minimum(points, len(_SPACES) - 1)]
    kept_before = np.concatenate(([0], np.cumsum(kept)))
    return Units(Segments(points[kept], kept_before[offsets]), characters.names)


def from_token_lists(token_lists: list[list[str]]) -> Words:
    """Words of texts that are already split."""
    tokens = pa.array(list(itertools.chain.from_iterable(token_lists)), pa.large_string())
    lengths = np.fromiter(map(len, token_lists), np.int64, len(token_lists))
    return _with_ids(tokens, np.concatenate(([0], np.cumsum(lengths))))


def _with_ids(words: pa.LargeStringArray, offsets: IntArray) -> Words:
    encoded = words.dictionary_encode()
    ids = encoded.indices.to_numpy(zero_copy_only=False)
    return Words(Segments(ids, offsets), encoded.dictionary)


def split_lines(text: str) -> Words:
    """The words of every line of a text, as `split_words(text.split("\\n"))` has them.

    >>> split_lines("a b\\nb").segments.ids.tolist()
    [0, 1, 1]
    """
    data = np.frombuffer(f"{text}\n".encode(), np.uint8)
    ends = (data == LINE_FEED).nonzero()[0] + 1
    return split_at(Utf8(data, np.concatenate(([0], ends))), white_space(data))


def map_words(words: Words, tokenize: Callable[[list[str]], Words]) -> Words:
    """Replace every word by its tokens; `tokenize` sees each distinct word once and returns the tokens of each.

    >>> words = map_words(split_words(["ab c", "ab"]), lambda vocabulary: split_words(["a b", "c"]))
    >>> words.segments.ids.tolist(), words.segments.offsets.tolist(), words.vocabulary.to_pylist()
    ([0, 1, 2, 0, 1], [0, 3, 5], ['a', 'b', 'c'])
    """
    per_word = tokenize(words.vocabulary.to_pylist())
    return Words(expand(words.segments, per_word.segments), per_word.vocabulary)


def expand(segments: Segments, expansions: Segments) -> Segments:
    """Replace every id by the ids of the expansion that has its number.

    >>> expand(Segments(np.array([1, 0]), np.array([0, 2])), Segments(np.array([5, 6, 7]), np.array([0, 1, 3])))[0]
    array([6, 7, 5])
    """
    expanded = expansions.take(segments.ids)
    return Segments(expanded.ids, expanded.offsets[segments.offsets])
