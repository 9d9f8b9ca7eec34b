"""Ctrl-C while a tokenizer is trained: a signal to a process of its own, sent once its progress says where it is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from tokenizers_impl import Tokenizer

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
