"""Everything that decides what a kernel compiles to: its code, that of what it calls, their constants."""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np


def source_of(function: FunctionType) -> bytes:
    """Bytes that change with the function and with any part of it, in its file or another; the same in every process.

    >>> def part(number): return number + 1
    >>> def whole(number): return part(number) * 2
    >>> before = source_of(whole)
    >>> def part(number): return number + 3
    >>> before == source_of(whole)
    False
    """
    return b"\n".join(_lines(function, set()))


def _lines(function: FunctionType, seen: set[FunctionType]) -> Iterator[bytes]:
    seen.add(function)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield from _value_lines(name, cell.cell_contents, seen)
    yield f"{function.__module__}.{function.__qualname__} {function.__defaults__!r}".encode()
    for code in _codes(function.__code__):
        yield code.co_code + getattr(code, "co_exceptiontable", b"")
        yield repr((code.co_argcount, code.co_names, code.co_cellvars, code.co_freevars, code.co_flags)).encode()
        constants = [_ordered(each) for each in code.co_consts if not isinstance(each, CodeType)]
        # Without documentation, which comes first.
        yield repr(constants[code is function.__code__ and function.__doc__ is not None :]).encode()
        for name in code.co_names:
            if name in function.__globals__:
                yield from _value_lines(name, function.__globals__[name], seen)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code, and that of the functions and comprehensions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _ordered(constant: Any) -> Any:
    """A constant of code, whose repr is the same in every process."""
    return sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant


def _value_lines(name: str, value: Any, seen: set[FunctionType]) -> Iterator[bytes]:
    """What a global value of this name does to the code."""
    value = getattr(value, "py_func", value)
    if isinstance(value, FunctionType):
        if value not in seen:
            yield from _lines(value, seen)
    elif isinstance(value, np.ndarray):
        yield f"{name} {value.dtype} {value.shape} ".encode() + value.tobytes()
    elif isinstance(value, (BuiltinFunctionType, np.ufunc)) or (isinstance(value, ModuleType) and value in (np, math)):
        yield f"{name} {value.__name__}".encode()
    elif isinstance(value, type) and (hasattr(value, "_fields") or value.__module__ in ("builtins", "numpy")):
        yield f"{name} {value.__module__}.{value.__qualname__} {getattr(value, '_fields', '')}".encode()
    elif isinstance(value, tuple):
        for item in value:
            yield from _value_lines(name, item, seen)
    elif isinstance(value, (bool, int, float, str, bytes, np.generic, np.dtype, type(None))):
        yield f"{name} {value!r}".encode()
    else:
        raise TypeError(f"a kernel uses {name}, whose part in its code is unknown: {value!r}")
