"""Every file that is read, changed at random: the outcome is a result or a ValueError, in bounded time and memory.

EVENSCORE_FUZZ is the number of seconds for all formats together, 45 by default.  A failure prints the line that replays
it: EVENSCORE_FUZZ_SEED reads the file of that seed alone.
"""

from __future__ import annotations

import io
import json
import os
import random
import resource
import signal
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sentencepiece

from evenscore.perplexity.ngram.arpa import write_arpa
from evenscore.perplexity.ngram.source import NgramSource
from evenscore.table_files import parse_table
from tokenizers_impl import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from tokenizers_impl.exchange import from_sentencepiece, from_subword_nmt, from_tiktoken, save_tiktoken

# CPU seconds for one file, and bytes that the process may take while it reads them.
PATIENCE, MEMORY = 10, 12 << 30
TEXT = "low lower <s> é1  a\n"
VOCAB = {token: id for id, token in enumerate(["[UNK]", "l", "o", "w", "lo", "low", "##o", "##w", "Ġ", "▁", "<0x61>"])}
# What is put in place of a part of a file.
STRANGE = [*"\0\n\t \"'\\,{}[]()*+?|#-0aé▁\U0010ffff", "\ud800", "null", "true", "NaN", "1e999", "-1", "0.5", "9" * 30]
STRANGE += ["\\ud800", "{}", "[]", '""', '{"type":"Sequence"}', "\\data\\", "\\end\\", "-inf", "nan", "1e30", "<unk>"]
STRANGE += [
    "(a*)*",
    "(?=",
    "{2,99999}",
    "\\p{L}",
    "[^",
    "Regex",
    "a" * 5000,
    "[" * 2000,
    "2147483648",
    "\r\n",
    "\ufeff",
]


def tokenizer_json() -> bytes:
    tokenizer = Tokenizer(models.BPE(VOCAB, [("l", "o"), ("lo", "w")], unk_token="[UNK]", byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace("x", "l")])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(" ", "isolated"), pre_tokenizers.ByteLevel(use_regex=False), pre_tokenizers.Digits()]
    )
    tokenizer.post_processor = processors.TemplateProcessing("<s> $A", "<s> $A $B:1", [("<s>", 11)])
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    tokenizer.add_special_tokens(["<s>"])
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=10)
    return tokenizer.to_str().encode()


def sentencepiece_model() -> bytes:
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["low lower lowest", "new newer"] * 9),
        model_writer=written,
        vocab_size=16,
        minloglevel=2,
    )
    return written.getvalue()


def tiktoken_ranks(folder: Path) -> bytes:
    tokenizer = from_tiktoken({bytes([byte]): byte for byte in range(256)} | {b"lo": 256, b"low": 257})
    save_tiktoken(tokenizer, folder / "ranks")
    return (folder / "ranks").read_bytes()


def arpa(folder: Path) -> bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        write_arpa(NgramSource.trained(["low lower", "low é <x>", "é low"]).model, folder / "arpa")
    return (folder / "arpa").read_bytes()


def encode(tokenizer: Tokenizer) -> None:
    encoding = tokenizer.encode(TEXT, "b")
    tokenizer.decode(encoding.ids)
    tokenizer.to_str()


def read_vocab(path: Path) -> None:
    path.with_name("merges").write_bytes(b"#version: 0.2\nl o\nlo w\n")
    encode(Tokenizer(models.BPE.from_file(str(path), str(path.with_name("merges")))))


def read_merges(path: Path) -> None:
    path.with_name("vocab").write_text(json.dumps(VOCAB), encoding="utf-8")
    encode(Tokenizer(models.BPE.from_file(str(path.with_name("vocab")), str(path))))


def read_table(kind: str) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        table = parse_table(path.read_bytes().decode("utf-8"), kind, path.name)
        [table.place(i) for i in range(len(table.rows))]

    return read


