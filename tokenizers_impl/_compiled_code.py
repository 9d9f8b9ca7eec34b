"""Machine code of kernels, on disk or compiled now."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import FunctionType
from typing import Any
from zlib import crc32

import llvmlite
import numpy as np

from ._core.files import put_in_place
from ._core.parallel import warn_once
from ._installed_numba import numba_version
from ._kernel_source import source_of
from ._machine_code import MachineCode, callable_of, processor

# Bytes of a file's checksum, with which it begins.
_CHECK = 4


def machine_code(function: FunctionType, signature: str, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """The function for arguments of the types of these, compiled if no file has it.

    A file is named by function, types and tools.  It has what it was compiled from, to be compared, and the code.
    """
    source = source_of(function) + f"\n{signature}\n{_tools()}".encode()
    marks = f"{crc32(signature.encode()):08x}-{crc32(_tools().encode()):08x}"
    name = f"{function.__module__}.{function.__qualname__}-{marks}.kernel"
    for folder in _folders():
        kept = _kept(folder / name, source)
        if kept is not None:
            return callable_of(kept, function)
    made, code = _compiled(function, arguments)
    if code is not None:
        _keep(name, pickle.dumps((source, *code)))
    return made


def _compiled(function: FunctionType, arguments: tuple[Any, ...]) -> tuple[Callable[..., Any], MachineCode | None]:
    """The work of numba, its import among it, in a thread.

    Ctrl-C, which Python raises in the main thread, would leave numba half imported, or a function half compiled.
    """

    def work() -> tuple[Callable[..., Any], MachineCode | None]:
        from ._compiler import compiled

        return compiled(function, arguments)

    executor = ThreadPoolExecutor(1)
    try:
        return executor.submit(work).result()
    finally:
        executor.shutdown(wait=False)


def _kept(path: Path, source: bytes) -> MachineCode | None:
    """What the file has, if there is one, it is whole, and compiled from this source."""
    with suppress(OSError):
        content = path.read_bytes()
        if content[:_CHECK] == crc32(content[_CHECK:]).to_bytes(_CHECK, "big"):
            kept_source, *kept = pickle.loads(content[_CHECK:])
            return MachineCode(*kept) if kept_source == source else None
    return None


def _keep(name: str, content: bytes) -> None:
    """Write the file where it can be written first."""
    for folder in _folders():
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            put_in_place(folder / name, crc32(content).to_bytes(_CHECK, "big") + content)
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
        return [Path(named).absolute()]
    own = Path(__file__).parent / "__pycache__"
    try:
        return [own, Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "evenscore")]
    except RuntimeError:
        # A user without a home.
        return [own]


@lru_cache(maxsize=1)
def _tools() -> str:
    """What compiles, how, and for what."""
    switches = {name: value for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_")}
    for name in ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS"):
        switches.pop(name, None)
    versions = f"{numba_version()} {llvmlite.__version__} {np.__version__} {sys.version} {sys.flags.optimize}"
    return f"{versions} {processor()} {switches}"
