"""Work in parts, handed to threads in order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from evenscore.parallel import ordered_results

# Characters of a part of a batch, at least and at most: below, a thread costs more than it brings; above, the lists of
# which an Encoding gives slices are too long to keep.
_SMALLEST_PART, _LARGEST_PART = 1 << 18, 1 << 22

T = TypeVar("T")
R = TypeVar("R")


def thread_count() -> int:
    """One thread a core that this process may use; RAYON_NUM_THREADS, TOKENIZERS_PARALLELISM as in the library."""
    if os.environ.get("TOKENIZERS_PARALLELISM", "").lower() in ("false", "off", "no", "0", "f", "n"):
        return 1
    if os.environ.get("RAYON_NUM_THREADS", "").isdecimal():
        return max(1, int(os.environ["RAYON_NUM_THREADS"]))
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def part_size(texts: Sequence[str]) -> int:
    """How many texts make a part, if they are of about the same length: one part a thread, if that is not too much."""
    try:
        characters = sum(map(len, texts))
    except TypeError:
        characters = 0  # what is no string is refused by its place, later
    part = min(max(characters // thread_count(), _SMALLEST_PART), _LARGEST_PART)
    return -(-len(texts) * part // max(characters, part))


def map_in_order(function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """function(item) for every item, in their order; as many at work as there are threads, no more taken ahead."""
    threads = thread_count()
    if threads == 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from ordered_results(pool, function, items, under_way=threads)
