"""The texts that the commands read: files of lines, and columns of tables."""

from __future__ import annotations

import argparse
import codecs
import gzip
import json
import re
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast

from evenscore.inputs import amount, text_lines, utf8_text, warn_caller
from evenscore.options import did_you_mean
from evenscore.table_files import TABLE_SUFFIXES, Table, check_no_spreadsheet, parse_table

FORMATS = ("lines", *dict.fromkeys(TABLE_SUFFIXES.values()))
STANDARD_INPUT = Path("-")
_GZIP_START = b"\x1f\x8b"


class Lines(NamedTuple):
    """A file of lines: every line is a text.

    name: the name of the file, for messages.
    """

    name: str
    texts: list[str]


Content: TypeAlias = Lines | Table


class Column(NamedTuple):
    """The texts of a file for one role.

    name: the name of the file, for messages.
    unit: "lines" or "rows", the unit of the entries.
    rows: for every line or row, a text or a list of texts.
    columns: the names of the columns of the texts, if the file is a table.
    """

    name: str
    unit: str
    rows: list[Any]
    columns: Sequence[str] = ()


class Role(NamedTuple):
    """The role of a text, and the names of the columns that usually hold it.

    columns: groups of names; the first group with a column in the table counts.
    option: the option that names the column instead.
    """

    name: str
    columns: Sequence[Sequence[str]]
    option: str


PREDICTIONS = Role("predictions", [("prediction", "predictions", "hypothesis"), ("text",)], "--prediction-column")
REFERENCES = Role("references", [("reference", "references")], "--reference-column")
CONTEXTS = Role("contexts", [("context", "contexts")], "--context-column")
TEXTS = Role("texts", [("text",)], "--text-column")
GROUPS = Role("groups", [], "--group-column")
TRAINING_TEXTS = Role("training texts", TEXTS.columns, TEXTS.option)


# --- arguments


# A parser, or a group of its arguments.
Arguments: TypeAlias = argparse.ArgumentParser | argparse._ArgumentGroup


def add_input_format(parser: Arguments) -> None:
    """Add --input-format, which every command that reads texts has."""
    tables = ", ".join(TABLE_SUFFIXES)
    meaning = f"how every file is read: {', '.join(FORMATS)} (default: by its name, {tables} as tables)"
    parser.add_argument("--input-format", choices=FORMATS, help=meaning, metavar="FORMAT")


def add_column(parser: Arguments, role: Role, **several: Any) -> None:
    """Add the option that names the column of a role."""
    usual = ", ".join(name for group in role.columns for name in group)
    meaning = f"the column of {role.name} (default: {usual})"
    parser.add_argument(role.option, metavar="NAME", help=meaning, **several)


# --- files


class Files:
    """Reads files, each one once, as lines or as tables.

    input_format: one of FORMATS for all files; None: the format follows from the name of each file.
    """

    def __init__(self, input_format: str | None) -> None:
        self._format = input_format
        self._read: dict[Path, Content] = {}

    def read(self, path: Path) -> Content:
        """Read a file, or standard input if the path is "-"; gzip is unpacked.

        Raises ValueError with the file and the line if it cannot be read, and OSError if it cannot be opened.
        """
        if path not in self._read:
            name, kind, text = shown_name(path), self.kind(path), self.text(path)
            self._read[path] = Lines(name, text_lines(text)) if kind == "lines" else parse_table(text, kind, name)
        return self._read[path]

    def text(self, path: Path) -> str:
        """Read the whole text of a file, including its line ends."""
        name = shown_name(path)
        return utf8_text(_unpacked(path, name), name)

    def kind(self, path: Path) -> str:
        """The format of a file, one of FORMATS; ValueError for a spreadsheet."""
        check_no_spreadsheet(shown_name(path))
        name = path.name.lower().removesuffix(".gz")
        return self._format or TABLE_SUFFIXES.get(Path(name).suffix, "lines")


def shown_name(path: Path) -> str:
    """The name of a file for messages."""
    return "standard input" if path == STANDARD_INPUT else str(path)


