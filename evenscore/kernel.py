"""Compilation of kernels: numba compiles each at its first call and keeps it in its cache on disk.

numba checks only the file of a kernel for changes, not the files of the functions that the kernel calls. Therefore
each cache folder holds a digest of all sources of the kernel's package, and is emptied when the digest changes.

numba itself is imported when the first kernel is made: most scores need none, and evaluate imports every file of a
published metric.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache, update_wrapper
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any, ClassVar, TypeVar, cast

from evenscore.files import replacing
from evenscore.inputs import warn_caller
from evenscore.parallel import Threads

F = TypeVar("F", bound=Callable[..., Any])

# The library; in a published metric, the folder with all its files.
_LIBRARY = Path(__file__).resolve().parent
# No fastmath: sums keep their order, so results are the same to the last bit.  nogil: threads run kernels in parallel.
# no_cfunc_wrapper: C code never calls a kernel, so compiling a wrapper for it would waste time.
_OPTIONS = {"nogil": True, "no_cfunc_wrapper": True}
# A message is printed when compiling has taken this many seconds.
_PATIENCE = 1.0
_NOT_KEPT = "every process compiles them anew, which takes seconds"


def kernel(function: F) -> F:
    """Compile a function at its first call, for the types of its arguments; NUMBA_DISABLE_JIT=1 leaves it as it is."""
    import numba

    return function if numba.config.DISABLE_JIT else cast("F", Kernel(function))


def inner_kernel(function: F) -> F:
    """Compile a function as a part of the kernels that call it; called from Python, it runs as plain Python.

    It needs no compiled entry point that unpacks arrays from Python, which saves a fifth of the compile time.
    """
    from numba.extending import register_jitable

    return cast("F", register_jitable(no_cfunc_wrapper=True)(function))


def _jit(function: Callable[..., Any], kept: bool) -> Any:
    """The function, compiled by numba at its first call, and kept on disk if so asked."""
    import numba

    return numba.njit(cache=kept, **_OPTIONS)(function)


class Kernel:
    """A function compiled by numba.  Python calls this object; kernels call the compiled function directly."""

    every: ClassVar[list[Kernel]] = []

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self.py_func = function
        try:
            self.compiled = _jit(function, kept=True)
            folder, sources = Path(self.compiled.stats.cache_path), sources_of(function)
            _empty_if_stale(folder, sources)
            _warn_if_open(folder, sources)
        except (OSError, RuntimeError):
            # A read-only installation without a home folder is common in containers.
            _warn_once(f"no folder for compiled kernels can be written: {_NOT_KEPT}; set NUMBA_CACHE_DIR to one")
            self.compiled = _jit(function, kept=False)
        Kernel.every.append(self)

    def __call__(self, *arguments: Any) -> Any:
        try:
            if not self.compiled.overloads:
                self._compile(arguments)
            return self.compiled(*arguments)
        except SystemError as error:
            # A Ctrl-C while Python builds the result of a kernel reaches the caller as a SystemError.
            cause: BaseException | None = error
            while cause is not None and not isinstance(cause, KeyboardInterrupt):
                cause = cause.__cause__
            raise cause or error from None
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            # No kernel raises these errors: a cache file is damaged, or the disk is full.
            _warn_once(f"kernels that were compiled can be neither read nor kept ({error}): they are compiled anew")
            for folder in {each.compiled.stats.cache_path for each in Kernel.every} - {None}:
                _empty(Path(folder))
            for each in Kernel.every:
                each.compiled = _jit(each.py_func, kept=False)
            return self.compiled(*arguments)

    def _compile(self, arguments: tuple[Any, ...]) -> None:
        """Compile for the first time, or load what was kept."""
        import numba

        begin, types = time.perf_counter(), tuple(map(numba.typeof, arguments))
        if current_thread() is main_thread():
            # In a thread, because a Ctrl-C in the main thread would interrupt numba halfway.
            with Threads(1) as thread:
                thread.submit(self.compiled.compile, types).result()
        else:
            self.compiled.compile(types)
        if not self.compiled.stats.cache_hits:
            _first_use.add(time.perf_counter() - begin, self.compiled)

    def __reduce__(self) -> str:
        return self.py_func.__qualname__

    @property
    def _numba_type_(self) -> Any:
        # numba reads the type of a global value from this attribute, so that kernels can call kernels.
        return self.compiled._numba_type_


@cache
def _warn_once(message: str) -> None:
    warn_caller(message)


def sources_of(function: Callable[..., Any]) -> Path:
    """The folder with all sources that a kernel may depend on."""
    file = Path(function.__code__.co_filename).resolve()
    # Not the top package of its name: above a published metric, that is evaluate's, with the metrics of others.
    if file.is_relative_to(_LIBRARY):
        return _LIBRARY
    return file.parents[max(0, function.__module__.count(".") - 1)]


@cache
def _empty_if_stale(folder: Path, sources: Path) -> None:
    """Empty a folder of numba's cache if its kernels were compiled from other sources or with other settings."""
    stamp = folder / "kernels.sources"
    if stamp.is_file() and stamp.read_text(encoding="ascii") == _digest(sources):
        return
    _empty(folder)
    with replacing(stamp) as unfinished:
        unfinished.write_text(_digest(sources), encoding="ascii")


