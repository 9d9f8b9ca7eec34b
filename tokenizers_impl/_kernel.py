"""How every kernel is compiled, or found compiled."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import update_wrapper
from operator import attrgetter
from types import FunctionType
from typing import Any, ClassVar, TypeVar, cast

import numpy as np

from ._installed_numba import numba_folder

F = TypeVar("F", bound=Callable[..., Any])

# Said here, not at the first call of a kernel.
numba_folder()

# As numba reads it.
_PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
_ARRAY = np.ndarray
_OF_AN_ARRAY = attrgetter("dtype", "ndim", "flags.num")


def kernel(function: F) -> F:
    """The function compiled at its first call for any types of arguments; with NUMBA_DISABLE_JIT=1 the function itself.

    Machine code is kept on disk.  A later process takes it from there without importing numba, which costs a process
    0.3 s and 90 MB.
    """
    return function if _PLAIN else cast("F", Kernel(cast("FunctionType", function)))


def inner_kernel(function: F) -> F:
    """A part of kernels, compiled where they call it; called from Python it is the function itself.

    So no way in from Python is compiled, which takes its arrays apart: a fifth of the work on a kernel.
    """
    if not _PLAIN:
        Kernel.parts.append(function)
    return function


class Kernel:
    """A function whose machine code is looked up by the types of its arguments."""

    # Every inner kernel, which numba has to know of before it compiles.
    parts: ClassVar[list[Callable[..., Any]]] = []
    # Loading is rare, and numba compiles one function at a time.
    loading: ClassVar[threading.RLock] = threading.RLock()
    compiling: ClassVar[threading.RLock] = threading.RLock()

    def __init__(self, function: FunctionType) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._entries: dict[tuple[Any, ...], Callable[..., Any]] = {}
        self._by_signature: dict[str, Callable[..., Any]] = {}

    def __call__(self, *arguments: Any) -> Any:
        key = tuple([_OF_AN_ARRAY(value) if type(value) is _ARRAY else _other_type(value) for value in arguments])
        return (self._entries.get(key) or self._entry(key, arguments))(*arguments)

    def __reduce__(self) -> str:
        return self.py_func.__qualname__

    @property
    def _numba_type_(self) -> Any:
        # By this name numba asks for the type of a global value; so kernels call kernels.
        from ._compiler import dispatcher

        return dispatcher(self.py_func)._numba_type_

    def _entry(self, key: tuple[Any, ...], arguments: tuple[Any, ...]) -> Callable[..., Any]:
        from ._compiled_code import machine_code

        with Kernel.loading:
            signature = ",".join(map(_type_name, arguments))
            if signature not in self._by_signature:
                self._by_signature[signature] = machine_code(self.py_func, signature, arguments)
            self._entries[key] = self._by_signature[signature]
            return self._entries[key]


def _fresh_locks() -> None:
    Kernel.loading, Kernel.compiling = threading.RLock(), threading.RLock()


if hasattr(os, "register_at_fork"):
    # A thread that loads is not there to go on in a forked process.
    os.register_at_fork(after_in_child=_fresh_locks)


def _other_type(value: Any) -> Any:
    kind = type(value)
    if issubclass(kind, np.ndarray):
        return (kind, *_OF_AN_ARRAY(value))
    if not issubclass(kind, tuple):
        return kind
    return (kind, *[_OF_AN_ARRAY(each) if type(each) is _ARRAY else _other_type(each) for each in value])


def _type_name(value: Any) -> str:
    """The same, for files: what machine code is named after; TypeError for what no kernel takes."""
    if isinstance(value, np.ndarray):
        flags = value.flags
        order = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return f"{value.dtype!r}{value.ndim}{order}{'w' * flags.writeable}{'a' * flags.aligned}"
    name = f"{type(value).__module__}.{type(value).__qualname__}"
    if isinstance(value, tuple):
        return f"{name}{getattr(value, '_fields', '')}({','.join(map(_type_name, value))})"
    if isinstance(value, (list, dict, set, np.datetime64, np.timedelta64)):
        raise TypeError(f"a kernel takes arrays, numbers, strings, tuples, not {value!r:.80}")
    return name
