"""Interrupts, threads, kills and full disks at random: what follows is as if nothing had happened.

Every try has a seed, which a failure names.  EVENSCORE_FUZZ=300 tries for 300 seconds in all instead of 10, and
EVENSCORE_SEED=7 tries the seed 7 alone.
"""

from __future__ import annotations

import os
import random
import re
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import datasets
import pytest
from small_corpus import METRICS, PREDICTIONS, VARYING
from tqdm import tqdm

import evenscore
from evenscore import scorer
from tokenizers_impl import Tokenizer, pipelines
from tokenizers_impl._core import parallel
from tokenizers_impl._encoding import training

SECONDS = float(os.environ.get("EVENSCORE_FUZZ", "10"))
# The number of tests below, which share the seconds.
_TESTS = 4 + 1 + 3 + 3 + 3 + 1 + 1 + 4 + 3 + 1 + 1
_LETTERS = "abcdefghi éß漢"


def tries(attack: str, check: Callable[[random.Random], None]) -> None:
    """Check with one seed after another until the test's share of the seconds is over, at least with three."""
    given = os.environ.get("EVENSCORE_SEED")
    end, seed = time.monotonic() + SECONDS / _TESTS, int(given or 0)
    while True:
        try:
            check(random.Random(seed))
        except BaseException as error:
            raise AssertionError(f"{attack}: replay with EVENSCORE_SEED={seed} ({error!r:.500})") from error
        seed += 1
        if given or (seed >= 3 and time.monotonic() > end):
            break
    print(f"{attack}: {seed} tries held")


