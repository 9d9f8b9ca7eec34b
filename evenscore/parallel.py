"""Work in blocks: executors, progress bars, optional packages."""

from __future__ import annotations

import importlib
import itertools
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future
from typing import Any, TypeVar


def require(module: str, package: str, wanted_by: str) -> Any:
    """The module; ImportError that says what to install, and for which option, if it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{wanted_by} needs the package {package}: pip install {package}") from error


# Seconds after which somebody waits.
_PATIENCE = 2.0

T = TypeVar("T")


def with_bar(
    parts: Iterable[T], title: str, unit: str, size: Callable[[T], int], total: int | None = None
) -> Iterator[T]:
    """The parts as they come; whoever waits for more than two seconds sees a bar.

    datasets.disable_progress_bars() hides it.  A single part has none: how far it is, only the kernel inside knows.
    size: how many units a part is, of `total`, if that is known.

    >>> list(with_bar([[1, 2], [3]], "Count", "row", len))
    [[1, 2], [3]]
    """
    coming, begin, done = iter(parts), time.monotonic(), 0
    # A bar that is made and not shown costs a thread, and a fifth of a short call.
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


def bars_are_hidden() -> bool:
    """Whether datasets was told to show no bars: by its function, if it is loaded, else by its variable."""
    datasets = sys.modules.get("datasets")
    if datasets is not None:
        return bool(datasets.are_progress_bars_disabled())
    return os.environ.get("HF_DATASETS_DISABLE_PROGRESS_BARS", "").upper() in ("1", "ON", "YES", "TRUE")


# As many blocks under way as keep some hundred workers busy, few enough for what they hold to fit into memory.
_UNDER_WAY = 256

R = TypeVar("R")


def ordered_results(
    executor: Any, function: Callable[[T], R], blocks: Iterable[T], under_way: int = _UNDER_WAY
) -> Iterator[R]:
    """function(block) for every block, in the order of the blocks.

    executor: anything with the `submit` of concurrent.futures.
    under_way: no more blocks are taken ahead; when one fails, or nobody asks any more, those that wait are cancelled.
    Raises ValueError for what is no executor; BrokenExecutor if its workers died and it does not start others.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor() as threads:
    ...     list(ordered_results(threads, abs, [-2, 1]))
    [2, 1]
    """
    if not callable(getattr(executor, "submit", None)):
        raise ValueError(f"executor={executor!r} has no submit: give an executor as those of concurrent.futures")
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
            f"workers of {type(executor).__name__} died, and it takes no more work: nothing of this call is kept. Make "
            f"a new one, of fewer workers if memory ran out, and call again ({error})"
        ) from error
    finally:
        for future in waiting:
            future.cancel()
