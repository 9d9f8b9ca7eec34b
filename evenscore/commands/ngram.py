"""`evenscore ngram`: trains n-gram models, writes them as ARPA files, and scores texts with such files."""

from __future__ import annotations

import argparse
import itertools
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evenscore.commands.arguments import check_output, printable, refuse_others, scorer_type, value
from evenscore.commands.results import ROWS_SUFFIXES, check_rows_file, csv_text, write_rows
from evenscore.commands.tables import aligned
from evenscore.commands.texts import TEXTS, Column, Files, add_column, add_input_format, shown_name, text_column
from evenscore.commands.wording import reworded, worded
from evenscore.options import declared
from evenscore.parallel import without_bars
from evenscore.perplexity.options import PerplexityOptions
from evenscore.pictures import visible

HELP = "train n-gram models, score texts with them"
DESCRIPTION = "Train n-gram models, write them as ARPA files, and score texts with such files."
EPILOG = """
`evenscore ngram train --help` and `evenscore ngram score --help` explain both.
"""
_TRAIN_DESCRIPTION = """
Train an n-gram model with interpolated modified Kneser-Ney smoothing, as lmplz
of KenLM does, and write it as an ARPA file.
"""
_TRAIN_EPILOG = """
Without --discount, three discounts are estimated for each order.  Texts that
are too short for that get 0.5, 1 and 1.5, with a warning, as from lmplz
--discount_fallback.  ARPA files hold no white space, so a model of characters
needs texts without any.

examples:
  evenscore ngram train corpus.txt --order 5 --output lm.arpa
  zcat *.gz | evenscore ngram train - --output lm.arpa.gz
"""
_SCORE_DESCRIPTION = """
Score texts with the n-gram model of an ARPA file: the figures of KenLM's query.
"""
_SCORE_EPILOG = """
perplexity counts unknown words, perplexity_without_unknown leaves them out.
log10_prob is the logarithm of the probability of all texts.

`evenscore score --metric perplexity --source lm.arpa` also gives intervals,
groups and contexts.

examples:
  evenscore ngram score lm.arpa texts.txt --rows rows.csv
  echo "the cat sat" | evenscore ngram score lm.arpa - --tokens
"""
_UNITS = ("words", "characters")
_USUAL = {name: option.default for name, option in declared(PerplexityOptions)["options"].items()}
# The scores that are printed, of all that the metric gives.
_FIGURES = ("perplexity", "perplexity_without_unknown", "log10_prob", "tokens", "unknown_tokens")
# How the library names one of several texts, from 0, and how `worded` does, from 1.
_TEXT = re.compile(r"(?:^training |(?<= of ))text (?P<index>\d+)|^row (?P<number>\d+) of predictions")


