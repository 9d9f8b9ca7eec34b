"""Files that were uploaded, as columns."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SUFFIXES = (".txt", ".csv", ".tsv", ".jsonl")


def read_columns(paths: Iterable[Path]) -> dict[str, list[Any]]:
    """The columns of all files by name: "file: column" of a table, "file" of lines.

    A .csv or .tsv file has a header, a .jsonl file an object a line; any other file is one column of lines.
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
    """The columns of one JSON object a line; the first line says which there are.

    >>> _of_objects("a.jsonl", '{"x": "y", "z": ["a", "b"]}')
    {'a.jsonl: x': ['y'], 'a.jsonl: z': [['a', 'b']]}
    """
    rows = [_object(name, i + 1, line) for i, line in enumerate(split_lines(text))]
    for i, row in enumerate(rows):
        for column in rows[0]:
            if column not in row:
                raise ValueError(f"{name}, line {i + 1}: there is no {column!r}, which line 1 has")
    return {f"{name}: {column}": [row[column] for row in rows] for column in rows[0]}


def _object(name: str, number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"{name}, line {number} is no JSON ({error.msg}, character {error.pos + 1})") from error
    if not isinstance(value, dict):
        raise ValueError(f'{name}, line {number} is no JSON object, such as {{"text": "..."}}')
    return value


def _of_table(name: str, text: str) -> dict[str, list[Any]]:
    """The columns of a table with a header; what stands oftenest in the header separates cells.

    >>> _of_table("a.csv", 'x;y\\n1;"2\\n3"\\n')
    {'a.csv: x': ['1'], 'a.csv: y': ['2\\n3']}
    """
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count), strict=True)
    try:
        header, *rows = [row for row in reader if row]
    except csv.Error as error:
        raise ValueError(f"{name}, line {reader.line_num}: {error}") from error
    except ValueError as error:
        raise ValueError(f"{name} is empty") from error
    if len(set(header)) < len(header):
        raise ValueError(f"{name}: two columns have the same name in the header ({', '.join(header)})")
    for i, row in enumerate(rows):
        if len(row) != len(header):
            raise ValueError(f"{name}, row {i} has {len(row)} cells, but the header has {len(header)}")
    return {f"{name}: {column}": [row[k] for row in rows] for k, column in enumerate(header)}
