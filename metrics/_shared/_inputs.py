"""Checks of what the caller passed: texts come out as plain lists, anything doubtful as a ValueError."""

from __future__ import annotations

import itertools
import reprlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ._segments import IntArray

# Enough that a vocabulary is not tokenised too often, and few enough for the arrays of a block to take some 100 MB.
_BLOCK_CHARACTERS = 1 << 23


class References(NamedTuple):
    """The references of n rows, one after another.

    texts: all references, row by row.
    counts: shape (n,), how many of them each row has, at least 1.
    """

    texts: list[str]
    counts: IntArray


def check_predictions(predictions: Any, name: str = "predictions") -> list[str]:
    """The predictions as a list of strings.

    Takes a list, tuple, numpy array, pandas Series, pyarrow array or datasets column.
    Raises ValueError that names the first bad row.

    >>> check_predictions(("a b", ""))
    ['a b', '']
    """
    texts = _as_list(predictions, name)
    _check_texts(texts, name)
    return texts


def check_references(references: Any, n_predictions: int) -> References:
    """The references of every prediction: one string a row, or a list of strings a row.

    Raises ValueError that names the first bad row, or says that the lists are given one a reference set.

    >>> check_references([["a", "b"], ["c"]], 2).counts.tolist()
    [2, 1]
    """
    rows = _as_list(references, "references")
    if not any(_is_row_type(kind) for kind in set(map(type, rows))):
        _check_texts(rows, "references")
        _check_lengths(n_predictions, len(rows))
        return References(rows, np.ones(len(rows), dtype=np.int64))
    lists = _check_nested(rows, n_predictions)
    counts = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
    return References(list(itertools.chain.from_iterable(lists)), counts)


def row_blocks(predictions: list[str], references: References) -> Iterator[tuple[list[str], References]]:
    """The rows in blocks of about _BLOCK_CHARACTERS, at least one row each; one empty block if there are no rows.

    >>> [len(block) for block, _ in row_blocks(["a", "b"], References(["a", "b"], np.array([1, 1])))]
    [2]
    """
    first = np.concatenate(([0], np.cumsum(references.counts)))
    texts = references.texts
    sizes = np.fromiter(map(len, predictions), np.int64, len(predictions))
    reference_ends = np.concatenate(([0], np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))))
    block = (np.cumsum(sizes) + reference_ends[first[1:]]) // _BLOCK_CHARACTERS
    cuts = [0, *(np.flatnonzero(np.diff(block)) + 1).tolist(), len(predictions)]
    for start, stop in itertools.pairwise(cuts):
        yield predictions[start:stop], References(texts[first[start] : first[stop]], references.counts[start:stop])


def _check_lengths(n_predictions: int, n_rows: int) -> None:
    if n_rows != n_predictions:
        raise ValueError(f"{n_predictions} predictions but {n_rows} rows of references: give one row each")


def _check_nested(rows: list[Any], n_predictions: int) -> list[list[str]]:
    for i, row in enumerate(rows):
        if not _is_row_type(type(row)):
            raise ValueError(
                f"references[{i}] is {_shown(row)} while other rows are lists: give every row a list of strings"
            )
    lists = [_as_list(row, f"references[{i}]") for i, row in enumerate(rows)]
    if len(lists) != n_predictions and all(len(row) == n_predictions for row in lists):
        raise ValueError(
            f"references are given one list a reference set ({len(lists)} of {n_predictions} texts): "
            f"give one list a row, as in [list(row) for row in zip(*references)]"
        )
    _check_lengths(n_predictions, len(lists))
    for i, row in enumerate(lists):
        if not row:
            raise ValueError(f"references[{i}] is an empty list: give at least one reference a row")
    flat = list(itertools.chain.from_iterable(lists))
    if not _are_plain(flat):
        for i, row in enumerate(lists):
            _check_texts(row, f"references[{i}]")
    return lists


def _is_row_type(kind: type) -> bool:
    """Whether values of this type hold several texts; numpy's numbers have `tolist` too, but hold one."""
    if issubclass(kind, (str, bytes, np.generic)):
        return False
    return issubclass(kind, Sequence) or hasattr(kind, "tolist") or hasattr(kind, "to_pylist")


def _as_list(column: Any, name: str) -> list[Any]:
    if column is None:
        raise ValueError(f"{name} is missing: give one string a row")
    if isinstance(column, (str, bytes)):
        raise ValueError(f"{name} is {_shown(column)}: give a list with one string a row, as in [{name}]")
    if isinstance(column, list):
        return column
    for method in ("to_pylist", "tolist"):
        if hasattr(column, method):
            values = getattr(column, method)()
            return values if isinstance(values, list) else [values]
    if isinstance(column, Sequence):
        return list(column[:])
    raise ValueError(f"{name} is a {type(column).__name__}: give a list with one string a row, as in list({name})")


def _are_plain(texts: list[Any]) -> bool:
    """Whether all are `str` that UTF-8 can hold; the fast answer for the usual case."""
    if not set(map(type, texts)) <= {str}:
        return False
    joined = "".join(texts)
    return joined.isascii() or _encodes(joined)


def _check_texts(texts: list[Any], name: str) -> None:
    if _are_plain(texts):
        return
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"{name}[{i}] is {_shown(text)}: {_advice(text)}")
        if not _encodes(text):
            raise ValueError(
                f"{name}[{i}] is {_shown(text)} and holds a lone surrogate, which is no character: "
                f"decode it from its bytes again, or drop it with text.encode('utf-8', 'ignore').decode()"
            )


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _advice(value: Any) -> str:
    if value is None or (isinstance(value, float) and value != value):
        return "a row is missing; drop it, or give '' for an empty text"
    if isinstance(value, bytes):
        return "give a string, as in value.decode('utf-8')"
    if _is_row_type(type(value)) or isinstance(value, (dict, set)):
        return "nested too deep; give a string"
    return "give a string, as in str(value)"


def _shown(value: Any) -> str:
    return f"{reprlib.repr(value)} ({type(value).__name__})"