def is_plain(path: Path) -> bool:
    """Whether the bytes of a file are its text: it is not packed, and has no byte order mark.

    False for a pipe, because what is read from it to find out is gone. Raises OSError if the file cannot be opened.
    """
    if path == STANDARD_INPUT or path.suffix.lower() == ".gz" or path.is_fifo():
        return False
    with path.open("rb") as file:
        return not file.read(len(codecs.BOM_UTF8)).startswith((_GZIP_START, codecs.BOM_UTF8))


def _unpacked(path: Path, name: str) -> bytes:
    data = sys.stdin.buffer.read() if path == STANDARD_INPUT else path.read_bytes()
    # No UTF-8 text begins with these bytes, so a packed file is recognized whatever its name.
    if not data.startswith(_GZIP_START):
        if path.suffix.lower() == ".gz":
            raise ValueError(f"{name} is not a gzip file: pack it again, or rename it without .gz")
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"{name} is cut off or damaged ({error}): copy or pack it again") from error


# --- texts of files


def text_column(content: Content, role: Role, asked: str | None) -> Column:
    """One text for every row; asked: the name of the requested column, if any.

    Raises ValueError if the table has no such column, or several to choose from, or a cell that is not a text.
    """
    names = [] if asked is None else [asked]
    if isinstance(content, Lines):
        _refuse_columns(content, role, names)
        return Column(content.name, "lines", content.texts)
    (name,) = chosen_columns(content, role, names)
    return Column(content.name, "rows", [_text(content, i, name) for i in range(len(content.rows))], [name])


def list_column(content: Content, role: Role, asked: Sequence[str]) -> Column:
    """A list of one or more texts for every row; asked: the names of the requested columns.

    A JSON cell may hold a list.  If there are several CSV or TSV columns, empty cells are left out.
    Raises ValueError if the table lacks the columns, and for a cell that is neither a text nor a list of texts.
    """
    if isinstance(content, Lines):
        _refuse_columns(content, role, asked)
        return Column(content.name, "lines", [[text] for text in content.texts])
    names = chosen_columns(content, role, asked)
    rows = [[text for name in names for text in _texts(content, i, name)] for i in range(len(content.rows))]
    if content.kind in ("csv", "tsv"):
        _warn_of_lists(content, names)
        # In these files, only an empty cell can mean that there is no text.
        rows = [list(filter(None, row)) or [""] for row in rows]
    return Column(content.name, "rows", rows, names)


def label_column(contents: Sequence[Content], asked: str) -> Column:
    """The label of every row, from the first table that has this column: a text, or None for an empty or missing cell.

    A number, true and false are read as the text that JSON has for them.
    Raises ValueError if there is no such column, and for a cell that is a list or an object.
    """
    tables = [content for content in contents if isinstance(content, Table)]
    having = [table for table in tables if asked in table.columns]
    if not tables:
        _refuse_columns(cast(Lines, contents[0]), GROUPS, [asked])
    if not having:
        _refuse_unknown(tables, asked)
    table = having[0]
    return Column(table.name, "rows", [_label(table, i, asked) for i in range(len(table.rows))], [asked])


def check_as_many(columns: Sequence[Column]) -> None:
    """Raise ValueError if a file has more or fewer lines, or rows, than the first one, or none has any."""
    first = columns[0]
    for column in columns[1:]:
        if len(column.rows) != len(first.rows):
            unit = "" if column.unit == first.unit else f" {first.unit}"
            own = amount(len(column.rows), column.unit)
            raise ValueError(f"{column.name} has {own} but {first.name} has {len(first.rows)}{unit}")
    if not first.rows:
        raise ValueError(f"{first.name} has no {first.unit}: give a file with at least one text")


def check_distinct(predictions: Column, references: Sequence[Column]) -> None:
    """Raise ValueError if a column would be compared with itself."""
    for column in references:
        both = [name for name in column.columns if column.name == predictions.name and name in predictions.columns]
        if both:
            raise ValueError(
                f"{column.name}: column {both[0]!r} would be compared with itself: name another one with "
                f"{PREDICTIONS.option} or {REFERENCES.option}"
            )


