"""`evenscore train`: trains a tokenizer on text files."""

from __future__ import annotations

import argparse
import inspect
import io
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evenscore.commands.arguments import check_output, printable, refuse_others, value
from evenscore.commands.results import check_plot_file
from evenscore.commands.texts import (
    STANDARD_INPUT,
    TEXTS,
    Files,
    add_column,
    add_input_format,
    is_plain,
    shown_name,
    text_column,
)
from evenscore.commands.wording import command_words
from evenscore.options import did_you_mean, unknown_option
from evenscore.plots import PLOT_SUFFIXES, write_plot

# Options of trainers that have words of their own in this command.
_INSTEAD = {
    "special_tokens": "give --special-token TOKEN, once for each,",
    "show_progress": "give --quiet, or nothing,",
    "extend": "give --extend FILE",
}
_MODELS = ("bpe", "byte-level-bpe", "wordpiece", "unigram")
HELP = "train a tokenizer on files of texts"
DESCRIPTION = "Train a tokenizer on files of texts, one per line or table row."
EPILOG = """
A line of a text file is trained on with its line feed, as in Hugging Face
tokenizers; a cell of a table as it is.

examples:
  evenscore train --model unigram --vocab-size 8000 -o tokenizer.json corpus.txt
  evenscore train --model bpe --text-column question -o tokenizer.json a.jsonl
  evenscore train --model unigram --vocab-size 9000 --extend tokenizer.json \\
    -o larger.json more.txt
  evenscore train --model bpe --plot curve.svg -o tokenizer.json corpus.txt
"""


def add_arguments(train: argparse.ArgumentParser) -> None:
    train.add_argument("--model", required=True, type=_model_name, metavar="NAME", help=", ".join(_MODELS))
    train.add_argument("--vocab-size", type=int, metavar="N", help="size of the vocabulary (default: the trainer's)")
    train.add_argument("--min-frequency", type=int, metavar="N", help="ignore pairs that are rarer (not for unigram)")
    train.add_argument("--special-token", action="append", metavar="TOKEN", help="add a special token; repeatable")
    other = "any other option of the trainer, such as shrinking-factor=0.8; repeatable"
    train.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help=other)
    larger = "continue training this tokenizer.json of the same model: its ids stay, and --vocab-size counts its tokens"
    train.add_argument("--extend", type=Path, metavar="FILE", help=larger)
    train.add_argument("--quiet", action="store_true", help="no progress bars")
    train.add_argument("-o", "--output", type=Path, metavar="FILE", help="the tokenizer.json to write")
    folder = "write a folder that AutoTokenizer of transformers loads"
    train.add_argument("--save-pretrained", type=Path, metavar="DIR", help=folder)
    role = "the special token of a role for --save-pretrained, such as bos_token=<s>; repeatable"
    train.add_argument("--role", action="append", default=[], metavar="NAME=TOKEN", help=role)
    drawn = (
        "also draw the length of the corpus by the size of the vocabulary; for unigram, the expected length at some "
        f"sizes above the last one: {', '.join(PLOT_SUFFIXES)}"
    )
    train.add_argument("--plot", type=Path, metavar="FILE", help=drawn)
    add_column(train, TEXTS)
    add_input_format(train)
    read = "texts in UTF-8: one per line, or tables; - is standard input"
    train.add_argument("files", nargs="+", type=Path, metavar="FILE", help=read)


def run(known: argparse.Namespace, others: Sequence[str]) -> str:
    # Imported here, because only this command and tokenize need the tokenizers.
    from tokenizers_impl import Tokenizer
    from tokenizers_impl.measures import vocabulary_curve
    from tokenizers_impl.pipelines import PIPELINES

    refuse_others(others, "train")
    _check_outputs(known)
    roles = _roles(known.role)
    if known.plot is not None:
        check_plot_file(known.plot, [*known.files, *filter(None, [known.output])])
    pipeline = PIPELINES[known.model]
    options = _options(known)
    usual = pipeline()[1]
    known_names = list(inspect.signature(type(usual)).parameters)
    if "min_frequency" in options and "min_frequency" not in known_names:
        raise ValueError(f"--min-frequency is no option of {known.model}: leave it out")
    if unknown := sorted(options.keys() - set(known_names)):
        raise ValueError(unknown_option(unknown[0], known_names, spelled=_dashed))
    if known.special_token or roles:
        special = [*map(str, usual.special_tokens), *(known.special_token or ()), *roles.values()]
        options["special_tokens"] = list(dict.fromkeys(special))
    try:
        tokenizer, trainer = pipeline(**options)
    except TypeError as error:
        raise ValueError(f"an option of another type than the trainer's: {error}") from None
    if known.extend:
        tokenizer = Tokenizer.from_file(str(known.extend))
        _check_extended(tokenizer, known)
    files = Files(known.input_format)
    if known.text_column is not None and all(files.kind(path) == "lines" for path in known.files):
        raise ValueError(f"{TEXTS.option} names a column of a table, and the files are read as lines: leave it out")
    _train(tokenizer, trainer, known, files)
    if known.output is not None:
        tokenizer.save(str(known.output))
    if known.save_pretrained is not None:
        tokenizer.save_pretrained(known.save_pretrained, **roles)
    if known.plot is not None:
        write_plot(vocabulary_curve(trainer).plot(), known.plot)
    name, size = printable(str(known.output or known.save_pretrained)), tokenizer.get_vocab_size()
    note = _other_size(known, options, size)
    return f"{name}: {known.model}, {size} token{'s' if size > 1 else ''}{note}\n"


