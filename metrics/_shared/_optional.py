"""Packages that only some option needs."""

from __future__ import annotations

import importlib
from typing import Any


def require(module: str, package: str, wanted_by: str) -> Any:
    """The module; ImportError that says what to install, and for which option, if it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{wanted_by} needs the package {package}: pip install {package}") from error
