"""The texts of examples/, which the README's commands score."""

from __future__ import annotations

from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LINES = {path.stem: path.read_text(encoding="utf-8").split("\n")[:-1] for path in EXAMPLES.glob("*.txt")}
# References a row.
ROWS = [list(row) for row in zip(LINES["reference1"], LINES["reference2"], strict=True)]
