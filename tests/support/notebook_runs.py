"""Notebooks run as by a reader; `python tests/support/notebook_runs.py` stores their outputs anew."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.ipynb"))


def read(path: Path) -> Any:
    """The notebook as it is stored."""
    return nbformat.read(path, as_version=4)


def executed(path: Path) -> Any:
    """The notebook with the outputs of a run in its own folder, in a terminal's usual width, without times of day."""
    notebook = read(path)
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=600,
        record_timing=False,
        # A busy machine sends in parts what a cell prints.
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
    )
    with tempfile.TemporaryDirectory() as profile:
        client.execute(env={**os.environ, "COLUMNS": "80", "IPYTHONDIR": profile})
    # What the kernel tells of itself is another version on another day.
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def warnings(notebook: Any) -> list[str]:
    """What cells wrote to the error stream."""
    return [output.text for cell in code_cells(notebook) for output in cell.outputs if is_warning(output)]


def without_warnings(notebook: Any) -> Any:
    """The notebook; libraries of other versions warn of other things."""
    for cell in code_cells(notebook):
        cell.outputs = [output for output in cell.outputs if not is_warning(output)]
    return notebook


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def is_warning(output: Any) -> bool:
    return output.output_type == "stream" and output.name == "stderr"


if __name__ == "__main__":
    for each in NOTEBOOKS:
        nbformat.write(without_warnings(executed(each)), each)
