"""What tells that a file was written anew, without a look into it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


def file_stamp(value: Any) -> list[tuple[str, int, int]]:
    """Of a file its path, size in bytes and time of change in nanoseconds; of a folder those of its files, sorted.

    Empty for what is no path, or leads nowhere.

    >>> file_stamp("no/such/file"), file_stamp(13)
    ([], [])
    """
    if not isinstance(value, (str, os.PathLike)) or not os.path.exists(value):
        return []
    path = Path(value).absolute()
    files = sorted(filter(Path.is_file, path.iterdir())) if path.is_dir() else [path]
    stats = [(str(file), file.stat()) for file in files]
    return [(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats]
