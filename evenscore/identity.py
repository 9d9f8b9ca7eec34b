"""Identifies a metric in pickles and caches by its class, its code and the files that its options name."""

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

# The package of evaluate's copies. Only processes that loaded a metric with evaluate can import it.
_COPIES = "evaluate_modules."
# Records, in a folder generated for the Hub, the code that it was generated from.
ORIGIN = "_origin.py"


# --- code


def code_digest(script: Path) -> str:
    """Return the version and a digest of a metric's script and of the library, independent of their location.

    Pickles name a class by its module, but the module's code may change. A generated folder has the digest of the code
    that it was generated from, unless one of its files was changed.
    """
    content, origin = script.read_bytes(), script.with_name(ORIGIN)
    if not origin.is_file():
        return f"{__version__}+{files_digest(_LIBRARY_CODE, content)}"
    digest = files_digest({path.name: path.read_bytes() for path in script.parent.glob("_*.py")}, content)
    said = ast.literal_eval(origin.read_text(encoding="utf-8").partition("ORIGIN = ")[2].splitlines()[0])
    return str(said["code"]) if said["files"] == digest else f"{__version__}+{digest}"


def files_digest(helpers: Mapping[str, bytes], script: bytes) -> str:
    """Return a digest of a script's content and of its helper files' names and contents.

    >>> files_digest({"_a.py": b"1"}, b"2") == files_digest({"_b.py": b"1"}, b"2")
    False
    """
    digest = hashlib.sha256(script)
    # evaluate adds an __init__.py of its own.
    for name in sorted(helpers.keys() - {ORIGIN, "__init__.py"}):
        digest.update(f"\0{name}\0".encode() + helpers[name])
    return digest.hexdigest()[:16]


def _library_code() -> dict[str, bytes]:
    """Return a digest of the library's modules, without the scripts, which a wheel installs in the same folder."""
    root = Path(__file__).parent
    # A generated folder has all modules next to this one; its subfolders may contain other code.
    found = root.glob("*.py") if (root / ORIGIN).is_file() else root.rglob("*.py")
    paths = {path.relative_to(root).as_posix(): path for path in found}
    code = {name: path.read_bytes() for name, path in paths.items() if not name.startswith("metrics/")}
    return {"library": hashlib.sha256(repr(sorted(code.items())).encode()).digest()}


# Computed at import: after an upgrade, a running process still scores with the code that it imported.
_LIBRARY_CODE = _library_code()
LIBRARY_DIGEST = f"{__version__}+{_LIBRARY_CODE['library'].hex()[:16]}"


# --- classes


def installed_class(metric_type: T) -> T:
    """Return the installed package's class for evaluate's copy of the same code, else the class itself.

    Other processes can import the installed class, but not evaluate's copy.
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


# Files of up to a megabyte are read, which takes about as long as a look at thousands of files.
_SMALL = 1 << 20


def file_stamp(value: Any) -> list[tuple[str, int, int, str]]:
    """Return what changes with a file, or with each of a folder's files, sorted by path.

    Path, size in bytes, modification time in nanoseconds, and for a small file a digest of its content. A larger file
    has its inode and the time of its last change of status instead, which tools that restore the modification time do
    not restore. Not seen are files in the folders of a folder, and writing to a device below the file system.
    Returns an empty list if the value is not a path, or if nothing exists there.

    >>> file_stamp("no/such/file"), file_stamp(13)
    ([], [])
    """
    if not isinstance(value, (str, os.PathLike)) or not os.path.exists(value):
        return []
    path = Path(value).absolute()
    return [_stamp(file) for file in (sorted(filter(Path.is_file, path.iterdir())) if path.is_dir() else [path])]


def _stamp(file: Path) -> tuple[str, int, int, str]:
    stat = file.stat()
    if stat.st_size > _SMALL:
        content = f"{stat.st_ctime_ns} {stat.st_dev} {stat.st_ino}"
    else:
        content = hashlib.sha256(file.read_bytes()).hexdigest()
    return str(file), stat.st_size, stat.st_mtime_ns, content
