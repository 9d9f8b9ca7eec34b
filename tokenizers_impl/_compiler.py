"""Kernels compiled by numba: the one file that imports it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numba
from numba.extending import register_jitable

from ._core.parallel import warn_once
from ._kernel import Kernel
from ._machine_code import MachineCode, callable_of
from ._unpickling import unpickling_code


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


def compiled(function: FunctionType, arguments: tuple[Any, ...]) -> tuple[Callable[..., Any], MachineCode | None]:
    """The function for the types of these arguments, with the machine code that it runs, to be kept.

    No code where this release of numba has it in another way than those known here.
    """
    # One after another: what a Ctrl-C left behind may still be at work.
    with Kernel.compiling:
        for part in Kernel.parts:
            _register(part)
        types = tuple(map(numba.typeof, arguments))
        dispatcher(function).compile(types)
        result = dispatcher(function).overloads[types]
    try:
        _, _, (code, _) = result.library.serialize_using_object_code()
        names = result.fndesc.llvm_cpython_wrapper_name, result.fndesc.env_name
        kept = MachineCode((code, unpickling_code()), *names, list(result.environment.consts))
        # Not what numba has made of it: what runs now is what later processes run.
        return callable_of(kept, function), kept
    except (AttributeError, ImportError, RuntimeError, StopIteration, TypeError, ValueError):
        message = "numba {} keeps machine code in a way unknown here, so every process compiles its kernels anew"
        warn_once(message.format(numba.__version__))
        return result.entry_point, None
