"""Machine code by numba made callable again, without an import of numba.

What numba 0.68 does when it reads its own cache (core/cpu.py, get_executable; core/base.py, _load_global_helpers;
core/runtime/nrt.py, initialize), with LLVM alone: importing numba, and the runtime that it compiles in every process,
take four times as long as loading the kernels of a training, and more memory than most trainings.
"""

from __future__ import annotations

import builtins
import ctypes
import pickle
import re
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import module_from_spec, spec_from_file_location
from types import FunctionType
from typing import Any, NamedTuple

import llvmlite.binding as llvm

from ._installed_numba import numba_folder

# What numba takes from the C library that Python itself is linked to.
_OF_THE_C_LIBRARY = re.compile(
    "(a?(cos|sin|tan)h?|atan2|ceil|exp|expm1|fabs|floor|fmod|log|log10|log1p|pow|round|sqrt|trunc)f?"
)


class MachineCode(NamedTuple):
    """One function for arguments of certain types.

    objects: its object file, and that of what it calls.  wrapper: the symbol that Python calls.  environment: that of
    the pointer to constants, Python objects that the function returns parts of, as types of arrays.
    """

    objects: tuple[bytes, ...]
    wrapper: str
    environment: str
    constants: list[Any]


def callable_of(machine_code: MachineCode, function: FunctionType) -> Callable[..., Any]:
    """The compiled form of the function."""
    # 1. The code gets an engine of its own: in one for all, functions of the same name would be taken for one another.
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _runtime().target.create_target_machine(jit=True))
    # It stays, so that the address of a pickle has one meaning.
    _ENGINES.append(engine)
    for code in machine_code.objects:
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    # Not finalize_object: it would run the whole compiler on the engine's own module, which is empty.
    address = engine.get_function_address(machine_code.wrapper)
    # 2. The pointer to its constants is set.
    environment = _runtime().dynfunc.Environment(function.__globals__)
    environment.consts[:] = machine_code.constants
    pointer = engine.get_global_value_address(machine_code.environment)
    ctypes.c_void_p.from_address(pointer).value = id(environment)
    # 3. A function of Python calls it.
    made: Callable[..., Any] = _runtime().dynfunc.make_function(
        sys.modules[function.__module__], function.__name__, function.__doc__ or "", address, environment, ()
    )
    return made


def processor() -> str:
    """The processor that code is compiled for here."""
    return f"{llvm.get_default_triple()} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"


class _Runtime(NamedTuple):
    """What machine code calls: numba's extension modules, and the processor it is for."""

    dynfunc: Any
    helpers: Any
    memory: Any
    target: Any


@lru_cache(maxsize=1)
def _runtime() -> _Runtime:
    llvm.initialize_native_target()
    runtime = _Runtime(
        dynfunc=_extension("numba._dynfunc"),
        helpers=_extension("numba._helperlib"),
        memory=_extension("numba.core.runtime._nrt_python"),
        target=llvm.Target.from_default_triple(),
    )
    for name, address in _symbols(runtime).items():
        llvm.add_symbol(name, address)
    return runtime


def _extension(name: str) -> Any:
    """An extension module of a package, whether that is imported or not."""
    if name in sys.modules:
        return sys.modules[name]
    folder = numba_folder().joinpath(*name.split(".")[1:-1])
    stem = name.rpartition(".")[2]
    path = next(folder / (stem + suffix) for suffix in EXTENSION_SUFFIXES if (folder / (stem + suffix)).exists())
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _symbols(runtime: _Runtime) -> Mapping[str, int]:
    """The addresses of everything that machine code calls and the process itself does not name."""
    helpers = runtime.helpers.c_helpers
    errors = [kind for kind in vars(builtins).values() if isinstance(kind, type) and issubclass(kind, BaseException)]
    return {
        **{name: address for name, address in helpers.items() if _OF_THE_C_LIBRARY.fullmatch(name)},
        **{f"numba_{name}": address for name, address in {**helpers, **runtime.dynfunc.c_helpers}.items()},
        **{
            name if name.startswith("_") else f"NRT_{name}": address
            for name, address in runtime.memory.c_helpers.items()
        },
        **{f"PyExc_{kind.__name__}": id(kind) for kind in errors},
        "_Py_NoneStruct": id(None),
        "evenscore_unpickled": id(_UNPICKLED),
        "evenscore_loads": id(pickle.loads),
    }


# By address; see `unpickling_code`.
_UNPICKLED: dict[int, Any] = {}
_ENGINES: list[Any] = []
