"""Warnings at the line of the caller."""

from __future__ import annotations

import sys
import warnings


def warn_caller(message: str) -> None:
    """A UserWarning at the line outside of this package that led here."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)
