"""Checks the caller's texts, and labels of rows, and converts them to lists; raises ValueError for anything else."""

from __future__ import annotations

import codecs
import itertools
import re
import reprlib
import sys
import warnings
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from evenscore.text.segments import IntArray, lengths_of, offsets_of

_BYTES = (bytes, bytearray, memoryview)
# How Python, numpy, pandas and pyarrow print a missing value.
_MISSING = ("None", "nan", "NaN", "NaT", "<NA>")
# Packages whose frames a warning skips to find the caller's line.
_OURS = ("evenscore", "tokenizers_impl", "evaluate_modules", "evaluate")
# The name of the group of rows without a label.
NO_LABEL = "(none)"

# The only row of a column in a message, and the arguments with another name than their column.
_ONLY_ROW = re.compile(r"\b(predictions|references|contexts|log_probs|probabilities|logits|labels)\[0\]")
_ONLY = {"predictions": "prediction", "contexts": "context"}
# An entry of a column in a message.
_INDEX = re.compile(
    r"\b(?P<column>predictions|references|contexts|texts|log_probs|logits|labels)\[(?P<row>\d+)\](?:\[(?P<text>\d+)\])?"
)


class References(NamedTuple):
    """The references of n rows.

    texts: all references, row after row.
    counts: shape (n,), the number of references of each row, at least 1.
    """

    texts: list[str]
    counts: IntArray


def check_predictions(predictions: Any, name: str = "predictions") -> list[str]:
    """Return the predictions as a list of strings.

    predictions: a list, tuple, numpy array, pandas Series, pyarrow array or datasets column.
    name: what error messages call it.
    Raises ValueError, which names the first invalid row.

    >>> check_predictions(("a b", ""))
    ['a b', '']
    """
    texts = as_list(predictions, name)
    _check_texts(texts, name)
    return texts


def check_references(references: Any, n_predictions: int) -> References:
    """Return the references of all predictions.

    references: one string per row, or a list of strings per row.
    Raises ValueError, which names the first invalid row or tells how to transpose one list per reference set.

    >>> check_references([["a", "b"], ["c"]], 2).counts.tolist()
    [2, 1]
    """
    rows = as_list(references, "references")
    # Look at the few types instead of each row.
    kinds = set(map(type, rows))
    if not any(map(_is_nested, kinds)):
        _check_texts(rows, "references")
        _check_lengths(n_predictions, len(rows))
        counts = np.empty(len(rows), np.int64)
        counts.fill(1)
        return References(rows, counts)
    return _nested_references(rows, kinds, n_predictions)


def check_groups(groups: Any, columns: Mapping[str, Any], name: str = "groups") -> list[Hashable]:
    """Return the label of each row; a missing value, such as NaN, becomes None.

    columns: those of the rows, of which the first tells how many labels are needed.
    name: what error messages call the labels.
    Raises ValueError for a label that cannot be a key of a dictionary, and for too few or too many labels.

    >>> check_groups(("ann", float("nan"), 2), {"predictions": ["a", "b", "c"]})
    ['ann', None, 2]
    """
    labels = [_label(value) for value in as_list(groups, name, "labels")]
    for i, label in enumerate(labels):
        try:
            hash(label)
        except TypeError as error:
            raise ValueError(f"{name}[{i}] is {_shown(label)}: give a string, a number or a tuple") from error
    known = (_length(column) for column in columns.values() if column is not None)
    check_as_many_labels(labels, next(known, None), name)
    return labels


def label_name(label: Hashable) -> str:
    """Return a label as the command and reports write it.

    A missing label, None, is `(none)`. A text that is `(none)` itself gets quotation marks, and so does one that has
    them already, so that no text is taken for a missing label or for another text.

    >>> [label_name(label) for label in (None, "(none)", '"(none)"', "ann", 2)]
    ['(none)', '"(none)"', '""(none)""', 'ann', '2']
    """
    if label is None:
        return NO_LABEL
    name = str(label)
    return f'"{name}"' if name.strip('"') == NO_LABEL else name


