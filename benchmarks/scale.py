"""Compares scoring by Dataset.map with peers, and measures memory over a stream; prints the README's table.

    python benchmarks/scale.py [--data FOLDER] [--rows 20000] [--stream 10000000] [--stock FOLDER]

Columns of scores are asserted equal before anything is timed.  The peers are called row by row in a batched map, as
users of sacrebleu, rouge_score and jiwer write it.  --stock is the folder `metrics` of a clone of evaluate; evaluate's
metrics then score the first 200 rows one by one.  Every map runs without datasets' cache, in datasets' default batches
of 1,000 rows.  The stream consists of distinct rows that a separate process generates and adds in batches of 10,000.
Peers: pip install 'evenscore[benchmark]'.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets

import evenscore
from metrics import transcripts, translations

Batch = dict[str, list[Any]]
Scorer = Callable[[Batch], dict[str, list[float]]]

_STREAM = """
import itertools, json, sys, time
import evenscore
name, rows = sys.argv[1], int(sys.argv[2])
words = [f"w{k}" for k in range(997)]
metric = evenscore.load(name, keep_rows=False)

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024

start = time.perf_counter()
for first in range(0, rows, 10_000):
    numbers = range(first, first + 10_000)
    predictions = [" ".join(words[(k * j) % 997] for j in (1, 3, 7, 11, 13, 17, 19, 23)) for k in numbers]
    references = [" ".join(words[(k * j) % 997] for j in (1, 3, 7, 11, 13, 29, 19)) for k in numbers]
    metric.add_batch(predictions=predictions, references=references)
    if first + 10_000 in (rows // 10, rows):
        print(first + 10_000, time.perf_counter() - start, peak(), flush=True)
assert len(metric) == rows
metric.compute()
"""


def by_sacrebleu(batch: Batch) -> dict[str, list[float]]:
    """Score rows as users of the library would."""
    import sacrebleu

    pairs = zip(batch["hyp"], batch["ref"], strict=True)
    return {"score": [sacrebleu.sentence_bleu(hyp, [ref]).score for hyp, ref in pairs]}


def by_rouge_score(batch: Batch) -> dict[str, list[float]]:
    """Score rows as users of the library would."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"])
    pairs = zip(batch["hyp"], batch["ref"], strict=True)
    return {"score": [scorer.score(ref, hyp)["rougeL"].fmeasure for hyp, ref in pairs]}


def by_jiwer(batch: Batch) -> dict[str, list[float]]:
    """Score rows as users of the library would."""
    import jiwer

    pairs = zip(batch["hyp"], batch["ref"], strict=True)
    return {"score": [jiwer.process_words(ref, hyp).wer for hyp, ref in pairs]}


JOBS: dict[str, tuple[Scorer, dict[str, Any], str, str]] = {
    "bleu_corpus": (by_sacrebleu, {}, "sacrebleu", "score"),
    "rouge_l_multi": (by_rouge_score, {"rouge_types": ["rougeL"]}, "rouge", "rougeL"),
    "wer_dp": (by_jiwer, {}, "wer", "wer"),
}


def seconds(rows: datasets.Dataset, scorer: Any, processes: int | None) -> tuple[float, list[float]]:
    """Return the best of five times of map, and the column that the scorer adds."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        scored = rows.map(scorer, batched=True, num_proc=processes, load_from_cache_file=False)
        times.append(time.perf_counter() - start)
    return min(times), scored[scored.column_names[-1]][:]


def stock_seconds(rows: datasets.Dataset, folder: Path, name: str) -> float:
    """Return the time of map with evaluate's metric, one compute per row."""
    import evaluate

    metric = evaluate.load(str(folder / name), seed=0)

    def score(batch: Batch) -> dict[str, list[float]]:
        results = []
        for hyp, ref in zip(batch["hyp"], batch["ref"], strict=True):
            result = metric.compute(predictions=[hyp], references=[[ref] if name == "sacrebleu" else ref])
            results.append(float(result if isinstance(result, float) else result.get("score", result.get("rougeL"))))
        return {"score": results}

    start = time.perf_counter()
    rows.map(score, batched=True, load_from_cache_file=False)
    return time.perf_counter() - start


def print_map(data: Path, count: int, stock: Path | None) -> None:
    """Print a row per metric and number of processes."""
    print("| map | processes | evenscore, rows/s | peer, rows/s | ratio | evaluate's metric, rows/s | ratio |")
    print("|---|---|---|---|---|---|---|")
    corpora = {"wer_dp": transcripts(data)}
    for name, (peer, options, stock_name, headline) in JOBS.items():
        corpus = corpora.get(name, translations(data)).first(count)
        rows = datasets.Dataset.from_dict({"hyp": corpus.predictions, "ref": corpus.references})
        scorer = evenscore.load(name, **options).row_scorer("hyp", "ref", scores=[headline])
        for processes in (None, 2):
            ours, column = seconds(rows, scorer, processes)
            theirs, expected = seconds(rows, peer, processes)
            if column != expected:
                raise AssertionError(f"{name}: rows differ from {peer.__name__}")
            cells = [name, processes or 1, f"{count / ours:,.0f}", f"{count / theirs:,.0f}", f"{theirs / ours:.1f}x"]
            if stock is not None and processes is None:
                few = stock_seconds(rows.select(range(200)), stock, stock_name) / 200
                cells += [f"{1 / few:,.0f}", f"{few * count / ours:,.0f}x"]
            print("| " + " | ".join(map(str, [*cells, *[""] * (7 - len(cells))])) + " |", flush=True)


def print_stream(count: int) -> None:
    """Print a row per metric: time and peak memory after a tenth of the stream and at its end."""
    print("\n| stream | rows | seconds | peak MB |\n|---|---|---|---|")
    for name in JOBS:
        done = subprocess.run(
            [sys.executable, "-c", _STREAM, name, str(count)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(done.stderr)
        for line in done.stdout.splitlines():
            rows, elapsed, peak = line.split()
            print(f"| {name} | {int(rows):,} | {float(elapsed):.0f} | {float(peak):.0f} |", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--stream", type=int, default=10_000_000)
    parser.add_argument("--stock", type=Path)
    known = parser.parse_args()
    datasets.disable_progress_bars()
    print_map(known.data, known.rows, known.stock)
    if known.stream:
        print_stream(known.stream)


if __name__ == "__main__":
    main()
