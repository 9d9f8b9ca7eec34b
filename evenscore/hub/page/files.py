"""Converts uploaded files or typed texts to the columns that compute takes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from evenscore.hub.page.description import Given, Input
from evenscore.inputs import amount, text_lines, utf8_text
from evenscore.table_files import TABLE_SUFFIXES, Table, check_no_spreadsheet, parse_table

SUFFIXES = (".txt", ".csv", ".tsv", ".jsonl")
# Files without columns; a metric takes their paths.
MODELS = (".arpa",)


def read_columns(paths: Iterable[Path]) -> dict[str, Any]:
    """The columns of all files by name: "file: column" for tables, "file" for lines and for the path of a model.

    A .csv or .tsv file has a header, a .jsonl file has one object per line; any other file is one column of lines.
    In a table, a blank line is an empty text if there is a single column, and not a row if there are several.
    Raises ValueError with the file and the position if a file cannot be read.
    """
    columns: dict[str, Any] = {}
    for path in paths:
        suffix = path.suffix.lower()
        read = {path.name: path} if suffix in MODELS else _read(path.name, suffix, path.read_bytes())
        if twice := sorted(columns.keys() & read.keys()):
            raise ValueError(f"{twice[0]!r} is there twice: rename one of the files")
        columns.update(read)
    return columns


def _read(name: str, suffix: str, data: bytes) -> dict[str, list[Any]]:
    check_no_spreadsheet(name)
    text = utf8_text(data, name)
    if not text:
        raise ValueError(f"{name} is empty")
    if suffix not in TABLE_SUFFIXES:
        return {name: text_lines(text)}
    return _of_table(parse_table(text, TABLE_SUFFIXES[suffix], name))


def _of_table(table: Table) -> dict[str, list[Any]]:
    """The columns of a table; the first row names them, and every row needs them.

    >>> _of_table(parse_table('{"x": "y", "z": ["a", "b"]}', "jsonl", "a.jsonl"))
    {'a.jsonl: x': ['y'], 'a.jsonl: z': [['a', 'b']]}
    """
    columns = list(table.rows[0]) if table.rows else table.columns
    for i, row in enumerate(table.rows):
        for column in columns:
            if column not in row:
                raise ValueError(f"{table.place(i)} has no {column!r}: add it, or leave the row out")
    return {f"{table.name}: {column}": [row[column] for row in table.rows] for column in columns}


def typed_columns(inputs: Sequence[Input], boxes: Sequence[str | None]) -> Given:
    """The columns of typed texts, one row per line; boxes: the texts of the boxes of all inputs, in order.

    >>> several = Input("references", "references", "References", "", boxes=2)
    >>> typed_columns([several], ["a\\nb", "c\\n\\n"])
    {'references': [['a', 'c'], ['b']]}
    """
    texts = iter(boxes)
    typed = [[next(texts) or "" for _ in range(entry.boxes)] for entry in inputs]
    named = [
        {f"{entry.label} {k + 1}": text_lines(text) for k, text in enumerate(own) if text}
        for entry, own in zip(inputs, typed, strict=True)
    ]
    return _given(inputs, named, "type or paste some lines")


def chosen_columns(
    inputs: Sequence[Input], chosen: Sequence[str | Sequence[str] | None], columns: Mapping[str, Any]
) -> Given:
    """The chosen columns of files; chosen: for each input the name of one column, or several names.

    >>> entry = Input("log_probs", "", "Numbers", "", numbers=True)
    >>> chosen_columns([entry], ["a.txt"], {"a.txt": ["-1 -2.5"]})
    {'log_probs': [[-1.0, -2.5]]}
    """
    names = [[own] if isinstance(own, str) else own or [] for own in chosen]
    return _given(inputs, [{name: columns[name] for name in own} for own in names], "choose a column of a file")


def guessed_columns(inputs: Sequence[Input], names: Sequence[str]) -> list[list[str]]:
    """Guess the columns of each input: those with a matching name, else the first one left.

    >>> entry = Input("references", "references", "References", "", boxes=2, called=("ref",))
    >>> guessed_columns([entry], ["a.csv: id", "a.csv: ref1", "a.csv: ref2"])
    [['a.csv: ref1', 'a.csv: ref2']]
    """
    meant = {name: _meant_by(name.rpartition(": ")[2].lower(), inputs) for name in names}
    free = iter([name for name in names if meant[name] is None])
    guessed = []
    for k, entry in enumerate(inputs):
        own = [name for name in names if meant[name] == k]
        guessed.append((own or list(itertools.islice(free, int(entry.is_needed))))[: max(1, entry.boxes)])
    return guessed


def _meant_by(name: str, inputs: Sequence[Input]) -> int | None:
    """The index of the input that matches a column's name earliest in it: "train_texts" does not mean texts."""
    places = [(name.find(part), k) for k, entry in enumerate(inputs) for part in entry.called if part in name]
    return min(places)[1] if places else None


def _given(inputs: Sequence[Input], named: Sequence[Mapping[str, Any]], remedy: str) -> Given:
    for entry, columns in zip(inputs, named, strict=True):
        if entry.is_needed and not columns:
            raise ValueError(f"{entry.label} are missing: {remedy}")
    return {entry.name: _joined(entry, columns) for entry, columns in zip(inputs, named, strict=True) if columns}


def _joined(entry: Input, columns: Mapping[str, Any]) -> Any:
    """Join several columns to rows of lists without empty texts, unless all are empty; for a model, its path."""
    for name, column in columns.items():
        if isinstance(column, Path) != (entry.boxes == 0):
            wanted = "a column of texts" if entry.boxes else f"a file that ends in {', '.join(MODELS)}"
            raise ValueError(f"{entry.label}: {name} cannot be used there, choose {wanted}")
    (first, rows), *others = columns.items()
    if isinstance(rows, Path):
        return str(rows)
    for name, column in others:
        if len(column) != len(rows):
            raise ValueError(f"{name} has {amount(len(column), 'rows')}, but {first} has {len(rows)}")
    if entry.numbers:
        return [_numbers(row, f"{first}, row {i}") for i, row in enumerate(rows, 1)]
    if not others:
        return list(rows)
    return [_filled(cells) or [""] for cells in zip(*columns.values(), strict=True)]


def _filled(cells: Sequence[Any]) -> list[Any]:
    return [text for cell in cells for text in (cell if isinstance(cell, list) else [cell]) if text]


def _numbers(row: Any, place: str) -> Any:
    """The numbers in a text; a value that is not a text is returned as it is."""
    if not isinstance(row, str):
        return row
    try:
        return [float(word) for word in re.split(r"[\s,;]+", row.strip(" \t,;[]"))]
    except ValueError as error:
        raise ValueError(f"{place}: {error}; give numbers with spaces or commas between them") from error
