"""Checks of the values that padding and truncation take."""

from __future__ import annotations

from typing import Any

_LARGEST_COUNT = 2**64 - 1


def checked_count(name: str, value: Any, largest: int = _LARGEST_COUNT) -> None:
    """ValueError for what is no integer from 0 to `largest`."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= largest:
        raise ValueError(f"{name}={value!r}: give an integer from 0 to {largest}")


def checked_name(name: str, value: Any, known: tuple[str, ...]) -> None:
    """ValueError for what is none of the names, in the library's words."""
    if value not in known:
        first = "`, `".join(known[:-1])
        comma = "," if len(known) > 2 else ""
        raise ValueError(f"Unknown `{name}`: `{value}`. Use one of `{first}`{comma} or `{known[-1]}`")
