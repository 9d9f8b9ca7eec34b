"""Reads and writes ARPA files, the text format of back-off n-gram models."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import itertools
import lzma
import os
import re
import reprlib
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evenscore.files import replacing
from evenscore.parallel import with_bar
from evenscore.perplexity.ngram.model import OTHER_UNKNOWN_WORD, UNKNOWN_WORD, Float32Array, Level, NgramModel
from evenscore.text.segments import IntArray, offsets_of
from evenscore.text.words import Mask, Utf8, split_at, translate

# Compression formats by suffix: the first bytes of the files, and the function that opens them.
_PACKINGS: dict[str, tuple[bytes, Callable[..., Any]]] = {
    ".gz": (b"\x1f\x8b", gzip.open),
    ".bz2": (b"BZh", bz2.open),
    ".xz": (b"\xfd7zXZ", lzma.open),
}


@contextlib.contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for reading, and decompress it if its first bytes say so.

    Raises ValueError if the file does not exist, or if compressed data is truncated or damaged.
    """
    if not os.path.isfile(path):
        raise ValueError(f"{reprlib.repr(os.fspath(path))}: there is no such file")
    with Path(path).open("rb") as file:
        start = file.peek(8)
        unpack = next((unpack for magic, unpack in _PACKINGS.values() if start.startswith(magic)), None)
        try:
            # A buffer makes iteration over lines several times as fast.
            yield io.BufferedReader(unpack(file)) if unpack else file
        except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
            raise ValueError(f"{os.fspath(path)}: truncated or damaged ({error})") from error


