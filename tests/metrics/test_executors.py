"""Rows counted by threads, processes, a cluster: the same bits as here, and no row lost when a worker dies."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import threading
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from executors import Deadly, Noting, dask_executor
from small_corpus import METRICS, random_rows, refusal

import evenscore
from evenscore.parallel import Threads, ordered_results

PREDICTIONS, REFERENCES = random_rows(600)
OPTIONS = {"per_example": True, "confidence": 0.9, "n_resamples": 20}
SCORER = import_module("evenscore.scorer")


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SCORER, "_TRAVELLING_CHARACTERS", 2000)


@pytest.fixture(params=METRICS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_work_goes_out_in_blocks_of_rows_in_order(name: str) -> None:
    executor, metric = Noting(), evenscore.load(name)
    metric.add_batch(predictions=PREDICTIONS[:1], references=REFERENCES[:1])
    result = metric.compute(predictions=PREDICTIONS[1:], references=REFERENCES[1:], executor=executor, **OPTIONS)
    assert result == evenscore.load(name).compute(predictions=PREDICTIONS, references=REFERENCES, **OPTIONS)
    rows = [len(predictions) for predictions, _ in executor.jobs["_count_block"]]
    assert len(rows) > 10
    assert sum(rows) == 599
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


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The threads that counts of a thousand characters and more have started, of at least two cores."""
    numbers = list[int]()

    class Noted(Threads):
        def __init__(self, limit: int) -> None:
            numbers.append(limit)
            super().__init__(limit)

    monkeypatch.setattr(SCORER, "Threads", Noted)
    monkeypatch.setattr(SCORER, "usable_cores", lambda: 2)
    monkeypatch.setattr(SCORER, "_THREAD_CHARACTERS", 512)
    return numbers


def test_large_columns_are_counted_in_two_threads_with_the_same_bits(
    name: str, started: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    metric, systems = evenscore.load(name), (PREDICTIONS, PREDICTIONS[::-1])

    def results() -> list[Any]:
        whole = metric.compute(predictions=PREDICTIONS, references=REFERENCES, **OPTIONS)
        return [whole, metric.compare(*systems, references=REFERENCES, n_trials=20)]

    in_two = results()
    assert started == [2, 2]
    monkeypatch.setattr(SCORER, "usable_cores", lambda: 1)
    assert results() == in_two
    assert started == [2, 2]


def test_no_thread_is_started_for_few_characters_or_in_a_map(name: str, started: list[int]) -> None:
    metric = evenscore.load(name)
    metric.compute(predictions=["a" * 512], references=["b" * 512])
    metric.row_scorer("predictions", "references")({"predictions": PREDICTIONS, "references": REFERENCES})
    assert started == []


@pytest.mark.parametrize(
    ("name", "option"), [("bleu_corpus", "tokenizer"), ("rouge_l_multi", "tokenizer"), ("wer_dp", "transforms")]
)
def test_no_two_threads_call_a_function_of_the_caller(name: str, option: str, started: list[int]) -> None:
    function = str.lower if name == "wer_dp" else str.split
    evenscore.load(name, **{option: function}).compute(predictions=PREDICTIONS, references=REFERENCES)
    assert started == []


def test_what_is_wrong_with_the_input_is_said_before_anything_is_sent() -> None:
    executor = Noting()
    message = refusal(
        lambda: evenscore.load("wer_dp").compute(
            predictions=[*PREDICTIONS, None], references=[*REFERENCES, "a"], executor=executor
        )
    )
    assert message.startswith("predictions[600] is None")
    assert executor.jobs == {}


@pytest.mark.slow
def test_a_cluster_gives_the_same_bits_though_workers_die(tmp_path: Path) -> None:
    # Dask counts a block again elsewhere when its worker is gone.
    with dask_executor(tmp_path) as executor:
        for name in METRICS:
            metric = evenscore.load(name)
            given = {"predictions": PREDICTIONS, "references": REFERENCES}
            (tmp_path / name).mkdir()
            deadly = Deadly(executor, tmp_path / name)
            assert metric.compute(**given, executor=deadly) == metric.compute(**given)
            assert list((tmp_path / name).iterdir()) == [tmp_path / name / "_count_block"]


def kill(text: str) -> str:
    """A step of wer_dp."""
    os._exit(1)


def test_a_pool_that_is_dead_says_so_and_added_rows_stay() -> None:
    metric = evenscore.load("wer_dp", transforms=[kill])
    # What is counted without a row never calls the step.
    row = evenscore.load("wer_dp").statistics(["a"], ["b"])
    metric._added.add([row])
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
        for _ in range(2):
            with pytest.raises(
                BrokenProcessPool, match=r"workers of ProcessPoolExecutor died, .* nothing of this call"
            ):
                metric.compute(predictions=PREDICTIONS, references=REFERENCES, executor=pool)
    assert len(metric) == 1


# --- blocks for an executor, results in order


class Failing:
    """Gives blocks back up to the one that fails; those behind it wait for ever."""

    def __init__(self, fails: int) -> None:
        self.fails = fails
        self.futures: list[Future[int]] = []

    def submit(self, function: Any, block: int) -> Future[int]:
        self.futures.append(Future())
        if block < self.fails:
            self.futures[-1].set_result(block)
        if block == self.fails:
            self.futures[-1].set_exception(ZeroDivisionError())
        return self.futures[-1]


def test_only_so_many_blocks_are_under_way_and_none_is_left_behind() -> None:
    executor = Failing(5)
    results = ordered_results(executor, str, itertools.count(), under_way=3)
    for block in range(5):
        assert next(results) == block
        assert len(executor.futures) == block + 4
    with pytest.raises(ZeroDivisionError):
        next(results)
    assert [future.cancelled() for future in executor.futures] == [False] * 6 + [True] * 3
    left = Failing(1)
    unfinished = ordered_results(left, str, itertools.count(), under_way=3)
    next(unfinished)
    unfinished.close()  # type: ignore[attr-defined]
    assert [future.cancelled() for future in left.futures] == [False, False, True, True]


def test_results_come_in_the_order_of_the_blocks() -> None:
    gate = threading.Event()

    def last_first(block: int) -> int:
        if block < 3:
            gate.wait()
        gate.set()
        return block

    with ThreadPoolExecutor(4) as pool:
        assert list(ordered_results(pool, last_first, range(9))) == list(range(9))


@pytest.mark.parametrize("wrong", ["processes", 2, [1]])
def test_what_is_no_executor_is_refused(wrong: Any) -> None:
    metric = evenscore.load("wer_dp")
    message = refusal(lambda: metric.compute(predictions=["a"], references=["a"], executor=wrong))
    assert message == f"executor={wrong!r} has no submit: give an executor, as in concurrent.futures"
