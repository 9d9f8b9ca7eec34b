"""Executors to test with: one that notes what it is sent, one whose workers die, a cluster of Dask's."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import distributed


class Noting:
    """Does everything at once, from pickle to pickle, and notes it.

    jobs: the blocks by the names of the functions they were sent to.  sent: the pickles.
    """

    def __init__(self) -> None:
        self.jobs: dict[str, list[Any]] = {}
        self.sent: list[bytes] = []

    def submit(self, function: Any, block: Any) -> Future[Any]:
        sent = pickle.dumps((function, block))
        self.jobs.setdefault(function.func.__name__, []).append(block)
        self.sent.append(sent)
        future: Future[Any] = Future()
        arrived, argument = pickle.loads(sent)
        future.set_result(pickle.loads(pickle.dumps(arrived(argument))))
        return future

    @property
    def sizes(self) -> list[int]:
        """Of the pickles."""
        return [len(sent) for sent in self.sent]


class Deadly:
    """Another executor, whose worker dies the first time that it calls a function of some name.

    deaths: a folder, with a file for every death.
    """

    def __init__(self, executor: Any, deaths: Path) -> None:
        self.executor, self.deaths = executor, deaths

    def submit(self, function: Any, block: Any) -> Any:
        return self.executor.submit(_dying(function, self.deaths / function.func.__name__), block)


def _dying(function: Callable[[Any], Any], death: Path) -> Callable[[Any], Any]:
    def called(block: Any) -> Any:
        try:
            death.touch(exist_ok=False)
        except FileExistsError:
            return function(block)
        os._exit(1)

    return called


@contextmanager
def dask_executor(folder: Path) -> Iterator[Any]:
    """The executor of a local cluster of two processes."""
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=str(folder)
    )
    with cluster, distributed.Client(cluster) as client:
        yield client.get_executor()
