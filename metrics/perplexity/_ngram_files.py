"""Files that may be packed."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import reprlib
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast


class _Packing(NamedTuple):
    """How files of one kind are told and opened."""

    suffix: str
    magic: bytes
    open: Callable[..., Any]


_PACKINGS = (
    _Packing(".gz", b"\x1f\x8b", gzip.open),
    _Packing(".bz2", b"BZh", bz2.open),
    _Packing(".xz", b"\xfd7zXZ", lzma.open),
)


@contextlib.contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked if its first bytes say that it is packed.

    ValueError if there is no such file, or if what is packed is cut off or damaged.
    """
    if not os.path.isfile(path):
        raise ValueError(f"{reprlib.repr(os.fspath(path))}: there is no such file")
    with Path(path).open("rb") as file:
        start = file.peek(8)
        unpack = next((packing.open for packing in _PACKINGS if start.startswith(packing.magic)), None)
        try:
            # The buffer hands out lines several times as fast as what unpacks them.
            yield io.BufferedReader(unpack(file)) if unpack else file
        except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
            raise ValueError(f"{os.fspath(path)}: cut off or damaged ({error})") from error


@contextlib.contextmanager
def written(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A new file beside `path`, packed as its suffix says, that takes its place once it is written to the end."""
    target = Path(path)
    openers = {packing.suffix: packing.open for packing in _PACKINGS}
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".") as folder:
        unfinished = Path(folder) / target.name
        with cast(BinaryIO, openers.get(target.suffix, open)(unfinished, "wb")) as file:
            yield file
        unfinished.replace(target)
