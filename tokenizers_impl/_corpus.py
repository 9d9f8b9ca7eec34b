"""Blocks of texts from files or iterators."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

import numpy as np

from ._arrays import I64, U32, code_points
from ._splits import TEXT, Splits, positions

# Characters a block.  Larger blocks take more memory, smaller ones find the same words again more often.
BLOCK = 1 << 18
_LINE_FEED = 10


def file_blocks(paths: Iterable[str | os.PathLike[str]], *, offsets: bool) -> Iterator[Splits]:
    """The lines of every file, each with its own line feed, in blocks of whole lines; `offsets`: with origins."""
    for path in paths:
        for text in _whole_lines(path):
            chars = code_points(text)
            ends = np.flatnonzero(chars == _LINE_FEED) + 1
            if len(ends) == 0 or ends[-1] < len(chars):
                ends = np.append(ends, len(chars))
            starts = np.concatenate((np.zeros(1, np.int64), ends[:-1]))
            yield _block(chars, starts, ends, offsets)


def _block(chars: U32, starts: I64, ends: I64, offsets: bool) -> Splits:
    n = len(starts)
    origins = positions(starts, ends) if offsets else np.empty((0, 2), np.int32)
    return Splits(chars, starts, ends, np.full(n, TEXT, np.int32), np.arange(n + 1), origins)


def _whole_lines(path: str | os.PathLike[str]) -> Iterator[str]:
    """The file in parts that end with a line; ValueError says which byte is no UTF-8."""
    done, rest = 0, list[bytes]()
    with open(path, "rb") as file:
        while data := file.read(BLOCK):
            head, feed, tail = data.rpartition(b"\n")
            if feed:
                lines = b"".join((*rest, head, feed))
                yield _decoded(lines, done, path)
                done, rest = done + len(lines), []
            rest.append(tail)
    if any(rest):
        yield _decoded(b"".join(rest), done, path)


def _decoded(data: bytes, done: int, path: str | os.PathLike[str]) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{os.fspath(path)} is no UTF-8 text (byte {done + error.start}): convert it first") from None


def iterator_blocks(texts: Iterable[str | Iterable[str]], *, offsets: bool) -> Iterator[Splits]:
    """The texts of an iterator, whose elements are strings or iterables of strings, in blocks."""
    block: list[str] = []
    size = 0
    for text in _flat(texts):
        block.append(text)
        size += len(text)
        if size >= BLOCK:
            yield Splits.of(block, offsets=offsets)
            block, size = [], 0
    if block:
        yield Splits.of(block, offsets=offsets)


def _flat(texts: Iterable[str | Iterable[str]]) -> Iterator[str]:
    if isinstance(texts, str):
        raise ValueError("the iterator is one string: give a list of strings")
    for i, element in enumerate(texts):
        if isinstance(element, str):
            yield element
            continue
        if isinstance(element, bytes) or not isinstance(element, Iterable):
            raise ValueError(f"element {i} of the iterator is {element!r}: give strings, or lists of strings")
        for text in element:
            if not isinstance(text, str):
                raise ValueError(f"element {i} of the iterator holds {text!r}: give strings")
            yield text
