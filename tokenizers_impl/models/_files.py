"""Files that a model reads or writes."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def lines_of(path: Path) -> list[str]:
    """The lines of a UTF-8 file, as the library reads them: they end with LF or CR LF, and with nothing else."""
    lines = path.read_bytes().decode().replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def write_whole(path: Path, text: str) -> str:
    """Writes a UTF-8 file so that an interruption leaves the old one, or none; returns the path as a string."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.unfinished")
    try:
        unfinished.write_text(text, encoding="utf-8", newline="")
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    return str(path)


def named(folder: str | os.PathLike[str], prefix: str | None, name: str) -> Path:
    """The path of a model's file: folder/name or folder/prefix-name, as the library calls it."""
    return Path(folder) / (name if prefix is None else f"{prefix}-{name}")


def compact_json(value: Any) -> str:
    """JSON with the bytes that the library writes.

    >>> compact_json({"é": 0, "b": [1]})
    '{"é":0,"b":[1]}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def required(data: Mapping[str, Any], key: str, model: str) -> Any:
    """data[key]; ValueError if a model's JSON lacks it."""
    if key not in data:
        raise ValueError(f"{model}: the key {key!r} is missing")
    return data[key]
