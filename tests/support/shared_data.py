"""The real data beside the repository, or a skip where there is none."""

from __future__ import annotations

import lzma
from functools import cache
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


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


@cache
def beginning(path: str, characters: int = 1_000_000) -> str:
    """The first characters of that text file, which may be packed."""
    found = shared(path)
    with lzma.open(found, "rb") if found.suffix == ".xz" else found.open("rb") as file:
        # No character has more than four bytes; the last one may be cut.
        return file.read(4 * characters).decode("utf-8", "ignore")[:characters]
