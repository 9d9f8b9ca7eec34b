"""What the commands read from their words and files."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def named_values(words: Sequence[str]) -> list[tuple[str, Any]]:
    """The options from `--name value ...`; one that no value follows is True."""
    named: list[tuple[str, list[Any]]] = []
    for word in words:
        if word.startswith("--"):
            name, equals, text = word[2:].partition("=")
            named.append((name.replace("-", "_"), [value(text)] if equals else []))
        elif named:
            named[-1][1].append(value(word))
        else:
            raise ValueError(f"unexpected argument {word!r}: options are given as --name value")
    return [(name, True if not values else values[0] if len(values) == 1 else values) for name, values in named]


def value(word: str) -> Any:
    """Numbers, lists, True, False and None are taken as such, everything else as text."""
    try:
        return ast.literal_eval(word)
    except (ValueError, SyntaxError, TypeError):
        return word


def lines(path: Path | None) -> list[str]:
    """The lines of a file, or of standard input, split at line feeds alone: other characters are the segment's own."""
    data = path.read_bytes() if path else sys.stdin.buffer.read()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = f"{path or 'standard input'} is no UTF-8 text (byte {error.start})"
        raise ValueError(f"{place}: convert it first") from error
    parts = text.split("\n")
    return [part.removesuffix("\r") for part in (parts if parts[-1] else parts[:-1])]


def aligned_lines(paths: Sequence[Path]) -> list[list[str]]:
    """The lines of files that belong together line by line; ValueError for a file that has not as many as the first."""
    columns = [lines(path) for path in paths]
    for path, column in zip(paths, columns, strict=True):
        if len(column) != len(columns[0]):
            raise ValueError(f"{path} has {len(column)} lines but {paths[0]} has {len(columns[0])}")
    return columns


def refuse_others(words: Sequence[str], command: str) -> None:
    """ValueError for the first word that the command does not know."""
    if words:
        raise ValueError(f"unexpected argument {words[0]!r}: see evenscore {command} --help")


def check_output(path: Path) -> None:
    """Before the work, not after it: ValueError if the file cannot be written."""
    folder = path.resolve().parent
    if not folder.is_dir():
        raise ValueError(f"{path}: there is no folder {folder}: make it first")
    if path.is_dir():
        raise ValueError(f"{path} is a folder: name a file")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"{path}: the folder {folder} cannot be written")
