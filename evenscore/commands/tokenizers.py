"""`evenscore tokenizers`: compares tokenizers on texts."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evenscore.commands.arguments import SEVERAL, distinct_names, refuse_others
from evenscore.commands.results import check_plot_file
from evenscore.commands.tables import aligned
from evenscore.commands.texts import TEXTS, Files, add_column, add_input_format, shown_name, text_column
from evenscore.plots import PLOT_SUFFIXES, write_plot

HELP = "compare tokenizers on texts: lengths, shares, bits per byte"
DESCRIPTION = "Compare tokenizers on the same texts: a table with a row for each measure and a column for each file."
EPILOG = """
bits_per_byte makes vocabularies of different sizes comparable.  An n-gram model of the tokens is trained on texts 1, 3,
5 ..., and predicts texts 2, 4, 6 ...: its bits are divided by their UTF-8 bytes.  Lower is better.  Unknown tokens lose
text, which then costs no bits, so a tokenizer with an unknown_rate above 0 has no bits_per_byte.

examples:
  evenscore tokenizers bpe.json unigram.json --text corpus.txt
  evenscore tokenizers bpe.json unigram.json --text corpus.txt --json
  evenscore tokenizers bpe.json unigram.json --text data.csv --text-column question --plot tokenizers.svg
"""
# The measures that are plotted: those that do not depend on the number of texts, and say something of any tokenizer.
_PLOTTED = ("tokens_per_word", "bytes_per_token", "renyi_efficiency", "bits_per_byte")


def add_arguments(tokenizers: argparse.ArgumentParser) -> None:
    tokenizers.add_argument("files", nargs="+", type=Path, metavar="FILE", help="the tokenizer.json of every tokenizer")
    read = "texts in UTF-8: one per line, or tables; - is standard input"
    tokenizers.add_argument("--text", **SEVERAL, required=True, type=Path, metavar="FILE", help=read)
    add_column(tokenizers, TEXTS)
    add_input_format(tokenizers)
    order = "the longest n-grams of bits_per_byte (default: 5)"
    tokenizers.add_argument("--ngram-order", type=int, default=5, metavar="N", help=order)
    tokenizers.add_argument("--json", action="store_true", help="print all digits as JSON")
    drawn = f"also draw {', '.join(_PLOTTED)}: {', '.join(PLOT_SUFFIXES)}"
    tokenizers.add_argument("--plot", type=Path, metavar="FILE", help=drawn)


def run(known: argparse.Namespace, others: Sequence[str]) -> str:
    # Imported here, because only the commands of tokenizers need them.
    from tokenizers_impl import Tokenizer

    refuse_others(others, "tokenizers")
    if known.plot is not None:
        check_plot_file(known.plot, [*known.files, *known.text])
    if known.ngram_order < 1:
        raise ValueError(f"--ngram-order {known.ngram_order}: give 1 or more")
    tokenizers = [Tokenizer.from_file(str(path)) for path in known.files]
    for tokenizer in tokenizers:
        tokenizer.no_truncation()
        tokenizer.no_padding()
    files = Files(known.input_format)
    texts = [text for path in known.text for text in text_column(files.read(path), TEXTS, known.text_column).rows]
    _check_halves(texts, known.text)
    names = distinct_names(known.files)
    rows = [_measured(tokenizer, texts, known.ngram_order) for tokenizer in tokenizers]
    if known.plot is not None:
        from evenscore.tokenizer_plots import plot_measures

        write_plot(plot_measures(names, {name: [row[name] for row in rows] for name in _PLOTTED}), known.plot)
    if known.json:
        named = [{"tokenizer": name, **row} for name, row in zip(names, rows, strict=True)]
        whole = {"texts": len(texts), "ngram_order": known.ngram_order, "tokenizers": named}
        return f"{json.dumps(whole, ensure_ascii=False, indent=1)}\n"
    return _table(names, rows, known.ngram_order)


def _check_halves(texts: Sequence[str], paths: Sequence[Path]) -> None:
    """Raise ValueError unless both the odd and the even texts have characters."""
    if any(texts[::2]) and any(texts[1::2]):
        return
    names = ", ".join(map(shown_name, paths))
    if not texts:
        raise ValueError(f"{names}: no text: give at least two that are not empty")
    filled = len(texts) - texts.count("")
    place = "odd" if any(texts[::2]) else "even"
    found = ("every text is empty", "only one text is not empty", f"only texts at {place} places are not empty")
    raise ValueError(
        f"{names}: {found[min(filled, 2)]}: give at least one among texts 1, 3, 5 ... and one among texts 2, 4, 6 ..."
    )


def _measured(tokenizer: Any, texts: Sequence[str], order: int) -> dict[str, float | None]:
    """The measures of a tokenizer, the size of its vocabulary, and bits_per_byte; None if it loses text."""
    from evenscore.perplexity.ngram.held_out import held_out_bits
    from tokenizers_impl.measures import measure

    size, measures = tokenizer.get_vocab_size(), measure(tokenizer, texts)
    shown: dict[str, Any] = {"vocabulary": size, **measures}
    if measures["unknown_rate"] > 0 or _drops_characters(tokenizer, texts, measures["tokens"]):
        return {**shown, "bits_per_byte": None}
    ids = [encoding.ids for encoding in tokenizer.encode_batch_fast(texts, add_special_tokens=False)]
    bits = held_out_bits(ids[::2], ids[1::2], size, order)
    return {**shown, "bits_per_byte": bits / sum(len(text.encode()) for text in texts[1::2])}


def _drops_characters(tokenizer: Any, texts: Sequence[str], tokens: int) -> bool:
    """Whether a BPE model without an unknown token drops characters; tokens: what it makes of the texts."""
    model = tokenizer.model
    if type(model).__name__ != "BPE" or model.unk_token is not None or not model.get_vocab():
        return False
    other = type(tokenizer).from_str(tokenizer.to_str())
    # Any token shows where a character would be unknown.
    model = other.model
    model.unk_token = next(iter(model.get_vocab()))
    other.model = model
    return sum(len(encoding.ids) for encoding in other.encode_batch_fast(texts, add_special_tokens=False)) > tokens


def _table(names: Sequence[str], rows: Sequence[Mapping[str, float | None]], order: int) -> str:
    lines = [["measure", *names]]
    lines += [[name, *(_shown(row[name]) for row in rows)] for name in rows[0]]
    notes = [f"bits_per_byte: a {order}-gram model of every other text predicts the others; lower is better"]
    lossy = [name for name, row in zip(names, rows, strict=True) if row["bits_per_byte"] is None]
    if lossy:
        notes.append(f"no bits_per_byte for {', '.join(lossy)}: unknown characters are lost, and then cost no bits")
    return "\n".join([*aligned(lines), "", *notes, ""])


def _shown(value: float | None) -> str:
    return "-" if value is None else str(value) if isinstance(value, int) else f"{value:.4f}"
