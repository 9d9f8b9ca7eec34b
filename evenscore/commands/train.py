"""`evenscore train`: trains a tokenizer on text files."""

from __future__ import annotations

import argparse
import inspect
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from evenscore.commands.arguments import check_output, printable, refuse_others, value
from evenscore.commands.texts import STANDARD_INPUT, TEXTS, Files, add_column, add_input_format, text_column
from evenscore.options import unknown_option

_MODELS = ("bpe", "byte-level-bpe", "wordpiece", "unigram")
HELP = "train a tokenizer on files of texts"
DESCRIPTION = "Train a tokenizer on files of texts, one per line or table row."
EPILOG = """
A line of a text file is trained on with its line feed, as in Hugging Face tokenizers; a cell of a table as it is.

examples:
  evenscore train --model unigram --vocab-size 8000 -o tokenizer.json corpus.txt
  evenscore train --model bpe --text-column question -o tokenizer.json data.jsonl.gz
  evenscore train --model unigram --vocab-size 9000 --extend tokenizer.json -o larger.json more.txt
"""


def add_arguments(train: argparse.ArgumentParser) -> None:
    train.add_argument("--model", required=True, choices=_MODELS, metavar="NAME", help=", ".join(_MODELS))
    train.add_argument("--vocab-size", type=int, metavar="N", help="size of the vocabulary (default: the trainer's)")
    train.add_argument("--min-frequency", type=int, metavar="N", help="ignore pairs that are rarer (not for unigram)")
    train.add_argument("--special-token", action="append", metavar="TOKEN", help="add a special token; repeatable")
    other = "any other option of the trainer, such as shrinking_factor=0.8; repeatable"
    train.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help=other)
    larger = "continue training this tokenizer.json of the same model: its ids stay, and --vocab-size counts its tokens"
    train.add_argument("--extend", type=Path, metavar="FILE", help=larger)
    train.add_argument("--quiet", action="store_true", help="no progress bars")
    train.add_argument("-o", "--output", required=True, type=Path, metavar="FILE", help="the tokenizer.json to write")
    add_column(train, TEXTS)
    add_input_format(train)
    read = "texts in UTF-8: one per line, or tables; - is standard input"
    train.add_argument("files", nargs="+", type=Path, metavar="FILE", help=read)


def run(known: argparse.Namespace, others: Sequence[str]) -> str:
    # Imported here, because only this command and tokenize need the tokenizers.
    from tokenizers_impl import Tokenizer
    from tokenizers_impl.pipelines import PIPELINES

    refuse_others(others, "train")
    check_output(known.output, known.files)
    pipeline = PIPELINES[known.model]
    options = _options(known)
    usual = pipeline()[1]
    if unknown := sorted(options.keys() - inspect.signature(type(usual)).parameters.keys()):
        raise ValueError(unknown_option(unknown[0], list(inspect.signature(type(usual)).parameters)))
    if known.special_token:
        options["special_tokens"] = [*map(str, usual.special_tokens), *known.special_token]
    try:
        tokenizer, trainer = pipeline(**options)
    except TypeError as error:
        raise ValueError(f"an option of another type than the trainer's: {error}") from None
    if known.extend:
        tokenizer = Tokenizer.from_file(str(known.extend))
    files = Files(known.input_format)
    if known.text_column is not None and all(files.kind(path) == "lines" for path in known.files):
        raise ValueError(f"{TEXTS.option} names a column of a table, and the files are read as lines: leave it out")
    if all(_is_plain(path, files) for path in known.files):
        # The trainer reads these files itself, in parts.
        tokenizer.train([str(path) for path in known.files], trainer)
    else:
        tokenizer.train_from_iterator(_texts(known, files), trainer)
    tokenizer.save(str(known.output))
    size = tokenizer.get_vocab_size()
    return f"{printable(str(known.output))}: {known.model}, {size} token{'s' if size > 1 else ''}\n"


def _is_plain(path: Path, files: Files) -> bool:
    """Whether a file is plain text with one text per line."""
    return path != STANDARD_INPUT and path.suffix.lower() != ".gz" and files.kind(path) == "lines"


def _texts(known: argparse.Namespace, files: Files) -> Iterator[str]:
    """The texts of all files; lines keep their ends, as when the trainer reads a file."""
    for path in known.files:
        if files.kind(path) == "lines":
            yield from io.StringIO(files.text(path), newline="\n")
        else:
            yield from text_column(files.read(path), TEXTS, known.text_column).rows


def _options(known: argparse.Namespace) -> dict[str, Any]:
    """The trainer's options that are given."""
    named = {"vocab_size": known.vocab_size, "min_frequency": known.min_frequency}
    options = {name: value for name, value in named.items() if value is not None}
    for word in known.option:
        name, equals, text = word.partition("=")
        if not equals:
            raise ValueError(f"--option {word}: write it as NAME=VALUE")
        options[name.replace("-", "_")] = value(text)
    if known.extend:
        options["extend"] = True
    return {**options, "show_progress": not known.quiet}
