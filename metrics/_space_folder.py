"""The files of a metric as a Space of the Hub holds them."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from importlib.metadata import packages_distributions
from pathlib import Path

from . import path

# What editors, Python and operating systems leave behind.
_LEFT_OUT = ("__pycache__", "*.py[co]", ".*", "*~")


def space_files(metric: str, space: str) -> dict[str, Path]:
    """The names of all files of a Space NAMESPACE/NAME, sorted, each with the file that it is a copy of.

    evaluate.load("namespace/name") asks for name.py, so a Space that is not named like its metric has the script twice:
    under its own name, which the app and the card use, and under the Space's.

    Raises ValueError for what cannot be a Space's name, or would hide another file or a package from the metric.
    """
    name = _checked_name(space)
    folder = Path(path(metric))
    files = {file.relative_to(folder).as_posix(): file for file in sorted(_all_files(folder)) if _belongs(file, folder)}
    if name == metric:
        return files
    if name in {file.partition("/")[0].removesuffix(".py") for file in files}:
        raise ValueError(f"{name!r} is the name of another file of {metric}: choose another one")
    if name in sys.stdlib_module_names or name in packages_distributions():
        raise ValueError(f"{name!r} is a package, which the Space's app would then not find: choose another name")
    return dict(sorted({**files, f"{name}.py": folder / f"{metric}.py"}.items()))


def write_files(files: Mapping[str, Path], folder: Path) -> None:
    """Copy the files to their names in a new or empty folder: all of them or nothing, links as what they lead to.

    An empty folder stays the folder that it is, with its mode.  Raises OSError that names the folder.
    """
    target = folder.resolve()
    there = target.is_dir()
    try:
        with tempfile.TemporaryDirectory(prefix=".space-", dir=target if there else target.parent) as temporary:
            whole = Path(temporary, "whole")
            for name, file in files.items():
                (whole / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, whole / name)
            if there:
                _move_all(whole, target)
            else:
                whole.rename(target)
    except OSError as error:
        # The file that failed is a temporary one, of which the caller knows nothing.
        raise OSError(error.errno, error.strerror, str(folder)) from error


def _move_all(source: Path, target: Path) -> None:
    """Move what is in a folder into another one of the same disk; back again if that is interrupted."""
    names = [path.name for path in source.iterdir()]
    try:
        for name in names:
            (source / name).rename(target / name)
    except BaseException:
        for name in names:
            # What has not been moved is not at the target, which was empty.
            if (target / name).exists():
                (target / name).rename(source / name)
        raise


def _checked_name(space: str) -> str:
    from huggingface_hub.utils import validate_repo_id

    if space.count("/") != 1:
        raise ValueError(f"{space!r} is no Space: write it as NAMESPACE/NAME")
    validate_repo_id(space)
    if "." in space:
        raise ValueError(f"{space!r} has a dot, which evaluate.load takes for a package's: leave it out")
    return space.partition("/")[2]


def _all_files(folder: Path) -> Iterator[Path]:
    """The files of a folder and of all folders in it, linked ones too."""
    for parent, _, names in os.walk(folder, followlinks=True):
        yield from (Path(parent, name) for name in names)


def _belongs(file: Path, folder: Path) -> bool:
    parts = file.relative_to(folder).parts
    return not any(fnmatch(part, pattern) for part in parts for pattern in _LEFT_OUT)