def amount(n: int, things: str) -> str:
    """Return a number with its noun, which is given in the plural.

    >>> amount(1, "rows"), amount(2, "rows")
    ('1 row', '2 rows')
    """
    return f"{n} {things if n != 1 else things.removesuffix('s')}"


def check_as_many_labels(labels: Sized, n_rows: int | None, name: str = "groups") -> None:
    """Raise ValueError unless there is a label for each row; None: how many rows there are is not known yet."""
    if n_rows not in (None, len(labels)):
        given, needed = amount(len(labels), "labels"), amount(n_rows or 0, "rows")
        raise ValueError(f"{name} has {given} for {needed}: give one label per row")


def _label(value: Any) -> Any:
    """Return a label as a value of Python, with None for a missing one."""
    if isinstance(value, str):
        return value
    own = value.item() if isinstance(value, np.generic) else value
    return None if str(own) in _MISSING else own


def _length(column: Any) -> int | None:
    """Return the number of rows of a column, or None for what is no column, which the metric refuses."""
    if isinstance(column, (str, *_BYTES)):
        return None
    try:
        return len(column)
    except TypeError:
        return None


def check_systems(baseline: Any, systems: Sequence[Any]) -> list[list[str]]:
    """Return the predictions of the baseline and of each system as lists of strings, all of the same length."""
    names = ["baseline", *(f"systems[{i}]" for i in range(len(systems)))]
    columns = [check_predictions(column, name) for name, column in zip(names, (baseline, *systems), strict=True)]
    check_as_many_rows(columns)
    return columns


def check_as_many_rows(systems: Sequence[Sized]) -> None:
    """Raise ValueError unless all systems have as many rows as the first, the baseline."""
    baseline, *others = map(len, systems)
    for i, own in enumerate(others):
        if own != baseline:
            raise ValueError(
                f"baseline has {amount(baseline, 'rows')} but systems[{i}] has {own}: give both the same rows"
            )


