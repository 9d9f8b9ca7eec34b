"""The lines of Python that compute the same numbers as a page."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evenscore.hub.page.description import SECOND, Given, Space
from evenscore.hub.page.files import MODELS
from evenscore.hub.page.report import Report

# Longer inputs are read from a file, which the page offers for download.
_MOST_CHARACTERS = 4000
COLUMNS_FILE = "columns.json"


def python_lines(space: Space, metric: Any, report: Report) -> str:
    """A program that prints the scores of a report, and the p-values if there are two systems.

    The program loads the metric by the name of its Space, or from its folder.
    """
    columns = _columns(space, report)
    place = os.environ.get("SPACE_ID") or str(space.script)
    load = [repr(place), *(f"{name}={value}" for name, value in _options(space, metric, report.given).items())]
    known = [name for name in columns if name in metric.scorer_type.columns]
    lines = [*_given(columns), f"metric = evaluate.load({', '.join(load)})"]
    lines.append(f"result = metric.compute({', '.join(f'{name}={name}' for name in known)})")
    lines += [f'print(result["{name}"])' for name in report.headlines]
    if report.second:
        lines.append(f"tested = metric.compare({', '.join(_compared(known, report))})")
        lines += [f'print(tested["systems"][0]["{name}_p_value"])' for name in report.headlines]
    return "\n".join(lines)


def columns_json(space: Space, report: Report) -> str | None:
    """The content of the file that the lines read; None if the lines contain the inputs themselves."""
    columns = _columns(space, report)
    return None if _is_literal(columns) else json.dumps(columns, ensure_ascii=False)


def _columns(space: Space, report: Report) -> Given:
    """The scored columns, by their names in the lines."""
    own = {entry.name: report.given[entry.name] for entry in space.inputs if entry.boxes and entry.name in report.given}
    return {**own, **{f"{SECOND}{name}": column for name, column in report.second.items()}}


def _given(columns: Given) -> list[str]:
    if not _is_literal(columns):
        read = f'columns = json.loads(Path("{COLUMNS_FILE}").read_text(encoding="utf-8"))'
        imports = ["import json", "from pathlib import Path", "", "import evaluate", ""]
        return [*imports, read, *(f'{name} = columns["{name}"]' for name in columns)]
    rows = {name: [f"    {row!r}," for row in column] for name, column in columns.items()}
    return ["import evaluate", "", *(line for name, own in rows.items() for line in (f"{name} = [", *own, "]"))]


def _is_literal(columns: Given) -> bool:
    """Whether the columns are short enough for people, and Python can parse their repr, unlike that of infinity."""
    printed = repr(columns)
    try:
        return len(printed) <= _MOST_CHARACTERS and bool(ast.literal_eval(printed) == columns)
    except ValueError:
        return False


def _options(space: Space, metric: Any, given: Given) -> dict[str, str]:
    """The Python text of options that are not the defaults; columns by name, files by the visitor's file name."""
    own = {name: value for name, value in given.items() if name in metric.option_names()}
    boxes = {entry.name: entry.boxes for entry in space.inputs}
    written = {}
    for name, value in own.items():
        if boxes.get(name):
            written[name] = name
        elif _usual(metric, own, name) != value:
            written[name] = repr(Path(value).name if name in boxes and Path(value).suffix in MODELS else value)
    return written


def _usual(metric: Any, options: Given, name: str) -> Any:
    """The value of an option that is left out; an ellipsis if the other options are invalid without it."""
    try:
        return metric.scorer_type(**{other: options[other] for other in options if other != name}).options[name]
    except ValueError:
        return ...


def _compared(names: Sequence[str], report: Report) -> list[str]:
    """The arguments of compare in the program, from the names of compute's columns."""
    shared = [f"{name}={name}" for name in names if name not in report.second]
    if "references" in names:
        return ["predictions", f"{SECOND}predictions", *shared]
    systems = [", ".join(f'"{name}": {prefix}{name}' for name in report.second) for prefix in ("", SECOND)]
    return [*(f"{{{system}}}" for system in systems), *shared]
