"""The whole suite runs offline, in a Hugging Face home of its own."""

from __future__ import annotations

import math
import os
import shutil
import sys
import tempfile

_HOME = tempfile.mkdtemp(prefix="evenscore-tests-")
# Before evaluate is imported, which reads them once.
for _name in ("HF_MODULES_CACHE", "HF_METRICS_CACHE", "HF_EVALUATE_CACHE", "HF_DATASETS_CACHE"):
    os.environ.pop(_name, None)
os.environ.update(HF_HOME=_HOME, HF_EVALUATE_OFFLINE="1", HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")


def pytest_collection_finish() -> None:
    """No test of what is printed depends on whether kernels are compiled already."""
    if kernels := sys.modules.get("tokenizers_impl._core.kernel"):
        kernels._PATIENCE = math.inf  # type: ignore[attr-defined]


def pytest_unconfigure() -> None:
    shutil.rmtree(_HOME, ignore_errors=True)
