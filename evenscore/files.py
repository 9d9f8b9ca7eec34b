"""Checks names of files, and writes files whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

# The ends of names of reports.
PAGE_SUFFIXES = (".html", ".htm")


def check_suffix(given: str, path: str | os.PathLike[str], suffixes: Sequence[str]) -> None:
    """Raise ValueError unless the name of a file ends in one of these, in any case; given: what the message shows.

    >>> check_suffix("--output report.txt", "report.txt", PAGE_SUFFIXES)
    Traceback (most recent call last):
    ValueError: --output report.txt: name a file that ends in .html or .htm
    """
    if Path(path).suffix.lower() not in suffixes:
        raise ValueError(f"{given}: name a file that ends in {' or '.join(suffixes)}")


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the path of a new file, of the same name, to write; at the end it replaces `path`.

    After an error or Ctrl-C `path` is as it was, and the new file is removed. Links are followed. An existing file
    keeps its permissions; a new one gets those that the umask allows. A path that is no ordinary file, such as a pipe,
    is itself yielded.
    Raises OSError, which names `path`, if it is a folder or cannot be written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "scores.csv")) as unfinished:
    ...         _ = unfinished.write_text("wer,0.5")
    ...     Path(folder, "scores.csv").read_text(), os.listdir(folder)
    ('wer,0.5', ['scores.csv'])
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if target.exists() and not target.is_file():
        yield target
        return
    # A folder of its own, so that the file has its name from the start: compressed files hold their names.
    folder = target.with_name(f".{secrets.token_hex(8)}.tmp")
    unfinished = folder / target.name
    try:
        folder.mkdir(0o700)
        yield unfinished
        if target.exists():
            unfinished.chmod(target.stat().st_mode & 0o7777)
        os.replace(unfinished, target)
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(folder), str(unfinished)):
            raise
        # The error names a file that the caller does not know, or none at all (full disk).
        raise type(error)(error.errno, error.strerror, os.fspath(path)) from None
    finally:
        try:
            _remove(unfinished)
        except BaseException:
            # A Ctrl-C arrived in between.
            _remove(unfinished)
            raise


def _remove(unfinished: Path) -> None:
    """Remove the file and its folder if they are there."""
    # Not shutil.rmtree, which closes a file a second time after a Ctrl-C, and raises OSError instead.
    with contextlib.suppress(OSError):
        unfinished.unlink()
    with contextlib.suppress(OSError):
        unfinished.parent.rmdir()
