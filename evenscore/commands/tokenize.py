"""`evenscore tokenize`: prints the tokens of texts."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from evenscore.commands.arguments import refuse_others
from evenscore.commands.texts import STANDARD_INPUT, TEXTS, Files, add_column, add_input_format, text_column
from evenscore.parallel import with_bar

# The number of lines per batch; the progress bar advances after each.
_BLOCK = 10_000
HELP = "split texts into tokens"
DESCRIPTION = "Print the tokens of every text of a file, or of standard input, a text a line."
EPILOG = """
examples:
  evenscore tokenize --tokenizer tokenizer.json text.txt
  evenscore tokenize --tokenizer tokenizer.json --text-column question a.jsonl
"""


def add_arguments(tokenize: argparse.ArgumentParser) -> None:
    tokenize.add_argument("--tokenizer", required=True, type=Path, metavar="FILE", help="the tokenizer.json to use")
    tokenize.add_argument("--ids", action="store_true", help="print ids instead")
    add_column(tokenize, TEXTS)
    add_input_format(tokenize)
    read = "texts in UTF-8: one per line, or a table; default: standard input"
    tokenize.add_argument("file", nargs="?", default=STANDARD_INPUT, type=Path, metavar="FILE", help=read)


def run(known: argparse.Namespace, others: Sequence[str]) -> str:
    # Imported here, because only this command and train need the tokenizers.
    from tokenizers_impl import Tokenizer

    refuse_others(others, "tokenize")
    tokenizer = Tokenizer.from_file(str(known.tokenizer))
    texts = text_column(Files(known.input_format).read(known.file), TEXTS, known.text_column).rows
    blocks = (texts[start : start + _BLOCK] for start in range(0, len(texts), _BLOCK))
    encoded = with_bar(map(tokenizer.encode_batch_fast, blocks), "Tokenize lines", " lines", len, len(texts))
    rows = (map(str, each.ids) if known.ids else each.tokens for block in encoded for each in block)
    return "".join(f"{' '.join(row)}\n" for row in rows)
