"""Devices, number types, by name."""

from __future__ import annotations

from typing import Any

from ._model_packages import torch


def as_device(name: Any) -> Any:
    """The torch.device of that name: "cpu", "cuda", "cuda:1", "mps" or "gpu", which is cuda.

    None is cuda where there is one, else the cpu.  Raises ValueError for a device that is unknown or not there.
    """
    if name is None:
        return torch().device("cuda" if torch().cuda.is_available() else "cpu")
    device = _parsed("cuda" if name == "gpu" else str(name))
    if device is None or device.type not in ("cpu", "cuda", "mps"):
        raise ValueError(f"device={name!r}: choose 'cpu', 'cuda', 'cuda:1' (or another number), 'mps' or 'gpu'")
    if (device.index or 0) >= _count(device.type):
        raise ValueError(
            f"device={name!r} is not available here: there are {_count(device.type)} of type {device.type}"
        )
    return device


def _parsed(name: str) -> Any:
    try:
        return torch().device(name)
    except RuntimeError:
        return None


def _count(kind: str) -> int:
    """How many devices of that type this machine has."""
    if kind == "cuda":
        return int(torch().cuda.device_count())
    return int(torch().backends.mps.is_available()) if kind == "mps" else 1


def as_dtype(name: Any) -> Any:
    """The torch.dtype of that name, such as "float32" or "bfloat16"; None stays None, for the checkpoint's own.

    Raises ValueError for any other name, and for types that are no floating-point numbers.
    """
    if name is None:
        return None
    dtype = getattr(torch(), str(name).removeprefix("torch."), None)
    if not isinstance(dtype, torch().dtype) or not dtype.is_floating_point:
        raise ValueError(f"dtype={name!r}: choose 'float32', 'bfloat16', 'float16' or another floating-point type")
    return dtype
