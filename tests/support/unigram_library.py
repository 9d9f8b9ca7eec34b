"""The Unigram trainer of the library in processes of its own, with the trace that it logs."""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
import sys
from typing import Any, NamedTuple

_PROGRAM = """
import json, pickle, sys
from tokenizers import Tokenizer, models, trainers
for counts, options in pickle.load(sys.stdin.buffer):
    print("JOB", file=sys.stderr, flush=True)
    tokenizer = Tokenizer(models.Unigram())
    words = (word for word, count in counts.items() for _ in range(count))
    try:
        tokenizer.train_from_iterator(words, trainers.UnigramTrainer(show_progress=False, **options))
        print(json.dumps(json.loads(tokenizer.to_str())["model"]), flush=True)
    except BaseException as error:
        print(json.dumps({"error": str(error)}), flush=True)
"""


class Learnt(NamedTuple):
    """vocab: (piece, score) by id; trace: (pieces, objective) of each EM step; error: its message, else empty."""

    vocab: list[tuple[str, float]]
    unk_id: int | None
    trace: list[tuple[int, float]]
    error: str


def library_trainings(jobs: list[tuple[dict[str, int], dict[str, Any]]], threads: int = 1) -> list[Learnt]:
    """What the library learns from each (counts, options); every call is a process with hash orders of its own."""
    environment = os.environ | {"TOKENIZERS_LOG": "debug", "RAYON_NUM_THREADS": str(threads)}
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], input=pickle.dumps(jobs), capture_output=True, env=environment, check=True
    )
    models = [json.loads(line) for line in done.stdout.decode().splitlines()]
    logs = done.stderr.decode().split("JOB\n")[1:]
    assert len(models) == len(logs) == len(jobs)
    return [_learnt(model, log) for model, log in zip(models, logs, strict=True)]


def _learnt(model: dict[str, Any], log: str) -> Learnt:
    trace = [(int(size), float(objective)) for size, objective in re.findall(r"size=(\d+) obj=(\S+)", log)]
    vocab = [(piece, score) for piece, score in model.get("vocab", [])]
    return Learnt(vocab, model.get("unk_id"), trace, model.get("error", ""))
