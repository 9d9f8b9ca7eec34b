"""The installation of numba, looked at without an import of it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def numba_folder() -> Path:
    """Where it is; ImportError says how to get it."""
    found = find_spec("numba")
    if found is None or found.origin is None:
        raise ImportError("tokenizers_impl needs the package numba: pip install numba")
    return Path(found.origin).parent


def numba_version() -> str:
    """What names the release."""
    try:
        return (numba_folder() / "_version.py").read_text(encoding="utf-8")
    except FileNotFoundError:
        # An installation of compiled modules alone.
        from importlib.metadata import version

        return version("numba")
