"""Ids that a caller gives to be decoded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ._unordered import UNORDERED, refuse_unordered

_WHAT = "give integers from 0 to 2**32 - 1"


def distinct_ids(ids: Any) -> tuple[list[int], set[int]]:
    """One row of ids as a list, and as a set; ValueError names what is none."""
    if not _is_row(ids):
        refuse_unordered("the ids are", ids)
        raise ValueError(f"the ids are {ids!r:.80}: give {_instead(ids, 'a list of integers, also for one id')}")
    listed = list(ids)
    return listed, _distinct([listed], "the ids hold", "; lists of ids are for decode_batch")


def distinct_ids_of_rows(rows: Any) -> tuple[Sequence[Sequence[int]], set[int]]:
    """Rows of ids as they are, and all ids as a set; ValueError names the row that is none, or what it holds."""
    if not _is_row(rows):
        refuse_unordered("the rows are", rows)
        raise ValueError(f"the rows are {rows!r}: give a list of lists of ids")
    listed: Any = rows if isinstance(rows, (list, tuple, np.ndarray)) else list(rows)
    # Most often they are lists, which takes no time to see.
    for i, row in enumerate(listed if set(map(type, listed)) != {list} else ()):
        if not _is_row(row):
            refuse_unordered(f"row {i} is", row)
            raise ValueError(f"row {i} is {row!r:.80}: give {_instead(row, 'a list of ids; one list is for decode')}")
    return listed, _distinct(listed, "row {} holds", "")


def _instead(value: Any, what: str) -> str:
    """What to give in place of this; an Encoding has ids."""
    return "its attribute ids" if hasattr(value, "ids") else what


def _is_row(ids: Any) -> bool:
    return isinstance(ids, Iterable) and not isinstance(ids, (str, bytes, *UNORDERED))


def _distinct(rows: Sequence[Sequence[int]], place: str, hint: str) -> set[int]:
    try:
        found = set[int]().union(*rows)
    except TypeError:  # what cannot be hashed is no id
        found = {-1}
    if any(map(_is_strange, found)):
        i, id = next((i, id) for i, row in enumerate(rows) for id in row if _is_strange(id))
        raise ValueError(
            f"{place.format(i)} {id!r}: {_WHAT}{hint if isinstance(id, (list, tuple, np.ndarray)) else ''}"
        )
    return found


def _is_strange(id: Any) -> bool:
    return not isinstance(id, (int, np.integer)) or not 0 <= id < 1 << 32