def has_column(table: Table, role: Role, asked: Sequence[str]) -> bool:
    """Whether a table has a column for this role; asked: the names of the requested columns."""
    names = asked or [name for group in role.columns for name in group]
    return any(name in table.columns for name in names)


def chosen_columns(table: Table, role: Role, asked: Sequence[str]) -> Sequence[str]:
    """The requested columns, or else the one with a usual name."""
    if not (table.columns or table.rows):
        raise ValueError(f"{table.name} has no rows: give a file with at least one text")
    for name in asked:
        if name not in table.columns:
            unknown = f"{table.name} has no column {name!r}{did_you_mean(name, table.columns)}"
            raise ValueError(f"{unknown} {_names(table)}: name one with {role.option}")
    if asked:
        return list(dict.fromkeys(asked))
    for group in role.columns:
        found = [name for name in group if name in table.columns]
        if len(found) > 1:
            raise ValueError(f"{table.name} has columns {' and '.join(found)}: choose one with {role.option}")
        if found:
            return found
    usual = ", ".join(name for group in role.columns for name in group)
    missing = f"{table.name} has no column for {role.name} ({usual})"
    raise ValueError(f"{missing}. {_names(table)}: name one with {role.option}")


def _names(table: Table) -> str:
    return f"Its columns are {', '.join(table.columns) or 'none'}"


def _refuse_unknown(tables: Sequence[Table], column: str) -> None:
    """Raise ValueError for a column that none of the tables has."""
    if len(tables) == 1:
        chosen_columns(tables[0], GROUPS, [column])
    known = list(dict.fromkeys(name for table in tables for name in table.columns))
    raise ValueError(
        f"{GROUPS.option} {column}: no table has this column{did_you_mean(column, known)} "
        f"The columns are {', '.join(known)}"
    )


def _warn_of_lists(table: Table, columns: Sequence[str]) -> None:
    """Warn of cells that look like JSON lists but are read as one text."""
    for i, row in enumerate(table.rows[:1]):
        for name in columns:
            if re.fullmatch(r'\[\s*".*"\s*\]', row[name], flags=re.DOTALL):
                warn_caller(
                    f"{table.place(i)}: {name!r} looks like a list in JSON and is read as one text. Write lists in a "
                    f".jsonl file, or give one column for each reference"
                )


def _refuse_columns(content: Lines, role: Role, columns: Sequence[str]) -> None:
    if columns:
        raise ValueError(
            f"{content.name} is read as lines, which have no column {columns[0]!r}: leave {role.option} out, "
            f"or give --input-format {', '.join(FORMATS[1:-1])} or {FORMATS[-1]}"
        )


def _texts(table: Table, i: int, column: str) -> list[str]:
    """The texts of a cell: one text, or those of a list."""
    cell = table.rows[i].get(column)
    if not isinstance(cell, list):
        return [_text(table, i, column)]
    if not cell:
        raise ValueError(f"{table.place(i)}: {column!r} is an empty list: give at least one text")
    for text in cell:
        _check_text(text, table.place(i), f"{column!r} holds")
    return cell


def _text(table: Table, i: int, column: str) -> str:
    row = table.rows[i]
    if column not in row:
        raise ValueError(f"{table.place(i)} has no {column!r}: add it, or leave the row out")
    _check_text(row[column], table.place(i), f"{column!r} is")
    return str(row[column])


def _label(table: Table, i: int, column: str) -> str | None:
    value = table.rows[i].get(column)
    if isinstance(value, (list, dict)):
        raise ValueError(f"{table.place(i)}: {column!r} is {_KINDS[type(value)]}: write a text or a number")
    if value in (None, ""):
        return None
    return value if isinstance(value, str) else json.dumps(value)


def _check_text(value: Any, place: str, subject: str) -> None:
    if value is None:
        raise ValueError(f'{place}: {subject} null: write "" for an empty text, or leave the row out')
    if not isinstance(value, str):
        raise ValueError(f"{place}: {subject} {_KINDS[type(value)]}: write a text, in quotation marks")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        said = f"{place}: {subject} a text with half of a surrogate pair, which is not a character: remove it"
        raise ValueError(said) from error


_KINDS = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
