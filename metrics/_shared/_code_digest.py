"""What stands for the code of a metric, so that caches know when it has changed."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ._version import __version__


def _code_digest(folder: Path) -> str:
    """The version with a digest of every file of a metric's folder, links followed; where it lies does not count.

    Pickles name a class by its module, whose code may change under the same name.
    """
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        digest.update(f"{path.name}\0".encode() + path.read_bytes() + b"\0")
    return f"{__version__}+{digest.hexdigest()[:16]}"


# Taken when the code is loaded: a process that runs on after an upgrade still scores with what it has loaded.
CODE_DIGEST = _code_digest(Path(__file__).parent)
