"""Converts the texts of a whole corpus to token ids."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evenscore.inputs import encodes
from evenscore.text.segments import IntArray, Segments, lengths_of, offsets_of

Bytes = npt.NDArray[np.uint8]
Wide = npt.NDArray[np.uint16]
Points = npt.NDArray[np.uint32]
Mask = npt.NDArray[np.bool_]

# The key of a short word is an integer: the length in the highest byte, the bytes below, the first one lowest.
_SHORT = 7
_LEAST_SHORT = 1 << 8 * _SHORT
# Without pa.array, as in `as_arrow`.
_NO_WORDS = pa.LargeStringArray.from_buffers(0, pa.py_buffer(np.zeros(1, np.int64)), pa.py_buffer(b""))
_MASKS = np.array([(1 << 8 * length) - 1 for length in range(_SHORT + 1)], np.int64)


@dataclass(frozen=True)
class Keyed:
    """The keys of words, which are equal only for equal words, and a way back to the words."""

    # At least 0, and int64 where short words may be. A long word's key is its index in long_words, below those of all
    # short words.
    keys: IntArray
    # Distinct long words, in order of first appearance.
    long_words: pa.LargeStringArray

    def numbered(self) -> tuple[IntArray, IntArray]:
        """Return each word's number, in order of first appearance, and the key of each number."""
        if self.keys.max(initial=0) < _LEAST_SHORT:
            return self.keys, np.arange(len(self.long_words))
        encoded = as_arrow(self.keys).dictionary_encode()
        return from_arrow(encoded.indices), from_arrow(encoded.dictionary)

    def spell(self, keys: IntArray) -> pa.LargeStringArray:
        """Return the words of the keys."""
        is_short = keys >= _LEAST_SHORT
        long_words = self.long_words.take(as_arrow(keys[~is_short]))
        rows = keys[is_short].astype("<i8").view(np.uint8).reshape(-1, 8)
        lengths = rows[:, _SHORT].astype(np.int64)
        data = rows[np.arange(8) < lengths[:, None]]
        offsets = pa.py_buffer(offsets_of(lengths))
        short_words = pa.LargeStringArray.from_buffers(len(lengths), offsets, pa.py_buffer(data))
        place = np.where(is_short, np.cumsum(is_short), len(lengths) + np.cumsum(~is_short)) - 1
        return pa.concat_arrays([short_words, long_words]).take(as_arrow(place))


def as_arrow(numbers: IntArray) -> pa.Int64Array:
    """Convert integers to arrow. pa.array would import pandas, if installed, to check for a Series.

    >>> as_arrow(np.array([3, 1], np.int32)).to_pylist()
    [3, 1]
    """
    buffer = pa.py_buffer(np.ascontiguousarray(numbers, np.int64))
    return pa.Int64Array.from_buffers(pa.int64(), len(numbers), [None, buffer])


def from_arrow(numbers: pa.Array) -> IntArray:
    """Convert integers without nulls to numpy, without to_numpy for the same reason as in as_arrow.

    >>> from_arrow(as_arrow(np.array([3, 1]))[1:]).tolist()
    [1]
    """
    values = np.frombuffer(numbers.buffers()[1] or b"", f"i{numbers.type.bit_width // 8}")
    return values[numbers.offset : numbers.offset + len(numbers)]


def word_keys(data: Bytes, starts: IntArray, ends: IntArray) -> Keyed:
    """Return the keys of the words data[starts[j]:ends[j]], which are in order and have at least one byte each.

    Nine of ten English words are short, and comparing and numbering integers takes a third of the time of strings.

    >>> keyed = word_keys(np.frombuffer(b"a refrain a", np.uint8), np.array([0, 2, 10]), np.array([1, 9, 11]))
    >>> keyed.spell(keyed.keys).to_pylist()
    ['a', 'refrain', 'a']
    """
    lengths = ends - starts
    long = (lengths > _SHORT).nonzero()[0]
    padded = np.concatenate((data, np.zeros(8, np.uint8)))
    # The eight bytes from each place as an integer, without a copy.
    eights = np.ndarray(len(data) + 1, "<i8", padded, strides=1)
    keys: IntArray = eights[starts].astype(np.int64, copy=False)
    # Compute in place: allocating memory takes longer than the computation.
    np.minimum(lengths, _SHORT, out=lengths)
    keys &= _MASKS.take(lengths)
    lengths <<= 8 * _SHORT
    keys |= lengths
    if not len(long):
        return Keyed(keys, _NO_WORDS)
    long_words = _between(data, starts[long], ends[long]).dictionary_encode()
    keys[long] = from_arrow(long_words.indices)
    return Keyed(keys, long_words.dictionary)


