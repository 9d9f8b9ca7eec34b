"""Progress of the trainings."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from threading import Event, Thread
from typing import Any, Literal, TypeAlias

from evenscore.parallel import bars_are_hidden

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