def add_arguments(ngram: argparse.ArgumentParser) -> None:
    actions = ngram.add_subparsers(required=True, metavar="{train,score}", dest="action")
    for name, action in _ACTIONS.items():
        parser = actions.add_parser(
            name,
            help=action.help,
            description=action.description,
            epilog=action.epilog,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        action.add_arguments(parser)


def run(known: argparse.Namespace, others: Sequence[str]) -> str:
    refuse_others(others, f"ngram {known.action}")
    return _ACTIONS[known.action].run(known)


# --- texts


def _add_texts(parser: argparse.ArgumentParser) -> None:
    units = f"what n-grams consist of: {' or '.join(_UNITS)} (default: {_USUAL['ngram_unit']})"
    parser.add_argument("--unit", default=_USUAL["ngram_unit"], choices=_UNITS, metavar="UNIT", help=units)
    add_column(parser, TEXTS)
    add_input_format(parser)
    read = "texts in UTF-8: one per line, or tables; - is standard input"
    parser.add_argument("files", nargs="+", type=Path, metavar="TEXT", help=read)


def _columns(known: argparse.Namespace) -> list[Column]:
    """The texts of every file."""
    files = Files(known.input_format)
    return [text_column(files.read(path), TEXTS, known.text_column) for path in known.files]


def _texts(columns: Sequence[Column]) -> list[str]:
    return [text for column in columns for text in column.rows]


def _names(known: argparse.Namespace) -> str:
    return ", ".join(map(shown_name, known.files))


@contextmanager
def _placed(columns: Sequence[Column]) -> Iterator[None]:
    """Name the file and the line, or row, of a text that an error or a warning is about, and this command's options."""

    def own(message: str) -> str:
        named = _TEXT.sub(lambda found: _place(columns, found), message, count=1)
        if named.endswith("not an ARPA file"):
            named += ": give the model first, then the texts"
        return re.sub(r"--ngram-(?=unit|order)", "--", named)

    with reworded(own), worded(scorer_type("perplexity")):
        yield


def _place(columns: Sequence[Column], found: re.Match[str]) -> str:
    text = int(found["index"] or int(found["number"]) - 1)
    for column in columns:
        if text < len(column.rows):
            return f"{column.name}, {column.unit.removesuffix('s')} {text + 1}"
        text -= len(column.rows)
    raise IndexError(text)


# --- training


def _add_train_arguments(train: argparse.ArgumentParser) -> None:
    order = _USUAL["ngram_order"]
    train.add_argument("--order", default=order, type=int, metavar="N", help=f"longest n-grams (default: {order})")
    taken = (
        "a number above 0 and below 1; or three, for n-grams seen once, twice and more often, above 0 and at most 1, "
        "2 and 3, such as 0.5,1,1.5"
    )
    train.add_argument("--discount", type=_discount, metavar="D", help=taken)
    packed = "the ARPA file to write; packed if it ends in .gz, .bz2 or .xz"
    train.add_argument("-o", "--output", required=True, type=Path, metavar="FILE", help=packed)
    train.add_argument("--json", action="store_true", help="print the counts and discounts as JSON, with all digits")
    train.add_argument("--quiet", action="store_true", help="no progress bars")
    _add_texts(train)


def _discount(word: str) -> float | list[float]:
    """One number, or a list of three; the library checks their range."""
    try:
        numbers = [float(part) for part in re.split(r"[\s,]+", word.strip())]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 3):
        raise argparse.ArgumentTypeError(f"{word!r}: give one number, or three, such as 0.5,1,1.5")
    return numbers if len(numbers) == 3 else numbers[0]


def _train(known: argparse.Namespace) -> str:
    # Imported here, so that other commands start without it.
    from evenscore.perplexity.ngram.arpa import write_arpa
    from evenscore.perplexity.ngram.source import NgramSource

    if known.order < 1:
        raise ValueError(f"--order {known.order}: give 1 or more")
    check_output(known.output, known.files)
    columns = _columns(known)
    texts = _texts(columns)
    if not any(text.strip(" \t\n\v\f\r") for text in texts):
        raise ValueError(f"{_names(known)}: there are no words to train on: give files with text")
    bars = without_bars() if known.quiet else nullcontext()
    with bars, _placed(columns):
        source = NgramSource.trained(texts, known.order, known.unit, known.discount)
        write_arpa(source.model, known.output)
    shown = _train_json if known.json else _train_text
    return shown(known, source, len(texts))


def _train_json(known: argparse.Namespace, source: Any, n_texts: int) -> str:
    result = {
        "output": printable(str(known.output)),
        "model": source.name,
        "texts": n_texts,
        "ngrams": [len(level.keys) for level in source.model.levels],
        "discounts": source.discounts,
        "fallback_orders": source.fallback_orders,
    }
    return f"{json.dumps(result, ensure_ascii=False, indent=1)}\n"


def _train_text(known: argparse.Namespace, source: Any, n_texts: int) -> str:
    """A line about the model, then a table with a line for each order."""
    rows = [("order", "n-grams", "D1", "D2", "D3+", "")]
    sizes = [len(level.keys) for level in source.model.levels]
    # No text is long enough for the orders after these.
    filled = len(sizes) - sizes.count(0)
    for n, (size, discounts) in enumerate(zip(sizes[:filled], source.discounts, strict=False), 1):
        note = "fallback" if n in source.fallback_orders else ""
        one, two, more = (f"{discount:.4f}" for discount in discounts)
        rows.append((str(n), str(size), one, two, more, note))
    if filled < len(sizes):
        orders = f"{filled + 1}" if filled + 1 == len(sizes) else f"{filled + 1} to {len(sizes)}"
        rows.append((orders, "0", "", "", "", "no text is long enough"))
    name, texts = printable(str(known.output)), f"{n_texts} text{'s' * (n_texts != 1)}"
    return "\n".join([f"{name}: {known.order}-grams of {known.unit}, {texts}", "", *aligned(rows), ""])


