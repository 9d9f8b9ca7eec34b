"""Progress bars of the trainings."""

from __future__ import annotations

from typing import Any


def progress(stage: str, total: int | None, show: bool, **options: Any) -> Any:
    """A bar of tqdm on standard error, used as a context; one that shows nothing where `show` is False."""
    from tqdm import tqdm

    return tqdm(desc=stage, total=total, disable=not show, dynamic_ncols=True, **options)
