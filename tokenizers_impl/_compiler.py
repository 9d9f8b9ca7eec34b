"""Kernels compiled by numba: the one file that imports it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numba
from numba.extending import register_jitable

from ._kernel import Kernel
from ._machine_code import MachineCode
from ._unpickling import unpickling_code
from ._warnings import warn_once


@cache
def dispatcher(function: Callable[..., Any]) -> Any:
    """What numba compiles the function with.

    nogil: threads run kernels side by side.  No fastmath: a sum keeps its order, so a result keeps its bits.
    no_cfunc_wrapper: no kernel is handed to C.
    """
    return numba.njit(nogil=True, no_cfunc_wrapper=True)(function)


@cache
def _register(part: Callable[..., Any]) -> None:
    register_jitable(no_cfunc_wrapper=True)(part)


def compiled(function: FunctionType, arguments: tuple[Any, ...]) -> MachineCode | Callable[..., Any]:
    """The machine code of the function for the types of these arguments.

    Where this release of numba keeps it in another way than those known here: the function, for this process alone.
    """
    for part in Kernel.parts:
        _register(part)
    types = tuple(map(numba.typeof, arguments))
    dispatcher(function).compile(types)
    result = dispatcher(function).overloads[types]
    try:
        _, _, (code, _) = result.library.serialize_using_object_code()
        names = result.fndesc.llvm_cpython_wrapper_name, result.fndesc.env_name
        return MachineCode((code, unpickling_code()), *names, list(result.environment.consts))
    except (AttributeError, RuntimeError, TypeError, ValueError):
        message = "numba {} keeps machine code in a way unknown here, so every process compiles its kernels anew"
        warn_once(message.format(numba.__version__))
        entry: Callable[..., Any] = result.entry_point
        return entry
