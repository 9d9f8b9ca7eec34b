"""A binary heap of numbers, the smallest first."""

from __future__ import annotations

from .._arrays import I64
from .._kernel import inner_kernel


@inner_kernel
def push(heap: I64, size: int, entry: int) -> int:
    """Adds an entry to a binary heap, the smallest first; returns its new size."""
    i = size
    while i > 0 and heap[(i - 1) // 2] > entry:
        heap[i] = heap[(i - 1) // 2]
        i = (i - 1) // 2
    heap[i] = entry
    return size + 1


@inner_kernel
def pop(heap: I64, size: int) -> int:
    """Takes the first entry, heap[0], out of a heap; returns its new size."""
    size -= 1
    entry = heap[size]
    i = 0
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= entry:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = entry
    return size
