"""The real data beside the repository, or a skip where there is none."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def shared(path: str) -> Path:
    """The file of that path below shared/data; skips the test if it is absent."""
    found = DATA / path
    if not found.exists():
        pytest.skip(f"no data at {found}")
    return found


@cache
def _lines(path: Path) -> tuple[str, ...]:
    return tuple(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"))


def lines(path: str) -> list[str]:
    """The lines of that file, line ends left out."""
    return list(_lines(shared(path)))
