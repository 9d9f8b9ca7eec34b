"""Windows as padded batches, grouped by length under a budget of tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ._segments import IntArray
from ._windows import Windows, ranges

# How torch's allocators for CUDA, MPS, Linux, Windows say it; only that of CUDA has an exception of its own.
_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory")


class Frame(NamedTuple):
    """What stands around a slice of a text in the model's input, and instead of a target.

    prefix, suffix: ids before and after the slice.
    mask: the id that replaces each target; None for a causal model, which reads only what is before a target.
    """

    prefix: tuple[int, ...] = ()
    suffix: tuple[int, ...] = ()
    mask: int | None = None

    @property
    def size(self) -> int:
        """How many tokens of the input it takes."""
        return len(self.prefix) + len(self.suffix)

    @property
    def largest(self) -> int:
        """Its largest id; 0 if it has none."""
        return max((*self.prefix, *self.suffix, self.mask or 0))


class Batch(NamedTuple):
    """The input of one forward pass, and what to read from its output.

    ids: shape (rows, longest), int64; filled up with zeros on the right.
    is_token: same shape: which of them are no filling.
    rows, columns: shape (targets,): where the model says what the targets are.
    places: shape (targets,): where the targets stand among the ids of all texts.
    """

    ids: IntArray
    is_token: npt.NDArray[np.bool_]
    rows: IntArray
    columns: IntArray
    places: IntArray


def padded(ids: IntArray, windows: Windows, frame: Frame) -> Batch:
    """The windows as one rectangle, each from its left edge on.

    Padding is the id 0, which every vocabulary has; no padding token is needed.  On the right it leaves every
    token at its own position.

    >>> ids, two = np.array([5, 6, 7]), Windows(*np.array([[0, 1], [2, 2], [1, 2], [3, 3]]))
    >>> batch = padded(ids, two, Frame())
    >>> batch.ids.tolist(), batch.rows.tolist(), batch.columns.tolist(), batch.places.tolist()
    ([[5, 6], [6, 0]], [0, 0, 1], [0, 1, 0], [1, 2, 2])
    """
    places = windows.targets()
    rows = np.repeat(np.arange(len(windows.starts)), windows.last_targets - windows.first_targets)
    columns = places - windows.starts[rows] + len(frame.prefix)
    before, width = len(frame.prefix), windows.lengths.max(initial=0) + frame.size
    rectangle = np.zeros((len(windows.starts), width), np.int64)
    rectangle[:, :before] = frame.prefix
    position = np.arange(width)
    ends = windows.lengths[:, None] + before
    rectangle[(position >= before) & (position < ends)] = ids[ranges(windows.starts, windows.stops)]
    rectangle[(position >= ends) & (position < ends + len(frame.suffix))] = frame.suffix * len(rectangle)
    is_token = position < ends + len(frame.suffix)
    if frame.mask is None:
        return Batch(rectangle, is_token, rows, columns - 1, places)
    rectangle[rows, columns] = frame.mask
    return Batch(rectangle, is_token, rows, columns, places)


def in_batches(
    lengths: IntArray,
    score: Callable[[IntArray], None],
    max_tokens: int,
    max_rows: int | None,
    warn: Callable[[str], None],
) -> Iterator[IntArray]:
    """Call `score` with batches of row numbers until each was in one, longest rows first, ties in their order.

    lengths: shape (n,), tokens of each row, at least 1.
    max_tokens: of a batch, filling counted; a longer row is a batch by itself.
    max_rows: of a batch; None for any number.

    Gives every batch once it is scored.  Where memory does not suffice for one, `warn` is called, and the limit halved;
    raises MemoryError if it does not suffice for a single row.
    """
    order = np.argsort(-lengths, kind="stable")
    done, budget = 0, max_tokens
    while done < len(order):
        longest = int(lengths[order[done]])
        rows = order[done : done + max(1, min(budget // longest, max_rows or len(order)))]
        failure = _out_of_memory(score, rows)
        if failure is None:
            yield rows
            done += len(rows)
        elif len(rows) == 1:
            raise MemoryError(f"not enough memory for a window of {longest} tokens: give a smaller window ({failure})")
        else:
            warn(
                f"not enough memory for {len(rows)} rows of {longest} tokens: going on with smaller batches; "
                f"a smaller max_batch_tokens spares the try"
            )
            budget = len(rows) * longest // 2


def _out_of_memory(score: Callable[[IntArray], None], rows: IntArray) -> str | None:
    """Score rows; what was said if memory did not suffice, None if it did.

    The exception ends here: what it holds on to of the failed batch is free when the next one starts.
    """
    try:
        score(rows)
    except (RuntimeError, MemoryError) as error:
        message = str(error).partition("\n")[0]
        if not isinstance(error, MemoryError) and not any(said in message.lower() for said in _OUT_OF_MEMORY):
            raise
        return message
    return None