TABLE = [{"prediction": "a, b", "reference": 'é "x"'}, {"prediction": "", "reference": "c"}]
# How each format is read, and a file of it.
FORMATS: dict[str, tuple[Callable[[Path], object], Callable[[Path], bytes]]] = {
    "tokenizer.json": (lambda path: encode(Tokenizer.from_file(str(path))), lambda folder: tokenizer_json()),
    "vocab.json": (read_vocab, lambda folder: json.dumps(VOCAB).encode()),
    "merges.txt": (read_merges, lambda folder: b"#version: 0.2\nl o\nlo w\n"),
    "vocab.txt": (
        lambda path: encode(Tokenizer(models.WordPiece.from_file(str(path)))),
        lambda folder: "\n".join(VOCAB).encode(),
    ),
    "spm.model": (lambda path: encode(from_sentencepiece(path)), lambda folder: sentencepiece_model()),
    "spm.vocab": (lambda path: encode(from_sentencepiece(path)), lambda folder: "<unk>\t0\nl\t-1\n▁a\t-2.5\n".encode()),
    "ranks.tiktoken": (lambda path: encode(from_tiktoken(path)), tiktoken_ranks),
    "codes.bpe": (lambda path: encode(from_subword_nmt(path)), lambda folder: b"#version: 0.2\nl o\nlo w</w>\n"),
    "model.arpa": (lambda path: NgramSource.of_arpa(path).score([TEXT, ""], None), arpa),
    "table.csv": (read_table("csv"), lambda folder: b'prediction,reference\n"a, b",c\n"x\ny",\n'),
    "table.tsv": (read_table("tsv"), lambda folder: b"prediction\treference\na\tb\n"),
    "table.jsonl": (read_table("jsonl"), lambda folder: "\n".join(map(json.dumps, TABLE)).encode()),
    "table.json": (read_table("json"), lambda folder: json.dumps(TABLE).encode()),
}


def changed(data: bytes, draw: random.Random) -> bytes:
    """The file after one to four changes at random places."""
    for _ in range(draw.randint(1, 4)):
        first = draw.randrange(len(data) + 1)
        last = min(len(data), first + draw.choice([0, 1, 1, 2, 8, 60]))
        strange = draw.choice(STRANGE).encode("utf-8", "surrogatepass")
        part = draw.choice([strange, strange, b"", draw.randbytes(2), data[first:last] * draw.choice([2, 50])])
        data = data[:first] + part + data[last:]
    return data[: draw.randrange(len(data) + 1)] if draw.random() < 0.05 else data


class TooLongError(BaseException):
    """Reading a file took more than PATIENCE."""


@contextmanager
def bounded() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooLongError

    before, limits = signal.signal(signal.SIGPROF, stop), resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, limits[1]))
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, limits)
        signal.signal(signal.SIGPROF, before)


def outcome(read: Callable[[Path], object], path: Path) -> str:
    """Empty for a result or a ValueError, else the traceback."""
    try:
        with bounded(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read(path)
    except ValueError:
        pass
    except (Exception, TooLongError):
        return traceback.format_exc()
    return ""


@pytest.mark.parametrize("name", FORMATS)
def test_a_changed_file_is_read_or_refused(name: str, tmp_path: Path) -> None:
    read, written = FORMATS[name]
    valid, path = written(tmp_path), tmp_path / name
    path.write_bytes(valid)
    read(path)
    asked = os.environ.get("EVENSCORE_FUZZ_SEED")
    seed, tries = int(asked or 0), 0
    end = time.monotonic() + float(os.environ.get("EVENSCORE_FUZZ", "45")) / len(FORMATS)
    while time.monotonic() < end:
        path.write_bytes(changed(valid, random.Random(seed)))
        if found := outcome(read, path):
            replay = f"EVENSCORE_FUZZ_SEED={seed} pytest -m slow tests/slow/test_fuzz_files.py -k {name}"
            pytest.fail(f"{found}\n{path} holds the file; replay it: {replay}")
        tries += 1
        if asked:
            break
        seed += 1
    print(f"{name}: {tries} files")