def _warn_if_open(folder: Path, sources: Path) -> None:
    """Warn once if others may write to the cache, because numba unpickles its files and runs the code in them."""
    import numba

    given = Path(numba.config.CACHE_DIR) if numba.config.CACHE_DIR else None
    if _others_may_write(folder) or (given and _others_may_write(given)):
        # One name for all folders of the package.
        whole = given or (sources if folder.is_relative_to(sources) else folder.parent)
        _warn_once(
            f"others may write to the folder of compiled kernels {whole}, and what they write there runs in your "
            f"programs: run chmod -R go-w {whole}, or set NUMBA_CACHE_DIR to a folder of your own"
        )


@cache
def _others_may_write(folder: Path) -> bool:
    """Whether the permissions of a folder let its group or everybody write to it; False on Windows."""
    if sys.platform == "win32":
        return False
    import grp
    import pwd

    status = folder.stat()
    with suppress(KeyError):
        # Many systems give each user a group of the same name, which has no other members.
        owner = pwd.getpwuid(status.st_uid).pw_name
        if owner != "root" and owner == grp.getgrgid(status.st_gid).gr_name:
            return bool(status.st_mode & stat.S_IWOTH)
    return bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def _empty(folder: Path) -> None:
    for kept in [*folder.glob("*.nbi"), *folder.glob("*.nbc")]:
        kept.unlink(missing_ok=True)


@cache
def _digest(sources: Path) -> str:
    """A digest of the sources in a folder, of this file, and of numba's settings that may change compiled code."""
    digest = hashlib.sha256()
    for file in [Path(__file__), *sorted(sources.rglob("*.py"))]:
        digest.update(f"{file.name}\n".encode() + file.read_bytes())
    settings = {name: value for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_")}
    for name in ("NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT", "NUMBA_NUM_THREADS"):
        settings.pop(name, None)
    digest.update(repr(settings).encode())
    return digest.hexdigest()


class _FirstUse:
    """Prints to standard error, once per process, that kernels are being compiled, if that takes long."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._is_said = False

    def add(self, seconds: float, compiled: Any) -> None:
        """Add the seconds that numba took for a kernel and all that it calls."""
        self._seconds += seconds
        if self._seconds > _PATIENCE and not self._is_said and sys.stderr is not None:
            self._is_said = True
            sources, folder = sources_of(compiled.py_func), compiled.stats.cache_path
            name = "evenscore" if sources == _LIBRARY else sources.name
            kept = f"kept in {folder}" if folder else "not kept, as no folder can be written"
            print(f"{name}: compiling kernels on first use, which takes 3 to 10 s; {kept}", file=sys.stderr, flush=True)


_first_use = _FirstUse()
