"""Products of matrices on a cpu, by the faster one of the libraries that torch has for them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from ._model_packages import torch

Model = Any
Tensor = Any
# rows, weight, bias -> rows @ weight.T + bias
Linear = Callable[[Tensor, Tensor, Any], Tensor]


def by_onednn(model: Model) -> contextlib.AbstractContextManager[Any]:
    """While it is entered, the model's linear layers of float32 on a cpu are products of oneDNN, not of MKL.

    MKL keeps its wide instructions for Intel's processors: on a core of AMD's Zen 5 it has 110 GFLOPS, oneDNN 230.
    The sums are the same but for rounding.  The model is not changed; other layers, other types and devices, and
    compiled models run as ever.
    """
    linear = _onednn_linear(torch())
    if linear is None or any(map(_is_compiled, model.modules())):
        return contextlib.nullcontext()
    return _mode(torch(), linear)


def _mode(package: Any, linear: Linear) -> contextlib.AbstractContextManager[Any]:
    """What hands linear layers of ordinary tensors to `linear`; package: torch."""
    instead: dict[Any, Callable[..., Tensor]] = {
        package.nn.functional.linear: linear,
        # GPT-2 has its weights the other way round.
        package.addmm: lambda bias, rows, weight: linear(rows, weight.T, bias),
    }
    ordinary, float32 = (package.Tensor, package.nn.Parameter), package.float32

    def fits(value: Any) -> bool:
        if value is None:
            return True
        return type(value) in ordinary and value.dtype is float32 and value.is_cpu and value.numel() > 0

    class ByOneDnn(package.overrides.TorchFunctionMode):
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            run = instead.get(function)
            if run is None or kwargs or not all(map(fits, args)) or package.compiler.is_compiling():
                return function(*args, **(kwargs or {}))
            return run(*args) if len(args) == 3 else run(*args, None)

    return ByOneDnn()


def _onednn_linear(package: Any) -> Linear | None:
    """oneDNN's product, as torch's compiler calls it; None where torch has none, or one with other arguments."""
    if not (package.backends.mkldnn.is_available() and package.backends.mkldnn.enabled):
        return None
    two = package.eye(2)
    try:
        run = package.ops.mkldnn._linear_pointwise.default
        is_known = package.equal(run(two, 3 * two, two[0], "none", [], ""), 3 * two + two[0])
    # torch promises nothing of what it has for its own use.
    except (AttributeError, RuntimeError, TypeError):
        return None
    return (lambda rows, weight, bias: run(rows, weight, bias, "none", [], "")) if is_known else None


def _is_compiled(module: Model) -> bool:
    """Whether its forward is not that of its class, as torch.compile leaves it: it would be compiled anew."""
    return hasattr(module, "_orig_mod") or module._compiled_call_impl is not None or "forward" in vars(module)
