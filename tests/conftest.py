"""The suite runs offline, in a Hugging Face home of its own; slow tests run with `-m slow` alone."""

from __future__ import annotations

import math
import os
import shutil
import signal
import tempfile
from pathlib import Path

import properties  # noqa: F401  (registers the profiles)
import pytest
from hypothesis import settings

_HOME = tempfile.mkdtemp(prefix="evenscore-tests-")
# Before evaluate is imported, which reads them once.
for _name in ("HF_MODULES_CACHE", "HF_METRICS_CACHE", "HF_EVALUATE_CACHE", "HF_DATASETS_CACHE"):
    os.environ.pop(_name, None)
os.environ.update(HF_HOME=_HOME, HF_EVALUATE_OFFLINE="1", HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")

_SLOW = Path(__file__).with_name("slow")
# They hold no tests, and some need packages of `.[test-all]`.
collect_ignore = ["support", "reference"]


def _is_quick(config: pytest.Config) -> bool:
    return bool(config.option.markexpr == "not slow")


def pytest_configure(config: pytest.Config) -> None:
    # A shell starts background jobs with Ctrl-C ignored, and so would all processes that the tests start and interrupt.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not config.getoption("--hypothesis-profile"):
        settings.load_profile("quick" if _is_quick(config) else "full")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The quick run imports nothing of tests/slow, which needs packages of `.[test-all]`."""
    return True if _is_quick(config) and _SLOW in (collection_path, *collection_path.parents) else None


def pytest_itemcollected(item: pytest.Item) -> None:
    """Tests in tests/slow are slow; property tests run again with all their examples."""
    drawn_again = item.get_closest_marker("hypothesis") and not _is_quick(item.config)
    if drawn_again or _SLOW in item.path.parents:
        item.add_marker("slow")


def pytest_collection_finish() -> None:
    """No test of what is printed depends on whether kernels are compiled already."""
    from evenscore import kernel

    kernel._PATIENCE = math.inf


def pytest_unconfigure() -> None:
    shutil.rmtree(_HOME, ignore_errors=True)
