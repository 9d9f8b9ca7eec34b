"""What was typed, or chosen among the columns of files, as the columns that compute takes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from .description import Given, Input
from .files import split_lines

# Rows by the name that the page has for them.
Named = Mapping[str, Sequence[Any]]


def typed_columns(inputs: Sequence[Input], boxes: Sequence[str | None]) -> Given:
    """The columns of texts that were typed, a line a row; the boxes are those of all inputs, in order.

    >>> several = Input("references", "references", "References", "", boxes=2)
    >>> typed_columns([several], ["a\\nb", "c\\n\\n"])
    {'references': [['a', 'c'], ['b']]}
    """
    texts = iter(boxes)
    typed = [[next(texts) or "" for _ in range(entry.boxes)] for entry in inputs]
    named = [
        {f"{entry.label} {k + 1}": split_lines(text) for k, text in enumerate(own) if text}
        for entry, own in zip(inputs, typed, strict=True)
    ]
    return _given(inputs, named, "type or paste some lines")


def chosen_columns(inputs: Sequence[Input], chosen: Sequence[str | Sequence[str] | None], columns: Named) -> Given:
    """The columns of files that were chosen, by name, one for an input or several.

    >>> entry = Input("log_probs", "", "Numbers", "", numbers=True)
    >>> chosen_columns([entry], ["a.txt"], {"a.txt": ["-1 -2.5"]})
    {'log_probs': [[-1.0, -2.5]]}
    """
    names = [[own] if isinstance(own, str) else own or [] for own in chosen]
    return _given(inputs, [{name: columns[name] for name in own} for own in names], "choose a column of a file")


def guessed_columns(inputs: Sequence[Input], names: Sequence[str]) -> list[list[str]]:
    """The columns of files that the inputs most likely mean: by name, else the first that is left.

    >>> entry = Input("references", "references", "References", "", boxes=2, called=("ref",))
    >>> guessed_columns([entry], ["a.csv: id", "a.csv: ref1", "a.csv: ref2"])
    [['a.csv: ref1', 'a.csv: ref2']]
    """
    meant = {name: _meant_by(name.rpartition(": ")[2].lower(), inputs) for name in names}
    free = iter([name for name in names if meant[name] is None])
    guessed = []
    for k, entry in enumerate(inputs):
        own = [name for name in names if meant[name] == k]
        guessed.append((own or list(itertools.islice(free, int(entry.is_needed))))[: entry.boxes])
    return guessed


def _meant_by(name: str, inputs: Sequence[Input]) -> int | None:
    """The number of the input that a name begins with, as nearly as any: "train_texts" are no texts."""
    places = [(name.find(part), k) for k, entry in enumerate(inputs) for part in entry.called if part in name]
    return min(places)[1] if places else None


def _given(inputs: Sequence[Input], named: Sequence[Named], remedy: str) -> Given:
    for entry, columns in zip(inputs, named, strict=True):
        if entry.is_needed and not columns:
            raise ValueError(f"{entry.label} are missing: {remedy}")
    return {entry.name: _joined(entry, columns) for entry, columns in zip(inputs, named, strict=True) if columns}


def _joined(entry: Input, columns: Named) -> list[Any]:
    """One column of several: rows of lists without what is empty, as long as something is left."""
    (first, rows), *others = columns.items()
    for name, column in others:
        if len(column) != len(rows):
            raise ValueError(f"{name} has {len(column)} rows, but {first} has {len(rows)}")
    if entry.numbers:
        return [_numbers(row, f"{first}, row {i}") for i, row in enumerate(rows)]
    if not others:
        return list(rows)
    return [_filled(cells) or [""] for cells in zip(*columns.values(), strict=True)]


def _filled(cells: Sequence[Any]) -> list[Any]:
    return [text for cell in cells for text in (cell if isinstance(cell, list) else [cell]) if text]


def _numbers(row: Any, place: str) -> Any:
    """The numbers of a text; what is no text as it is."""
    if not isinstance(row, str):
        return row
    try:
        return [float(word) for word in re.split(r"[\s,;]+", row.strip(" \t,;[]"))]
    except ValueError as error:
        raise ValueError(f"{place}: {error}; give numbers with spaces or commas between them") from error
