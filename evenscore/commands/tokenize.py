"""`evenscore tokenize`: lines of text as tokens."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from evenscore.commands.arguments import lines, refuse_others
from evenscore.parallel import with_bar

# Lines that are cut at once, so that a bar can move.
_BLOCK = 10_000
HELP = "cut text into tokens"
DESCRIPTION = "Print the tokens of every line of a file, or of standard input."
EPILOG = None


def add_arguments(tokenize: argparse.ArgumentParser) -> None:
    tokenize.add_argument("--tokenizer", required=True, type=Path, metavar="FILE", help="a tokenizer.json")
    tokenize.add_argument("--ids", action="store_true", help="print ids instead")
    tokenize.add_argument("file", nargs="?", type=Path, metavar="TEXT", help="text in UTF-8")


def run(known: argparse.Namespace, others: Sequence[str]) -> str:
    # Imported here: who scores does not need what tokenizers need.
    from tokenizers_impl import Tokenizer

    refuse_others(others, "tokenize")
    tokenizer = Tokenizer.from_file(str(known.tokenizer))
    texts = lines(known.file)
    blocks = (texts[start : start + _BLOCK] for start in range(0, len(texts), _BLOCK))
    encoded = with_bar(map(tokenizer.encode_batch_fast, blocks), "Tokenize lines", " lines", len, len(texts))
    rows = (map(str, each.ids) if known.ids else each.tokens for block in encoded for each in block)
    return "".join(f"{' '.join(row)}\n" for row in rows)
