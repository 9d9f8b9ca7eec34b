"""`evenscore tokenize`: lines of text as tokens."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ._command_line import lines, refuse_others


def add_parser(commands: Any) -> None:
    """Let the parser know the command."""
    tokenize = commands.add_parser(
        "tokenize",
        help="cut text into tokens",
        description="Print the tokens of every line of a file, or of standard input.",
        allow_abbrev=False,
    )
    tokenize.add_argument("--tokenizer", required=True, type=Path, metavar="FILE", help="a tokenizer.json")
    tokenize.add_argument("--ids", action="store_true", help="print ids instead")
    tokenize.add_argument("file", nargs="?", type=Path, metavar="TEXT", help="text in UTF-8")
    tokenize.set_defaults(run=_run)


def _run(known: argparse.Namespace, others: Sequence[str]) -> str:
    # Imported here: who scores does not need what tokenizers need.
    from tokenizers_impl import Tokenizer

    refuse_others(others, "tokenize")
    tokenizer = Tokenizer.from_file(str(known.tokenizer))
    texts = lines(known.file)
    encodings = tokenizer.encode_batch_fast(texts)
    rows = [map(str, each.ids) for each in encodings] if known.ids else [each.tokens for each in encodings]
    return "".join(f"{' '.join(row)}\n" for row in rows)
