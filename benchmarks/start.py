"""Measures the CPU seconds of whole commands on the example texts, including start-up.

python benchmarks/start.py [PYTHON ...]

PYTHON: interpreters of the environments to measure; default: the one that runs this script. A bare environment has
evenscore and its dependencies, a full one has all packages of the tests. Peers score the same files, and their scores
are compared first.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
PREDICTIONS, REFERENCE = str(EXAMPLES / "predictions.txt"), str(EXAMPLES / "reference1.txt")
RUNS = 7


def ours(metric: str, *words: str) -> list[str]:
    files = ["--predictions", PREDICTIONS, "--references", REFERENCE]
    return ["-m", "evenscore", "score", "--metric", metric, *files, *words]


SACREBLEU = ["-m", "sacrebleu", REFERENCE, "-i", PREDICTIONS, "-m", "bleu", "-w", "10", "-b"]
EVALUATE = ["-c", "import evaluate"]


def output(python: str, words: Sequence[str]) -> str:
    return subprocess.run([python, *words], capture_output=True, text=True, check=True).stdout


def cpu_seconds(python: str, words: Sequence[str]) -> float:
    """Return the user and system time of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output(python, words)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def has(python: str, package: str) -> bool:
    return subprocess.run([python, "-c", f"import {package}"], capture_output=True, check=False).returncode == 0


def check_equal(python: str) -> None:
    """Check that the installed peers print the same scores."""
    if has(python, "sacrebleu"):
        score = json.loads(output(python, ours("bleu_corpus", "--json")))["bleu_corpus"]["score"]
        assert float(output(python, SACREBLEU)) == round(score, 10)


def main() -> None:
    for python in sys.argv[1:] or [sys.executable]:
        check_equal(python)
        commands = {
            f"evenscore score --metric {name}": ours(name) for name in ("wer_dp", "bleu_corpus", "rouge_l_multi")
        }
        if has(python, "sacrebleu"):
            commands["sacrebleu"] = SACREBLEU
        commands["import evaluate"] = EVALUATE
        print(python)
        for name, words in commands.items():
            output(python, words)
            seconds = [cpu_seconds(python, words) for _ in range(RUNS)]
            print(f"  {name:40} {statistics.median(seconds):6.2f} s CPU, least {min(seconds):.2f}")


if __name__ == "__main__":
    main()
