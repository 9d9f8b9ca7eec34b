"""Warnings at the line of the caller."""

from __future__ import annotations

import sys
import warnings
from functools import cache


def warn_caller(message: str) -> None:
    """A UserWarning at the line outside of this package that led here."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


@cache
def warn_once(message: str) -> None:
    """A UserWarning about this process, the first time only: it is about no line of the caller's."""
    warnings.warn(message, stacklevel=1)
