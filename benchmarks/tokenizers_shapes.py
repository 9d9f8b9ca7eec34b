"""Compares encoding and decoding in small shapes, and loading, with `tokenizers`; prints tables.

    python benchmarks/tokenizers_shapes.py [--data FOLDER]

Both libraries encode one line, batches of 8, 64 and 5,000 lines, decode one line and 1,000, and load tokenizer.json.
`tokenizers` trains every tokenizer on English text.  Ids, tokens, offsets, word ids and decoded texts are asserted
equal before anything is timed, also for lines of ten languages.  A ratio is the peer's time divided by ours; each is
the median of alternating runs on all cores.  Runs are repeated, so both libraries know the words; new lines are those
that neither has seen.  "Template" is BERT's, with truncation to 128 tokens.  A table of components in Python follows:
each calls one method of the library's own strings.
"""

from __future__ import annotations

import argparse
import json
import lzma
import statistics
import tempfile
import time
from collections.abc import Callable
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers_encode import MODELS, train

import tokenizers_impl

LANGUAGES = ("fr", "vi", "ru", "hi", "or", "ar", "zh_CN", "ja", "ko", "th")
BATCHES = (8, 64, 5000)
# SentencePiece's decoder, as Llama has it.
CHAIN = {
    "type": "Sequence",
    "decoders": [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0},
    ],
}
Call = Callable[[Any], Any]
# Components in Python: the part, the call in words, and the method of the component, given the library.
IN_PYTHON: tuple[tuple[str, str, Callable[[Any], Call]], ...] = (
    ("normalizer", "lowercase()", lambda _: lambda text: text.lowercase()),
    ("normalizer", 'replace("a", "b")', lambda _: lambda text: text.replace("a", "b")),
    ("normalizer", 'prepend("▁")', lambda _: lambda text: text.prepend("▁")),
    ("pre_tokenizer", 'split(" ", "removed")', lambda _: lambda text: split_at(text, " ", "removed")),
    (
        "pre_tokenizer",
        r'split(Regex(r"\s+"), "removed")',
        lambda tok: lambda text: split_at(text, tok.Regex(r"\s+"), "removed"),
    ),
    (
        "pre_tokenizer",
        r'split(Regex(r"\w+"), "isolated")',
        lambda tok: lambda text: split_at(text, tok.Regex(r"\w+"), "isolated"),
    ),
)


def split_at(text: Any, pattern: Any, behavior: str) -> None:
    """Split a PreTokenizedString of either library."""
    text.split(lambda _, part: part.split(pattern, behavior))


