"""Compares time and memory of n-gram models with those of KenLM's Python module; prints the README's table.

    python benchmarks/ngram.py [--data FOLDER] [--corpus gcide.en] [--megabytes 10] [--repeats 3]

A model is trained on the first megabytes of a corpus and scores as many megabytes after them.  Character models use
U+2581 for white space, which ARPA files cannot hold.  Every task runs in a separate process.  The process reports the
best time of its repeats, with the texts in memory, and its peak memory, imports included.  Before anything is printed,
both are asserted to give the same float32 to every scored token.  KenLM's Python module does not train.
Peers: pip install 'evenscore[benchmark]'.
"""

from __future__ import annotations

import argparse
import math
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tokenizers_train import unpacked

MODELS = (("words", 3), ("words", 5), ("characters", 5))
# The name of each step, our task, and KenLM's tasks.
COMPARED = (
    ("train", "train", ()),
    ("write ARPA", "write", ()),
    ("read ARPA", "read", ("KenLM: read",)),
    ("score", "score", ("KenLM: score", "KenLM: full_scores")),
)


class Case(NamedTuple):
    """A model and its files."""

    folder: Path
    unit: str
    order: int

    @property
    def arpa(self) -> Path:
        """The model's file."""
        return self.folder / "model.arpa"

    @property
    def train(self) -> Path:
        """The text to train on."""
        return self.folder / "train.txt"

    def texts(self) -> list[str]:
        """The texts to score."""
        return (self.folder / "test.txt").read_text(encoding="utf-8").split("\n")

    def sentences(self) -> list[str]:
        """The texts to score, split into words for KenLM."""
        return self.texts() if self.unit == "words" else [" ".join(text) for text in self.texts()]


class Run(NamedTuple):
    """The wall time in seconds and the peak memory in MB of a task."""

    seconds: float
    megabytes: float


def train(case: Case) -> Callable[[], Any]:
    """Train a model on a text file."""
    from evenscore.perplexity.ngram.source import NgramSource

    return lambda: NgramSource.trained(case.train, case.order, case.unit)


def write(case: Case) -> Callable[[], Any]:
    """Write a model to an ARPA file."""
    from evenscore.perplexity.ngram.arpa import write_arpa

    model = train(case)().model
    return lambda: write_arpa(model, case.arpa)


def read(case: Case) -> Callable[[], Any]:
    """Read a model from an ARPA file."""
    from evenscore.perplexity.ngram.source import NgramSource

    return lambda: NgramSource.of_arpa(case.arpa, case.unit)


def score(case: Case) -> Callable[[], Any]:
    """Score each token of the texts."""
    source, texts = read(case)(), case.texts()
    return lambda: source.score(texts, None)


def kenlm_read(case: Case) -> Callable[[], Any]:
    """Read a model from an ARPA file."""
    import kenlm

    return lambda: kenlm.Model(str(case.arpa))


def kenlm_score(case: Case) -> Callable[[], Any]:
    """Score each text as a whole."""
    model, sentences = kenlm_read(case)(), case.sentences()
    return lambda: [model.score(sentence) for sentence in sentences]


def kenlm_full_scores(case: Case) -> Callable[[], Any]:
    """Score each token of the texts."""
    model, sentences = kenlm_read(case)(), case.sentences()
    return lambda: [list(model.full_scores(sentence)) for sentence in sentences]


TASKS = {
    "train": train,
    "write": write,
    "read": read,
    "score": score,
    "KenLM: read": kenlm_read,
    "KenLM: score": kenlm_score,
    "KenLM: full_scores": kenlm_full_scores,
}


def measure(task: Callable[[], Any], repeats: int) -> Run:
    """Return the best time of a task, and the peak memory of this process so far.

    getrusage is not suitable: a process inherits its peak from its parent.
    """
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        task()
        seconds.append(time.perf_counter() - start)
    with open("/proc/self/status") as status:
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    return Run(min(seconds), peak / 1024)


def run(name: str, case: Case, repeats: int) -> Run:
    """Measure a task in a separate process."""
    own = [sys.executable, __file__, "--task", name, "--folder", str(case.folder), "--repeats", str(repeats)]
    model = ["--unit", case.unit, "--order", str(case.order)]
    done = subprocess.run([*own, *model], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return Run(*map(float, done.stdout.split()[-2:]))


def check_equal(case: Case) -> int:
    """Return the number of tokens to score; raise unless KenLM gives all of them the same probabilities."""
    scores = score(case)()
    expected = [log10 * math.log(10) for row in kenlm_full_scores(case)() for log10, _, _ in row]
    if scores.log_probs.tolist() != expected:
        raise AssertionError(f"{case.unit}, order {case.order}: KenLM has other probabilities")
    return len(expected)


def compare(case: Case, repeats: int) -> None:
    """Print the rows of one model."""
    run("write", case, 1)
    tokens = check_equal(case)
    for title, own, theirs in COMPARED:
        ours = run(own, case, repeats)
        for peer in theirs or ("",):
            other = run(peer, case, repeats) if peer else None
            cells = [
                f"{title}, {case.unit}, order {case.order}",
                f"{ours.seconds:.2f} s",
                f"{tokens / ours.seconds / 1e6:.1f} M" if own == "score" else "",
                peer,
                f"{other.seconds:.2f} s" if other else "",
                f"{other.seconds / ours.seconds:.1f}x" if other else "",
                f"{ours.megabytes:.0f}" + (f" / {other.megabytes:.0f} MB" if other else " MB"),
            ]
            print(f"| {' | '.join(cells)} |", flush=True)


def write_texts(corpus: Path, megabytes: float, unit: str, folder: Path) -> None:
    """Write the first megabytes of a corpus to train on, and as many after them to score."""
    data, size = corpus.read_bytes(), int(megabytes * 1e6)
    for name, part in (("train.txt", data[:size]), ("test.txt", data[size : 2 * size])):
        text = part.decode("utf-8", "ignore")
        if unit == "characters":
            text = re.sub(r"[^\S\n]", "\u2581", text)
        (folder / name).write_text(text, encoding="utf-8")


def main() -> None:
    """Print the table; in a child process, print the figures of one task."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--corpus", default="gcide.en")
    parser.add_argument("--megabytes", type=float, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    for option, kind in (("--task", str), ("--folder", Path), ("--unit", str), ("--order", int)):
        parser.add_argument(option, type=kind, help=argparse.SUPPRESS)
    known: Any = parser.parse_args()
    warnings.simplefilter("ignore")
    if known.task:
        task = TASKS[known.task](Case(known.folder, known.unit, known.order))
        print(*measure(task, known.repeats))
        return
    print("| task | ours | tokens/s | peer | peer's | ratio | memory |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        corpus = unpacked(known.data, known.corpus, folder)
        for unit, order in MODELS:
            write_texts(corpus, known.megabytes, unit, folder)
            compare(Case(folder, unit, order), known.repeats)


if __name__ == "__main__":
    main()
