"""Training: counting the words of a corpus, then running a trainer."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from evenscore.inputs import byte_place, not_utf8, warn_caller
from evenscore.parallel import ordered_results

from .._core.arrays import code_points, utf8_size
from .._core.parallel import Shown, map_in_order, progress, progress_if_slow
from .._text.splits import Splits
from .._text.words import WordCounts, WordTable
from ..models import Model
from ..trainers import Trainer
from .encoded import Cutter

# --- Training on texts or counted words


class EmptyCorpusWarning(UserWarning):
    """Issued if a trainer gets no words; the trained model is then that of the library."""


def chosen_trainer(trainer: Trainer | None, model: Model) -> Trainer:
    """The given trainer, or the default one of the model; ValueError for anything else, or one of other models."""
    if trainer is not None and not isinstance(trainer, Trainer):
        raise ValueError(f"trainer={trainer!r}: give a Trainer of tokenizers_impl")
    chosen: Trainer = trainer or model.get_trainer()
    chosen.checked_model(model)
    return chosen


def trained_on_texts(corpus: Corpus, cutter: Cutter, trainer: Trainer, model: Model, executor: Any) -> Model:
    """Train a model on the words of a corpus."""
    words = iterator_corpus(["low lower"], offsets=cutter.needs_origins)
    _load_kernels(trainer, model, partial(count_words, words, cutter.rehearsal, show_progress=False))
    # Load the tables of normalizer and pre-tokenizer once here, not in every thread at the same time.
    cutter.rehearsal.words(["low lower"], offsets=cutter.needs_origins)
    counts = count_words(corpus, cutter, show_progress=trainer.shown_progress, executor=executor)
    return _learnt(counts, trainer, model, executor)


def trained_on_counts(counts: WordCounts, trainer: Trainer, model: Model, executor: Any) -> Model:
    """Train a model on counted words."""
    _load_kernels(trainer, model, partial(WordCounts.of, {"low": 1, "lower": 1}))
    return _learnt(counts, trainer, model, executor)


def _learnt(counts: WordCounts, trainer: Trainer, model: Model, executor: Any) -> Model:
    if len(counts.counts) == 0:
        said = "the corpus has no words: the vocabulary consists of what the options add to it"
        warn_caller(said, EmptyCorpusWarning)
    return trainer.train_words(counts, model, executor)


def checked_counts(counts: Mapping[str, int]) -> WordCounts:
    """Check counted words.

    ValueError for a word that is not a string, a count that is not an integer in 1..2**63 - 1, and if the sum of
    count × (word length + 1) reaches 2**63, where int64 overflows.
    """
    if not isinstance(counts, Mapping):
        raise ValueError(
            f"counts is {counts!r:.80}: give a mapping from word to count; for texts use train_from_iterator"
        )
    for word, count in dict(counts).items():
        if not isinstance(word, str):
            raise ValueError(f"the word {word!r} is not a string: give strings as keys of counts")
        if not isinstance(count, (int, np.integer)) or not 0 < count < 1 << 63:
            raise ValueError(f"the count of {word!r} is {count!r}: give a positive integer below 2**63")
    # A word has one symbol more than characters, its end.
    total = sum(int(count) * (len(word) + 1) for word, count in counts.items())
    if total >= 1 << 63:
        raise ValueError(
            f"the sum of count × (word length + 1) is {total}, but int64 holds less than 2**63: divide all counts by "
            "the same number"
        )
    return WordCounts.of(counts)


def _load_kernels(trainer: Trainer, model: Model, two_words: Callable[[], WordCounts]) -> None:
    """Train on two words, which compiles or loads the kernels, with a separate progress bar if this is slow."""
    if not trainer.shown_progress:
        return
    with progress_if_slow("Compile kernels (first use only)", trainer.shown_progress):
        counts = two_words()
        rehearsal = copy(trainer)
        rehearsal.show_progress = False
        # Two words may be too few for the options.
        with suppress(ValueError):
            rehearsal.train_words(counts, model)


# --- Counting the distinct words of a corpus


def count_words(corpus: Corpus, cutter: Cutter, *, show_progress: Shown, executor: Any = None) -> WordCounts:
    """Count the distinct words of a corpus, in order of first occurrence.

    executor: counts the parts of the corpus; None: threads count them.  Counts are added in the order of the parts, so
    the result does not depend on the executor.
    """
    parts, read, measure = corpus
    count = partial(_counted, read, cutter, measure.of if show_progress else _nothing)
    counted = map_in_order(count, parts) if executor is None else ordered_results(executor, count, parts)
    whole = WordTable()
    with progress("Count words", measure.total, show_progress, unit=measure.unit, unit_scale=True) as bar:
        for size, part in counted:
            whole.add(part.words.chars, part.words.offsets[:-1], part.words.offsets[1:], part.counts)
            bar.update(size)
    return whole.counted()


def _counted(
    read: Callable[[Any], Iterable[Splits]], cutter: Cutter, measured: Callable[[Any], int], part: Any
) -> tuple[int, WordCounts]:
    """The size of a part, and its counted words."""
    table = WordTable()
    for block in read(part):
        words = cutter.cut(block)
        table.add(words.chars, words.starts, words.ends)
    return measured(part), table.counted()


def _nothing(part: Any) -> int:
    return 0


# --- Corpora: blocks of texts from files or iterators

# Characters per block.  Larger blocks take more memory; in smaller ones, more words are counted again per block.
BLOCK = 1 << 18
# Bytes of a file per part for an executor, enough to outweigh the cost of a task.
_RANGE = 1 << 23
_LINE_FEED = 10
# The most bytes of a line that is not cut into pieces.  Its words are counted at once, which takes memory.
_LONGEST_LINE = 1 << 27
# What a piece of a text may end with.  The visible characters of ASCII are those that every normalizer keeps visible.
_BEFORE_SPACE = re.compile("[!-~](?= )")
_UP_TO_LAST_SPACE = re.compile(rb".*[!-~](?= )", re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")


class Measure(NamedTuple):
    """The size of a corpus in UTF-8 bytes (unit "B") or texts (unit "text"); total=None: unknown.

    of: the size of a part.
    """

    total: int | None
    unit: str
    of: Callable[[Any], int]


class Corpus(NamedTuple):
    """The parts of a corpus, in order, and `read`, which splits a part into blocks of texts, here or on a worker."""

    parts: Iterable[Any]
    read: Callable[[Any], Iterable[Splits]]
    measure: Measure


class FileRange(NamedTuple):
    """Whole lines of a file: the bytes first:last."""

    path: str | os.PathLike[str]
    first: int = 0
    last: int = sys.maxsize

    def size(self) -> int:
        """The number of bytes of a range with a known end."""
        return self.last - self.first


def file_corpus(
    paths: Sequence[str | os.PathLike[str]], *, offsets: bool, elsewhere: bool, pieces: bool = False
) -> Corpus:
    """The corpus of the lines of files, each with its line feed; offsets: with origins.

    elsewhere: the parts are ranges of files, which the executor's workers read.
    pieces: lines longer than a block are cut into pieces.
    """
    read, size = partial(range_blocks, offsets=offsets, pieces=pieces), sum(map(os.path.getsize, paths))
    if elsewhere:
        return Corpus(file_ranges(paths), read, Measure(size, "B", FileRange.size))
    blocks = (block for path in paths for block in read(FileRange(path)))
    return Corpus(blocks, _itself, Measure(size, "B", _utf8_size))


def iterator_corpus(
    texts: Iterable[str | Iterable[str]], length: int | None = None, *, offsets: bool, pieces: bool = False
) -> Corpus:
    """The corpus of an iterator of strings, or of iterables of strings; length: their number, if known.

    offsets: with origins.  pieces: texts longer than a block are cut into pieces.
    """
    read = partial(_text_splits, offsets=offsets, pieces=pieces)
    return Corpus(_text_blocks(texts), read, Measure(length, "text", len))


def _itself(block: Splits) -> Sequence[Splits]:
    return (block,)


def _utf8_size(block: Splits) -> int:
    return utf8_size(block.chars)


def _text_splits(block: Sequence[str], *, offsets: bool, pieces: bool) -> Iterator[Splits]:
    """Yield the texts of a block; only the last one can be long, and its further pieces follow one by one."""
    *before, last = block
    # A lone surrogate is refused with its place in the whole text.
    for piece in _pieces(last) if pieces and not _SURROGATE.search(last) else (last,):
        yield Splits.of([*before, piece], offsets=offsets)
        before = []


def _pieces(text: str) -> Iterator[str]:
    """Cut a text before spaces that follow visible ASCII, into pieces of a block or more."""
    start = 0
    while cut := _BEFORE_SPACE.search(text, start + BLOCK):
        yield text[start : cut.end()]
        start = cut.end()
    yield text[start:]


def file_ranges(paths: Iterable[str | os.PathLike[str]]) -> Iterator[FileRange]:
    """Split files into ranges; ValueError for a path that is not a regular file."""
    for path in paths:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError(f"{os.fspath(path)} is not a regular file, as an executor needs: copy it to one")
        with open(path, "rb") as file:
            first = 0
            while first < status.st_size:
                # Start one byte before the border, so that a line that begins at the border begins the next range.
                file.seek(first + _RANGE - 1)
                # In blocks, because a line may be larger than the memory.
                while (data := file.readline(BLOCK)) and not data.endswith(b"\n"):
                    pass
                last = min(file.tell(), status.st_size)
                yield FileRange(path, first, last)
                first = last


def range_blocks(lines: FileRange, *, offsets: bool, pieces: bool = False) -> Iterator[Splits]:
    """Yield the lines of a range in blocks, each line with its line feed.

    offsets: with origins.  pieces: a line longer than a block may be cut before spaces that follow visible ASCII.
    """
    for text in _whole_lines(lines, pieces):
        chars = code_points(text)
        ends = np.flatnonzero(chars == _LINE_FEED) + 1
        if len(ends) == 0 or ends[-1] < len(chars):
            ends = np.append(ends, len(chars))
        yield Splits.of_chars(chars, np.diff(ends, prepend=0), offsets)


def _whole_lines(part: FileRange, pieces: bool) -> Iterator[str]:
    """Yield parts of a range that end with a line, or piece; ValueError names a byte not UTF-8, or a line too long."""
    path, read, last = part
    done, rest = read, list[bytes]()
    with open(path, "rb") as file:
        # A pipe does not support seeking.
        if read:
            file.seek(read)
        while data := file.read(min(BLOCK, last - read)):
            read += len(data)
            end = data.rfind(b"\n") + 1
            if end == 0 and pieces and (cut := _UP_TO_LAST_SPACE.match(data)):
                end = cut.end()
            if end > 0:
                lines = b"".join((*rest, data[:end]))
                yield _decoded(lines, done, path)
                done, rest = done + len(lines), []
            rest.append(data[end:])
            if read - done > _LONGEST_LINE:
                raise ValueError(
                    f"{os.fspath(path)}: the line at byte {done} has more than {_LONGEST_LINE} bytes: break it up"
                )
    if any(rest):
        yield _decoded(b"".join(rest), done, path)


def _decoded(data: bytes, done: int, path: str | os.PathLike[str]) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf8(os.fspath(path), _place(path, done + error.start)) from None


def _place(path: str | os.PathLike[str], offset: int) -> str:
    """Return the place of a byte that is no text, for which the file is read again; a pipe cannot be."""
    if not os.path.isfile(path):
        return f"byte {offset + 1} from its start"
    with open(path, "rb") as file:
        sizes = (min(BLOCK, offset - start) for start in range(0, offset, BLOCK))
        return byte_place(map(file.read, sizes))


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
        raise ValueError("the iterator is a string: give a list of strings")
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
