"""Ids that a caller gives to be decoded."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from operator import index
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ._arrays import I64, U32
from ._unordered import UNORDERED, refuse_unordered

_WHAT = "give integers from 0 to 2**32 - 1"
# Of 32 bits: it takes integers from 0 to 2**32 - 1, of numpy as well, and refuses all else.
_ID = "I"


class IdRows(NamedTuple):
    """Rows of ids.

    ids: uint32, shape (m,): of all rows, one after another.
    offsets: int64, shape (n + 1,): the ids of row i are offsets[i]:offsets[i + 1].
    """

    ids: U32
    offsets: I64

    def blocks(self, rows: int) -> Iterator[IdRows]:
        """The same in parts of so many rows."""
        for at in range(0, len(self.offsets) - 1, rows):
            offsets = self.offsets[at : at + rows + 1]
            yield IdRows(self.ids[offsets[0] : offsets[-1]], offsets - offsets[0])

    def lists(self) -> list[list[int]]:
        """Every row as a list."""
        return [self.ids[start:end].tolist() for start, end in pairwise(self.offsets.tolist())]


def id_row(ids: Any) -> array[int]:
    """One row of ids; ValueError names what is none."""
    if not _is_row(ids):
        refuse_unordered("the ids are", ids)
        raise ValueError(f"the ids are {ids!r:.80}: give {_instead(ids, 'a list of integers, also for one id')}")
    listed = ids if isinstance(ids, list) else list(ids)
    try:
        return array(_ID, listed)
    except (TypeError, OverflowError):
        _refuse([listed], "the ids hold", "; lists of ids are for decode_batch")


def id_rows(rows: Any) -> IdRows:
    """Rows of ids; ValueError names the row that is none, or what it holds."""
    if not _is_row(rows):
        refuse_unordered("the rows are", rows)
        raise ValueError(f"the rows are {rows!r}: give a list of lists of ids")
    listed = _listed(rows)
    try:
        ids = array(_ID, chain.from_iterable(listed))
    except (TypeError, OverflowError):
        _refuse(listed, "row {} holds", "")
    return IdRows(np.asarray(ids), np.asarray(array("q", accumulate(map(len, listed), initial=0))))


def _listed(rows: Iterable[Any]) -> list[list[Any]]:
    """Every row as a list; ValueError names the row that is none."""
    listed = list(rows)
    # Most often they are lists, which takes no time to see.
    if set(map(type, listed)) <= {list}:
        return listed
    for i, row in enumerate(listed):
        if not _is_row(row):
            refuse_unordered(f"row {i} is", row)
            raise ValueError(f"row {i} is {row!r:.80}: give {_instead(row, 'a list of ids; one list is for decode')}")
    return list(map(list, listed))


def _instead(value: Any, what: str) -> str:
    """What to give in place of this; an Encoding has ids."""
    return "its attribute ids" if hasattr(value, "ids") else what


def _is_row(ids: Any) -> bool:
    if isinstance(ids, list):
        return True
    return isinstance(ids, Iterable) and not isinstance(ids, (str, bytes, *UNORDERED))


def _refuse(rows: Sequence[Sequence[Any]], place: str, hint: str) -> NoReturn:
    """ValueError for the first of their elements that is no id."""
    i, id = next((i, id) for i, row in enumerate(rows) for id in row if _is_strange(id))
    raise ValueError(f"{place.format(i)} {id!r}: {_WHAT}{hint if isinstance(id, (list, tuple, np.ndarray)) else ''}")


def _is_strange(id: Any) -> bool:
    try:
        return not 0 <= index(id) < 1 << 32
    except TypeError:
        return True