def timed(run: Callable[[], Any]) -> float:
    """Return the seconds of one run."""
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def ratio(ours: Any, theirs: Any, call: Call, seconds: float = 0.5) -> str:
    """Return the ratio of the medians of alternating runs, and our time per run."""
    pairs: list[tuple[float, float]] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(pairs) < 7:
        pairs.append((timed(lambda: call(ours)), timed(lambda: call(theirs))))
    mine, peer = (statistics.median(column) for column in zip(*pairs[len(pairs) // 5 :], strict=True))
    return f"{peer / mine:.2f}x ({mine * 1e6:,.0f} µs)"


def assert_equal(ours: Any, theirs: Any, lines: list[str]) -> None:
    """Compare both libraries line by line, in batches, and with words that are known already."""
    expected = [(each.ids, each.tokens, each.offsets, each.word_ids) for each in theirs.encode_batch(lines)]
    batches = [
        ours.encode_batch(lines[first:last]) for first, last in pairwise([*range(0, len(lines), 64), len(lines)])
    ]
    for found in (ours.encode_batch(lines), [row for batch in batches for row in batch], list(map(ours.encode, lines))):
        if [(each.ids, each.tokens, each.offsets, each.word_ids) for each in found] != expected:
            raise AssertionError("other tokens")
    ids = [each[0] for each in expected]
    texts = theirs.decode_batch(ids)
    if ours.decode_batch(ids) != texts or list(map(ours.decode, ids)) != texts:
        raise AssertionError("other texts")


def both(text: str) -> tuple[Any, Any]:
    """Read a tokenizer with both libraries."""
    return tokenizers_impl.Tokenizer.from_str(text), tokenizers.Tokenizer.from_str(text)


def shapes(text: str, lines: list[str], others: list[str]) -> list[str]:
    """Return the cells of a tokenizer."""
    ours, theirs = both(text)
    assert_equal(ours, theirs, lines[:2000] + others)
    line = sorted(lines[:1000], key=len)[700]
    ids = [each.ids for each in theirs.encode_batch(lines[:1000])]
    one = theirs.encode(line).ids
    cells = [ratio(ours, theirs, lambda tokenizer: tokenizer.encode(line))]
    cells += [ratio(ours, theirs, lambda tokenizer, n=n: tokenizer.encode_batch(lines[:n])) for n in BATCHES]
    cells += [new_lines(text, lines[:2000], lines[2000:4000])]
    framed = with_template(text)
    assert_equal(*both(framed), lines[:2000] + others)
    cells += [ratio(*both(framed), lambda tokenizer: tokenizer.encode(line))]
    cells += [new_lines(framed, lines[:2000], lines[2000:4000])]
    cells += [ratio(ours, theirs, lambda tokenizer: tokenizer.decode(one))]
    cells += [ratio(ours, theirs, lambda tokenizer: tokenizer.decode_batch(ids))]
    return [*cells, ratio(tokenizers_impl.Tokenizer, tokenizers.Tokenizer, lambda kind: kind.from_str(text))]


def new_lines(text: str, before: list[str], lines: list[str]) -> str:
    """Return the ratio for lines encoded one by one, each for the first time, after others; and our time per line."""
    pairs: list[list[float]] = []
    for _ in range(7):
        pair = both(text)
        for tokenizer in pair:
            for line in before:
                tokenizer.encode(line)
        pairs.append([timed(lambda: list(map(tokenizer.encode, lines))) for tokenizer in pair])  # noqa: B023
    mine, peer = (statistics.median(column) / len(lines) for column in zip(*pairs, strict=True))
    return f"{peer / mine:.2f}x ({mine * 1e6:,.0f} µs)"


def with_template(text: str) -> str:
    """Return a tokenizer.json with BERT's template and truncation."""
    tokenizer = tokenizers.Tokenizer.from_str(text)
    tokenizer.add_special_tokens(["[CLS]", "[SEP]"])
    special = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    templates = "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1"
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(*templates, special)
    tokenizer.enable_truncation(128)
    return str(tokenizer.to_str())


def with_component(library: Any, text: str, part: str, change: Callable[[Any], Call]) -> Any:
    """Read a tokenizer and set a component in Python."""

    class Component:
        normalize = pre_tokenize = staticmethod(change(library))

    tokenizer = library.Tokenizer.from_str(text)
    kind = library.normalizers.Normalizer if part == "normalizer" else library.pre_tokenizers.PreTokenizer
    setattr(tokenizer, part, kind.custom(Component()))
    return tokenizer


def print_components(text: str, lines: list[str]) -> None:
    """Print the ratios of one line, of 1,000 lines, and of these as one document, with each component in Python."""
    line, document = sorted(lines[:1000], key=len)[700], "\n".join(lines[:1000])
    print("\n| component in Python | one line | 1,000 lines | the same as one text |\n|---|---|---|---|")
    for part, name, change in IN_PYTHON:
        ours, theirs = (with_component(library, text, part, change) for library in (tokenizers_impl, tokenizers))
        assert_equal(ours, theirs, [*lines[:1000], document])
        one = ratio(ours, theirs, lambda tokenizer: tokenizer.encode(line))
        many = ratio(ours, theirs, lambda tokenizer: tokenizer.encode_batch(lines[:1000]))
        whole = ratio(ours, theirs, lambda tokenizer: tokenizer.encode(document))
        print(f"| {part.replace('_', '-')}: {name} | {one} | {many} | {whole} |", flush=True)


def with_merges_in_strings(text: str) -> str:
    """Return a tokenizer.json of BPE as older versions of tokenizers wrote it."""
    document = json.loads(text)
    document["model"]["merges"] = list(map(" ".join, document["model"]["merges"]))
    return json.dumps(document, ensure_ascii=False)


def print_languages(texts: dict[str, str], named: dict[str, list[str]]) -> None:
    """Print the ratios of one line, of 8, and of new lines in each language."""
    print(
        "\n| language | "
        + " | ".join(f"{model}: one line, 8, new" for model in texts)
        + " |\n|---"
        + "|---" * len(texts)
        + "|"
    )
    for language, lines in named.items():
        cells = []
        for text in texts.values():
            ours, theirs = both(text)
            one = ratio(ours, theirs, lambda tokenizer: tokenizer.encode(lines[0]), 0.2)  # noqa: B023
            few = ratio(ours, theirs, lambda tokenizer: tokenizer.encode_batch(lines[:8]), 0.2)  # noqa: B023
            new = new_lines(text, lines[:8], lines[8:])
            cells.append(f"{one.split()[0]}, {few.split()[0]}, {new.split()[0]}")
        print(f"| {language} | {' | '.join(cells)} |", flush=True)


def lines_of_languages(folder: Path) -> dict[str, list[str]]:
    """Return lines of ten names each from the lists of names of countries, languages and scripts."""
    read: dict[str, list[str]] = {}
    for language in LANGUAGES:
        names = (folder / "iso_names" / f"{language}.txt").read_text(encoding="utf-8").splitlines()
        read[language] = [" ".join(names[i : i + 10]) for i in range(0, 640, 10)]
    return read


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--megabytes", type=float, default=5)
    known = parser.parse_args()
    folder = known.data / "text"
    named = lines_of_languages(folder)
    texts: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as work:
        corpus = Path(work, "corpus.txt")
        with lzma.open(folder / "gcide.en.txt.xz") as packed:
            corpus.write_bytes(packed.read(int(known.megabytes * 1e6)))
        lines = [line for line in corpus.read_text(encoding="utf-8").splitlines() if line.strip()]
        for model in MODELS:
            train(model, corpus, Path(work, "tokenizer.json"))
            texts[model] = Path(work, "tokenizer.json").read_text(encoding="utf-8")
    names = ["encode one line", *(f"encode_batch of {n:,}" for n in BATCHES)]
    names += ["encode new lines, one by one", "encode one line, template", "encode new lines, template"]
    names += ["decode one line", "decode 1,000 lines", "load"]
    columns = [shapes(text, lines[1000:], [*chain(*named.values())]) for text in texts.values()]
    print("| call | " + " | ".join(texts) + " |\n|---" + "|---" * len(texts) + "|")
    for name, *cells in zip(names, *columns, strict=True):
        print(f"| {name} | {' | '.join(cells)} |")
    ours, theirs = both(json.dumps({**json.loads(texts["unigram"]), "decoder": CHAIN}))
    ids = [each.ids for each in theirs.encode_batch(lines[:1000])]
    if ours.decode_batch(ids) != theirs.decode_batch(ids):
        raise AssertionError("other texts")
    one, many = (
        ratio(ours, theirs, lambda each: each.decode(ids[500])),
        ratio(ours, theirs, lambda each: each.decode_batch(ids)),
    )
    print(f"\nLlama's chain of decoders: one line {one}, 1,000 lines {many}")
    older = with_merges_in_strings(texts["byte-level-bpe"])
    loads = ratio(tokenizers_impl.Tokenizer, tokenizers.Tokenizer, lambda kind: kind.from_str(older))
    print(f"\nLoading byte-level BPE with merges as strings: {loads}")
    print_components(texts["wordpiece"], lines)
    print_languages(texts, named)


if __name__ == "__main__":
    main()
