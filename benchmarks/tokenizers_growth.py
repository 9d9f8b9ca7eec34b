"""Measures how time and memory of training grow with the text, from 10 MB to 1 GB; prints a table.

    python benchmarks/tokenizers_growth.py [--data FOLDER] [--models bpe unigram] [--largest 160]

The text consists of the words of the English corpus, shuffled again for every 40 MB. The library is measured up to
40 MB, for Unigram up to 10 MB, where its training takes minutes. The saved files of both are asserted equal.
"""

from __future__ import annotations

import argparse
import json
import lzma
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers_train import MODELS, TRAIN, Run, affix_order, check_equal, run

SIZES = {model: (10, 40, 160) if model == "unigram" else (10, 40, 160, 1000) for model in MODELS}
LIBRARY_UP_TO = {model: 10 if model == "unigram" else 40 for model in MODELS}
VOCABULARY = {model: 8000 if model == "unigram" else 30000 for model in MODELS}
_WORDS_A_LINE = 12


def write_shuffled(words: list[bytes], megabytes: int, path: Path) -> None:
    """Write lines of words in random order, `megabytes` in all; the same in each run."""
    random = np.random.default_rng(megabytes)
    left = megabytes * 1_000_000
    with path.open("wb") as file:
        while left > 0:
            order = random.permutation(len(words)).tolist()
            lines = (
                b" ".join([words[i] for i in order[at : at + _WORDS_A_LINE]]) + b"\n"
                for at in range(0, len(order), _WORDS_A_LINE)
            )
            for line in lines:
                file.write(line)
                left -= len(line)
                if left <= 0:
                    break


def measure(model: str, size: int, folder: Path) -> list[str]:
    """Return a row: seconds and memory of ours, then of the library, after asserting equal results."""
    corpus, ours, theirs, order = (folder / name for name in ("corpus.txt", "ours.json", "theirs.json", "order.json"))
    common = (model, str(VOCABULARY[model]), str(corpus))
    peer = None
    if size <= LIBRARY_UP_TO[model]:
        peer = run(TRAIN, "tokenizers", *common, str(theirs), "", TOKENIZERS_PARALLELISM="true")
        # With a suffix or a prefix the library's ids follow the order of a hash table.
        if model in ("bpe-suffix", "wordpiece"):
            order.write_text(json.dumps(affix_order(theirs)), encoding="utf-8")
    mine = run(TRAIN, "tokenizers_impl", *common, str(ours), str(order) if order.exists() else "")
    order.unlink(missing_ok=True)
    if peer:
        check_equal(model, ours, theirs)
    return [*cells(mine), *cells(peer)]


def cells(taken: Run | None) -> tuple[str, str]:
    """Format the seconds and memory of a training, if there was one."""
    return (f"{taken.seconds:.1f} s", f"{taken.megabytes:.0f} MB") if taken else ("", "")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--models", nargs="+", default=list(SIZES), choices=list(SIZES))
    parser.add_argument("--largest", type=int, default=1000, help="megabytes")
    known: Any = parser.parse_args()
    with lzma.open(known.data / "text" / "gcide.en.txt.xz") as packed:
        words = packed.read().split()
    print("| model | MB | ours | memory | tokenizers | memory |\n|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        write_shuffled(words, 1, Path(folder, "corpus.txt"))
        # Compile the kernels first, so that compilation does not count.
        for model in known.models:
            measure(model, 1, Path(folder))
        for size in sorted({size for model in known.models for size in SIZES[model] if size <= known.largest}):
            write_shuffled(words, size, Path(folder, "corpus.txt"))
            for model in (each for each in known.models if size in SIZES[each]):
                print(f"| {model} | {size} | {' | '.join(measure(model, size, Path(folder)))} |", flush=True)


if __name__ == "__main__":
    main()
