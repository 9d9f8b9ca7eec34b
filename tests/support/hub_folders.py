"""Folders for the Hub, as `evenscore publish --dry-run` writes them."""

from __future__ import annotations

import functools
from pathlib import Path

from evenscore.hub.bundle import bundle, write_files


@functools.cache
def contents(metric: str) -> dict[str, bytes]:
    """The files of a metric's folder by their names."""
    return bundle(metric, f"me/{metric}")


def hub_folder(metric: str, place: Path) -> Path:
    """A folder of the metric's name at that place, which has all that it needs."""
    folder = place / metric
    write_files(contents(metric), folder)
    return folder
