"""Text files, read with plain messages, written whole or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def checked_paths(files: Any) -> list[str | os.PathLike[str]]:
    """One path or several as a list; ValueError for anything else: a number would be read as an open file."""
    paths = [files] if isinstance(files, (str, os.PathLike)) or not isinstance(files, Iterable) else list(files)
    for i, path in enumerate(paths):
        if not isinstance(path, (str, os.PathLike)):
            raise ValueError(f"files[{i}] is {path!r}: give paths; train_from_iterator takes texts")
    return paths


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a UTF-8 file, line ends as they are; ValueError says which byte is none."""
    data = Path(path).read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{os.fspath(path)} is no UTF-8 text (byte {error.start}): convert it first") from None


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write the file beside its place, then put it there: an interrupted run leaves the old one, or none.

    A link is followed.  What is no ordinary file, such as a pipe, is written to as it stands.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if target.exists() and not target.is_file():
        target.write_text(text, encoding="utf-8", newline="")
        return
    try:
        put_in_place(target, text.encode("utf-8"))
    except OSError as error:
        # The name that was asked for, not the one that was tried, or none for a full disk.
        raise type(error)(error.errno, error.strerror, os.fspath(path)) from None


def put_in_place(target: Path, content: bytes) -> None:
    """Write the file under another name, then rename it."""
    descriptor, name = tempfile.mkstemp(dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        # The rights of the file that was there, or those that an ordinary new one would have.
        os.chmod(name, target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
