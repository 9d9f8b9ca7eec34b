"""How many threads work, and how work is handed to them in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def thread_count() -> int:
    """One thread a core that this process may use; RAYON_NUM_THREADS, TOKENIZERS_PARALLELISM as in the library."""
    if os.environ.get("TOKENIZERS_PARALLELISM", "").lower() in ("false", "off", "no", "0", "f", "n"):
        return 1
    if os.environ.get("RAYON_NUM_THREADS", "").isdecimal():
        return max(1, int(os.environ["RAYON_NUM_THREADS"]))
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_in_order(function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """function(item) for every item, in their order; as many at work as there are threads, no more taken ahead."""
    threads = thread_count()
    if threads == 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[object] = deque()
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()  # type: ignore[attr-defined]
        while waiting:
            yield waiting.popleft().result()  # type: ignore[attr-defined]
