"""How every kernel is compiled."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast

try:
    import numba
    from numba.extending import register_jitable
except ImportError as error:
    raise ImportError("tokenizers_impl needs the package numba: pip install 'evenscore[trainers]'") from error

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """The function compiled at its first call; with NUMBA_DISABLE_JIT=1 the function itself.

    cache: the machine code is kept on disk, so a later process does not compile again.  numba looks at the function's
    own file alone to see whether it is still right, though kernels call kernels of other files.  An installation or an
    upgrade writes all files anew; who edits a kernel deletes the folders __pycache__, or sets NUMBA_CACHE_DIR to a new
    folder, as the tests do.
    nogil: threads run kernels side by side.  No fastmath: a sum keeps its order, so a result keeps its bits.
    no_cfunc_wrapper: no kernel is handed to C.
    """
    compiled = partial(numba.njit, nogil=True, no_cfunc_wrapper=True)
    try:
        return cast("F", compiled(cache=True)(function))
    except RuntimeError:
        # Only warned of: a read-only installation without a home folder is common in containers.
        warnings.warn(
            "numba finds no folder for compiled kernels, so every process compiles them anew, which takes seconds: set "
            "NUMBA_CACHE_DIR to a folder that can be written",
            # This line, not that of the kernel: a warning of a line is shown once.
            stacklevel=1,
        )
        return cast("F", compiled()(function))


def inner_kernel(function: F) -> F:
    """A part of kernels, compiled where they call it; called from Python it is the function itself.

    So no way in from Python is compiled, which takes its arrays apart: a fifth of the work on a kernel.
    """
    return cast("F", register_jitable(no_cfunc_wrapper=True)(function))