# --- scoring


# The names of what is said of a text, and of a token.
_OF_TEXT = ("log10_prob", "tokens", "unknown_tokens", "perplexity")
_OF_TOKEN = ("token", "log10_prob", "ngram_length", "unknown")


class _Scored(NamedTuple):
    """What a model says of texts.

    result: the metric's, with the log10 probability of all texts.
    texts: _OF_TEXT for each text.
    tokens: _OF_TOKEN for each token of each text; empty if they are not asked for.
    """

    result: dict[str, Any]
    texts: list[tuple[float, int, int, float]]
    tokens: list[list[tuple[str, float, int, bool]]]


def _add_score_arguments(score: argparse.ArgumentParser) -> None:
    score.add_argument("model", type=Path, metavar="MODEL", help="the ARPA file, packed or not")
    score.add_argument("--tokens", action="store_true", help="also print every text and every token")
    forms = score.add_mutually_exclusive_group()
    shown = "text: tables (default); csv: the scores, or with --tokens the tokens, with all digits; json: everything"
    forms.add_argument("--format", default="text", choices=_FORMATS, help=shown)
    forms.add_argument("--json", dest="format", action="store_const", const="json", help="the same as --format json")
    every = f"also write the scores of every text ({' or '.join(ROWS_SUFFIXES)}), counted from 1"
    score.add_argument("--rows", type=Path, metavar="FILE", help=every)
    start = "False: no <s> before each text (default: bos)"
    score.add_argument("--start-token", default=_USUAL["start_token"], type=value, metavar="VALUE", help=start)
    end = "False: no </s> after each text (default: True)"
    score.add_argument("--end-token", default=_USUAL["end_token"], type=value, metavar="VALUE", help=end)
    _add_texts(score)


def _score(known: argparse.Namespace) -> str:
    _check_model(known.model)
    if known.rows is not None:
        check_rows_file(known.rows, [known.model, *known.files])
    columns = _columns(known)
    if not any(column.rows for column in columns):
        raise ValueError(f"{_names(known)}: there are no texts to score: give files with text")
    scored = _scored(known, columns)
    text = _FORMATS[known.format](scored, known.tokens)
    if known.rows is not None:
        write_rows(known.rows, dict(zip(_OF_TEXT, zip(*scored.texts, strict=True), strict=True)))
    return text


