"""Machine code of kernels, on disk or compiled now."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import FunctionType
from typing import Any
from zlib import crc32

import llvmlite
import numpy as np

from ._kernel_source import source_of
from ._machine_code import MachineCode, callable_of, numba_folder, processor
from ._text_files import put_in_place
from ._warnings import warn_once


def machine_code(function: FunctionType, signature: str, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """The function for arguments of the types of these, compiled if no file has it.

    A file is named by function and types.  It has what it was compiled from and with, to be compared, and the code.
    """
    source = source_of(function) + f"\n{signature}\n{_tools()}".encode()
    name = f"{function.__module__}.{function.__qualname__}-{crc32(signature.encode()):08x}.kernel"
    for folder in _folders():
        # A file that cannot be read is one that is missing.
        with suppress(OSError, EOFError, pickle.UnpicklingError):
            kept_source, *kept = pickle.loads((folder / name).read_bytes())
            if kept_source == source:
                return callable_of(MachineCode(*kept), function)
    from ._compiler import compiled

    made = compiled(function, arguments)
    if not isinstance(made, MachineCode):
        return made
    _keep(name, pickle.dumps((source, *made)))
    # Not what numba has made of it: what runs now is what later processes run.
    return callable_of(made, function)


def _keep(name: str, content: bytes) -> None:
    """Write the file where it can be written first."""
    for folder in _folders():
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            put_in_place(folder / name, content)
            return
    # Only warned of: a read-only installation without a home folder is common in containers.
    warn_once(
        "no folder for compiled kernels can be written, so every process compiles them anew, which takes seconds: set "
        "NUMBA_CACHE_DIR to a folder that can be written"
    )


@lru_cache(maxsize=1)
def _folders() -> list[Path]:
    """Where compiled kernels are looked for, and kept: the folder that is named, or the package's, or the user's."""
    if named := os.environ.get("NUMBA_CACHE_DIR"):
        return [Path(named)]
    own = Path(__file__).parent / "__pycache__"
    try:
        return [own, Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "evenscore")]
    except RuntimeError:
        # A user without a home.
        return [own]


@lru_cache(maxsize=1)
def _tools() -> str:
    """What compiles, and for what."""
    numba_version = (numba_folder() / "_version.py").read_text(encoding="utf-8")
    return f"{numba_version} {llvmlite.__version__} {np.__version__} {sys.version} {processor()}"