def texts(number: int, seed: int = 0) -> list[str]:
    draw = random.Random(seed)
    return ["".join(draw.choices(_LETTERS, k=draw.randrange(60))) for _ in range(number)]


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small batches and corpora are divided among threads, too; tqdm starts no thread of its own.

    No second thread shows a bar: an interrupt within tqdm may leave its lock held by the main thread.
    """
    monkeypatch.setattr(parallel, "_PATIENCE", 1000.0)
    monkeypatch.setenv("RAYON_NUM_THREADS", "3")
    monkeypatch.setattr(parallel, "_SMALLEST_PART", 1 << 10)
    monkeypatch.setattr(training, "BLOCK", 1 << 10)
    monkeypatch.setattr(scorer, "_THREAD_CHARACTERS", 1 << 8)
    monkeypatch.setattr(tqdm, "monitor_interval", 0)


# --- interrupts


@pytest.fixture
def disturbed() -> Iterator[Callable[[Callable[[], Any], random.Random], bool]]:
    """Runs some work with a Ctrl-C at a random time; returns whether that arrived.  Then no thread is left."""
    durations: list[float] = []
    working: list[bool] = []

    def interrupt(*signal: Any) -> None:
        # The system may have given the alarm to another thread, which passes it on after the timer is stopped.
        if working:
            raise KeyboardInterrupt

    def run(work: Callable[[], Any], draw: random.Random) -> bool:
        before = set(threading.enumerate())
        begin = time.perf_counter()
        is_interrupted = False
        try:
            try:
                working.append(True)
                signal.setitimer(signal.ITIMER_REAL, 1e-6 + draw.random() * max(durations, default=0.1))
                work()
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
                working.clear()
        except (KeyboardInterrupt, RuntimeError, ValueError) as error:
            # Locks of Python's threading, when interrupted, may raise "release unlocked lock" on top of it.  Files of
            # pyarrow may say that they are closed.
            if not isinstance(error, KeyboardInterrupt) and not isinstance(error.__context__, KeyboardInterrupt):
                raise
            is_interrupted = True
        else:
            durations[:] = [time.perf_counter() - begin]
        patience = time.monotonic() + 30
        # An interrupted start may leave a thread in Python's list that never ran.
        while left := {each for each in set(threading.enumerate()) - before if each.is_alive()}:
            assert time.monotonic() < patience, left
            time.sleep(0.001)
        return is_interrupted

    usual = signal.signal(signal.SIGALRM, interrupt)
    yield run
    signal.signal(signal.SIGALRM, usual)


@pytest.mark.parametrize("name", pipelines.PIPELINES)
def test_an_interrupted_training_changes_nothing(name: str, disturbed: Any) -> None:
    tokenizer, trainer = pipelines.PIPELINES[name](vocab_size=60, show_progress=True)
    tokenizer.train_from_iterator(texts(20, seed=1), trainer)
    before, corpus = tokenizer.to_str(), texts(400)
    other, trainer = pipelines.PIPELINES[name](vocab_size=120, show_progress=True)
    other.train_from_iterator(corpus, trainer)

    def check(draw: random.Random) -> None:
        trained = Tokenizer.from_str(before)
        is_interrupted = disturbed(lambda: trained.train_from_iterator(corpus, trainer), draw)
        assert trained.to_str() in ((before, other.to_str()) if is_interrupted else (other.to_str(),))
        trained.train_from_iterator(corpus, trainer)
        assert trained.to_str() == other.to_str()

    tries(f"interrupted training of {name}", check)


def trained(name: str = "bpe", size: int = 120) -> Tokenizer:
    tokenizer, trainer = pipelines.PIPELINES[name](vocab_size=size, show_progress=False)
    tokenizer.train_from_iterator(texts(400), trainer)
    return tokenizer


def test_an_interrupted_batch_leaves_the_tokenizer_as_it_was(disturbed: Any) -> None:
    tokenizer, batch = trained(), texts(2000, seed=2)
    expected, before = [row.ids for row in tokenizer.encode_batch(batch)], tokenizer.to_str()

    def check(draw: random.Random) -> None:
        disturbed(lambda: tokenizer.encode_batch(batch), draw)
        assert [row.ids for row in tokenizer.encode_batch(batch)] == expected
        assert tokenizer.to_str() == before

    tries("interrupted encode_batch", check)


ROWS = {"predictions": PREDICTIONS * 20, "references": VARYING * 20}


@pytest.mark.parametrize("name", METRICS)
def test_an_interrupted_score_leaves_the_metric_as_it_was(name: str, disturbed: Any) -> None:
    metric = evenscore.load(name, confidence=0.9, n_resamples=20)
    expected = metric.compute(**ROWS)

    def check(draw: random.Random) -> None:
        disturbed(lambda: metric.compute(**ROWS), draw)
        assert metric.compute(**ROWS) == expected

    tries(f"interrupted compute of {name}", check)


@pytest.mark.parametrize("name", METRICS)
def test_interrupted_rows_are_added_all_or_none(name: str, disturbed: Any) -> None:
    metric, first = evenscore.load(name), {"predictions": PREDICTIONS[:1], "references": VARYING[:1]}
    both = {column: [*first[column], *ROWS[column]] for column in ROWS}
    without, whole = metric.compute(**first), metric.compute(**both)

    def check(draw: random.Random) -> None:
        metric.add_batch(**first)
        is_interrupted = disturbed(lambda: metric.add_batch(**ROWS), draw)
        assert metric.compute() in ((without, whole) if is_interrupted else (whole,))

    tries(f"interrupted add_batch of {name}", check)


@pytest.mark.parametrize("name", METRICS)
def test_an_interrupted_map_leaves_the_metric_as_it_was(name: str, disturbed: Any) -> None:
    metric, rows = evenscore.load(name), datasets.Dataset.from_dict(ROWS)

    def scored() -> Any:
        own = metric.row_scorer("predictions", "references", statistics=True)
        return rows.map(own, batched=True, batch_size=10)

    expected = scored().to_dict()

    def check(draw: random.Random) -> None:
        disturbed(scored, draw)
        assert scored().to_dict() == expected

    tries(f"interrupted map of {name}", check)


def test_an_interrupted_save_leaves_the_old_file_or_the_new_one(disturbed: Any, tmp_path: Path) -> None:
    old, new, path = trained(), trained("unigram"), tmp_path / "tokenizer.json"
    whole = {old.to_str(pretty=True), new.to_str(pretty=True)}

    def check(draw: random.Random) -> None:
        for tokenizer in (old, new):
            disturbed(partial(tokenizer.save, str(path)), draw)
        assert [each.name for each in tmp_path.iterdir()] in ([], [path.name])
        assert not path.exists() or path.read_text(encoding="utf-8") in whole

    tries("interrupted save", check)


# --- threads


def in_threads(works: list[Callable[[], Any]]) -> list[Any]:
    gate = threading.Barrier(len(works))

    def begun(work: Callable[[], Any]) -> Any:
        gate.wait()
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(begun, works))


@pytest.fixture
def serial(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], Any]:
    """The result of some work without threads."""

    def done(work: Callable[[], Any]) -> Any:
        with monkeypatch.context() as patch:
            patch.setenv("RAYON_NUM_THREADS", "1")
            return work()

    return done


def test_threads_encode_as_one_does(serial: Any) -> None:
    tokenizer = trained("unigram")

    def check(draw: random.Random) -> None:
        batches = [texts(draw.randrange(300), seed=draw.randrange(1 << 30)) for _ in range(4)]
        works = [lambda batch=batch: [row.ids for row in tokenizer.encode_batch(batch)] for batch in batches]
        assert in_threads(works) == [serial(work) for work in works]

    tries("encode_batch in threads", check)


@pytest.mark.parametrize("name", pipelines.PIPELINES)
def test_threads_train_as_one_does(name: str, serial: Any) -> None:
    def check(draw: random.Random) -> None:
        size, seeds = draw.randrange(30, 150), [draw.randrange(1 << 30) for _ in range(3)]

        def train(seed: int) -> str:
            tokenizer, trainer = pipelines.PIPELINES[name](vocab_size=size, show_progress=False)
            tokenizer.train_from_iterator(texts(150, seed), trainer)
            return tokenizer.to_str()

        works = [lambda seed=seed: train(seed) for seed in seeds]
        assert in_threads(works) == [serial(work) for work in works]

    tries(f"training of {name} in threads", check)


@pytest.mark.parametrize("name", METRICS)
def test_threads_score_as_one_does(name: str) -> None:
    metric = evenscore.load(name)

    def check(draw: random.Random) -> None:
        pairs = list(zip(PREDICTIONS, VARYING, strict=True))
        some = [zip(*draw.choices(pairs, k=draw.randrange(1, 30)), strict=True) for _ in range(4)]
        columns = [dict(zip(ROWS, map(list, each), strict=True)) for each in some]
        works = [lambda given=given: metric.compute(**given) for given in columns]
        assert in_threads(works) == [work() for work in works]

    tries(f"compute of {name} in threads", check)


# --- processes that are killed, disks that are full


def forked(work: Callable[[], Any]) -> int:
    """The number of a new process that does some work; its exit status is 1 after an error."""
    if child := os.fork():
        return child
    try:
        work()
        os._exit(0)
    except BaseException as error:
        os.write(2, f"{error!r}\n".encode())
    finally:
        os._exit(1)


def test_a_killed_save_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    tokenizers, path = [trained(), trained("unigram")], tmp_path / "tokenizer.json"
    whole = {each.to_str(pretty=True) for each in tokenizers}

    def save() -> None:
        while True:
            for tokenizer in tokenizers:
                tokenizer.save(str(path))

    def check(draw: random.Random) -> None:
        tokenizers[0].save(str(path))
        child = forked(save)
        time.sleep(draw.random() / 20)
        os.kill(child, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        assert path.read_text(encoding="utf-8") in whole

    tries("killed save", check)


def test_a_disk_that_fills_up_leaves_the_old_file(tmp_path: Path) -> None:
    old, new, path = trained(), trained("unigram"), tmp_path / "tokenizer.json"
    size = len(new.to_str(pretty=True).encode())

    def check(draw: random.Random) -> None:
        old.save(str(path))
        room = draw.randrange(size)

        def save() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
            with pytest.raises(OSError, match=re.escape(str(path))):
                new.save(str(path))

        assert os.waitstatus_to_exitcode(os.waitpid(forked(save), 0)[1]) == 0
        assert path.read_text(encoding="utf-8") == old.to_str(pretty=True)
        assert list(tmp_path.iterdir()) == [path]

    tries("full disk", check)
