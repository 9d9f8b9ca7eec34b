"""Writes results to files and as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from evenscore.commands.arguments import check_output
from evenscore.files import PAGE_SUFFIXES, check_suffix, replacing
from evenscore.parallel import require
from evenscore.plots import PLOT_SUFFIXES

ROWS_SUFFIXES = (".csv", ".jsonl")


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    r"""Write a table as CSV: numbers with all digits, None as an empty cell.

    >>> csv_text(["score", "value"], [["wer", 0.1], ["a, b", None]])
    'score,value\nwer,0.1\n"a, b",\n'
    """
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows([header, *rows])
    return written.getvalue()


def check_rows_file(path: Path, read: Iterable[Path]) -> None:
    """Raise ValueError if the scores of rows cannot be written to this file; called before any work.

    read: the files that the command reads.
    """
    check_suffix(f"--rows {path}", path, ROWS_SUFFIXES)
    check_output(path, read)


def check_page_file(path: Path, read: Iterable[Path]) -> None:
    """Raise ValueError if a page cannot be written to this file; as check_rows_file."""
    check_suffix(f"--output {path}", path, PAGE_SUFFIXES)
    check_output(path, read)


def check_plot_file(path: Path, read: Iterable[Path]) -> None:
    """Raise ValueError if a plot cannot be written to this file, ImportError without matplotlib; as check_rows_file."""
    check_suffix(f"--plot {path}", path, PLOT_SUFFIXES)
    check_output(path, read)
    require("matplotlib", "matplotlib", "--plot")


def write_rows(path: Path, columns: Mapping[str, Sequence[float]]) -> None:
    """Write scores of rows as CSV or JSON lines, atomically; "row" counts from 1."""
    header = ["row", *columns]
    rows = [(i, *scores) for i, scores in enumerate(zip(*columns.values(), strict=True), 1)]
    if path.suffix.lower() == ".csv":
        text = csv_text(header, rows)
    else:
        text = "".join(f"{json.dumps(dict(zip(header, row, strict=True)))}\n" for row in rows)
    with replacing(path) as unfinished:
        unfinished.write_bytes(text.encode())
