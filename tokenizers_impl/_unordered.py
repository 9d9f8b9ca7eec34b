"""What is no list, though it can be gone through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

UNORDERED = (Mapping, set, frozenset)


def refuse_unordered(what: str, given: Any) -> None:
    """ValueError for a mapping, of which the keys alone would be taken, for a set, which has no order.

    >>> refuse_unordered("the tokens are", {"pad_token": "[PAD]"})
    Traceback (most recent call last):
    ...
    ValueError: the tokens are {'pad_token': '[PAD]'}: give a list of its values, list(it.values()), not of its keys
    """
    if isinstance(given, Mapping):
        raise ValueError(f"{what} {given!r:.200}: give a list of its values, list(it.values()), not of its keys")
    if isinstance(given, UNORDERED):
        raise ValueError(f"{what} {given!r:.200}: give a list, since a set has no order")
