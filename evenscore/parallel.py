"""Runs work in blocks on executors, shows progress bars, and imports optional packages."""

from __future__ import annotations

import importlib
import itertools
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from queue import SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Any, TypeVar


def require(module: str, package: str, wanted_by: str) -> Any:
    """Import an optional module. The ImportError for a missing one names the package and the option that needs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{wanted_by} needs the package {package}: pip install {package}") from error


# Seconds before a progress bar appears.
_PATIENCE = 2.0

T = TypeVar("T")


def with_bar(
    parts: Iterable[T], title: str, unit: str, size: Callable[[T], int], total: int | None = None
) -> Iterator[T]:
    """Yield the parts, and show a progress bar after two seconds unless datasets.disable_progress_bars() was called.

    The bar advances between parts, so a single part shows none.

    size: returns the number of units in a part.
    total: the number of units in all parts, if known.

    >>> list(with_bar([[1, 2], [3]], "Count", "row", len))
    [[1, 2], [3]]
    """
    coming, begin, done = iter(parts), time.monotonic(), 0
    # Creating a tqdm bar starts a thread and takes a fifth of a short call, so it waits until it is needed.
    for part in coming:
        if done and time.monotonic() - begin > _PATIENCE:
            coming = itertools.chain((part,), coming)
            break
        yield part
        done += size(part)
    else:
        return
    if bars_are_hidden():
        yield from coming
        return
    from tqdm.auto import tqdm

    with tqdm(desc=title, total=total, initial=done, unit=unit) as bar:
        for part in coming:
            yield part
            bar.update(size(part))


_WITHOUT_BARS: ContextVar[bool] = ContextVar("_WITHOUT_BARS", default=False)


@contextmanager
def without_bars() -> Iterator[None]:
    """Show no progress bars inside; the calls of other threads and tasks show theirs.

    >>> with without_bars():
    ...     bars_are_hidden()
    True
    """
    before = _WITHOUT_BARS.set(True)
    try:
        yield
    finally:
        _WITHOUT_BARS.reset(before)


def bars_are_hidden() -> bool:
    """Whether progress bars of datasets are disabled, by its function or environment variable, or cannot be written.

    without_bars() hides them, too. A program without a console, such as one of pythonw, has no standard error.
    """
    if sys.stderr is None or _WITHOUT_BARS.get():
        return True
    datasets = sys.modules.get("datasets")
    if datasets is not None:
        return bool(datasets.are_progress_bars_disabled())
    return os.environ.get("HF_DATASETS_DISABLE_PROGRESS_BARS", "").upper() in ("1", "ON", "YES", "TRUE")


# Blocks submitted ahead: enough for some hundred workers, few enough to fit into memory.
_UNDER_WAY = 256

R = TypeVar("R")


def ordered_results(
    executor: Any, function: Callable[[T], R], blocks: Iterable[T], under_way: int = _UNDER_WAY
) -> Iterator[R]:
    """Yield function(block) for each block, in order.

    executor: any object with the `submit` of concurrent.futures.
    under_way: limit of blocks submitted ahead. Pending blocks are cancelled on an error or when the iterator closes.
    Raises ValueError if `executor` has no `submit`, and BrokenExecutor if its workers died and it cannot restart them.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor() as threads:
    ...     list(ordered_results(threads, abs, [-2, 1]))
    [2, 1]
    """
    if not callable(getattr(executor, "submit", None)):
        raise ValueError(f"executor={executor!r} has no submit: give an executor, as in concurrent.futures")
    waiting: deque[Future[R]] = deque()
    try:
        for block in blocks:
            waiting.append(executor.submit(function, block))
            if len(waiting) > under_way:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenExecutor as error:
        raise type(error)(
            f"workers of {type(executor).__name__} died, and it accepts no more work: nothing of this call was kept. "
            f"Create a new one, with fewer workers if memory ran out, and call again ({error})"
        ) from error
    finally:
        for future in waiting:
            future.cancel()


def usable_cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Task(Future[R]):
    """A Future whose result is awaited without a lock of Python's.

    A Ctrl-C may leave such a lock held by the thread that waits; the thread that works would then wait forever.
    """

    def __init__(self) -> None:
        super().__init__()
        self._ended: SimpleQueue[None] = SimpleQueue()

    def end(self) -> None:
        """Note that the result is set."""
        self._ended.put(None)

    def result(self, timeout: float | None = None) -> R:
        """Return the result; queue.Empty after so many seconds."""
        self._ended.get(timeout=timeout)
        self._ended.put(None)
        return super().result()


class Threads:
    """At most `limit` threads, with the `submit` of concurrent.futures; leaving the context ends them.

    The executors of concurrent.futures refuse work once the main thread has ended, although other threads go on.
    These threads are daemons, so that none keeps an interrupted program alive.

    >>> with Threads(2) as threads:
    ...    threads.submit(abs, -1).result()
    1
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._threads: list[Thread] = []
        self._tasks: SimpleQueue[tuple[_Task[Any], Callable[[], Any]] | None] = SimpleQueue()

    def submit(self, function: Callable[..., R], *arguments: Any) -> Future[R]:
        """Call the function in a thread."""
        future: _Task[R] = _Task()
        self._tasks.put((future, partial(function, *arguments)))
        if len(self._threads) < self._limit:
            # Kept before it starts: a Ctrl-C may arrive as soon as it runs.
            self._threads.append(Thread(target=_work, args=(self._tasks,), daemon=True))
            self._threads[-1].start()
        return future

    def finish(self) -> None:
        """Let the threads end after the tasks submitted so far."""
        for _ in self._threads:
            self._tasks.put(None)

    def __enter__(self) -> Threads:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.finish()
        for thread in self._threads:
            # A thread whose start was interrupted has no identity.
            if thread.ident is not None:
                thread.join()

    def __del__(self) -> None:
        # A Ctrl-C may arrive as the context is left, before its first line.
        self.finish()


def _work(tasks: SimpleQueue[tuple[_Task[Any], Callable[[], Any]] | None]) -> None:
    """Do the tasks until there is None."""
    while task := tasks.get():
        future, function = task
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(function())
            except BaseException as error:
                future.set_exception(error)
        future.end()
        # Results are large: keep none while waiting.
        del task, future, function
