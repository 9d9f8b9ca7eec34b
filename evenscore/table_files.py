"""Reads tables: CSV, TSV, JSON lines or JSON, with the position of every row for messages.

This uses Python's csv and json.  pyarrow's CSV reader accepts unclosed quotation marks and text after closing ones;
its JSON reader converts texts that look like dates.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from evenscore.inputs import amount, text_lines

# The kind of table for each suffix of a file name.
TABLE_SUFFIXES = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json"}
_SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods")
_QUOTING = (
    "put a cell that holds a separator, a line end or a quotation mark into quotation marks, and write such a mark "
    "inside it twice"
)


class Table(NamedTuple):
    """A table with named columns.

    name: the name of the file, for messages.
    columns: the names in order; a JSON row may lack some of them.
    rows: the cells of every row by column; strings in CSV and TSV, any value in JSON.
    lines: the number of the line where each row begins; None if only the numbers of the rows are known.
    kind: "csv", "tsv", "jsonl" or "json".
    """

    name: str
    columns: Sequence[str]
    rows: Sequence[Mapping[str, Any]]
    lines: Sequence[int] | None
    kind: str

    def place(self, i: int) -> str:
        """The position of row i, from 0, in the file, for messages."""
        return f"{self.name}, row {i + 1}" if self.lines is None else f"{self.name}, line {self.lines[i]}"


def check_no_spreadsheet(name: str) -> None:
    """Raise ValueError for the name of a spreadsheet's file, which holds no text."""
    if name.lower().endswith(_SPREADSHEETS):
        raise ValueError(f"{name} is a spreadsheet: save it as CSV in UTF-8, and give that file")


def parse_table(text: str, kind: str, name: str) -> Table:
    """Parse a table.

    kind: "csv" (separated by commas, semicolons or tabs, whichever occurs most often in the header), "tsv" (separated
      by tabs), "jsonl" (one object per line), or "json" (a list of objects, an object of lists, or one object per
      line).
    name: the name of the file, for messages.
    A cell of CSV or TSV may have csv.field_size_limit() characters.
    Raises ValueError with the file and the line if the text is not such a table.

    >>> table = parse_table('prediction,reference\\n"a, b",a\\n', "csv", "t.csv")
    >>> table.rows, table.place(0)
    ([{'prediction': 'a, b', 'reference': 'a'}], 't.csv, line 2')
    """
    if not text.strip():
        raise ValueError(f"{name} is empty: a table needs the names of its columns, and rows")
    return _READERS[kind](name, text, kind)


# --- CSV and TSV


def _delimited(name: str, text: str, kind: str) -> Table:
    """Parse CSV or TSV with a header.

    A blank line is an empty cell if there is a single column, and allowed only at the end if there are several.
    """
    header, *rows = _csv_rows(name, text, "\t" if kind == "tsv" else max(",;\t", key=text.partition("\n")[0].count))
    columns = header[1]
    if not columns:
        raise ValueError(f"{name} begins with a blank line: begin it with the names of its columns")
    _check_distinct(name, columns)
    full = _full_rows(name, len(columns), rows)
    cells = [dict(zip(columns, row, strict=True)) for _, row in full]
    return Table(name, columns, cells, [line for line, _ in full], kind)


def _csv_rows(name: str, text: str, separator: str) -> list[tuple[int, list[str]]]:
    """The cells of every row, with the number of the line where it begins."""
    # Only a line feed ends a line; a lone carriage return outside quotation marks raises an error.
    reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=separator, strict=True)
    rows, start = [], 1
    try:
        for cells in reader:
            rows.append((start, cells))
            start = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(f"{name}, line {start}: {_said(error)}; {_QUOTING}") from error
    return rows


def _said(error: csv.Error) -> str:
    return "a quotation mark is never closed" if str(error) == "unexpected end of data" else str(error)


def _check_distinct(name: str, columns: Sequence[str]) -> None:
    twice = [column for i, column in enumerate(columns) if column in columns[:i]]
    if twice:
        raise ValueError(f"{name} has two columns {twice[0]!r} (its columns are {', '.join(columns)}): rename one")


