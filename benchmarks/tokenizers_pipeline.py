"""Compares whole pipelines and the loading of a large vocabulary with `tokenizers`, on one thread; prints a table.

    python benchmarks/tokenizers_pipeline.py [--data FOLDER] [--megabytes 3]

The pipelines resemble those of models: a pattern, a template, truncation, padding. `tokenizers` trains them on the text
that is then encoded, line by line. Ids, masks, tokens and offsets are asserted equal before anything is timed.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import random
import string
import tempfile
import time
from pathlib import Path
from typing import Any

# Must precede the start of either library's threads.
os.environ["RAYON_NUM_THREADS"] = os.environ["NUMBA_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import tokenizers
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, processors, trainers

import tokenizers_impl

CL100K = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
PIECES = 250_000


def llama3() -> tuple[Any, Any]:
    """Like Llama 3: a pattern, then bytes; a token before each text."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(CL100K), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    return tokenizer, trainers.BpeTrainer(
        vocab_size=8000, initial_alphabet=alphabet, special_tokens=["<s>"], show_progress=False
    )


def bert() -> tuple[Any, Any]:
    """Like BERT: clean, lower-case words between [CLS] and [SEP]."""
    tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = ["[UNK]", "<s>", "</s>"]
    return tokenizer, trainers.WordPieceTrainer(vocab_size=8000, special_tokens=special, show_progress=False)


def t5() -> tuple[Any, Any]:
    """Like T5: NFKC and white space, then pieces."""
    tokenizer = tokenizers.Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    special = ["<unk>", "<s>", "</s>"]
    return tokenizer, trainers.UnigramTrainer(
        vocab_size=4000, special_tokens=special, unk_token="<unk>", show_progress=False
    )


def finished(tokenizer: Any) -> Any:
    """Return the tokenizer with a template, truncation and padding."""
    first = tokenizer.token_to_id("<s>")
    tokenizer.post_processor = processors.TemplateProcessing("<s> $A", "<s> $A <s> $B:1", [("<s>", first)])
    tokenizer.enable_truncation(64)
    tokenizer.enable_padding(length=64, pad_id=0, pad_token=tokenizer.id_to_token(0))
    return tokenizer


def print_pipelines(lines: list[str]) -> None:
    """Print a row per pipeline."""
    print("| pipeline | evenscore | tokenizers | ratio |\n|---|---|---|---|")
    size = sum(len(line.encode()) for line in lines) / 1e6
    for build in (llama3, bert, t5):
        theirs, trainer = build()
        theirs.train_from_iterator(lines, trainer)
        theirs = finished(theirs)
        # Read it again, because the library's reader changes some scores by one unit in the last place.
        theirs = tokenizers.Tokenizer.from_str(theirs.to_str())
        ours = tokenizers_impl.Tokenizer.from_str(theirs.to_str())
        for mine, canonical in zip(ours.encode_batch(lines), theirs.encode_batch(lines), strict=True):
            for field in ("ids", "tokens", "offsets", "attention_mask", "special_tokens_mask", "type_ids"):
                if getattr(mine, field) != getattr(canonical, field):
                    raise AssertionError(f"{build.__name__}: {field} differ")
        mine, canonical = best(lambda: read(ours, lines), lambda: read(theirs, lines))  # noqa: B023
        print(f"| {build.__name__} | {size / mine:.1f} MB/s | {size / canonical:.1f} MB/s | {canonical / mine:.1f}x |")


def read(tokenizer: Any, lines: list[str]) -> list[Any]:
    """Return the inputs of a model."""
    return [(row.ids, row.attention_mask) for row in tokenizer.encode_batch(lines)]


def best(ours: Any, theirs: Any, repeats: int = 5) -> tuple[float, float]:
    """Return the best seconds of both, run in turn."""
    times = [(once(ours), once(theirs)) for _ in range(repeats)]
    return min(mine for mine, _ in times), min(canonical for _, canonical in times)


def once(run: Any) -> float:
    """Return the seconds of one run."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def print_loading() -> None:
    """Print the time to load a vocabulary of PIECES pieces from its file."""
    draw = random.Random(1)
    pieces = {"".join(draw.choices(string.ascii_letters + "äéß▁", k=draw.randint(2, 9))) for _ in range(2 * PIECES)}
    vocab = [["<unk>", 0.0], *([piece, -3 - 12 * draw.random()] for piece in sorted(pieces)[: PIECES - 1])]
    model = {"type": "Unigram", "unk_id": 0, "vocab": vocab, "byte_fallback": False}
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "tokenizer.json"))
        Path(path).write_text(json.dumps({"version": "1.0", "added_tokens": [], "model": model}), encoding="utf-8")
        if tokenizers_impl.Tokenizer.from_file(path).get_vocab() != tokenizers.Tokenizer.from_file(path).get_vocab():
            raise AssertionError("vocabularies differ")
        loads = [lambda: tokenizers_impl.Tokenizer.from_file(path), lambda: tokenizers.Tokenizer.from_file(path)]
        mine, canonical = best(*loads)
    print(f"\nloading {PIECES:,} pieces: {mine:.2f} s, tokenizers {canonical:.2f} s")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--megabytes", type=float, default=3)
    known = parser.parse_args()
    with lzma.open(known.data / "text" / "gcide.en.txt.xz", "rt", encoding="utf-8") as file:
        lines = file.read(int(known.megabytes * 1e6)).splitlines()
    print_pipelines(lines)
    print_loading()


if __name__ == "__main__":
    main()