def string_keys(data: Bytes | Wide, starts: IntArray, ends: IntArray) -> Keyed:
    """Return the keys of the words data[starts[j]:ends[j]], each as a long word; faster if most words are long.

    >>> data = np.frombuffer(b"refraining a refraining.", np.uint8)
    >>> keyed = string_keys(data, np.array([0, 11, 13]), np.array([10, 12, 23]))
    >>> keyed.keys.tolist(), keyed.long_words.to_pylist()
    ([0, 1, 0], ['refraining', 'a'])
    """
    size = data.itemsize
    if not np.array_equal(np.append(starts, len(data)), np.append(0, ends + 1)):
        encoded = _between(data.view(np.uint8), size * starts, size * ends).dictionary_encode()
        return Keyed(from_arrow(encoded.indices), encoded.dictionary)
    # One unit follows each word, so that words with a zero in its place stand side by side, and need not be copied.
    closed = data.copy()
    closed[ends] = 0
    offsets = pa.py_buffer(np.append(0, size * (ends + 1)))
    encoded = pa.LargeStringArray.from_buffers(len(ends), offsets, pa.py_buffer(closed)).dictionary_encode()
    _, distinct_offsets, distinct = encoded.dictionary.buffers()
    cuts = np.frombuffer(distinct_offsets, np.int64)
    long_words = _between(np.frombuffer(distinct, np.uint8), cuts[:-1], cuts[1:] - size)
    return Keyed(from_arrow(encoded.indices), long_words)


def _between(data: Bytes, starts: IntArray, ends: IntArray) -> pa.LargeStringArray:
    """Return the strings data[starts[j]:ends[j]], which are in order."""
    # With these offsets, the strings and what separates them alternate. np.append would copy them all.
    offsets = np.empty(2 * len(starts) + 1, np.int64)
    offsets[:-1:2], offsets[1::2], offsets[-1] = starts, ends, len(data)
    alternating = pa.LargeStringArray.from_buffers(2 * len(starts), pa.py_buffer(offsets), pa.py_buffer(data))
    return alternating.take(as_arrow(np.arange(0, 2 * len(starts), 2)))


LINE_FEED = 10
_WIDE = "utf-16-le"
# About this many characters decide between encodings.
_SAMPLE = 1000

# Whether str.isspace() is true, by code point; the last such character is U+3000.
SPACES = np.array([chr(point).isspace() for point in range(0x4000)])
_ASCII_SPACE, _NO_BREAK_SPACE = 0x20, 0xA0
# The first such character beyond Latin-1, and the last one, which kana follow.
_FIRST_RARE_SPACE = 256 + int(SPACES[256:].argmax())
_LAST_SPACE = int(SPACES.nonzero()[0][-1])
# Classes of bytes: 1 an ASCII space, 2 the first byte of a character that may be a space, 0 any other.
_SPACE, _LEAD = 1, 2
_LEADS = {chr(point).encode()[0] for point in range(128, 0x4000) if chr(point).isspace()}
_CLASSES = bytes(_LEAD if byte in _LEADS else int(byte < 128 and SPACES[byte]) for byte in range(256))


class Utf8(NamedTuple):
    """Texts as bytes with a line feed after each: text i is data[offsets[i]:offsets[i + 1] - 1]."""

    data: Bytes
    offsets: IntArray

    @property
    def low(self) -> Bytes:
        """The same bytes, as in `Utf16`."""
        return self.data


class Utf16(NamedTuple):
    """Like `Utf8`, but in units of two bytes, which is faster for most scripts except Latin."""

    data: Wide
    offsets: IntArray

    @property
    def low(self) -> Bytes:
        """The units as bytes, those from 0xFE as 0xFE."""
        return np.minimum(self.data, 0xFE).astype(np.uint8)


