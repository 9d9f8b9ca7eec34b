"""What identifies a metric in pickles and caches: its class, its code, the files its options name."""

from __future__ import annotations

import ast
import hashlib
import importlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from evenscore.version import __version__

T = TypeVar("T", bound=type[Any])

# The module of evaluate's copies: only processes that have loaded a metric with evaluate can import from it.
_COPIES = "evaluate_modules."
# In a folder that was generated for the Hub: what it was generated from.
ORIGIN = "_origin.py"


# --- code


def code_digest(script: Path) -> str:
    """The version with a digest of the code of a metric: its script and the library; where it lies does not count.

    Pickles name a class by its module, whose code may change under the same name.  A generated folder has the digest of
    what it was generated from, unless somebody has changed a file of it.
    """
    content, origin = script.read_bytes(), script.with_name(ORIGIN)
    if not origin.is_file():
        return f"{__version__}+{files_digest(_LIBRARY_CODE, content)}"
    digest = files_digest({path.name: path.read_bytes() for path in script.parent.glob("_*.py")}, content)
    said = ast.literal_eval(origin.read_text(encoding="utf-8").partition("ORIGIN = ")[2].splitlines()[0])
    return str(said["code"]) if said["files"] == digest else f"{__version__}+{digest}"


def files_digest(helpers: Mapping[str, bytes], script: bytes) -> str:
    """A digest of the files beside a script, by name, and of the script, whose name does not count.

    >>> files_digest({"_a.py": b"1"}, b"2") == files_digest({"_b.py": b"1"}, b"2")
    False
    """
    digest = hashlib.sha256(script)
    # evaluate makes an __init__.py of its own.
    for name in sorted(helpers.keys() - {ORIGIN, "__init__.py"}):
        digest.update(f"\0{name}\0".encode() + helpers[name])
    return digest.hexdigest()[:16]


def _library_code() -> dict[str, bytes]:
    """The modules of the library by their places in it; the scripts, which wheels hold there, are no part of it."""
    root = Path(__file__).parent
    # A generated folder has all of them beside this one, and may hold what is none of ours.
    found = root.glob("*.py") if (root / ORIGIN).is_file() else root.rglob("*.py")
    paths = {path.relative_to(root).as_posix(): path for path in found}
    code = {name: path.read_bytes() for name, path in paths.items() if not name.startswith("metrics/")}
    return {"library": hashlib.sha256(repr(sorted(code.items())).encode()).digest()}


# Taken when the code is loaded: a process that runs on after an upgrade still scores with what it has loaded.
_LIBRARY_CODE = _library_code()
LIBRARY_DIGEST = f"{__version__}+{_LIBRARY_CODE['library'].hex()[:16]}"


# --- classes


def installed_class(metric_type: T) -> T:
    """The class of the installed package evenscore, for a copy of its code; else the class itself.

    By this class another process knows a metric that evaluate has copied.
    """
    if not metric_type.__module__.startswith(_COPIES):
        return metric_type
    name = metric_type.scorer_type.name
    try:
        installed: T = getattr(importlib.import_module(f"evenscore.metrics.{name}.{name}"), metric_type.__name__)
    except (ImportError, AttributeError):
        return metric_type
    return installed if installed.code_digest == metric_type.code_digest else metric_type


# --- files


def file_stamp(value: Any) -> list[tuple[str, int, int]]:
    """Of a file its path, size in bytes and time of change in nanoseconds; of a folder those of its files, sorted.

    Empty for what is no path, or leads nowhere.

    >>> file_stamp("no/such/file"), file_stamp(13)
    ([], [])
    """
    if not isinstance(value, (str, os.PathLike)) or not os.path.exists(value):
        return []
    path = Path(value).absolute()
    files = sorted(filter(Path.is_file, path.iterdir())) if path.is_dir() else [path]
    stats = [(str(file), file.stat()) for file in files]
    return [(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats]
