"""Words of many texts as ids, compiled by numba.

evenscore/text/words.py does the same without numba. It needs UTF-8, and where letters are not ASCII, encoding and
looking for white space there take as long as the words. These kernels see code points and take one pass for both.
"""

from __future__ import annotations

import numpy as np

from evenscore.text.segments import IntArray, Segments, offsets_of
from evenscore.text.words import SPACES, Mask, Units
from evenscore.wer.kernel import Bits, run_kernel

_SPACE = ord(" ")
_ONLY_THE_SPACE = np.arange(len(SPACES)) == _SPACE
# The odd number next to 2**64 divided by the golden ratio, as in Fibonacci hashing.
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def kernel_units(texts: list[str], is_usual: bool) -> Units:
    """Split texts into words at spaces; is_usual: texts have yet to go through the default transforms.

    >>> units = kernel_units(["a\\t b a", "b\\tc"], True)
    >>> units.segments.ids.tolist(), units.rows()
    ([0, 1, 0, 3], [['a', 'b', 'a'], ['b\\tc']])
    """
    joined = "".join(texts)
    points = np.frombuffer(joined.encode("utf-32-le"), np.uint32)
    text_offsets = offsets_of(np.fromiter(map(len, texts), np.int64, len(texts)))
    spaces = SPACES if is_usual else _ONLY_THE_SPACE
    starts, ends, hashes, offsets = run_kernel(_split, points, text_offsets, spaces)
    ids = run_kernel(_numbered, points, starts, ends, hashes)

    def names(ids: IntArray) -> list[str]:
        places = zip(starts[ids].tolist(), ends[ids].tolist(), strict=True)
        return [joined[start:end] for start, end in places]

    return Units(Segments(ids, offsets), names)


def _split(points: IntArray, text_offsets: IntArray, spaces: Mask) -> tuple[IntArray, IntArray, Bits, IntArray]:
    """Return where each word starts and ends, its hash, and the index of each text's first word.

    spaces: which code points are white space. All of it stands between words, except for a single character other than
    a space between two others, which the default transforms keep inside a word.
    """
    n_texts, n_spaces = len(text_offsets) - 1, len(spaces)
    starts = np.empty(len(points) // 2 + n_texts, np.int64)
    ends, hashes = np.empty_like(starts), np.empty(len(starts), np.uint64)
    offsets = np.zeros_like(text_offsets)
    word = 0
    for text in range(n_texts):
        place, text_end = text_offsets[text], text_offsets[text + 1]
        while True:
            while place < text_end and points[place] < n_spaces and spaces[points[place]]:
                place += 1
            if place == text_end:
                break
            starts[word], digest = place, np.uint64(0)
            while place < text_end:
                point = points[place]
                if point < n_spaces and spaces[point]:
                    after = points[place + 1] if place + 1 < text_end else _SPACE
                    if point == _SPACE or (after < n_spaces and spaces[after]):
                        break
                digest = (digest ^ np.uint64(point)) * _FACTOR
                place += 1
            ends[word], hashes[word] = place, digest
            word += 1
        offsets[text + 1] = word
    return starts[:word], ends[:word], hashes[:word], offsets


def _numbered(points: IntArray, starts: IntArray, ends: IntArray, hashes: Bits) -> IntArray:
    """Return for each word the index of the first word equal to it."""
    bits = 1
    while 1 << bits < 2 * len(starts):
        bits += 1
    # The word of each slot, or -1. A word whose slot has another word goes to the next slot.
    table = np.full(1 << bits, -1)
    ids = np.empty_like(starts)
    for word, digest in enumerate(hashes):
        slot = np.int64(digest >> np.uint64(64 - bits))
        start, length = starts[word], ends[word] - starts[word]
        while True:
            first = table[slot]
            if first < 0:
                table[slot] = first = word
                break
            if ends[first] - starts[first] == length:
                same = 0
                while same < length and points[starts[first] + same] == points[start + same]:
                    same += 1
                if same == length:
                    break
            slot = (slot + 1) % len(table)
        ids[word] = first
    return ids