class Units(NamedTuple):
    """The units (words or characters) of texts as ids, with a function from ids to strings."""

    segments: Segments
    names: Callable[[IntArray], list[str]]

    def row(self, i: int) -> list[str]:
        """Return the units of text i."""
        return self.names(self.segments.row(i))

    def rows(self) -> list[list[str]]:
        """Return the units of all texts, which is faster than row by row."""
        names, offsets = self.names(self.segments.ids), self.segments.offsets.tolist()
        return [names[start:end] for start, end in itertools.pairwise(offsets)]


@dataclass(frozen=True)
class Words:
    """The words of texts as ids in their vocabulary of distinct strings, which `spell` makes on request only."""

    segments: Segments
    spell: Callable[[], pa.LargeStringArray]

    @functools.cached_property
    def vocabulary(self) -> pa.LargeStringArray:
        """The distinct words, by id."""
        return self.spell()

    @property
    def units(self) -> Units:
        """The words as Units."""
        return Units(self.segments, lambda ids: self.vocabulary.take(as_arrow(ids)).to_pylist())


def encode(texts: list[str]) -> Utf8:
    """Encode texts as UTF-8."""
    text = _as_utf_8("\n".join([*texts, ""]))
    return text._replace(offsets=_offsets(text, texts, "utf-8"))


def encode_either(texts: list[str]) -> Utf8 | Utf16:
    """Encode texts as UTF-16 if their characters take more than 1.25 bytes each in UTF-8, and else as UTF-8.

    >>> encode_either(["Да"]).data.tolist(), encode_either(["Yes"]).data.tolist()
    ([1044, 1072, 10], [89, 101, 115, 10])
    """
    text = encode_lines("\n".join([*texts, ""]))
    return text._replace(offsets=_offsets(text, texts, "utf-8" if isinstance(text, Utf8) else _WIDE))


