"""`evenscore train`: a tokenizer from text files."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evenscore.commands.arguments import check_output, refuse_others, value
from evenscore.options import unknown_option

_MODELS = ("bpe", "byte-level-bpe", "wordpiece", "unigram")
HELP = "train a tokenizer on text files"
DESCRIPTION = "Train a tokenizer on text files, one text a line."
EPILOG = """
examples:
  evenscore train --model unigram --vocab-size 8000 -o tokenizer.json corpus.txt
  evenscore train --model unigram --vocab-size 9000 --extend tokenizer.json -o larger.json more.txt
"""


def add_arguments(train: argparse.ArgumentParser) -> None:
    train.add_argument("--model", required=True, choices=_MODELS, metavar="NAME", help=", ".join(_MODELS))
    train.add_argument("--vocab-size", type=int, metavar="N", help="tokens in all (default: the trainer's)")
    train.add_argument("--min-frequency", type=int, metavar="N", help="merge no pair that is rarer (not for unigram)")
    train.add_argument("--special-token", action="append", metavar="TOKEN", help="one more special token; repeatable")
    other = "any other option of the trainer, such as shrinking_factor=0.8; repeatable"
    train.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help=other)
    larger = "go on from this tokenizer.json, a NAME, whose ids and pipeline stay; --vocab-size counts its tokens, too"
    train.add_argument("--extend", type=Path, metavar="FILE", help=larger)
    train.add_argument("--quiet", action="store_true", help="no progress bars")
    train.add_argument("-o", "--output", required=True, type=Path, metavar="FILE", help="the tokenizer.json to write")
    train.add_argument("files", nargs="+", type=Path, metavar="CORPUS", help="text in UTF-8")


def run(known: argparse.Namespace, others: Sequence[str]) -> str:
    # Imported here: who scores does not need what trainers need.
    from tokenizers_impl import Tokenizer
    from tokenizers_impl.pipelines import PIPELINES

    refuse_others(others, "train")
    check_output(known.output)
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
    tokenizer.train([str(path) for path in known.files], trainer)
    tokenizer.save(str(known.output))
    size = tokenizer.get_vocab_size()
    return f"{known.output}: {known.model}, {size} token{'s' if size > 1 else ''}\n"


def _options(known: argparse.Namespace) -> dict[str, Any]:
    """The trainer's options, as far as they are given."""
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
