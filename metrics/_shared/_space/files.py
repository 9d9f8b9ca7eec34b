"""Files that were uploaded, as columns."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

SUFFIXES = (".txt", ".csv", ".tsv", ".jsonl")


def read_columns(paths: Iterable[Path]) -> dict[str, list[Any]]:
    """The columns of all files by name: "file: column" of a table, "file" of lines.

    A .csv or .tsv file has a header, a .jsonl file an object a line; any other file is one column of lines.
    A blank line is an empty text of a single column, and no row of several.
    Raises ValueError that names the file and the place of what cannot be read.
    """
    columns: dict[str, list[Any]] = {}
    for path in paths:
        read = _read(path.name, path.suffix.lower(), path.read_bytes())
        if twice := sorted(columns.keys() & read.keys()):
            raise ValueError(f"{twice[0]!r} is there twice: rename one of the files")
        columns.update(read)
    return columns


def split_lines(text: str) -> list[str]:
    """The lines of a text, split at line feeds alone, whether one ends it or not.

    >>> split_lines("a\\r\\n\\nb\\n")
    ['a', '', 'b']
    """
    parts = text.split("\n")
    return [part.removesuffix("\r") for part in (parts if parts[-1] else parts[:-1])]


def _read(name: str, suffix: str, data: bytes) -> dict[str, list[Any]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} is no UTF-8 text (byte {error.start}): convert it first") from error
    if not text:
        raise ValueError(f"{name} is empty")
    if suffix == ".jsonl":
        return _of_objects(name, text)
    return _of_table(name, text) if suffix in (".csv", ".tsv") else {name: split_lines(text)}


def _of_objects(name: str, text: str) -> dict[str, list[Any]]:
    """The columns of one JSON object a line, blank lines aside; the first one says which there are.

    >>> _of_objects("a.jsonl", '{"x": "y", "z": ["a", "b"]}')
    {'a.jsonl: x': ['y'], 'a.jsonl: z': [['a', 'b']]}
    """
    rows = {i: _object(name, i, line) for i, line in enumerate(split_lines(text), 1) if line.strip()}
    if not rows:
        raise ValueError(f"{name} is empty")
    first, columns = next(iter(rows.items()))
    for i, row in rows.items():
        for column in columns:
            if column not in row:
                raise ValueError(f"{name}, line {i}: there is no {column!r}, which line {first} has")
    return {f"{name}: {column}": [row[column] for row in rows.values()] for column in columns}


def _object(name: str, number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"{name}, line {number} is no JSON ({error.msg}, character {error.pos + 1})") from error
    except RecursionError as error:
        raise ValueError(f"{name}, line {number} is nested too deeply to be read") from error
    except ValueError as error:
        # What Python refuses of a number that is right by JSON's grammar.
        raise ValueError(f"{name}, line {number} has a number of too many digits to be read") from error
    if not isinstance(value, dict):
        raise ValueError(f'{name}, line {number} is no JSON object, such as {{"text": "..."}}')
    return value


def _of_table(name: str, text: str) -> dict[str, list[Any]]:
    """The columns of a table with a header; what stands oftenest in the header separates cells.

    Of a single column, a blank line is an empty text; of several, blank lines may stand at the end alone.

    >>> _of_table("a.csv", 'x;y\\n1;"2\\n3"\\n')
    {'a.csv: x': ['1'], 'a.csv: y': ['2\\n3']}
    """
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count), strict=True)
    try:
        (_, header), *lines = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise ValueError(f"{name}, line {reader.line_num}: {error}") from error
    if not header:
        raise ValueError(f"{name} begins with a blank line: begin it with the names of its columns")
    if len(set(header)) < len(header):
        raise ValueError(f"{name}: two columns have the same name in the header ({', '.join(header)})")
    rows = _full_rows(name, len(header), lines)
    return {f"{name}: {column}": [row[k] for row in rows] for k, column in enumerate(header)}


def _full_rows(name: str, n_columns: int, lines: Sequence[tuple[int, list[str]]]) -> list[list[str]]:
    """Rows of as many cells as there are columns, from rows with the lines they end in."""
    if n_columns == 1:
        rows = [(number, row or [""]) for number, row in lines]
    else:
        n_rows = max((k for k, (_, row) in enumerate(lines, 1) if row), default=0)
        rows = list(lines[:n_rows])
    for number, row in rows:
        if len(row) != n_columns:
            raise ValueError(f"{name}, line {number} has {len(row)} cells, but the header has {n_columns}")
    return [row for _, row in rows]
