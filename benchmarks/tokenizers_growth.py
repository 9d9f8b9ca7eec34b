"""How time and memory of training grow with the text: 10 MB to 1 GB; prints a table.

    python benchmarks/tokenizers_growth.py [--data ../shared/data] [--models byte-level-bpe unigram]

The text is the words of the English corpus, shuffled anew for every 40 MB. The library stands beside ours up to 40 MB,
with Unigram up to 10, where one of its trainings takes minutes; what both save is asserted equal.
"""

from __future__ import annotations

import argparse
import lzma
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers_train import TRAIN, check_equal, run

SIZES = {"byte-level-bpe": (10, 40, 160, 1000), "unigram": (10, 40, 160)}
LIBRARY_UP_TO = {"byte-level-bpe": 40, "unigram": 10}
VOCABULARY = {"byte-level-bpe": 30000, "unigram": 8000}
_WORDS_A_LINE = 12


def write_shuffled(words: list[bytes], megabytes: int, path: Path) -> None:
    """That many megabytes of lines of words in random order, the same in every run."""
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
        corpus, ours, theirs = (Path(folder, name) for name in ("corpus.txt", "ours.json", "theirs.json"))
        for model in known.models:
            for size in (each for each in SIZES[model] if each <= known.largest):
                write_shuffled(words, size, corpus)
                common = (model, str(VOCABULARY[model]), str(corpus))
                mine = run(TRAIN, "tokenizers_impl", *common, str(ours), "")
                cells = [model, str(size), f"{mine.seconds:.1f} s", f"{mine.megabytes:.0f} MB", "", ""]
                if size <= LIBRARY_UP_TO[model]:
                    peer = run(TRAIN, "tokenizers", *common, str(theirs), "", TOKENIZERS_PARALLELISM="true")
                    check_equal(model, ours, theirs)
                    cells[-2:] = [f"{peer.seconds:.1f} s", f"{peer.megabytes:.0f} MB"]
                print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
