"""Ctrl-C while a tokenizer is trained: a signal to a process of its own, sent once its progress says where it is.

Also threads of a program that go on after its main thread.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fresh_process import run_python
from tqdm import tqdm

from tokenizers_impl import Tokenizer
from tokenizers_impl._core import parallel

OLD = '{"an": "older file"}'


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Six megabytes of words that have little in common, so that every stage takes longer than a signal."""
    letters = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", np.uint8)
    random = np.random.default_rng(3)
    words = letters[random.integers(0, len(letters), (600_000, 10))]
    words[:, 9] = np.where(np.arange(len(words)) % 10 == 9, ord("\n"), ord(" "))
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    path.write_bytes(words.tobytes())
    return str(path)


@contextmanager
def started(arguments: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A process in which the signal is not ignored, as it is in those that run in the background of a shell."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def interrupted(arguments: list[str], stage: str) -> tuple[int, str, str]:
    """Exit status, standard output, standard error of a process that gets the signal when it shows that stage."""
    with started(arguments) as process:
        assert process.stderr is not None
        shown = b""
        while stage.encode() not in shown:
            part = os.read(process.stderr.fileno(), 1 << 12)
            assert part, f"it ended before: {shown.decode()}"
            shown += part
        process.send_signal(signal.SIGINT)
        out, rest = process.communicate(timeout=60)
    return process.returncode, out.decode(), (shown + rest).decode()


COMMANDS = [
    ("bpe", "Count words"),
    ("byte-level-bpe", "Compute merges"),
    ("wordpiece", "Compute merges"),
    ("unigram", "Seed pieces"),
    ("unigram", "EM training"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("model", "stage"), COMMANDS)
def test_the_command_ends_with_130_and_says_nothing(model: str, stage: str, corpus: str, tmp_path: Path) -> None:
    target = tmp_path / "tokenizer.json"
    target.write_text(OLD)
    words = [
        "-m",
        "evenscore",
        "train",
        "--model",
        model,
        "--vocab-size",
        "20000",
        "-o",
        str(target),
        corpus,
    ]
    status, out, error = interrupted(words, stage)
    assert (status, out) == (130, "")
    assert "Traceback" not in error
    assert "Error" not in error
    assert list(tmp_path.iterdir()) == [target]
    assert target.read_text() == OLD


PROGRAM = """
import sys
from tokenizers_impl import Tokenizer, models, pre_tokenizers, trainers
model, trainer, target, corpus = sys.argv[1:]
tokenizer = Tokenizer(getattr(models, model)())
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer.train_from_iterator(["low lower"], getattr(trainers, trainer)(vocab_size=12, show_progress=False))
tokenizer.save(target)
before = tokenizer.to_str(), tokenizer.tokenize("low")
try:
    tokenizer.train([corpus], getattr(trainers, trainer)(vocab_size=20000))
    tokenizer.save(target)
except KeyboardInterrupt:
    print((tokenizer.to_str(), tokenizer.tokenize("low")) == before)
    raise
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "trainer", "stage"),
    [
        ("BPE", "BpeTrainer", "Count words"),
        ("BPE", "BpeTrainer", "Compute merges"),
        ("Unigram", "UnigramTrainer", "EM"),
    ],
)
def test_a_program_gets_keyboard_interrupt_and_keeps_its_tokenizer(
    model: str, trainer: str, stage: str, corpus: str, tmp_path: Path
) -> None:
    target = tmp_path / "tokenizer.json"
    status, out, error = interrupted(["-c", PROGRAM, model, trainer, str(target), corpus], stage)
    # Python ends as the signal would have ended it.
    assert (status, out) == (-signal.SIGINT, "True\n")
    assert error.rstrip().endswith("KeyboardInterrupt")
    assert list(tmp_path.iterdir()) == [target]
    assert Tokenizer.from_file(str(target)).get_vocab_size() <= 12


# --- Ctrl-C as a thread starts

ROOT = str(Path(__file__).resolve().parents[2])
_BEGUN = """
import sys, threading
from tokenizers_impl import Tokenizer, models, trainers
start = threading.Thread.start
def interrupted(thread):
    start(thread)
    raise KeyboardInterrupt
threading.Thread.start = interrupted
try:
    Tokenizer(models.BPE()).train_from_iterator(["low lower"] * 9, trainers.BpeTrainer(vocab_size=9))
except KeyboardInterrupt:
    print("interrupted")
"""


def test_a_program_that_is_interrupted_as_a_training_begins_ends(tmp_path: Path) -> None:
    assert run_python(_BEGUN, tmp_path, PYTHONPATH=ROOT) == "interrupted\n"


def _never() -> None:
    with parallel.progress_if_slow("Stage", True):
        raise AssertionError("the stage began")


@pytest.mark.parametrize("begin", [_never, lambda: next(parallel.map_in_order(abs, [1, 2]))])
@pytest.mark.parametrize("is_started", [False, True])
def test_no_thread_outlives_an_interrupted_start(begin: Any, is_started: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAYON_NUM_THREADS", "2")
    before, start = threading.enumerate(), threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        if is_started:
            start(thread)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        begin()
    assert threading.enumerate() == before


def test_no_thread_outlives_an_interrupt_as_the_context_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAYON_NUM_THREADS", "2")
    before = threading.enumerate()

    def interrupted(*arguments: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(parallel.Threads, "__exit__", interrupted)
        with pytest.raises(KeyboardInterrupt):
            list(parallel.map_in_order(abs, range(9)))
    end = time.monotonic() + 30
    while threading.enumerate() != before:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_nobody_waits_for_a_lock_that_an_interrupt_left_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_PATIENCE", 0.1)
    # tqdm starts no thread of its own.
    monkeypatch.setattr(tqdm, "monitor_interval", 0)
    before = threading.enumerate()
    # As a Ctrl-C does within tqdm, which takes its locks one by one.
    tqdm.get_lock().acquire()
    try:
        with parallel.progress_if_slow("Stage", True):
            time.sleep(0.3)
    finally:
        tqdm.get_lock().release()
    while len(threading.enumerate()) > len(before):
        time.sleep(0.01)


@pytest.mark.parametrize("is_released", [False, True])
def test_an_interrupt_as_a_bar_ends_leaves_no_thread(is_released: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Ctrl-C arrives before the lock that ends the bar is released, or after it."""
    before = threading.enumerate()

    class Interrupted:
        def __init__(self) -> None:
            self.lock = threading.Lock()
            self.acquire, self.locked = self.lock.acquire, self.lock.locked
            self.errors = [KeyboardInterrupt]

        def release(self) -> None:
            if is_released or not self.errors:
                self.lock.release()
            if self.errors:
                raise self.errors.pop()

    monkeypatch.setattr(parallel, "Lock", Interrupted)
    with pytest.raises(KeyboardInterrupt), parallel.progress_if_slow("Stage", True):
        pass
    end = time.monotonic() + 30
    while len(threading.enumerate()) > len(before):
        assert time.monotonic() < end
        time.sleep(0.01)


# --- threads that outlive the main thread

_LATE = """
import threading
def work():
    threading.main_thread().join()
    import asyncio, os
    from tokenizers_impl import Tokenizer, models, pre_tokenizers, trainers
    texts = ["low lower lowest newer"] * 40_000
    for model, trainer in (
        (models.BPE(), trainers.BpeTrainer(vocab_size=20)),
        (models.Unigram(), trainers.UnigramTrainer(vocab_size=20)),
    ):
        tokenizer = Tokenizer(model)
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        tokenizer.train_from_iterator(texts, trainer)
        batch = [len(row.ids) for row in tokenizer.encode_batch(texts)]
        row = asyncio.run(tokenizer.async_encode(texts[0]))
        assert batch == [len(row.ids)] * len(texts)
        print(type(model).__name__, tokenizer.get_vocab_size(), len(row.ids))
threading.Thread(target=work).start()
"""


@pytest.mark.slow
def test_a_thread_that_outlives_the_main_thread_trains_and_encodes(tmp_path: Path) -> None:
    late = run_python(_LATE, tmp_path, PYTHONPATH=ROOT, RAYON_NUM_THREADS="2")
    at_once = run_python(_LATE.replace("threading.main_thread().join()", "pass"), tmp_path, PYTHONPATH=ROOT)
    assert late == at_once
    assert [line.split()[:2] for line in late.splitlines()] == [["BPE", "18"], ["Unigram", "13"]]


@pytest.mark.slow
def test_a_thread_that_outlives_the_main_thread_compiles(tmp_path: Path) -> None:
    kept = tmp_path / "kernels"
    kept.mkdir()
    printed = run_python(_LATE, tmp_path, PYTHONPATH=ROOT, NUMBA_CACHE_DIR=str(kept))
    assert [line.split()[:2] for line in printed.splitlines()] == [["BPE", "18"], ["Unigram", "13"]]
    assert any(kept.rglob("*.nbc"))
