"""Blocks of texts from files or iterators, a part of the corpus after the other."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ._arrays import I64, U32, code_points
from ._splits import TEXT, Given, Splits, positions, room_for

# Characters a block.  Larger blocks take more memory, smaller ones find the same words again more often.
BLOCK = 1 << 18
# Bytes of a file that are counted as one part where an executor counts: enough to be worth the way.
_RANGE = 1 << 23
_LINE_FEED = 10


class Corpus(NamedTuple):
    """Parts of a corpus, in order, and `read`, which makes blocks of texts of one of them, here or elsewhere."""

    parts: Iterable[Any]
    read: Callable[[Any], Iterable[Splits]]


class FileRange(NamedTuple):
    """Whole lines of a file: its bytes from `first` up to, without, `last`."""

    path: str | os.PathLike[str]
    first: int = 0
    last: int = sys.maxsize


def file_corpus(paths: Sequence[str | os.PathLike[str]], *, offsets: bool, elsewhere: bool) -> Corpus:
    """The lines of every file, each with its own line feed; `offsets`: with origins.

    elsewhere: the parts are ranges of files, which are read where they are counted.
    """
    read = partial(range_blocks, offsets=offsets)
    if elsewhere:
        return Corpus(file_ranges(paths), read)
    return Corpus((block for path in paths for block in read(FileRange(path))), _itself)


def iterator_corpus(texts: Iterable[str | Iterable[str]], *, offsets: bool) -> Corpus:
    """The texts of an iterator, whose elements are strings or iterables of strings."""
    return Corpus(_text_blocks(texts), partial(_text_splits, offsets=offsets))


def _itself(block: Splits) -> Sequence[Splits]:
    return (block,)


def _text_splits(block: Sequence[str], *, offsets: bool) -> Sequence[Splits]:
    return (Splits.of(block, offsets=offsets),)


def file_ranges(paths: Iterable[str | os.PathLike[str]]) -> Iterator[FileRange]:
    """The files in ranges; ValueError for what is no ordinary file."""
    for path in paths:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError(f"{os.fspath(path)} is no ordinary file, of which workers read parts: copy it to one")
        with open(path, "rb") as file:
            first = 0
            while first < status.st_size:
                # From just before the border, so that a line that begins there begins a range.
                file.seek(first + _RANGE - 1)
                file.readline()
                last = min(file.tell(), status.st_size)
                yield FileRange(path, first, last)
                first = last


def range_blocks(lines: FileRange, *, offsets: bool) -> Iterator[Splits]:
    """The lines, each with its own line feed, in blocks of whole lines; `offsets`: with origins."""
    for text in _whole_lines(lines):
        chars = code_points(text)
        ends = np.flatnonzero(chars == _LINE_FEED) + 1
        if len(ends) == 0 or ends[-1] < len(chars):
            ends = np.append(ends, len(chars))
        starts = np.concatenate((np.zeros(1, np.int64), ends[:-1]))
        yield _block(chars, starts, ends, offsets)


def _block(chars: U32, starts: I64, ends: I64, offsets: bool) -> Splits:
    n = len(starts)
    origins = positions(starts, ends) if offsets else np.empty((0, 2), np.int32)
    given = Given(chars, ends) if offsets else None
    room = room_for(len(chars))
    return Splits(chars, starts, ends, np.full(n, TEXT, np.int32), np.arange(n + 1), origins, given, room)


def _whole_lines(part: FileRange) -> Iterator[str]:
    """The range in parts that end with a line; ValueError says which byte is no UTF-8."""
    path, read, last = part
    done, rest = read, list[bytes]()
    with open(path, "rb") as file:
        # A pipe cannot be sought.
        if read:
            file.seek(read)
        while data := file.read(min(BLOCK, last - read)):
            read += len(data)
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


def _text_blocks(texts: Iterable[str | Iterable[str]]) -> Iterator[list[str]]:
    block: list[str] = []
    size = 0
    for text in _flat(texts):
        block.append(text)
        size += len(text)
        if size >= BLOCK:
            yield block
            block, size = [], 0
    if block:
        yield block


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
