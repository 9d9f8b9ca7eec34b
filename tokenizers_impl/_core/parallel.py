"""Threads, and the progress of trainings."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import copy_context
from functools import partial
from threading import Lock, Thread
from typing import Any, Literal, TypeAlias, TypeVar

from evenscore.parallel import Threads, bars_are_hidden, ordered_results, usable_cores

# --- Work in threads, with results in order

# The smallest and largest part of a batch, in characters.  A thread does not pay for smaller parts; for larger ones,
# the lists that Encodings slice take too much memory.
_SMALLEST_PART, _LARGEST_PART = 1 << 18, 1 << 22

T = TypeVar("T")
R = TypeVar("R")


def _thread_count() -> int:
    """One thread per usable core; RAYON_NUM_THREADS and TOKENIZERS_PARALLELISM change it as in the library."""
    if os.environ.get("TOKENIZERS_PARALLELISM", "").lower() in ("false", "off", "no", "0", "f", "n"):
        return 1
    if os.environ.get("RAYON_NUM_THREADS", "").isdecimal():
        return max(1, int(os.environ["RAYON_NUM_THREADS"]))
    return usable_cores()


def part_size(texts: Sequence[str]) -> int:
    """The number of texts per part, assuming similar lengths: one part per thread, within the limits above."""
    try:
        characters = sum(map(len, texts))
    except TypeError:
        characters = 0  # a later check names the text that is not a string
    part = min(max(characters // _thread_count(), _SMALLEST_PART), _LARGEST_PART)
    return -(-len(texts) * part // max(characters, part))


def map_in_order(function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """Map in threads; results come in the order of the items, and only as many items are taken as there are threads."""
    threads = _thread_count()
    if threads == 1:
        yield from map(function, items)
        return
    with Threads(threads) as pool:
        yield from ordered_results(pool, function, items, under_way=threads)


# --- Asynchronous calls


async def in_thread(function: Callable[..., R], *arguments: Any) -> R:
    """Call the function in a thread and await its result."""
    # Imported here, because asyncio (with ssl) takes 3 MB, which a training does not need.
    from asyncio import get_running_loop, wrap_future

    call = partial(copy_context().run, function, *arguments)
    try:
        called = get_running_loop().run_in_executor(None, call)
    except RuntimeError:
        # The main thread has ended, and the executor of asyncio takes no more work.
        threads = Threads(1)
        called = wrap_future(threads.submit(call))
        threads.finish()
    return await called


# --- Progress of trainings

# True: progress bars.  False: nothing.  "json": lines of JSON.
Shown: TypeAlias = bool | Literal["json"]
# Seconds until `progress_if_slow` shows a stage.
_PATIENCE = 2.0
# Seconds to wait for a stage's bar to end.
_MOST_WAIT = 2.0
# From the library's progress_format.
PROGRESS_FORMATS: dict[str, Shown] = {"indicatif": True, "json": "json", "silent": False}


class _NoBar:
    """A progress bar that shows nothing."""

    total: int | None = None

    def update(self, n: int = 1) -> None: ...

    def set_postfix(self, **shown: object) -> None: ...


class _JsonLines:
    """A progress bar that writes a line of JSON to standard error at the start and at every change."""

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
    """Show the progress of a stage only once it has taken two seconds."""
    # The release of a lock is one step, which no Ctrl-C divides.  Event.set takes a lock of its own: a Ctrl-C may leave
    # that lock held, and whoever sets the event again waits forever.
    running = Lock()
    running.acquire()

    def shown() -> None:
        if not running.acquire(timeout=_PATIENCE):
            with progress(stage, None, show):
                running.acquire()

    watching = Thread(target=shown, daemon=True)
    try:
        if show:
            watching.start()
        yield
    finally:
        try:
            running.release()
        except BaseException:
            # A Ctrl-C arrived before the release, or after it.
            if running.locked():
                running.release()
            raise
        # A thread whose start was interrupted has no identity.  The wait has a limit, because a Ctrl-C within tqdm may
        # leave tqdm's lock held, and then no other thread can show a bar.
        if watching.ident is not None:
            watching.join(_MOST_WAIT)


def progress(stage: str, total: int | None, show: Shown, **options: Any) -> Any:
    """A context manager with a tqdm bar on standard error, or lines of JSON.

    It shows nothing if `show` is False, or after `datasets.disable_progress_bars()`.
    If `total` was only an upper limit, set `bar.total` to what was done.

    >>> with progress("Merge", 100, show=False) as bar:
    ...     bar.update(2)
    ...     bar.total = 2
    """
    if show == "json" and sys.stderr is not None:
        return _JsonLines(stage, total)
    if not show or bars_are_hidden():
        return nullcontext(_NoBar())
    from tqdm import tqdm

    return tqdm(desc=stage, total=total, dynamic_ncols=True, **options)
