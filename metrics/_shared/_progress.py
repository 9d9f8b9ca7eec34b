"""Progress bars, as datasets shows and disables them."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

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
    # Imported here: datasets takes a second, which commands that show no bar need not wait.
    from datasets.utils import tqdm

    with tqdm(desc=title, total=total, initial=done, unit=unit) as bar:
        for part in coming:
            yield part
            bar.update(size(part))
