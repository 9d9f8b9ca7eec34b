"""The whole suite runs offline, in a Hugging Face home of its own, and never with kernels of older sources."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path


def _kernels_folder() -> str:
    """A folder for compiled kernels, named by the sources, kept for the next run.

    numba compiles a kernel anew where its own file has changed, not where a kernel that it calls has.
    """
    package = Path(__file__).resolve().parents[1] / "tokenizers_impl"
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(f"{path.relative_to(package)}\0".encode() + path.read_bytes() + b"\0")
    return str(Path(tempfile.gettempdir(), f"evenscore-kernels-{digest.hexdigest()[:16]}"))


# Before numba is imported, which reads it once.
os.environ["NUMBA_CACHE_DIR"] = _kernels_folder()
_HOME = tempfile.mkdtemp(prefix="evenscore-tests-")
# Before evaluate is imported, which reads them once.
for _name in ("HF_MODULES_CACHE", "HF_METRICS_CACHE", "HF_EVALUATE_CACHE", "HF_DATASETS_CACHE"):
    os.environ.pop(_name, None)
os.environ.update(HF_HOME=_HOME, HF_EVALUATE_OFFLINE="1", HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")


def pytest_unconfigure() -> None:
    shutil.rmtree(_HOME, ignore_errors=True)
