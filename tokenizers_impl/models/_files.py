"""Files that a model reads or writes."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .._text_files import read_text, write_text


def lines_of(path: Path) -> list[str]:
    """The lines of a UTF-8 file, as the library reads them: they end with LF or CR LF, and with nothing else."""
    lines = read_text(path).replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def written(path: Path, text: str) -> str:
    """Writes a file of a model; returns its path as a string."""
    write_text(path, text)
    return str(path)


def chosen_prefix(prefix: str | None, name: str | None) -> str | None:
    """The prefix of a `save`, of which `name` is an older word."""
    if name is None:
        return prefix
    message = "Deprecated in 0.10.0: Parameter `name` of Model.save has been renamed `prefix`"
    warnings.warn(message, DeprecationWarning, stacklevel=3)
    return name


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
