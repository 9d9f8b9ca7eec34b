"""Compares encoding and decoding with `tokenizers`, tiktoken and gigatoken; prints the README's table.

    python benchmarks/tokenizers_encode.py [--data FOLDER] [--megabytes 10] [--no-gc]

`tokenizers` trains every tokenizer on the text that is then encoded, line by line, on one thread and on all. Ids, for
`encode_batch` also tokens and offsets, and for decoding the texts are asserted equal before anything is timed. A figure
is the best of alternating runs. Decoding is timed for all lines, for a thousand and for one; its tables of the
vocabulary already exist, as in all calls but the first. Peers: pip install 'evenscore[benchmark]'.

--no-gc: call `gc.disable()` before anything is timed, as docs/performance.md advises for large batches.
"""

from __future__ import annotations

import argparse
import gc
import lzma
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import tokenizers

import tokenizers_impl

MODELS = ("byte-level-bpe", "bpe-suffix", "wordpiece", "unigram")
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
Run = Callable[[], Any]
# The number of lines of a small batch.
_FEW = 1000


def train(model: str, corpus: Path, out: Path) -> None:
    """Train a tokenizer of the library and save it."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

    options: dict[str, Any] = {"vocab_size": 30000, "show_progress": False}
    if model == "byte-level-bpe":
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), **options)
    elif model == "bpe-suffix":
        tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        tokenizer.decoder = decoders.BPEDecoder()
        trainer = trainers.BpeTrainer(special_tokens=["<unk>"], end_of_word_suffix="</w>", **options)
    elif model == "wordpiece":
        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer()
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.WordPiece()
        trainer = trainers.WordPieceTrainer(special_tokens=["[UNK]"], **options)
    else:
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        tokenizer.decoder = decoders.Metaspace()
        options["vocab_size"] = 8000
        trainer = trainers.UnigramTrainer(special_tokens=["<unk>"], unk_token="<unk>", **options)
    tokenizer.train([str(corpus)], trainer)
    tokenizer.save(str(out))


def best(ours: Run, theirs: Run, repeats: int = 5, times: int = 1) -> tuple[float, float]:
    """Return the best time of several runs in turn, each of several repeats."""
    taken = [(_once(ours, times), _once(theirs, times)) for _ in range(repeats)]
    return min(a for a, _ in taken), min(b for _, b in taken)


def _once(run: Run, times: int) -> float:
    start = time.perf_counter()
    for _ in range(times):
        run()
    return (time.perf_counter() - start) / times


def compare(model: str, document: Path, lines: list[str], *, no_gc: bool) -> None:
    """Print the rows of one tokenizer; no_gc: without Python's garbage collector."""
    text = document.read_text(encoding="utf-8")
    ours, theirs = tokenizers_impl.Tokenizer.from_str(text), tokenizers.Tokenizer.from_str(text)
    mine, expected = ours.encode_batch(lines), theirs.encode_batch(lines)
    for a, b in zip(mine, expected, strict=True):
        if (a.ids, a.tokens, a.offsets) != (b.ids, b.tokens, b.offsets):
            raise AssertionError(f"{model}: {a.tokens} is not {b.tokens}")
    ids = [each.ids for each in expected]
    if [each.ids for each in ours.encode_batch_fast(lines)] != ids:
        raise AssertionError(f"{model}: encode_batch_fast has other ids")
    size = megabytes(lines)
    del mine, expected
    if no_gc:
        gc.disable()
    for job in ("encode_batch_fast", "encode_batch"):
        row(model, job, size, best(partial(getattr(ours, job), lines), partial(getattr(theirs, job), lines)))
    if model == "byte-level-bpe":
        others(ours, theirs, lines, ids)
    compare_decoding(model, ours, theirs, lines, ids)


