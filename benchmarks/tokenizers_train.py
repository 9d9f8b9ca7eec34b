"""Compares time and memory of training with `tokenizers`, gigatoken and sentencepiece; prints the README's table.

    python benchmarks/tokenizers_train.py [--data FOLDER] [--models bpe unigram ...] [--python PYTHON]

Every training runs in a separate process, on both cores, and is measured from the text file to the saved file, imports
included. Our files are asserted equal to the library's before anything is printed: the same bytes for BPE and
byte-level BPE; the same bytes for </w> and WordPiece, given the order that the library drew for the symbols with an
affix; the same pieces for Unigram, with scores within 1e-9. Peers: pip install 'evenscore[benchmark]'.

--python: the interpreter of an environment with only numba, tqdm and tokenizers, for our trainings and the library's.
numba imports scipy and awkward if they are installed, and gigatoken installs them.  That takes up to a second, which
users who only train tokenizers do not pay.

Memory is the peak above that of a process that only imports: numba and numpy for ours, the peer's package for a peer.
The memory of the imports is printed first.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

MODELS = ("bpe", "bpe-suffix", "byte-level-bpe", "wordpiece", "unigram")

# Peak memory in MB. getrusage is not suitable: a process inherits its peak from its parent.
_PEAK = """
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
"""

# One training in a separate process; `tok` is either library.
TRAIN = """
import importlib, json, sys, time
start = time.perf_counter()
library, model, size, corpus, out, order = sys.argv[1:]
tok = importlib.import_module(library)
tok_models, trainers, pre, norm = tok.models, tok.trainers, tok.pre_tokenizers, tok.normalizers
size, options = int(size), {"show_progress": False}
if order:
    options["affix_order"] = json.load(open(order))
if model == "bpe":
    t, pre_tokenizer = tok.Tokenizer(tok_models.BPE()), pre.Whitespace()
elif model == "bpe-suffix":
    t, pre_tokenizer = tok.Tokenizer(tok_models.BPE()), pre.WhitespaceSplit()
    options["end_of_word_suffix"] = "</w>"
elif model == "byte-level-bpe":
    t, pre_tokenizer = tok.Tokenizer(tok_models.BPE()), pre.ByteLevel(add_prefix_space=False)
    options["initial_alphabet"] = pre.ByteLevel.alphabet()
elif model == "wordpiece":
    t, pre_tokenizer = tok.Tokenizer(tok_models.WordPiece(unk_token="[UNK]")), pre.BertPreTokenizer()
    t.normalizer = norm.BertNormalizer()
    options["special_tokens"] = ["[UNK]"]
else:
    t, pre_tokenizer = tok.Tokenizer(tok_models.Unigram()), pre.Metaspace()
    options.update(special_tokens=["<unk>"], unk_token="<unk>")
t.pre_tokenizer = pre_tokenizer
kind = {"wordpiece": "WordPieceTrainer", "unigram": "UnigramTrainer"}.get(model, "BpeTrainer")
t.train([corpus], getattr(trainers, kind)(vocab_size=size, **options))
t.save(out)
print(time.perf_counter() - start, peak())
"""

_GIGATOKEN = """
import sys, time
start = time.perf_counter()
import gigatoken, pathlib
size, corpus = int(sys.argv[1]), sys.argv[2]
gigatoken.train_bpe(pathlib.Path(corpus), size, [], tie_breaking="huggingface")
print(time.perf_counter() - start, peak())
"""

_SENTENCEPIECE = """
import sys, time
start = time.perf_counter()
import os, sentencepiece
size, corpus, out = int(sys.argv[1]), sys.argv[2], sys.argv[3]
sentencepiece.SentencePieceTrainer.train(
    input=corpus, model_prefix=out, vocab_size=size, model_type="unigram", num_threads=os.cpu_count(),
    max_sentence_length=1 << 24, minloglevel=2, normalization_rule_name="identity", hard_vocab_limit=False)
