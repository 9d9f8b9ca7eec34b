"""The lines of ARPA files that hold n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ._ngram_model import Float32Array
from ._segments import IntArray
from ._words import Mask, Utf8, split_at, translate

# As in KenLM, which lets words hold the other kinds of white space.
SEPARATORS = " \t\n\r"
_SEPARATOR_TABLE = bytes(chr(byte) in SEPARATORS for byte in range(256))
# What pyarrow's cast reads, short of "nan".
_NUMBER = r"(?i)^[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?)$"


class BadLine(Exception):
    """What is wrong with a line, and which one it is, from 0."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class NgramLines(NamedTuple):
    """m n-grams, one a line.

    log_probs, backoffs: shape (m,); 0 for a back-off weight that is not given.
    words: shape (m, n), ids into vocabulary, where the digits of the numbers stand, too.
    """

    log_probs: Float32Array
    backoffs: Float32Array
    words: IntArray
    vocabulary: pa.LargeStringArray


def parse(lines: list[bytes], n: int) -> NgramLines:
    r"""Lines of log10 probability, n words and, if there is one, back-off weight; numbers rounded once, to float32.

    lines: each with the line feed at its end.
    BadLine for another number of fields, for a number that is none, or is positive where it is a probability's, or is
    infinite where it is a weight, and for what is not UTF-8.

    >>> parsed = parse([b"-1.5 a b -0.25\n", b"-2\tb c\n"], 2)
    >>> parsed.log_probs.tolist(), parsed.backoffs.tolist(), parsed.words.tolist()
    ([-1.5, -2.0], [-0.25, 0.0], [[1, 2], [2, 5]])
    """
    text = _utf8(lines)
    fields = split_at(text, translate(text.data, _SEPARATOR_TABLE).view(np.bool_))
    ids, starts, lengths = fields.segments.ids, fields.segments.offsets[:-1], fields.segments.lengths
    refuse((lengths < n + 1) | (lengths > n + 2), f"give a log10 probability, {n} words, and a back-off weight or none")
    weighted = np.flatnonzero(lengths == n + 2)
    numbers = _numbers(fields.vocabulary, np.concatenate((ids[starts], ids[starts[weighted] + n + 1])))
    log_probs, backoffs = numbers[: len(lines)], np.zeros(len(lines), np.float32)
    backoffs[weighted] = numbers[len(lines) :]
    refuse(np.isnan(log_probs), "the log10 probability is no number")
    refuse(log_probs > 0, "a log10 probability is at most 0")
    refuse(~np.isfinite(backoffs), "the back-off weight is no finite number")
    return NgramLines(log_probs, backoffs, ids[starts[:, None] + np.arange(1, n + 1)], fields.vocabulary)


def format_lines(log_probs: Float32Array, ngrams: pa.LargeStringArray, backoffs: Float32Array | None) -> memoryview:
    r"""The lines of n-grams; every number with the fewest digits that are read as the same float32.

    backoffs: None where there are none, at the highest order.

    >>> line = format_lines(np.array([-0.1], np.float32), pa.array(["a b"], pa.large_string()), None)
    >>> bytes(line)
    b'-0.1\ta b\n'
    """
    fields = [_digits(log_probs), ngrams, *([] if backoffs is None else [_digits(backoffs)])]
    lines = joined([joined(fields, "\t"), pa.scalar("\n", pa.large_string())], "")
    _, offsets, data = lines.buffers()
    # The buffer may be longer than what it holds.
    return memoryview(data or b"")[: np.frombuffer(offsets, np.int64)[len(lines)]]


def joined(columns: Sequence[pa.LargeStringArray], separator: str) -> pa.LargeStringArray:
    """The strings of all columns row by row, with the separator between them."""
    return pc.binary_join_element_wise(*columns, pa.scalar(separator, pa.large_string()))


def refuse(bad: Mask, message: str) -> None:
    """Raise BadLine for the first bad line, if there is one."""
    if bad.any():
        raise BadLine(int(bad.argmax()), message)


def _utf8(lines: list[bytes]) -> Utf8:
    data = b"".join(lines)
    ends = np.cumsum(np.fromiter(map(len, lines), np.int64, len(lines)))
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise BadLine(int(np.searchsorted(ends, error.start, side="right")), "it is not UTF-8") from error
    return Utf8(np.frombuffer(data, np.uint8), np.concatenate(([0], ends)))


def _numbers(vocabulary: pa.LargeStringArray, ids: IntArray) -> Float32Array:
    """The numbers that words spell, NaN for those that spell none."""
    is_number = np.zeros(len(vocabulary), dtype=np.bool_)
    is_number[ids] = True
    digits = vocabulary.filter(pa.array(is_number))
    try:
        values = pc.cast(digits, pa.float32())
    except pa.ArrowInvalid:
        values = pc.cast(pc.if_else(pc.match_substring_regex(digits, _NUMBER), digits, "nan"), pa.float32())
    numbers: Float32Array = values.to_numpy(zero_copy_only=False)[(np.cumsum(is_number) - 1)[ids]]
    return numbers


def _digits(numbers: Float32Array) -> pa.LargeStringArray:
    return pc.cast(pa.array(numbers), pa.large_string())
