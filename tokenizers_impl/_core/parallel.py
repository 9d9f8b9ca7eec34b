"""Work in threads, in order, with its progress."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from threading import Event, Thread
from typing import Any, Literal, TypeAlias, TypeVar

from evenscore.parallel import bars_are_hidden, ordered_results

# --- Work in parts, handed to threads in order

# Characters of a part of a batch, at least and at most: below, a thread costs more than it brings; above, the lists of
# which an Encoding gives slices are too long to keep.
_SMALLEST_PART, _LARGEST_PART = 1 << 18, 1 << 22

T = TypeVar("T")
R = TypeVar("R")


def _thread_count() -> int:
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
    part = min(max(characters // _thread_count(), _SMALLEST_PART), _LARGEST_PART)
    return -(-len(texts) * part // max(characters, part))


def map_in_order(function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """function(item) for every item, in their order; as many at work as there are threads, no more taken ahead."""
    threads = _thread_count()
    if threads == 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from ordered_results(pool, function, items, under_way=threads)


# --- A call in a thread of its own, to be awaited


async def in_thread(function: Callable[..., R], *arguments: Any) -> R:
    """What the function gives for these arguments, while others go on."""
    # Loaded here: with ssl behind it, it takes 3 MB, which a training does not need.
    from asyncio import to_thread

    return await to_thread(function, *arguments)


# --- Progress of the trainings

# Whether progress is shown, as a bar; or as lines of JSON.
Shown: TypeAlias = bool | Literal["json"]
# Seconds after which a stage is shown that most often takes none.
_PATIENCE = 2.0
# By the names of the library.
PROGRESS_FORMATS: dict[str, Shown] = {"indicatif": True, "json": "json", "silent": False}


class _NoBar:
    """What the trainings use of a bar, without effect."""

    total: int | None = None

    def update(self, n: int = 1) -> None: ...

    def set_postfix(self, **shown: object) -> None: ...


class _JsonLines:
    """The same as a line of JSON on standard error at the beginning, and whenever it has changed."""

    def __init__(self, stage: str, total: int | None) -> None:
        self.stage, self.total, self.current = stage, total, 0
        self._written = ""

    def update(self, n: int = 1) -> None:
        self.current += n
        self._write()

    def set_postfix(self, **shown: object) -> None: ...

    def __enter__(self) -> _JsonLines:
        self._write()
        return self

    def __exit__(self, *error: object) -> None:
        self._write()

    def _write(self) -> None:
        state = {"stage": self.stage, "current": self.current, "total": self.total or 0}
        line = json.dumps(state, separators=(",", ":"))
        if line != self._written:
            print(line, file=sys.stderr, flush=True)
            self._written = line


@contextmanager
def progress_if_slow(stage: str, show: Shown) -> Iterator[None]:
    """`progress` of what takes more than two seconds, most often nothing; it is shown from then on."""
    done = Event()

    def shown() -> None:
        if not done.wait(_PATIENCE):
            with progress(stage, None, show):
                done.wait()

    watching = Thread(target=shown) if show else None
    if watching:
        watching.start()
    try:
        yield
    finally:
        done.set()
        if watching:
            watching.join()


def progress(stage: str, total: int | None, show: Shown, **options: Any) -> Any:
    """A bar of tqdm on standard error, used as a context; one that shows nothing where `show` is False,
    or after `datasets.disable_progress_bars()`.

    What ends before its `total`, which may be no more than a limit, sets `bar.total` to what was done.

    >>> with progress("Merge", 100, show=False) as bar:
    ...     bar.update(2)
    ...     bar.total = 2
    """
    if show == "json":
        return _JsonLines(stage, total)
    if not show or bars_are_hidden():
        return nullcontext(_NoBar())
    from tqdm import tqdm

    return tqdm(desc=stage, total=total, dynamic_ncols=True, **options)