def utf8_text(data: bytes, name: str) -> str:
    """Decode the content of a file, with or without a byte order mark; ValueError if it is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise ValueError(f"{name} is UTF-16 text: convert it to UTF-8") from error
        raise not_utf8(name, byte_place([error.object[: error.start]])) from error


def not_utf8(name: str, place: str) -> ValueError:
    """Return the error for a file that is not UTF-8; place: of its first bad byte."""
    return ValueError(f"{name} is not UTF-8 text ({place}): convert it to UTF-8")


def byte_place(before: Iterable[bytes]) -> str:
    """Return the place of a byte as a person counts, from 1; before: all bytes before it, in parts.

    >>> byte_place([b""]), byte_place([b"a\\nbc", b"d"])
    ('byte 1 of line 1', 'byte 4 of line 2')
    """
    line, byte = 1, 1
    for part in before:
        line += part.count(b"\n")
        byte = len(part) - part.rfind(b"\n") if b"\n" in part else byte + len(part)
    return f"byte {byte} of line {line}"


def text_lines(text: str) -> list[str]:
    """Split a text at \\n and \\r\\n only, unlike str.splitlines. A final line break starts no further line.

    >>> text_lines("a\\r\\n\\nb\\n")
    ['a', '', 'b']
    """
    parts = text.split("\n")
    return [part.removesuffix("\r") for part in (parts if parts[-1] else parts[:-1])]


# A few texts have at most this many characters each, and this many for each word that they may have. Long texts are the
# work of kernels, and some tokenizers find many tokens in what has no spaces.
_LONGEST_TEXT, _LONGEST_WORD = 2000, 10


def are_few(
    predictions: list[str], references: References, most: int, *, text_words: int = 4, in_characters: bool = False
) -> bool:
    """Whether all texts together have at most `most` words, or characters, and none is long; False for no rows.

    Each space counts as one word. Each text counts as `text_words` words or characters more, for the time that it takes
    besides them.

    >>> are_few(["a b"], References(["a"], np.array([1])), 9), are_few(["a b"], References(["a"], np.array([1])), 8)
    (True, False)
    """
    n_texts = len(predictions) + len(references.texts)
    rest = most - text_words * n_texts
    if not n_texts or rest < 0:
        return False
    texts = predictions + references.texts
    if max(map(len, texts)) > _LONGEST_TEXT:
        return False
    joined = "".join(texts)
    if in_characters:
        return len(joined) <= rest
    return len(joined) <= _LONGEST_WORD * most and joined.count(" ") <= rest


def row_sizes(systems: Sequence[list[str]], references: References) -> IntArray:
    """Return the number of characters of each row: its predictions by all systems and its references, shape (n,).

    >>> row_sizes([["ab"], ["c"]], References(["def", ""], np.array([2]))).tolist()
    [6]
    """
    sizes = lengths_of(references.texts)
    if len(sizes) > len(references.counts):
        sizes = np.add.reduceat(sizes, offsets_of(references.counts)[:-1])
    return sum(map(lengths_of, systems), sizes)


def row_blocks(
    systems: Sequence[list[str]], references: References, sizes: IntArray, characters: int
) -> Iterator[tuple[list[str], References]]:
    """Split rows into blocks of about `characters` characters and at least one row; no rows give one empty block.

    systems: the predictions of each system for all rows. A block has those of the first system for the rows of the
    block, then those of the next one.
    sizes: those of the rows, from `row_sizes`.

    >>> references = References(["a", "b"], np.array([1, 1]))
    >>> [block for block, _ in row_blocks([["a", "b"], ["c", "d"]], references, np.array([3, 3]), 3)]
    [['a', 'c'], ['b', 'd']]
    """
    if sizes.sum() <= characters:
        # Few rows take less time than the arrays that find where to cut.
        yield list(itertools.chain.from_iterable(systems)), references
        return
    first, block = offsets_of(references.counts), np.cumsum(sizes) // characters
    cuts = [0, *(np.flatnonzero(np.diff(block)) + 1).tolist(), len(sizes)]
    for start, stop in itertools.pairwise(cuts):
        own = list(itertools.chain.from_iterable(system[start:stop] for system in systems))
        yield own, References(references.texts[first[start] : first[stop]], references.counts[start:stop])


def _check_lengths(n_predictions: int, n_rows: int) -> None:
    if n_rows != n_predictions:
        given, rows = amount(n_predictions, "predictions"), amount(n_rows, "rows")
        raise ValueError(f"{given} but {rows} of references: give one row per prediction")


def _nested_references(rows: list[Any], kinds: set[type], n_predictions: int) -> References:
    """Return what `check_references` returns for rows of these types, of which one or more are collections."""
    others = {kind for kind in kinds if not _is_nested(kind)}
    if others:
        i, row = next((i, row) for i, row in enumerate(rows) if type(row) in others)
        if str(row) in _MISSING:
            advice = _advice(row, is_row=True)
            raise ValueError(f"references[{i}] is {_shown(row)}: {advice} in a list, as in the other rows")
        advice = "give a list of strings in every row"
        raise ValueError(f"references[{i}] is {_shown(row)} while other rows are lists: {advice}")
    lists = rows if kinds == {list} else [as_list(row, f"references[{i}]") for i, row in enumerate(rows)]
    if len(lists) != n_predictions and all(len(row) == n_predictions for row in lists):
        raise ValueError(
            f"references hold one list per reference set ({len(lists)} of {n_predictions} texts): "
            f"give one list per row, as in [list(row) for row in zip(*references)]"
        )
    _check_lengths(n_predictions, len(lists))
    if [] in lists:
        raise ValueError(f"references[{lists.index([])}] is an empty list: give at least one reference per row")
    flat = list(itertools.chain.from_iterable(lists))
    if not _are_plain(flat):
        for i, row in enumerate(lists):
            _check_texts(row, f"references[{i}]")
    return References(flat, lengths_of(lists))


def _is_nested(kind: type) -> bool:
    """Whether values of this type are collections, other than strings and bytes."""
    return issubclass(kind, Iterable) and not issubclass(kind, (str, *_BYTES))


def as_list(column: Any, name: str, items: str = "strings") -> list[Any]:
    """Return the values of a list, tuple, array, series or datasets column.

    name, items: what error messages call the column and its values.
    """
    if isinstance(column, list):
        return column
    if column is None:
        raise ValueError(f"{name} is missing: give a list of {items}")
    if isinstance(column, (str, *_BYTES)):
        raise ValueError(f"{name} is {_shown(column)}: give a list of {items}, as in [{name}]")
    for method in ("to_pylist", "tolist"):
        if hasattr(column, method):
            # tolist of a zero-dimensional array returns a scalar, which the next call refuses.
            return as_list(getattr(column, method)(), name, items)
    if isinstance(column, Sequence):
        try:
            # A slice reads a datasets column much faster than row by row.
            return list(column[:])
        except TypeError:
            # A deque cannot be sliced.
            return list(column)
    # Everything else is refused: a set has no order, a table has several columns.
    hint = f", as in list({name})" if isinstance(column, Iterator) else ""
    raise ValueError(f"{name} is of type {type(column).__name__}: give a list of {items}{hint}")


# So many texts are checked at once. A whole large column would need fresh memory, which takes longer than encoding it,
# and its first texts would have left the processor's cache when the second look begins.
_TEXTS_AT_ONCE = 1000


def _are_plain(texts: list[Any]) -> bool:
    """Whether all texts are of type `str` and UTF-8 can encode them. Fast for the usual case."""
    if len(texts) > _TEXTS_AT_ONCE:
        return all(_are_plain(texts[start : start + _TEXTS_AT_ONCE]) for start in range(0, len(texts), _TEXTS_AT_ONCE))
    return set(map(type, texts)) <= {str} and encodes("".join(texts))


def _check_texts(texts: list[Any], name: str) -> None:
    if _are_plain(texts):
        return
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"{name}[{i}] is {_shown(text)}: {_advice(text, is_row=name[-1] != ']')}")
        if not encodes(text):
            raise ValueError(
                f"{name}[{i}] is {_shown(text)} with a lone surrogate, which is not a character: "
                f"decode the original bytes again, or drop it with text.encode('utf-8', 'ignore').decode()"
            )


def encodes(text: str) -> bool:
    """Whether UTF-8 can encode a text, which it cannot if there is a lone surrogate.

    >>> encodes("é"), encodes("\\ud800")
    (True, False)
    """
    if text.isascii():
        return True
    try:
        # UTF-16 is made several times as fast as UTF-8, and refuses the same texts.
        text.encode("utf-16-le")
    except UnicodeEncodeError:
        return False
    return True


def _advice(value: Any, is_row: bool) -> str:
    """What to give in place of a value that is no string; is_row: whether it is all that a row has."""
    if str(value) in _MISSING:
        return "a text is missing; drop the row, or give '' for an empty text"
    if isinstance(value, _BYTES):
        return "give a string, as in bytes(value).decode()"
    if _is_nested(type(value)):
        return "give one string per row" if is_row else "nested too deeply; give a string"
    return "give a string, as in str(value)"


def _shown(value: Any) -> str:
    return f"{reprlib.repr(value)} ({type(value).__name__})"


@contextmanager
def only_row() -> Iterator[None]:
    """Name the arguments of a picture, which shows one row, in errors about the columns of this row.

    >>> with only_row():
    ...     check_predictions([5])
    Traceback (most recent call last):
    ValueError: prediction is 5 (int): give a string, as in str(value)
    """
    try:
        yield
    except ValueError as error:
        raise ValueError(_ONLY_ROW.sub(lambda found: _ONLY.get(found[1], found[1]), str(error))) from error


def rows_from_one(message: str) -> str:
    """Return a message about rows in the words of the command and the pages, which count rows from 1.

    The library's messages have Python's indices, from 0.

    >>> rows_from_one("references[1][0] is 5 (int), predictions[0] and row 9")
    'text 1 of row 2 of references is 5 (int), row 1 of predictions and row 10'
    """
    counted = re.sub(r"\b(row|position) (\d+)", lambda found: f"{found[1]} {int(found[2]) + 1}", message)
    return _INDEX.sub(
        lambda found: f"{_ordinal('text', found['text'])}row {int(found['row']) + 1} of {found['column']}", counted
    )


def _ordinal(what: str, index: str | None) -> str:
    return "" if index is None else f"{what} {int(index) + 1} of "


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning that points at the caller's line, outside this library and evaluate."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _OURS:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