print(time.perf_counter() - start, peak())
"""


# The imports of each program before it starts.
_IMPORTS = {
    "evenscore": "numba, numpy",
    "tokenizers": "tokenizers",
    "gigatoken": "gigatoken",
    "sentencepiece": "sentencepiece",
}


class Run(NamedTuple):
    """The wall time in seconds and the peak memory in MB of one process."""

    seconds: float
    megabytes: float


def run(
    program: str, *arguments: str, limit: float | None = None, python: str = sys.executable, **environment: str
) -> Run:
    """Run a program and parse its last line. Raises subprocess.TimeoutExpired after `limit` seconds.

    Modules are not compiled from source in each process: pip keeps their bytecode.
    """
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [python, "-c", _PEAK + program, *arguments],
        capture_output=True, text=True, check=False, timeout=limit, env={**inherited, **environment},
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr)
    return Run(*map(float, done.stdout.split()[-2:]))


@cache
def import_memory(name: str) -> float:
    """Return the peak memory in MB of a process that only imports."""
    return run(f"import time, {_IMPORTS[name]}\nprint(time.perf_counter(), peak())").megabytes


def affix_order(path: Path) -> list[str]:
    """Return the symbols of one character with an affix, ordered by id."""
    model = json.loads(path.read_text(encoding="utf-8"))["model"]
    prefix, suffix = model.get("continuing_subword_prefix") or "", model.get("end_of_word_suffix") or ""
    return [
        token
        for token in sorted(model["vocab"], key=model["vocab"].get)
        if (len(token) == len(prefix) + 1 and prefix and token.startswith(prefix))
        or (len(token) == len(suffix) + 1 and suffix and token.endswith(suffix))
    ]  # fmt: skip


def check_equal(model: str, ours: Path, theirs: Path) -> None:
    """Raise if the two files do not agree as the model requires."""
    if model != "unigram":
        if ours.read_bytes() != theirs.read_bytes():
            raise AssertionError(f"{model}: {ours} and {theirs} differ")
        return
    pieces, expected = (dict(json.loads(path.read_text(encoding="utf-8"))["model"]["vocab"]) for path in (ours, theirs))
    if pieces.keys() != expected.keys():
        raise AssertionError(f"{model}: {len(pieces.keys() ^ expected.keys())} pieces differ")
    wrong = [p for p in pieces if len(p) > 1 and abs(pieces[p] - expected[p]) > 1e-9 * abs(expected[p])]
    if wrong:
        raise AssertionError(f"{model}: the scores of {len(wrong)} pieces differ, such as {wrong[0]!r}")


def compare(model: str, size: int, corpus: Path, folder: Path, repeats: int, python: str) -> None:
    """Train with both in turn, `repeats` times, compare the results, and print a row with the best times."""
    ours, theirs, order = folder / "ours.json", folder / "theirs.json", folder / "order.json"
    train = partial(run, TRAIN, python=python)
    expected = train("tokenizers", model, str(size), str(corpus), str(theirs), "", TOKENIZERS_PARALLELISM="true")
    if model in ("bpe-suffix", "wordpiece"):
        order.write_text(json.dumps(affix_order(theirs)), encoding="utf-8")
    arguments = (model, str(size), str(corpus), str(ours), str(order) if order.exists() else "")
    # The first run compiles the kernels; the others find them in the cache.
    cache = folder / f"kernels-{model}-{corpus.stem}"
    cold = train("tokenizers_impl", *arguments, NUMBA_CACHE_DIR=str(cache))
    check_equal(model, ours, theirs)
    mine, peers = [], [expected]
    for i in range(repeats):
        mine.append(train("tokenizers_impl", *arguments, NUMBA_CACHE_DIR=str(cache)))
        if i:
            peers.append(train("tokenizers", *arguments[:-1], "", TOKENIZERS_PARALLELISM="true"))
    order.unlink(missing_ok=True)
    best = min(mine)
    row(model, size, corpus, best, f"{cold.seconds:.1f} s", "tokenizers", min(peers))
    if model == "byte-level-bpe":
        row(model, size, corpus, best, "", "gigatoken", run(_GIGATOKEN, str(size), str(corpus)))
    if model == "unigram":
        theirs_too = run(_SENTENCEPIECE, str(size), str(corpus), str(folder / "sp"))
        row(model, size, corpus, best, "", "sentencepiece", theirs_too)


def row(model: str, size: int, corpus: Path, ours: Run, cold: str, peer: str, theirs: Run) -> None:
    """Print a row of the table."""
    cells = [
        model,
        f"{corpus.name} {corpus.stat().st_size / 1e6:.0f} MB",
        str(size),
        f"{ours.seconds:.2f} s",
        cold,
        peer,
        f"{theirs.seconds:.2f} s",
        f"{theirs.seconds / ours.seconds:.1f}x",
        f"{ours.megabytes - import_memory('evenscore'):.0f} / {theirs.megabytes - import_memory(peer):.0f} MB",
    ]
    print(f"| {' | '.join(cells)} |", flush=True)


def unpacked(data: Path, name: str, folder: Path) -> Path:
    """Return the corpus of that name as a plain file; data/text may have it compressed."""
    plain, target = data / "text" / f"{name}.txt", folder / f"{Path(name).name}.txt"
    with plain.open("rb") if plain.exists() else lzma.open(f"{plain}.xz") as source, target.open("wb") as file:
        shutil.copyfileobj(source, file)
    return target


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=MODELS)
    parser.add_argument("--corpora", nargs="+", default=["gcide.en", "manpages.ja"])
    parser.add_argument("--size", type=int, help="vocabulary; default 30000, for unigram 8000")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--python", default=sys.executable)
    known: Any = parser.parse_args()
    shares = ", ".join(f"{name} {import_memory(name):.0f} MB" for name in ("evenscore", "tokenizers"))
    print(f"Imports alone: {shares}\n")
    print("| model | corpus | vocabulary | ours | cold | peer | peer's | ratio | memory above the imports |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name in known.corpora:
            corpus = unpacked(known.data, name, folder)
            for model in known.models:
                size = known.size or (8000 if model == "unigram" else 30000)
                compare(model, size, corpus, folder, known.repeats, known.python)


if __name__ == "__main__":
    main()