def _full_rows(name: str, n_columns: int, rows: Sequence[tuple[int, list[str]]]) -> Sequence[tuple[int, list[str]]]:
    """The rows, each with n_columns cells; if there are several columns, blank lines at the end are left out."""
    if n_columns == 1:
        full = [(line, cells or [""]) for line, cells in rows]
    else:
        full = list(rows[: max((k for k, (_, cells) in enumerate(rows, 1) if cells), default=0)])
    for line, cells in full:
        if len(cells) != n_columns:
            found = f"{len(cells)} cell{'' if len(cells) == 1 else 's'}"
            advice = _QUOTING if len(cells) > n_columns else "add those that it lacks, or remove the line"
            raise ValueError(f"{name}, line {line} has {found}, but the header has {n_columns}; {advice}")
    return full


# --- JSON


def _json_lines(name: str, text: str, kind: str) -> Table:
    """Parse one object per line; blank lines are skipped."""
    numbered = [(number, line) for number, line in enumerate(text_lines(text), 1) if line.strip()]
    rows = [_object(_parsed(line, name, number), f"{name}, line {number}") for number, line in numbered]
    return Table(name, _keys(rows), rows, [number for number, _ in numbered], kind)


def _json_document(name: str, text: str, kind: str) -> Table:
    """Parse a list of objects or an object of lists; anything else is parsed as one object per line."""
    start = len(text) - len(text.lstrip())
    first, end = _decoded(lambda: _DECODER.raw_decode(text, start), name)
    if text[end:].strip():
        return _json_lines(name, text, kind)
    if isinstance(first, dict) and first and all(isinstance(cells, list) for cells in first.values()):
        rows = [dict(zip(first, cells, strict=True)) for cells in _equally_long(name, first)]
    else:
        listed = first if isinstance(first, list) else [first]
        rows = [_object(value, f"{name}, row {i}") for i, value in enumerate(listed, 1)]
    return Table(name, _keys(rows), rows, None, kind)


def _equally_long(name: str, columns: Mapping[str, Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    (first, cells), *others = columns.items()
    for column, own in others:
        if len(own) != len(cells):
            raise ValueError(
                f"{name}: column {column!r} has {amount(len(own), 'rows')} but {first!r} has {len(cells)}: "
                "give as many in each"
            )
    return zip(*columns.values(), strict=True)


def _parsed(line: str, name: str, number: int) -> Any:
    return _decoded(lambda: _DECODER.decode(line), name, number)


def _decoded(decode: Callable[[], Any], name: str, line: int | None = None) -> Any:
    """Run a decoder; ValueError names the line if it fails.  line: None if it decodes the whole text."""
    place = name if line is None else f"{name}, line {line}"
    try:
        return decode()
    except json.JSONDecodeError as error:
        where = f"{name}, line {line or error.lineno}"
        raise ValueError(
            f"{where} is not valid JSON ({error.msg}, character {error.colno}): correct or remove it"
        ) from error
    except RecursionError as error:
        raise ValueError(f"{place} is nested too deeply to be read: make it flatter") from error
    except _TwiceError as error:
        raise ValueError(f"{place}: an object has two keys {str(error)!r}: rename one") from error
    except ValueError as error:
        # Python limits the digits of a number, JSON does not.
        raise ValueError(f"{place} has a number of too many digits to be read: shorten it") from error


class _TwiceError(ValueError):
    """Raised if an object has the same key twice."""


def _distinct(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _TwiceError(next(key for i, key in enumerate(keys) if key in keys[:i]))
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_distinct)


def _object(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f'{place} is not a JSON object: write one such as {{"prediction": "...", "reference": "..."}}')
    return value


def _keys(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(key for row in rows for key in row))


_READERS: Mapping[str, Callable[[str, str, str], Table]] = {
    "csv": _delimited,
    "tsv": _delimited,
    "jsonl": _json_lines,
    "json": _json_document,
}
