"""The array types of kernels, and strings as arrays."""

from __future__ import annotations

from collections.abc import Collection
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

# --- The array types of kernels

Bools = npt.NDArray[np.bool_]
U8 = npt.NDArray[np.uint8]
U32 = npt.NDArray[np.uint32]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]


# --- Strings as arrays of their code points


def code_points(text: str) -> U32:
    """The code points of a text, shape (len(text),); UnicodeEncodeError for a lone surrogate.

    >>> code_points("aé").tolist()
    [97, 233]
    """
    # A copy, because numba compiles a kernel twice if it gets both writable and read-only arrays.
    return np.frombuffer(text.encode("utf-32-le"), np.uint32).copy()


def text_of(chars: U32) -> str:
    """The text of these code points, the inverse of `code_points`."""
    return chars.astype(np.uint32, copy=False).tobytes().decode("utf-32-le")


def utf8_size(chars: U32) -> int:
    """The number of bytes of these code points in UTF-8.

    >>> utf8_size(code_points("aé漢"))
    6
    """
    return len(chars) + sum(int(np.count_nonzero(chars >= first)) for first in (0x80, 0x800, 0x10000))


def byte_places(chars: U32) -> I32:
    """The byte offset of each code point in UTF-8, then that of the end: int32, shape (len(chars) + 1,).

    >>> byte_places(code_points("aé漢")).tolist()
    [0, 1, 3, 6]
    """
    sizes = 1 + (chars >= 0x80) + (chars >= 0x800) + (chars >= 0x10000)
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)


# --- Compact forms of numbers and strings for pickles, whose bytes do not depend on which strings are the same object


def packed(numbers: npt.NDArray[np.integer[Any]]) -> Any:
    """Convert integers of 0 or more to the smallest type that holds them.

    >>> packed(np.array([1, 300])).dtype
    dtype('uint16')
    """
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def packed_strings(strings: Collection[str]) -> tuple[str, Any]:
    """The concatenated strings, and their lengths."""
    return "".join(strings), packed(np.fromiter(map(len, strings), np.int64, len(strings)))


def unpacked_strings(text: str, lengths: Any) -> list[str]:
    """The inverse of `packed_strings`.

    >>> unpacked_strings(*packed_strings(["low", "", "er"]))
    ['low', '', 'er']
    """
    return [text[start:end] for start, end in pairwise(accumulate(lengths.tolist(), initial=0))]
