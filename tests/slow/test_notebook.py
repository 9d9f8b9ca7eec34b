"""The notebook runs, and gives what is stored in it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from notebook_runs import NOTEBOOKS, code_cells, executed, read, warnings, without_warnings


def shown(output: Any) -> tuple[str, str, str]:
    """What was printed; of a result its text, and its HTML where it is a picture of ours.

    The HTML of other libraries changes with their versions.
    """
    if output.output_type == "stream":
        return output.name, output.text, ""
    html = output.data.get("text/html", "")
    return output.output_type, output.data["text/plain"], html if "evenscore-picture" in html else ""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_run_gives_what_is_stored(path: Path) -> None:
    ran = executed(path)
    assert [text for text in warnings(ran) if "UserWarning" in text] == []
    for cell, stored in zip(code_cells(without_warnings(ran)), code_cells(read(path)), strict=True):
        assert list(map(shown, cell.outputs)) == list(map(shown, stored.outputs)), cell.source


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_what_is_stored_was_run_in_order_and_tells_nothing_of_a_machine(path: Path) -> None:
    notebook = read(path)
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert all(cell.outputs for cell in cells)
    assert warnings(notebook) == []
    assert sum("evenscore-picture" in shown(output)[2] for cell in cells for output in cell.outputs) >= 5
    texts = [text for cell in cells for output in cell.outputs for text in shown(output)]
    assert [text for text in texts if re.search(r"(?<![\w<])/\w+/|\d{4}-\d\d-\d\d|0x[0-9a-f]{6}", text)] == []
    assert all(not cell.metadata for cell in notebook.cells)
