"""Work in blocks, wherever an executor does it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future
from typing import Any, TypeVar

# As many blocks under way as keep some hundred workers busy, few enough for what they hold to fit into memory.
_UNDER_WAY = 256

T = TypeVar("T")
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
