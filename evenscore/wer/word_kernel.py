"""Words of many texts as ids, compiled by numba.

evenscore/text/words.py does the same without numba. It needs UTF-8, and where letters are not ASCII, encoding and
looking for white space there take as long as the words. These kernels see code points.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from evenscore.text.segments import IntArray, Segments, lengths_of, offsets_of
from evenscore.text.words import SPACES, Mask, Points, Units

_SPACE = ord(" ")
_ONLY_THE_SPACE = np.arange(len(SPACES)) == _SPACE
# The odd number next to 2**64 divided by the golden ratio, as in Fibonacci hashing.
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
# A table of slots begins with 2**8.
_FEWEST_BITS = 8


def kernel_units(texts: list[str], is_usual: bool) -> Units:
    """Split texts into words at spaces; is_usual: texts have yet to go through the default transforms.

    >>> units = kernel_units(["a\\t b a", "b\\tc"], True)
    >>> units.segments.ids.tolist(), units.rows()
    ([0, 1, 0, 2], [['a', 'b', 'a'], ['b\\tc']])
    """
    joined = "".join(texts)
    points = np.frombuffer(joined.encode("utf-32-le"), np.uint32)
    text_offsets = offsets_of(lengths_of(texts))
    spaces = SPACES if is_usual else _ONLY_THE_SPACE
    ids, offsets, (starts, ends) = _compiled()(points, text_offsets, spaces)

    def names(ids: IntArray) -> list[str]:
        places = zip(starts[ids].tolist(), ends[ids].tolist(), strict=True)
        return [joined[start:end] for start, end in places]

    return Units(Segments(ids, offsets), names)


@functools.cache
def _compiled() -> Callable[..., Any]:
    # Most processes need no kernel, so numba is not imported at the top.
    from evenscore.kernel import inner_kernel, kernel

    inner_kernel(_cut)
    inner_kernel(_slots)
    return kernel(_numbered)


def _numbered(points: Points, text_offsets: IntArray, spaces: Mask) -> tuple[IntArray, IntArray, IntArray]:
    """Return the ids of all words, the index of each text's first word, and where each distinct word starts and ends.

    spaces: which code points are white space.
    """
    n_texts = len(text_offsets) - 1
    longest = np.diff(text_offsets).max() // 2 + 1 if n_texts else 0
    ids, offsets = np.empty(len(points) // 2 + n_texts, np.int64), np.zeros_like(text_offsets)
    # Where each word of a text starts and ends, and its hash; and the same of each distinct word.
    own, known = np.empty((3, longest), np.int64), np.empty((3, len(ids)), np.int64)
    # The id in each slot, or -1. A word whose slot has another word goes to the next slot.
    bits, n_known = _FEWEST_BITS, 0
    slots = np.full(1 << bits, -1)
    for text in range(n_texts):
        first = offsets[text]
        count = _cut(points, text_offsets[text], text_offsets[text + 1], spaces, own)
        offsets[text + 1] = first + count
        for k in range(count):
            start, length, digest = own[0, k], own[1, k] - own[0, k], own[2, k]
            slot = np.int64(np.uint64(digest) >> np.uint64(64 - bits))
            while True:
                word = slots[slot]
                if word < 0:
                    slots[slot] = word = n_known
                    known[0, word], known[1, word], known[2, word] = start, start + length, digest
                    n_known += 1
                    break
                other, same = known[0, word], 0
                if known[1, word] - other == length:
                    while same < length and points[other + same] == points[start + same]:
                        same += 1
                    if same == length:
                        break
                slot = (slot + 1) % len(slots)
            ids[first + k] = word
            if 2 * n_known > len(slots):
                bits += 1
                slots = _slots(known[2, :n_known], bits)
    return ids[: offsets[-1]], offsets, known[:2, :n_known]


def _cut(points: Points, place: int, end: int, spaces: Mask, own: IntArray) -> int:
    """Write where each word of a text starts and ends, and its hash; return the number of words.

    White space stands between words, except for a single character other than a space between two others, which the
    default transforms keep inside a word.
    """
    n_spaces, word = len(spaces), 0
    while True:
        while place < end and points[place] < n_spaces and spaces[points[place]]:
            place += 1
        if place == end:
            return word
        own[0, word], digest = place, np.uint64(0)
        while place < end:
            point = points[place]
            if point < n_spaces and spaces[point]:
                after = points[place + 1] if place + 1 < end else _SPACE
                if point == _SPACE or (after < n_spaces and spaces[after]):
                    break
            digest = (digest ^ np.uint64(point)) * _FACTOR
            place += 1
        own[1, word], own[2, word] = place, np.int64(digest)
        word += 1


def _slots(hashes: IntArray, bits: int) -> IntArray:
    """Return a table of 2**bits slots with each distinct word, or -1."""
    slots = np.full(1 << bits, -1)
    for word, digest in enumerate(hashes):
        slot = np.int64(np.uint64(digest) >> np.uint64(64 - bits))
        while slots[slot] >= 0:
            slot = (slot + 1) % len(slots)
        slots[slot] = word
    return slots