@contextlib.contextmanager
def written(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for atomic writing: it replaces `path` at the end. The suffix selects the compression."""
    _, opener = _PACKINGS.get(Path(path).suffix, (b"", open))
    with replacing(path) as unfinished, cast(BinaryIO, opener(unfinished, "wb")) as file:
        yield file


# As in KenLM, where words may contain other white space.
SEPARATORS = " \t\n\r"
_SEPARATOR_TABLE = bytes(chr(byte) in SEPARATORS for byte in range(256))
# The numbers that pyarrow's cast accepts, except "nan".
_NUMBER = r"(?i)^[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?)$"


class BadLine(Exception):
    """An invalid line, with its index from 0."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class NgramLines(NamedTuple):
    """m n-grams, one per line.

    log_probs, backoffs: shape (m,); 0 for a missing back-off weight.
    words: ids in the vocabulary, which also contains the numbers' digits, shape (m, n).
    """

    log_probs: Float32Array
    backoffs: Float32Array
    words: IntArray
    vocabulary: pa.LargeStringArray


def parse(lines: list[bytes], n: int) -> NgramLines:
    r"""Parse lines of a log10 probability, n words and an optional back-off weight; numbers are rounded to float32.

    lines: each with its line feed.
    Raises BadLine for another number of fields, an invalid number, a positive log probability, an infinite weight, and
    for bytes that are not UTF-8.

    >>> parsed = parse([b"-1.5 a b -0.25\n", b"-2\tb c\n"], 2)
    >>> parsed.log_probs.tolist(), parsed.backoffs.tolist(), parsed.words.tolist()
    ([-1.5, -2.0], [-0.25, 0.0], [[1, 2], [2, 5]])
    """
    data, lengths = b"".join(lines), np.fromiter(map(len, lines), np.int64, len(lines))
    text = Utf8(np.frombuffer(data, np.uint8), offsets_of(lengths))
    try:
        data.decode()
    except UnicodeDecodeError as error:
        bad_line = int(np.searchsorted(text.offsets, error.start, side="right")) - 1
        raise BadLine(bad_line, "it is not UTF-8") from error
    fields = split_at(text, translate(text.data, _SEPARATOR_TABLE).view(np.bool_))
    ids, starts, lengths = fields.segments.ids, fields.segments.offsets[:-1], fields.segments.lengths
    refuse((lengths < n + 1) | (lengths > n + 2), f"give a log10 probability, {n} words, and at most a back-off weight")
    weighted = np.flatnonzero(lengths == n + 2)
    numbers = _numbers(fields.vocabulary, np.concatenate((ids[starts], ids[starts[weighted] + n + 1])))
    log_probs, backoffs = numbers[: len(lines)], np.zeros(len(lines), np.float32)
    backoffs[weighted] = numbers[len(lines) :]
    refuse(np.isnan(log_probs), "the log10 probability is not a number")
    refuse(log_probs > 0, "a log10 probability is at most 0")
    refuse(~np.isfinite(backoffs), "the back-off weight is not a finite number")
    return NgramLines(log_probs, backoffs, ids[starts[:, None] + np.arange(1, n + 1)], fields.vocabulary)


def format_lines(log_probs: Float32Array, ngrams: pa.LargeStringArray, backoffs: Float32Array | None) -> memoryview:
    r"""Format n-grams as lines, with the fewest digits per number that give the same float32.

    backoffs: None at the highest order, which has no back-off weights.

    >>> line = format_lines(np.array([-0.1], np.float32), pa.array(["a b"], pa.large_string()), None)
    >>> bytes(line)
    b'-0.1\ta b\n'
    """
    weights = [] if backoffs is None else [pc.cast(backoffs, pa.large_string())]
    fields = _joined([pc.cast(log_probs, pa.large_string()), ngrams, *weights], "\t")
    lines = _joined([fields, pa.scalar("\n", pa.large_string())], "")
    _, offsets, data = lines.buffers()
    # The buffer may be longer than its content.
    return memoryview(data or b"")[: np.frombuffer(offsets, np.int64)[len(lines)]]


def _joined(columns: list[Any], separator: str) -> pa.LargeStringArray:
    """Join the strings of all columns in each row with the separator."""
    return pc.binary_join_element_wise(*columns, pa.scalar(separator, pa.large_string()))


def refuse(bad: Mask, message: str) -> None:
    """Raise BadLine for the first bad line, if any."""
    if bad.any():
        raise BadLine(int(bad.argmax()), message)


def _numbers(vocabulary: pa.LargeStringArray, ids: IntArray) -> Float32Array:
    """Convert words to numbers, NaN for invalid ones."""
    is_number = np.zeros(len(vocabulary), dtype=np.bool_)
    is_number[ids] = True
    digits = vocabulary.filter(pa.array(is_number))
    try:
        values = pc.cast(digits, pa.float32())
    except pa.ArrowInvalid:
        values = pc.cast(pc.if_else(pc.match_substring_regex(digits, _NUMBER), digits, "nan"), pa.float32())
    numbers: Float32Array = values.to_numpy(zero_copy_only=False)[(np.cumsum(is_number) - 1)[ids]]
    return numbers


_Taken = TypeVar("_Taken")

_KENLM_BINARY = b"mmap lm http://kheafield.com/code"
_COUNT = re.compile(rb"ngram\s+(\d{1,18})\s*=\s*(\d{1,18})")
_BLOCK_LINES = 1 << 17
# The most bytes of a line and of a block of lines, a thousand times what n-grams have: a small compressed file may hold
# a line of gigabytes.
_LINE_BYTES, _BLOCK_BYTES = 1 << 20, 1 << 28
# KenLM's log10 P(unknown word) for files without <unk>.
_UNKNOWN_LOG_PROB = np.float32(-100)


def read_arpa(path: str | os.PathLike[str]) -> NgramModel:
    r"""Read the model of an ARPA file, plain or compressed by gzip, bzip2 or xz, with the same numbers as KenLM.

    Spaces and tabs separate fields. <UNK> means <unk>; a file without both gets <unk> with log10 probability -100. -99
    has no special meaning, and -inf is probability 0.
    Raises ValueError with file, line and reason for what KenLM refuses as well: section counts that do not match,
    sections missing or out of order, words without a 1-gram, n-grams whose first n - 1 words are not in the file,
    positive log probabilities, back-off weights that are infinite or at the highest order. Also for a line of more than
    2**20 bytes, for a duplicate n-gram, and for <unk> in a longer n-gram but not among the 1-grams, all of which KenLM
    accepts.
    Models of order 1, files without <s> or </s>, and text before \data\ are accepted, but KenLM refuses them.
    """
    with opened(path) as file:
        lines = _Lines(os.fspath(path), file)
        counts = _read_counts(lines)
        model = _read_words(lines, counts)
        for n in range(2, len(counts) + 1):
            model = _read_longer(lines, n, counts, model)
        lines.expect(b"\\end\\")
        return model


def write_arpa(model: NgramModel, path: str | os.PathLike[str]) -> None:
    """Write a model atomically so that read_arpa and KenLM read the same numbers, to the last bit.

    path: compressed if it ends in .gz, .bz2 or .xz.
    Raises ValueError, before it writes, for words that the format cannot represent: empty ones or with white space.
    """
    bad = pc.match_substring_regex(model.vocabulary, f"[{SEPARATORS}]|^$").to_numpy(zero_copy_only=False)
    if bad.any():
        raise ValueError(
            f"the word {model.vocabulary[int(bad.argmax())].as_py()!r} does not fit into an ARPA file, where white "
            "space separates words: replace white space in the training texts, such as by ▁ (U+2581)"
        )
    with written(path) as file:
        counts = "".join(f"ngram {n}={len(level.keys)}\n" for n, level in enumerate(model.levels, 1))
        file.write(f"\\data\\\n{counts}".encode())
        ngrams = model.vocabulary
        for n, level in enumerate(model.levels, 1):
            if n > 1:
                contexts, words = np.divmod(level.keys, len(model.vocabulary))
                ngrams = _joined([ngrams.take(contexts), model.vocabulary.take(words)], " ")
            file.write(f"\n\\{n}-grams:\n".encode())
            file.write(format_lines(level.log_probs, ngrams, level.backoffs if n < model.order else None))
        file.write(b"\n\\end\\\n")


class _Lines:
    """The lines of a file, with a count for error messages."""

    def __init__(self, path: str, file: BinaryIO) -> None:
        self._path = path
        self._lines = iter(partial(file.readline, _LINE_BYTES + 1), b"")
        # Number of lines read.
        self.count = 0

    def next_filled(self) -> bytes:
        """Return the next line that is not blank, stripped; b"" at the end of the file."""
        for line in self._lines:
            self.count += 1
            self._check_length(line, 0)
            if line.strip():
                return line.strip()
        return b""

    def block(self, most: int) -> list[bytes]:
        """Return the next `most` lines, or fewer at the end of the file."""
        lines: list[bytes] = []
        size = 0
        for line in itertools.islice(self._lines, most):
            self.count += 1
            self._check_length(line, size)
            lines.append(line)
            size += len(line)
        return lines

    def _check_length(self, line: bytes, before: int) -> None:
        if len(line) > _LINE_BYTES or before + len(line) > _BLOCK_BYTES:
            raise self.error(
                f"'{_shown(line)}...' is too long: a line has at most {_LINE_BYTES} bytes, {_BLOCK_LINES} lines have "
                f"at most {_BLOCK_BYTES}"
            )

    def expect(self, wanted: bytes) -> None:
        """Skip the next line that is not blank; ValueError if it differs."""
        line = self.next_filled()
        if line != wanted:
            found = f"found '{_shown(line)}'" if line else "the file ends"
            raise self.error(f"expected {_shown(wanted)}, {found}: more n-grams than counted, or a part is missing")

    def error(self, message: str, line: int | None = None) -> ValueError:
        """Return the error for a line, from 1; None: the last line read."""
        return ValueError(f"{self._path}, line {self.count if line is None else line}: {message}")


def _shown(line: bytes) -> str:
    return line[:80].decode(errors="replace").rstrip()


def _read_counts(lines: _Lines) -> list[int]:
    r"""Read the number of n-grams of each order, from \data\ to the line \1-grams:."""
    line = lines.next_filled()
    if line.startswith(_KENLM_BINARY):
        raise lines.error(
            "this is a binary file of KenLM: give its ARPA file; or, with the package kenlm, "
            "source=lambda texts: [[p * math.log(10) for p, _, _ in model.full_scores(text)] for text in texts]"
        )
    while line and line != b"\\data\\":
        line = lines.next_filled()
    if not line:
        raise lines.error("no line \\data\\: not an ARPA file" if lines.count else "the file is empty")
    counts: list[int] = []
    while found := _COUNT.fullmatch(line := lines.next_filled()):
        if int(found[1]) != len(counts) + 1:
            raise lines.error(f"expected the count of {len(counts) + 1}-grams, found '{_shown(line)}'")
        counts.append(int(found[2]))
    if line != b"\\1-grams:" or not counts or not counts[0]:
        raise lines.error(
            f"expected a count, as in 'ngram 1=12', or \\1-grams: after the counts, found '{_shown(line)}'"
        )
    return counts


def _read_words(lines: _Lines, counts: list[int]) -> NgramModel:
    """Read the 1-grams as a model of order 1."""
    words, log_probs, backoffs = _read_section(
        lines, 1, counts, lambda found: _spelled(found.vocabulary.take(found.words[:, 0]))
    )
    vocabulary = pa.concat_arrays(words)
    _refuse_twice(lines, vocabulary.dictionary_encode().indices.to_numpy())
    if not pc.is_in(pa.scalar(UNKNOWN_WORD, pa.large_string()), value_set=vocabulary).as_py():
        vocabulary = pa.concat_arrays([vocabulary, pa.array([UNKNOWN_WORD], pa.large_string())])
        log_probs, backoffs = np.append(log_probs, _UNKNOWN_LOG_PROB), np.append(backoffs, 0)
    return NgramModel(vocabulary, (_level(np.arange(len(vocabulary)), log_probs, backoffs),))


def _read_longer(lines: _Lines, n: int, counts: list[int], model: NgramModel) -> NgramModel:
    """Read the n-grams of the next order, and return the model with them."""
    lines.expect(f"\\{n}-grams:".encode())
    # The words in the file, without an <unk> that was added after them.
    known = model.vocabulary.slice(0, counts[0])
    read, log_probs, backoffs = _read_section(lines, n, counts, lambda found: _keys(found, n, known, model))
    keys = np.concatenate(read)
    _refuse_twice(lines, keys)
    return model._replace(levels=(*model.levels, _level(keys, log_probs, backoffs)))


def _read_section(
    lines: _Lines, n: int, counts: list[int], take: Callable[[NgramLines], _Taken]
) -> tuple[list[_Taken], Float32Array, Float32Array]:
    """Read a section: the results of `take` for each block of lines, at least one, and all numbers."""
    count, blocks = counts[n - 1], []
    starts = range(0, max(count, 1), _BLOCK_LINES)
    for start in with_bar(starts, f"Read {n}-grams", " lines", lambda start: min(_BLOCK_LINES, count - start), count):
        first_line = lines.count + 1
        block = lines.block(min(_BLOCK_LINES, count - start))
        if len(block) < min(_BLOCK_LINES, count - start):
            raise lines.error(f"the file ends after {start + len(block)} of {count} {n}-grams")
        try:
            found = parse(block, n)
            if n == len(counts):
                refuse(found.backoffs != 0, "n-grams of the highest order have no back-off weight")
            blocks.append((take(found), found.log_probs, found.backoffs))
        except BadLine as bad:
            line = _shown(block[bad.line])
            reason = f"'{line}': {bad}" if line[:1] not in ("", "\\") else f"fewer than {count} {n}-grams, as counted"
            raise lines.error(reason, first_line + bad.line) from None
    taken, log_probs, backoffs = zip(*blocks, strict=True)
    return list(taken), np.concatenate(log_probs), np.concatenate(backoffs)


def _keys(found: NgramLines, n: int, known: pa.LargeStringArray, model: NgramModel) -> IntArray:
    """Return the keys of n-grams for a Level; `model` has the shorter n-grams."""
    ids = pc.index_in(_spelled(found.vocabulary), value_set=known).fill_null(-1).to_numpy().astype(np.int64)
    words = ids[found.words]
    refuse((words < 0).any(axis=1), "one of its words is not among the 1-grams")
    contexts = model.find(words[:, :-1])
    refuse(contexts < 0, f"its first {n - 1} words are not among the {n - 1}-grams")
    keys: IntArray = contexts * len(model.vocabulary) + words[:, -1]
    return keys


def _spelled(words: pa.LargeStringArray) -> pa.LargeStringArray:
    """Replace <UNK> by <unk>."""
    return pc.if_else(pc.equal(words, OTHER_UNKNOWN_WORD), UNKNOWN_WORD, words)


def _refuse_twice(lines: _Lines, keys: IntArray) -> None:
    """Raise ValueError if two n-grams of the last section have the same key."""
    _, first = np.unique(keys, return_index=True)
    if len(first) < len(keys):
        row = int(np.setdiff1d(np.arange(len(keys)), first)[0])
        raise lines.error("this n-gram is a duplicate", lines.count - len(keys) + 1 + row)


def _level(keys: IntArray, log_probs: Float32Array, backoffs: Float32Array) -> Level:
    order = np.argsort(keys)
    return Level(keys[order], log_probs[order], backoffs[order])