def _check_model(path: Path) -> None:
    """Raise ValueError or OSError if the file of the model cannot be read; called before any work."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder: name an ARPA file")
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is not an ordinary file: write the model to a file first")
    path.open("rb").close()


def _scored(known: argparse.Namespace, columns: Sequence[Column]) -> _Scored:
    # Imported here, so that other commands start without it.
    from evenscore.perplexity.statistics import statistics
    from evenscore.perplexity.tokens import token_scores

    texts, kind = _texts(columns), scorer_type("perplexity")
    with _placed(columns):
        # A path, because the word "ngram" means a model that is trained.
        scorer: Any = kind(
            source=known.model, ngram_unit=known.unit, start_token=known.start_token, end_token=known.end_token
        )
        source = scorer.sources.of(scorer.options)
        scores = token_scores({"predictions": texts}, scorer.options, lambda: source).scores
    result = scorer.rows_result(statistics(scores, texts))
    # float32, as KenLM has it: the product with ln 10, which is float64, rounds back to it.
    log10 = (scores.log_probs / math.log(10)).astype(np.float32).tolist()
    result["log10_prob"] = math.fsum(log10)
    of_texts = _of_texts(scores, log10, result.pop("perplexities"))
    names = source.tokens(texts, None) if known.tokens else None
    return _Scored(result, of_texts, [] if names is None else _of_tokens(scores, log10, names))


def _of_texts(scores: Any, log10: list[float], perplexities: list[float]) -> list[tuple[float, int, int, float]]:
    unknown_before = np.concatenate(([0], np.cumsum(scores.unknown)))[scores.offsets]
    counts = (np.diff(scores.offsets).tolist(), np.diff(unknown_before).tolist())
    sums = [math.fsum(log10[part]) for part in _parts(scores)]
    return list(zip(sums, *counts, perplexities, strict=True))


def _of_tokens(scores: Any, log10: list[float], tokens: list[list[Any]]) -> list[list[tuple[str, float, int, bool]]]:
    names = [token.text for row in tokens for token in row]
    every = list(zip(names, log10, scores.lengths.tolist(), scores.unknown.tolist(), strict=True))
    return [every[part] for part in _parts(scores)]


def _parts(scores: Any) -> Iterator[slice]:
    """The tokens of each text."""
    return itertools.starmap(slice, itertools.pairwise(scores.offsets.tolist()))


# --- output


def _score_json(scored: _Scored, with_tokens: bool) -> str:
    rows: list[dict[str, Any]] = [dict(zip(_OF_TEXT, row, strict=True)) for row in scored.texts]
    for row, tokens in zip(rows, scored.tokens, strict=with_tokens):
        row["token_scores"] = [dict(zip(_OF_TOKEN, token, strict=True)) for token in tokens]
    return f"{json.dumps({**scored.result, 'rows': rows}, ensure_ascii=False, indent=1)}\n"


def _score_csv(scored: _Scored, with_tokens: bool) -> str:
    """CSV with a line per score, or a line per token, with all digits."""
    if with_tokens:
        return csv_text(("row", *_OF_TOKEN), _numbered(scored.tokens))
    signature = scored.result["signature"]
    return csv_text(("score", "value", "signature"), [(name, scored.result[name], signature) for name in _FIGURES])


def _numbered(tokens: Sequence[Sequence[tuple[str, float, int, bool]]]) -> Iterator[tuple[int, str, float, int, int]]:
    """The tokens of all texts, each after the number of its text."""
    for i, row in enumerate(tokens, 1):
        for token, log10, length, unknown in row:
            yield i, token, log10, length, int(unknown)


def _score_text(scored: _Scored, with_tokens: bool) -> str:
    """A table of the scores, then the signature; with tokens, before it a table of tokens and one of texts."""
    tables: list[list[tuple[str, ...]]] = []
    if with_tokens:
        tokens = _numbered(scored.tokens)
        cells = [
            (str(i), visible(token), _shown(log10), str(n), "yes" * unknown) for i, token, log10, n, unknown in tokens
        ]
        tables.append([("row", *_OF_TOKEN), *cells])
        lines = [(str(i), *map(_shown, row)) for i, row in enumerate(scored.texts, 1)]
        tables.append([("row", *_OF_TEXT), *lines])
    tables.append([("score", "value"), *((name, _shown(scored.result[name])) for name in _FIGURES)])
    blocks = [*("\n".join(aligned(table)) for table in tables), f"perplexity  {scored.result['signature']}"]
    return "\n\n".join(blocks) + "\n"


def _shown(number: float | None) -> str:
    return "none" if number is None else f"{number:.4f}" if isinstance(number, float) else str(number)


class _Action(NamedTuple):
    """What follows `evenscore ngram`: its texts of --help, its arguments, and its work."""

    help: str
    description: str
    epilog: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], str]


_FORMATS: Mapping[str, Callable[[_Scored, bool], str]] = {"text": _score_text, "json": _score_json, "csv": _score_csv}
_ACTIONS: Mapping[str, _Action] = {
    "train": _Action(
        "train a model, write an ARPA file", _TRAIN_DESCRIPTION, _TRAIN_EPILOG, _add_train_arguments, _train
    ),
    "score": _Action("score texts with an ARPA file", _SCORE_DESCRIPTION, _SCORE_EPILOG, _add_score_arguments, _score),
}
