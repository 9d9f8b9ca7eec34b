"""Progress bars of the trainings."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any


class _NoBar:
    """What the trainings use of a bar, without effect."""

    total: int | None = None

    def update(self, n: int = 1) -> None: ...

    def set_postfix(self, **shown: object) -> None: ...


def progress(stage: str, total: int | None, show: bool, **options: Any) -> Any:
    """A bar of tqdm on standard error, used as a context; one that shows nothing where `show` is False.

    What ends before its `total`, which may be no more than a limit, sets `bar.total` to what was done.

    >>> with progress("Merge", 100, show=False) as bar:
    ...     bar.update(2)
    ...     bar.total = 2
    """
    if not show:
        return nullcontext(_NoBar())
    try:
        from tqdm import tqdm
    except ImportError as error:
        raise ImportError(
            "a progress bar needs the package tqdm: pip install 'evenscore[trainers]', or set show_progress=False"
        ) from error
    return tqdm(desc=stage, total=total, dynamic_ncols=True, **options)
