"""Compares training on and encoding of one line of 10 MB without spaces with `tokenizers`; prints a table.

    python benchmarks/tokenizers_long_line.py [--data FOLDER] [--megabytes 10] [--limit 60]

The line "punctuation" is the English corpus without white space; pre-tokenizers that split at punctuation still find
words in it. The line "letters" has only the corpus's letters a to z, a single word for all pre-tokenizers. The
tokenizers that encode it are trained on the original corpus. Every training and every encoding runs in a separate
process, killed after --limit seconds. A training is measured from the text file to the saved file, imports included; an
encoding is measured from the text to its ids. If both finish, the saved files, ids, tokens and offsets are asserted
equal as in tokenizers_train.py before a time is printed.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from tokenizers_train import MODELS, TRAIN, Run, affix_order, check_equal, run

LINES = {"punctuation": rb"\s+", "letters": rb"[^a-zA-Z]+"}
VOCABULARY = 8000

ENCODE = """
import hashlib, importlib, json, sys, time
library, document, line, out = sys.argv[1:]
tokenizer = importlib.import_module(library).Tokenizer.from_file(document)
text = open(line, encoding="utf-8").read()
tokenizer.encode("So that what is compiled at its first use is.").ids
start = time.perf_counter()
encoding = tokenizer.encode(text)
ids = encoding.ids
figures = time.perf_counter() - start, peak()
found = json.dumps([ids, encoding.tokens, encoding.offsets])
open(out, "w").write(hashlib.sha256(found.encode()).hexdigest())
print(*figures)
"""


def within(limit: float, program: str, *arguments: str) -> Run | None:
    """Return the figures of a process, or None if it exceeds the limit."""
    try:
        return run(program, *arguments, limit=limit, TOKENIZERS_PARALLELISM="true")
    except subprocess.TimeoutExpired:
        return None


def train(model: str, line: Path, folder: Path, limit: float) -> tuple[Run | None, Run | None]:
    """Return the figures of both, after asserting equal results if both finished."""
    ours, theirs, order = folder / "ours.json", folder / "theirs.json", folder / "order.json"
    peer = within(limit, TRAIN, "tokenizers", model, str(VOCABULARY), str(line), str(theirs), "")
    ordered = peer is not None and model in ("bpe-suffix", "wordpiece")
    if ordered:
        order.write_text(json.dumps(affix_order(theirs)), encoding="utf-8")
    arguments = (model, str(VOCABULARY), str(line), str(ours), str(order) if ordered else "")
    mine = within(limit, TRAIN, "tokenizers_impl", *arguments)
    if mine and peer:
        check_equal(model, ours, theirs)
    return mine, peer


def encode(model: str, line: Path, folder: Path, limit: float) -> tuple[Run | None, Run | None]:
    """Return the figures of both encodings, after asserting equal results if both finished."""
    document, outs = folder / f"{model}.json", (folder / "ours.sha256", folder / "theirs.sha256")
    runs = [
        within(limit, ENCODE, library, str(document), str(line), str(out))
        for library, out in zip(("tokenizers_impl", "tokenizers"), outs, strict=True)
    ]
    if all(runs) and outs[0].read_text() != outs[1].read_text():
        raise AssertionError(f"{model}: the encodings of {line.name} differ")
    return runs[0], runs[1]


def row(job: str, model: str, line: Path, limit: float, runs: tuple[Run | None, Run | None]) -> None:
    """Print a row of the table."""
    cells = [job, model, f"{line.stem} {line.stat().st_size / 1e6:g} MB"]
    for each in runs:
        cells += [f"{each.seconds:.2f} s", f"{each.megabytes:.0f} MB"] if each else [f"> {limit:g} s", ""]
    print(f"| {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--megabytes", type=float, default=10)
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=MODELS)
    parser.add_argument("--lines", nargs="+", default=list(LINES), choices=list(LINES))
    parser.add_argument("--limit", type=float, default=60, help="seconds a process")
    known: Any = parser.parse_args()
    with lzma.open(known.data / "text" / "gcide.en.txt.xz") as packed:
        text = packed.read()
    print("| job | model | line | ours | memory | tokenizers | memory |\n|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as place:
        folder, size = Path(place), int(known.megabytes * 1e6)
        corpus = folder / "corpus.txt"
        corpus.write_bytes(text[:10_000_000].rpartition(b"\n")[0])
        for model in known.models:
            run(TRAIN, "tokenizers_impl", model, str(VOCABULARY), str(corpus), str(folder / f"{model}.json"), "")
        for name in known.lines:
            line = folder / f"{name}.txt"
            line.write_bytes(re.sub(LINES[name], b"", text)[:size].decode("utf-8", "ignore").encode())
            for job, function in (("training", train), ("encoding", encode)):
                for model in known.models:
                    row(job, model, line, known.limit, function(model, line, folder, known.limit))


if __name__ == "__main__":
    main()