def _check_extended(tokenizer: Any, known: argparse.Namespace) -> None:
    """Raise ValueError if the tokenizer to go on from is of another model than --model."""
    from tokenizers_impl.pipelines import PIPELINES

    fitting = [name for name in _MODELS if isinstance(tokenizer.model, type(PIPELINES[name]()[0].model))]
    if known.model not in fitting:
        remedy = f"give --model {' or '.join(fitting)}" if fitting else f"choose a file of {', '.join(_MODELS)}"
        kind = type(tokenizer.model).__name__
        raise ValueError(f"--extend {known.extend} has the model {kind}, not one of --model {known.model}: {remedy}")


def _other_size(known: argparse.Namespace, options: Mapping[str, Any], size: int) -> str:
    """What to say if the vocabulary is smaller or larger than was asked for; options: those of the trainer."""
    asked = options.get("vocab_size", size)
    if size == asked:
        return ""
    if size > asked:
        kept = "characters and special tokens"
        if known.extend:
            kept = f"the tokens of {printable(str(known.extend))} and the characters of the texts"
        return f" ({asked} asked: {kept} are always kept)"
    if "num_merges" in options:
        return f" ({asked} asked: num-merges, or a lack of pairs, ended the training)"
    steps = "pieces" if known.model == "unigram" else "pairs that may be merged"
    return f" ({asked} asked: the texts have no more {steps})"


def _check_outputs(known: argparse.Namespace) -> None:
    """Raise ValueError if there is nothing to write, or it cannot be written."""
    if known.output is None and known.save_pretrained is None:
        raise ValueError("nothing to write: give -o FILE, or --save-pretrained DIR")
    if known.role and known.save_pretrained is None:
        raise ValueError("--role belongs to --save-pretrained: give a folder, or leave it out")
    if "" in (known.special_token or ()):
        raise ValueError("--special-token '': give the text of a token")
    if known.output == STANDARD_INPUT:
        raise ValueError("-o - is no file: name the tokenizer.json to write")
    if known.output is not None:
        check_output(known.output, known.files)
    if known.save_pretrained is not None and known.save_pretrained.is_file():
        raise ValueError(f"--save-pretrained {known.save_pretrained} is a file: name a folder")


def _roles(words: Sequence[str]) -> dict[str, Any]:
    """The tokens by their roles; ValueError for an unknown role."""
    from tokenizers_impl._file import ROLES

    roles = dict(_named(word, "--role") for word in words)
    if unknown := sorted(roles.keys() - set(ROLES)):
        raise ValueError(f"--role {unknown[0]}: choose one of {', '.join(ROLES)}")
    return roles


def _model_name(name: str) -> str:
    """Check the name of a model and return it; argparse's error suggests the nearest name."""
    if name not in _MODELS:
        said = f"unknown model {name!r}{did_you_mean(name, _MODELS)} Choose one of {', '.join(_MODELS)}"
        raise argparse.ArgumentTypeError(said)
    return name


def _train(tokenizer: Any, trainer: Any, known: argparse.Namespace, files: Files) -> None:
    """Train the tokenizer; ValueError if the files have no words, which the library only warns of."""
    # Imported here, because only this command and tokenize need the tokenizers.
    from tokenizers_impl._encoding.training import EmptyCorpusWarning

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", EmptyCorpusWarning)
            if all(files.kind(path) == "lines" and is_plain(path) for path in known.files):
                # The trainer reads these files itself, in parts.
                tokenizer.train([str(path) for path in known.files], trainer)
            else:
                tokenizer.train_from_iterator(_texts(known, files), trainer)
    except EmptyCorpusWarning as error:
        names = ", ".join(map(shown_name, known.files))
        raise ValueError(f"{names}: there are no words to train on: give files with text") from error
    except ValueError as error:
        raise ValueError(command_words(str(error), ["vocab_size", "min_frequency"])) from error


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
        name, text = _named(word, "--option")
        if name in _INSTEAD:
            raise ValueError(f"--option {_dashed(name)}: {_INSTEAD[name]} in its place")
        if name in options:
            raise ValueError(f"{_dashed(name)} is given twice, one time by --option: leave one of them out")
        options[name] = value(text)
    if known.extend:
        options["extend"] = True
    return {**options, "show_progress": not known.quiet}


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _named(word: str, option: str) -> tuple[str, str]:
    """The name and the value of a word NAME=VALUE."""
    name, equals, text = word.partition("=")
    if not equals:
        raise ValueError(f"{option} {word}: write it as NAME=VALUE")
    return name.replace("-", "_"), text
