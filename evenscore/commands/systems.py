"""The systems that a command compares: their names, their texts, and what is said of them."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from evenscore.commands.arguments import (
    SEVERAL,
    add_confidence,
    add_references,
    distinct_names,
    joined_rows,
    numbered,
    printable,
    read_references,
)
from evenscore.commands.texts import (
    PREDICTIONS,
    REFERENCES,
    TRAINING_TEXTS,
    Arguments,
    Files,
    add_column,
    add_input_format,
    check_as_many,
    check_distinct,
    has_column,
    list_column,
    text_column,
)
from evenscore.inputs import warn_caller
from evenscore.scorer import Scorer
from evenscore.significance import FEWEST_ROWS, PAIRED_TESTS, SIGNIFICANT
from evenscore.table_files import Table


class System(NamedTuple):
    """A system: its file, the column of its texts if one is given, and its name in results."""

    path: Path
    column: str | None
    name: str


def add_systems(parser: argparse.ArgumentParser) -> Arguments:
    """Add the files of texts, their format and their columns; return the group of the columns."""
    texts = parser.add_argument_group("texts")
    first = "the baseline's texts, then every system's: one per line, or tables"
    texts.add_argument("files", nargs="+", type=Path, metavar="FILE", help=first)
    add_references(texts)
    add_input_format(texts)
    columns = parser.add_argument_group("columns of tables")
    add_column(columns, PREDICTIONS, default=[], **SEVERAL)
    add_column(columns, REFERENCES, default=[], **SEVERAL)
    add_column(columns, TRAINING_TEXTS)
    return columns


def add_tests(group: Arguments) -> None:
    """Add the paired test, its trials, and the level of the intervals."""
    group.add_argument(
        "--test", default="bootstrap", choices=list(PAIRED_TESTS), help="the paired test (default: bootstrap)"
    )
    trials = ", ".join(f"{test.usual_trials} for {name}" for name, test in PAIRED_TESTS.items())
    group.add_argument("--trials", type=int, metavar="N", help=f"trials of the test (default: {trials})")
    add_confidence(group, 0.95, "level of the intervals (default: 0.95); None leaves them out")


def systems_of(paths: Sequence[Path], columns: Sequence[str]) -> list[System]:
    """The baseline and the systems: several files with at most one column name, or several columns of one file."""
    if len(paths) == 1 and len(columns) > 1:
        names = numbered(list(map(printable, columns)))
        return [System(paths[0], column, name) for column, name in zip(columns, names, strict=True)]
    if len(paths) == 1:
        raise ValueError(
            f"no system to compare with {paths[0]}: name its file after the baseline's, or a column "
            f"for each system with {PREDICTIONS.option}"
        )
    if len(columns) > 1:
        raise ValueError(
            f"{PREDICTIONS.option} names {len(columns)} columns of {len(paths)} files: give one column for all files, "
            f"or one file with a column for each system"
        )
    column = columns[0] if columns else None
    return [System(path, column, name) for path, name in zip(paths, distinct_names(paths), strict=True)]


def read_systems(
    scorers: Mapping[str, Scorer[Any]], systems: Sequence[System], known: argparse.Namespace, files: Files
) -> tuple[list[list[str]], list[list[str]]]:
    """The texts of every system, and the references of every row; no references if no metric takes them."""
    columns = [text_column(files.read(system.path), PREDICTIONS, system.column) for system in systems]
    references = read_references(scorers, systems[0].path, known, files)
    check_as_many([*columns, *references])
    for column in columns:
        check_distinct(column, references)
    rows = joined_rows(references)
    if rows and not known.references:
        _check_same_references(rows, systems, known, files)
    return [column.rows for column in columns], rows


def _check_same_references(
    rows: Sequence[list[str]], systems: Sequence[System], known: argparse.Namespace, files: Files
) -> None:
    """Raise ValueError if a system's table has other references than the baseline's, which means other rows."""
    columns = known.reference_column
    baseline, *others = [files.read(system.path) for system in systems]
    tables = [other for other in others if isinstance(other, Table) and other is not baseline]
    for table in (table for table in tables if has_column(table, REFERENCES, columns)):
        for i, own in enumerate(list_column(table, REFERENCES, columns).rows):
            if own != rows[i]:
                raise ValueError(
                    f"{table.place(i)} has another reference than row {i + 1} of {baseline.name}: put the rows of all "
                    f"tables into one order, or give --references FILE"
                )


def warn_of_few(n_rows: int) -> None:
    """Warn that so few rows cannot show a difference."""
    warn_caller(
        f"{n_rows} row{'s' * (n_rows > 1)} cannot show a difference, however small p is: a paired test needs "
        f"{FEWEST_ROWS} rows to reach p < {SIGNIFICANT}, and many more to find small differences"
    )


@contextmanager
def named_systems(names: Sequence[str]) -> Iterator[None]:
    """Give each warning once, with the systems' names in place of their indices."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        warnings.warn(_with_names(message, names), stacklevel=3)


def _with_names(message: str, systems: Sequence[str]) -> str:
    for i, name in enumerate(systems[1:]):
        message = message.replace(f"systems[{i}]", name)
    return message
