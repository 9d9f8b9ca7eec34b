"""Statistics of rows that were added and wait to be scored; threads may share them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from threading import Lock

import numpy as np

from ._segments import IntArray


class AddedRows:
    """Statistics of rows in the order in which they were added, or their sum alone.

    >>> rows = AddedRows(keep_rows=True)
    >>> rows.add([np.array([[1, 7]]), np.array([[1, 8]])])
    >>> [part.tolist() for part in rows.take()], rows.take()
    ([[[1, 7], [1, 8]]], [])
    """

    def __init__(self, keep_rows: bool) -> None:
        """keep_rows: False keeps the sum, so that memory does not grow."""
        self._keep_rows = keep_rows
        self._parts: list[IntArray] = []
        self._locks: dict[int, Lock] = {}

    def add(self, parts: Sequence[IntArray]) -> None:
        """Add rows, in parts of shape (n, columns)."""
        with self._lock:
            if self._keep_rows:
                self._parts.extend(parts)
            elif parts:
                self._parts = [np.concatenate([*self._parts, *parts]).sum(axis=0, keepdims=True)]

    def parts(self) -> list[IntArray]:
        """All of them: one part, none if nothing was added."""
        with self._lock:
            # Parts of a row each would be copied anew by whoever asks next.
            self._parts = _joined(self._parts)
            return [*self._parts]

    def take(self) -> list[IntArray]:
        """All of them, as `parts` gives them, each to one caller alone."""
        with self._lock:
            taken, self._parts = self._parts, []
        return _joined(taken)

    @property
    def _lock(self) -> Lock:
        """That of this process: a lock that some thread holds while another one forks stays locked in the copy."""
        return self._locks.setdefault(os.getpid(), Lock())


def _joined(parts: list[IntArray]) -> list[IntArray]:
    return [np.concatenate(parts)] if len(parts) > 1 else parts