def compare_decoding(model: str, ours: Any, theirs: Any, lines: list[str], ids: list[list[int]]) -> None:
    """Print the rows of decoding all lines, the first thousand, and one."""
    if ours.decode_batch(ids) != theirs.decode_batch(ids):
        raise AssertionError(f"{model}: decode_batch gives another text")
    few = ids[:_FEW]
    if any(list(map(each.decode, few)) != theirs.decode_batch(few) for each in (ours, theirs)):
        raise AssertionError(f"{model}: decode gives another text")
    row(
        model,
        "decode_batch",
        megabytes(lines),
        best(partial(ours.decode_batch, ids), partial(theirs.decode_batch, ids)),
    )
    pair = best(partial(ours.decode_batch, few), partial(theirs.decode_batch, few), times=100)
    row(model, f"decode_batch, {_FEW:,} lines", megabytes(lines[:_FEW]), pair)
    # A line of medium length.
    i = sorted(range(len(few)), key=lambda i: len(few[i]))[len(few) // 2]
    pair = best(partial(ours.decode, ids[i]), partial(theirs.decode, ids[i]), times=10_000)
    row(model, "decode, one line", megabytes([lines[i]]), pair)


def megabytes(lines: list[str]) -> float:
    """Return the size of these lines in UTF-8, with their line feeds."""
    return sum(len(line.encode()) + 1 for line in lines) / 1e6


def others(ours: Any, theirs: Any, lines: list[str], ids: list[list[int]]) -> None:
    """Compare with the peers that only encode byte-level BPE."""
    import gigatoken
    import tiktoken

    from tokenizers_impl.exchange import to_tiktoken

    encoding = tiktoken.Encoding("benchmark", pat_str=GPT2, mergeable_ranks=to_tiktoken(ours), special_tokens={})
    threads = int(os.environ["RAYON_NUM_THREADS"])

    def with_tiktoken() -> list[list[int]]:
        if threads == 1:
            return [encoding.encode_ordinary(line) for line in lines]
        return encoding.encode_ordinary_batch(lines, num_threads=threads)

    fast = gigatoken.Tokenizer(theirs)

    def with_gigatoken() -> list[list[int]]:
        return fast.encode_batch_list(lines, parallel=threads > 1)

    def ours_as_lists() -> list[list[int]]:
        return [each.ids for each in ours.encode_batch_fast(lines)]

    for name, run in (("tiktoken", with_tiktoken), ("gigatoken", with_gigatoken)):
        if run() != ids:
            raise AssertionError(f"{name} has other ids")
        row("byte-level-bpe", "ids as lists", megabytes(lines), best(ours_as_lists, run), name)


def row(model: str, job: str, size: float, pair: tuple[float, float], peer: str = "tokenizers") -> None:
    """Print a row of the table, in megabytes per second."""
    mine, theirs = (f"{size / seconds:.1f}" for seconds in pair)
    threads = os.environ["RAYON_NUM_THREADS"]
    print(f"| {model} | {job} | {threads} | {mine} | {peer} | {theirs} | {pair[1] / pair[0]:.1f}x |", flush=True)


def main() -> None:
    """Print the table, with one process per number of threads, because a process cannot change this number."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--megabytes", type=float, default=10)
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=MODELS)
    parser.add_argument("--no-gc", action="store_true")
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    known: Any = parser.parse_args()
    if known.work:
        lines = (known.work / "corpus.txt").read_text(encoding="utf-8").splitlines()
        for model in known.models:
            compare(model, known.work / f"{model}.json", lines, no_gc=known.no_gc)
        return
    print("| model | job | threads | ours MB/s | peer | peer's | ratio |\n|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus.txt")
        with lzma.open(known.data / "text" / "gcide.en.txt.xz") as packed:
            corpus.write_bytes(packed.read(int(known.megabytes * 1e6)))
        for model in known.models:
            train(model, corpus, Path(folder, f"{model}.json"))
        for threads in (1, os.cpu_count() or 1):
            environment = {
                "RAYON_NUM_THREADS": str(threads),
                "TOKENIZERS_PARALLELISM": "false" if threads == 1 else "true",
            }
            command = [sys.executable, __file__, "--work", folder, "--models", *known.models]
            command += ["--no-gc"] * known.no_gc
            subprocess.run(command, env={**os.environ, **environment}, check=True)


if __name__ == "__main__":
    main()
