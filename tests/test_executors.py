"""Rows counted by threads, processes, a cluster: the same bits as here, and no row lost when a worker dies."""

from __future__ import annotations

import multiprocessing
import os
import random
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import distributed
import evenscore
import pytest
from small_corpus import METRICS, refusal

_DRAW = random.Random(4)
_WORDS = ["the", "cat", "sat", "on", "a", "mat", "by", "the", "door", "of", "an", "old", "house"]
PREDICTIONS = [" ".join(_DRAW.choices(_WORDS, k=_DRAW.randint(0, 12))) for _ in range(600)]
REFERENCES = [[" ".join(_DRAW.choices(_WORDS, k=8)) for _ in range(_DRAW.randint(1, 3))] for _ in range(600)]
OPTIONS = {"per_example": True, "confidence": 0.9, "n_resamples": 20}


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in METRICS:
        # Each metric's folder has its own.
        monkeypatch.setattr(import_module(f"evenscore.{name}._corpus_metric"), "_TRAVELLING_CHARACTERS", 2000)


@pytest.fixture(params=METRICS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class Counting:
    """An executor that notes what is sent to it."""

    def __init__(self) -> None:
        self.rows: list[int] = []

    def submit(self, function: Any, block: Any) -> Future[Any]:
        self.rows.append(len(block[0]))
        future: Future[Any] = Future()
        future.set_result(function(block))
        return future


def test_work_goes_out_in_blocks_of_rows_in_order(name: str) -> None:
    executor, metric = Counting(), evenscore.load(name)
    metric.add_batch(predictions=PREDICTIONS[:1], references=REFERENCES[:1])
    result = metric.compute(predictions=PREDICTIONS[1:], references=REFERENCES[1:], executor=executor, **OPTIONS)
    assert result == evenscore.load(name).compute(predictions=PREDICTIONS, references=REFERENCES, **OPTIONS)
    assert len(executor.rows) > 10
    assert sum(executor.rows) == 599
    counted = metric.statistics(PREDICTIONS, REFERENCES, executor=executor)
    assert counted.tolist() == metric.statistics(PREDICTIONS, REFERENCES).tolist()


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_processes_and_threads_give_the_same_bits(start: str) -> None:
    context = multiprocessing.get_context(start)
    with ProcessPoolExecutor(2, mp_context=context) as processes, ThreadPoolExecutor(3) as threads:
        for name in METRICS:
            metric = evenscore.load(name)
            here = metric.compute(predictions=PREDICTIONS, references=REFERENCES, **OPTIONS)
            for executor in (processes, threads):
                given = {"predictions": PREDICTIONS, "references": REFERENCES, "executor": executor}
                assert metric.compute(**given, **OPTIONS) == here


def test_what_is_wrong_with_the_input_is_said_before_anything_is_sent() -> None:
    executor = Counting()
    message = refusal(
        lambda: evenscore.load("wer_dp").compute(
            predictions=[*PREDICTIONS, None], references=[*REFERENCES, "a"], executor=executor
        )
    )
    assert message.startswith("predictions[600] is None")
    assert executor.rows == []


def dying(marks: str) -> Any:
    """A step of wer_dp that ends its process the first time it is asked for, anywhere."""

    def step(text: str) -> str:
        mark = Path(marks, "dead")
        try:
            mark.touch(exist_ok=False)
        except FileExistsError:
            return text
        os._exit(1)

    return step


def test_a_cluster_gives_the_same_bits_though_a_worker_dies(tmp_path: Path) -> None:
    # Dask counts a task again elsewhere when its worker is gone.
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=str(tmp_path)
    )
    with cluster, distributed.Client(cluster) as client:
        for name in METRICS:
            metric = evenscore.load(name)
            given = {"predictions": PREDICTIONS, "references": REFERENCES}
            assert metric.compute(**given, executor=client.get_executor()) == metric.compute(**given)
        metric = evenscore.load("wer_dp", transforms=[dying(str(tmp_path))])
        counted = metric.statistics(PREDICTIONS, REFERENCES, executor=client.get_executor())
        assert (tmp_path / "dead").exists()
        # By now the step leaves every text as it is.
        assert counted.tolist() == metric.statistics(PREDICTIONS, REFERENCES).tolist()
