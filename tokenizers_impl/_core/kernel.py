"""How kernels are compiled: by numba, at their first call, kept on disk by numba's own cache.

numba checks only the file of a kernel for changes, not the files of the functions that the kernel calls.  So every
folder of the cache has a digest of all sources of the package, and is emptied when the digest has changed.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, update_wrapper
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any, ClassVar, TypeVar, cast

import numba
from numba.core import event
from numba.extending import register_jitable

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = Path(__file__).resolve().parent.parent
# No fastmath: a sum keeps its order, so a result keeps its bits.  nogil: threads run kernels side by side.
# no_cfunc_wrapper: no kernel is handed to C, and what is not made need not be compiled.
_OPTIONS = {"nogil": True, "no_cfunc_wrapper": True}
# Seconds of compiling after which it is said.
_PATIENCE = 1.0
_NOT_KEPT = "every process compiles them anew, which takes seconds"


def kernel(function: F) -> F:
    """The function, compiled at its first call for the types of its arguments; with NUMBA_DISABLE_JIT=1 itself."""
    return function if numba.config.DISABLE_JIT else cast("F", Kernel(function))


def inner_kernel(function: F) -> F:
    """A part of kernels, compiled into those that call it; called from Python it is the function itself.

    So no way in from Python is compiled, which takes its arrays apart: a fifth of the work on a kernel.
    """
    return cast("F", register_jitable(no_cfunc_wrapper=True)(function))


class Kernel:
    """A function that numba compiles, as Python calls it; kernels call it as what numba has compiled."""

    every: ClassVar[list[Kernel]] = []

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self.py_func = function
        try:
            self.compiled = numba.njit(cache=True, **_OPTIONS)(function)
            _empty_if_stale(Path(self.compiled.stats.cache_path))
        except (OSError, RuntimeError):
            # A read-only installation without a home folder is common in containers.
            _warn_once(f"no folder for compiled kernels can be written: {_NOT_KEPT}; set NUMBA_CACHE_DIR to one")
            self.compiled = numba.njit(**_OPTIONS)(function)
        Kernel.every.append(self)

    def __call__(self, *arguments: Any) -> Any:
        try:
            if not self.compiled.overloads and current_thread() is main_thread():
                self._compile(arguments)
            return self.compiled(*arguments)
        except SystemError as error:
            # A Ctrl-C that arrives while Python builds the result of a kernel reaches the caller as a SystemError.
            cause: BaseException | None = error
            while cause is not None and not isinstance(cause, KeyboardInterrupt):
                cause = cause.__cause__
            raise cause or error from None
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            # No kernel raises these: a file of the cache is damaged, or the disk has no room for another.
            _warn_once(f"kernels that were compiled can be neither read nor kept ({error}): they are compiled anew")
            for folder in {each.compiled.stats.cache_path for each in Kernel.every} - {None}:
                _empty(Path(folder))
            for each in Kernel.every:
                each.compiled = numba.njit(**_OPTIONS)(each.py_func)
            return self.compiled(*arguments)

    def _compile(self, arguments: tuple[Any, ...]) -> None:
        """The first compilation, in a thread: Ctrl-C, raised in the main one, would leave numba half at work."""
        executor = ThreadPoolExecutor(1)
        try:
            executor.submit(self.compiled.compile, tuple(map(numba.typeof, arguments))).result()
        finally:
            executor.shutdown(wait=False)

    def __reduce__(self) -> str:
        return self.py_func.__qualname__

    @property
    def _numba_type_(self) -> Any:
        # By this name numba asks for the type of a global value; so kernels call kernels.
        return self.compiled._numba_type_


@cache
def _warn_once(message: str) -> None:
    warnings.warn(message, stacklevel=1)


@cache
def _empty_if_stale(folder: Path) -> None:
    """Take out of a folder of numba's cache what was compiled from other sources, or with other settings."""
    stamp = folder / "tokenizers_impl.sources"
    if stamp.is_file() and stamp.read_text(encoding="ascii") == _sources():
        return
    _empty(folder)
    written = stamp.with_name(f"{stamp.name}.{os.getpid()}")
    written.write_text(_sources(), encoding="ascii")
    written.replace(stamp)


def _empty(folder: Path) -> None:
    for kept in [*folder.glob("*.nbi"), *folder.glob("*.nbc")]:
        kept.unlink(missing_ok=True)


@cache
def _sources() -> str:
    """A digest of the package's sources, and of numba's settings, some of which change what it compiles."""
    digest = hashlib.sha256()
    for file in sorted(_PACKAGE.rglob("*.py")):
        digest.update(f"{file.relative_to(_PACKAGE)}\n".encode() + file.read_bytes())
    settings = {name: value for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_")}
    for name in ("NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT", "NUMBA_NUM_THREADS"):
        settings.pop(name, None)
    digest.update(repr(settings).encode())
    return digest.hexdigest()


class _FirstUse(event.Listener):
    """Says on standard error, once a process, that the package's kernels are being compiled, if it takes a while."""

    def __init__(self) -> None:
        self._begun: list[float] = []
        self._seconds = 0.0
        self._is_said = False

    def on_start(self, event: Any) -> None:
        """numba begins to compile a function, or one that it calls."""
        self._begun.append(time.perf_counter())

    def on_end(self, event: Any) -> None:
        """numba is done with the last one begun; only the outermost counts."""
        begun = self._begun.pop()
        function = event.data["dispatcher"].py_func
        if self._begun or self._is_said or not function.__module__.startswith(f"{_PACKAGE.name}."):
            return
        self._seconds += time.perf_counter() - begun
        if self._seconds > _PATIENCE and sys.stderr is not None:
            self._is_said = True
            folder = event.data["dispatcher"].stats.cache_path
            kept = f"kept in {folder}" if folder else "not kept, as no folder can be written"
            print(f"tokenizers_impl: compiling kernels, once, about 10 s; {kept}", file=sys.stderr, flush=True)


event.register("numba:compile", _FirstUse())
