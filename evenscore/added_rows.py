"""The rows that were added to a metric since its last `compute`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TypeVar

import numpy as np

from evenscore.text.segments import IntArray

T = TypeVar("T")


class AddedRows:
    """Keeps the statistics of added rows in order, or their sum alone. Safe to share between threads.

    >>> rows = AddedRows(keep_rows=True)
    >>> rows.add([np.array([[1, 7]]), np.array([[1, 8]])])
    >>> [part.tolist() for part in rows.take()], rows.take()
    ([[[1, 7], [1, 8]]], [])
    """

    def __init__(self, keep_rows: bool) -> None:
        """With keep_rows=False only the sum is kept, so that memory does not grow."""
        self._keep_rows = keep_rows
        self._parts: list[IntArray] = []
        self._locks: dict[int, Lock] = {}

    def add(self, parts: Sequence[IntArray]) -> None:
        """Add rows, in parts of shape (n, columns)."""
        with self._lock:
            if self._keep_rows:
                self._parts.extend(parts)
            else:
                self._parts = self._kept([*self._parts, *parts])

    def put_back(self, parts: Sequence[IntArray]) -> None:
        """Add rows in front of all others."""
        with self._lock:
            self._parts = self._kept([*parts, *self._parts])

    def parts(self) -> list[IntArray]:
        """Return all rows as one part, or an empty list if there are none."""
        with self._lock:
            # Keep the joined array, or each call would concatenate many one-row parts again.
            self._parts = _joined(self._parts)
            return [*self._parts]

    def take(self) -> list[IntArray]:
        """Remove all rows and return them like `parts`. Each row goes to exactly one caller."""
        return self.scored(lambda rows: rows)

    def scored(self, score: Callable[[list[IntArray]], T]) -> T:
        """Remove all rows and return the score of `parts`. If `score` raises, or is interrupted, the rows come back.

        Each row goes to exactly one caller.
        """
        taken: list[IntArray] = []
        try:
            with self._lock:
                taken, self._parts = self._parts, []
            return score(_joined(taken))
        except BaseException:
            self.put_back(taken)
            raise

    def _kept(self, parts: list[IntArray]) -> list[IntArray]:
        """Return what is kept of these parts."""
        if self._keep_rows or not parts:
            return parts
        return [np.concatenate(parts).sum(axis=0, keepdims=True)]

    @property
    def _lock(self) -> Lock:
        """The lock of this process. A lock held during a fork would stay locked in the child."""
        return self._locks.setdefault(os.getpid(), Lock())


def _joined(parts: list[IntArray]) -> list[IntArray]:
    return [np.concatenate(parts)] if len(parts) > 1 else parts