def encode_lines(lines: str) -> Utf8 | Utf16:
    """Encode texts of one line each like `encode_either`; lines: the texts with a line feed after each."""
    sample = lines[:: len(lines) // _SAMPLE + 1]
    if 4 * len(sample.encode()) <= 5 * len(sample):
        return _as_utf_8(lines)
    data = np.frombuffer(lines.encode(_WIDE), "<u2")
    return Utf16(data, _ends_of_lines(data))


def _as_utf_8(lines: str) -> Utf8:
    data = np.frombuffer(lines.encode(), np.uint8)
    return Utf8(data, _ends_of_lines(data))


def _ends_of_lines(data: Bytes | Wide) -> IntArray:
    """Return the places behind line feeds, after 0."""
    return np.concatenate(([0], (data == LINE_FEED).nonzero()[0] + 1))


def _offsets(text: Utf8 | Utf16, texts: list[str], encoding: str) -> IntArray:
    """Return where each of the texts starts in the encoded lines, and the end."""
    if len(text.offsets) == len(texts) + 1:
        return text.offsets
    # Some text contains line feeds.
    return offsets_of(np.array([len(own.encode(encoding)) // text.data.itemsize + 1 for own in texts]))


def points_of(data: Bytes | Wide) -> Points:
    """Return the code points of units, those of UTF-8 or of UTF-16."""
    decoded = data.tobytes().decode("utf-8" if data.dtype == np.uint8 else _WIDE)
    return np.frombuffer(decoded.encode("utf-32-le"), "<u4")


def character_begins(data: Bytes | Wide) -> Mask:
    """Return which units are the first of a character.

    >>> character_begins(encode(["aé"]).data).tolist()
    [True, True, False, True]
    """
    begins: Mask = (data & 0xC0) != 0x80 if data.dtype == np.uint8 else (data & 0xFC00) != 0xDC00
    return begins


def has_pairs(data: Wide) -> bool:
    """Return whether any character takes two units of UTF-16."""
    return bool(((data & 0xF800) == 0xD800).any())


def without(text: Utf8 | Utf16, left_out: Mask) -> Utf8 | Utf16:
    """Leave out whole characters, of which `left_out` has every unit.

    >>> without(encode(["a-b", "-"]), np.array([False, True, False, False, True, False])).data.tobytes()
    b'ab\\n\\n'
    """
    kept = ~left_out
    offsets = offsets_of(kept)[text.offsets]
    if isinstance(text, Utf8):
        return Utf8(text.data[kept], offsets)
    return Utf16(text.data[kept], offsets)


def translate(data: Bytes, table: bytes) -> Bytes:
    """Replace each byte by its entry in a table of 256 bytes, twice as fast as numpy's indexing."""
    return np.frombuffer(data.tobytes().translate(table), np.uint8)


def white_space_of_wide(text: Utf16) -> Mask:
    """Return which units are a character for which str.isspace() is true."""
    data = text.data
    spaces: Mask = data <= _ASCII_SPACE
    # Few texts have control characters other than line feeds, or one of the other ranges.
    is_control = (data < _ASCII_SPACE) | ((data >= 0x80) & (data <= _NO_BREAK_SPACE))
    unsure = (is_control | ((data >= _FIRST_RARE_SPACE) & (data <= _LAST_SPACE))).nonzero()[0]
    spaces[unsure] = SPACES[data[unsure]]
    return spaces


def white_space_of(text: Utf8 | Utf16) -> Mask:
    """Return which units belong to a character for which str.isspace() is true."""
    return white_space(text.data) if isinstance(text, Utf8) else white_space_of_wide(text)


def white_space(data: Bytes) -> Mask:
    """Return which bytes belong to a character for which str.isspace() is true."""
    classes = translate(data, _CLASSES)
    spaces: Mask = classes == _SPACE
    leads = (classes == _LEAD).nonzero()[0]
    if len(leads):
        # U+0080 .. U+00BF are the byte C2 and the code point itself; the others have three bytes with 4, 6 and 6 bits.
        short = leads[data[leads] == 0xC2]
        short = short[SPACES[data[short + 1]]]
        long = leads[data[leads] != 0xC2]
        first, second, third = (data[long + k].astype(np.int64) for k in range(3))
        long = long[SPACES[(first & 0xF) << 12 | (second & 0x3F) << 6 | (third & 0x3F)]]
        spaces[np.concatenate((short, short + 1, long, long + 1, long + 2))] = True
    return spaces


def split_at(text: Utf8 | Utf16, separators: Mask, cuts: Mask | None = None) -> Words:
    """Split texts into the runs of units between separators, numbered in order of first appearance.

    separators: True for each unit of a separator; cuts: further places where a word starts.
    """
    offsets, keyed = _keyed(text, separators, cuts)
    (numbers, distinct), kind = keyed.numbered(), type(text)
    return Words(Segments(numbers, offsets), lambda: _strings(keyed, distinct, kind))


def _strings(keyed: Keyed, keys: IntArray, kind: type[Utf8 | Utf16]) -> pa.LargeStringArray:
    """Return the words with these keys, which are of a text of this kind."""
    spelled = keyed.spell(keys)
    if kind is Utf8:
        return spelled
    _, offsets, data = spelled.buffers()
    units = np.frombuffer(data, "<u2")
    # A unit from U+0800 takes three bytes in UTF-8, half of a pair two.
    widths = 1 + (units >= 0x80) + (units >= 0x800) - (units & 0xF800 == 0xD800)
    starts = offsets_of(widths)[np.frombuffer(offsets, np.int64) // units.itemsize]
    as_utf_8 = units.tobytes().decode(_WIDE).encode()
    return pa.LargeStringArray.from_buffers(len(spelled), pa.py_buffer(starts), pa.py_buffer(as_utf_8))


def units_by_key(text: Utf8, separators: Mask) -> Units:
    """Like `split_at`, but faster, with keys as ids: integers of any size from 0."""
    offsets, keyed = _keyed(text, separators, None)
    return Units(Segments(keyed.keys, offsets), lambda keys: keyed.spell(keys).to_pylist())


def _keyed(text: Utf8 | Utf16, separators: Mask, cuts: Mask | None) -> tuple[IntArray, Keyed]:
    """Return the index of each text's first word, shape (texts + 1,), and the keys of all words."""
    inside = ~separators
    # The end of a text is a separator too.
    inside[text.offsets[1:] - 1] = False
    starts, ends = _edges(inside, cuts)
    first, size = np.searchsorted(starts, text.offsets), text.data.itemsize
    if 2 * np.count_nonzero(size * (ends - starts) > _SHORT) > len(starts):
        return first, string_keys(text.data, starts, ends)
    return first, word_keys(text.data.view(np.uint8), size * starts, size * ends)


def _edges(inside: Mask, cuts: Mask | None) -> tuple[IntArray, IntArray]:
    """Return where words start and end; inside: whether a unit is no separator, as the last one is."""
    if cuts is None:
        # Each separator ends a word, which may be empty.
        ends = (~inside).nonzero()[0]
        starts = np.append(0, ends + 1)[:-1]
        is_word = starts < ends
        return (starts, ends) if is_word.all() else (starts[is_word], ends[is_word])
    # Whether the same word has a unit and the one before it.
    goes_on = np.zeros(len(inside) + 1, np.bool_)
    np.logical_and(inside[1:], inside[:-1], out=goes_on[1:-1])
    goes_on[:-1] &= ~cuts
    # Of two masks, ">" is true where only the first one is.
    return (inside > goes_on[:-1]).nonzero()[0], (inside > goes_on[1:]).nonzero()[0] + 1


def split_words(texts: list[str]) -> Words:
    """Split texts into words like str.split().

    >>> words = split_words(["a b a", ""])
    >>> words.segments.ids.tolist(), words.segments.offsets.tolist(), words.vocabulary.to_pylist()
    ([0, 1, 0], [0, 3, 3], ['a', 'b'])
    """
    text = encode_either(texts)
    return split_at(text, white_space_of(text))


def split_characters(texts: list[str]) -> Units:
    """Split texts into code points, which are their own ids.

    >>> split_characters(["ab", "", "b"]).segments.ids.tolist()
    [97, 98, 98]
    """
    points = np.frombuffer("".join(texts).encode("utf-32-le"), np.int32)
    lengths = lengths_of(texts)
    return Units(Segments(points, offsets_of(lengths)), lambda points: list(map(chr, points.tolist())))


def without_spaces(characters: Units) -> Units:
    """Remove the code points for which str.isspace() is true."""
    points, offsets = characters.segments
    kept = ~SPACES[np.minimum(points, len(SPACES) - 1)]
    return Units(Segments(points[kept], offsets_of(kept)[offsets]), characters.names)


def from_token_lists(token_lists: list[list[str]]) -> Words:
    """Return the words of texts that are already split."""
    encoded = pa.array(list(itertools.chain.from_iterable(token_lists)), pa.large_string()).dictionary_encode()
    lengths = lengths_of(token_lists)
    return Words(Segments(from_arrow(encoded.indices), offsets_of(lengths)), lambda: encoded.dictionary)


def checked_tokens(tokens: Any, text: str) -> list[str]:
    """Return the tokens that the caller's tokenizer returned; ValueError unless they are a list of valid strings."""
    if not isinstance(tokens, (list, tuple)) or not all(isinstance(token, str) for token in tokens):
        raise ValueError(f"the tokenizer returned {tokens!r} for {text!r}: return a list of strings")
    if not encodes("".join(tokens)):
        raise ValueError(f"the tokenizer returned {tokens!r} for {text!r}: return no lone surrogates")
    return list(tokens)


def map_words(words: Words, tokenize: Callable[[pa.LargeStringArray], Words]) -> Words:
    """Replace each word by its tokens; `tokenize` gets each distinct word once.

    >>> words = map_words(split_words(["ab c", "ab"]), lambda vocabulary: split_words(["a b", "c"]))
    >>> words.segments.ids.tolist(), words.segments.offsets.tolist(), words.vocabulary.to_pylist()
    ([0, 1, 2, 0, 1], [0, 3, 5], ['a', 'b', 'c'])
    """
    per_word = tokenize(words.vocabulary)
    return Words(expand(words.segments, per_word.segments), per_word.spell)


def expand(segments: Segments, expansions: Segments) -> Segments:
    """Replace each id by the ids of the expansion with that index.

    >>> expand(Segments(np.array([1, 0]), np.array([0, 2])), Segments(np.array([5, 6, 7]), np.array([0, 1, 3])))[0]
    array([6, 7, 5])
    """
    expanded = expansions.take(segments.ids)
    return Segments(expanded.ids, expanded.offsets[segments.offsets])
