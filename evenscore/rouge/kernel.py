"""What predictions have in common with their references: the counts that every ROUGE is made of."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evenscore.inputs import References
from evenscore.rouge.lcs import Summaries, lcs_lengths, union_lcs_hits
from evenscore.rouge.options import RougeOptions, rouge_types
from evenscore.rouge.references import Pairs
from evenscore.rouge.tokens import split_sentences, tokenize
from evenscore.text.ngrams import clipped_matches
from evenscore.text.segments import IntArray, Segments


def compare(predictions: list[str], references: References, options: RougeOptions) -> dict[str, Pairs]:
    """For every type of ROUGE, the hits of each prediction with each of its references, with both lengths."""
    n, types = len(predictions), rouge_types(options["rouge_types"])
    texts = predictions + references.texts
    tokens = tokenize(texts, options["tokenizer"], options["stemmer"]).segments
    predictions_alone, right = tokens.split(n)
    # A prediction stands once beside each of its references.
    left = predictions_alone.repeat(references.counts)
    pairs = {name: Pairs(*counted, references.counts) for name, counted in _n_grams(left, right, options)}
    # The union over one sentence is its own LCS.
    one_line = options["sentences"] == "newline" and not any("\n" in text for text in texts)
    sequence_types = ["rougeL", "rougeLsum"] if one_line else ["rougeL"]
    wanted = [name for name in sequence_types if name in types]
    if wanted:
        lengths = left.lengths, right.lengths
        pairs.update(dict.fromkeys(wanted, Pairs(lcs_lengths(right, left), *lengths, references.counts)))
    if "rougeLsum" in types and not one_line:
        summaries = _summaries(texts, options)
        prediction_of_pair = np.repeat(np.arange(n), references.counts)
        counted = _unions(_take(summaries, prediction_of_pair), _take(summaries, np.arange(n, len(texts))))
        pairs["rougeLsum"] = Pairs(*counted, references.counts)
    return pairs


def _n_grams(
    left: Segments, right: Segments, options: RougeOptions
) -> Iterator[tuple[str, tuple[IntArray, IntArray, IntArray]]]:
    orders = [int(name[-1]) for name in rouge_types(options["rouge_types"]) if name[-1].isdigit()]
    if not orders:
        return
    matches = clipped_matches(left, right, np.ones(len(left.lengths), dtype=np.int64), max(orders))
    for order in orders:
        lengths = [np.maximum(side.lengths - order + 1, 0) for side in (left, right)]
        yield f"rouge{order}", (matches[:, order - 1], lengths[0], lengths[1])


def _unions(left: Summaries, right: Summaries) -> tuple[IntArray, IntArray, IntArray]:
    lengths = [np.diff(side.sentences.offsets[side.offsets]) for side in (left, right)]
    return union_lcs_hits(right, left), lengths[0], lengths[1]


def _summaries(texts: list[str], options: RougeOptions) -> Summaries:
    """Every text as its tokenised sentences."""
    split = _lines if options["sentences"] == "newline" else split_sentences
    sentences = list(map(split, texts))
    offsets = np.cumsum([0, *map(len, sentences)])
    flat = [sentence for row in sentences for sentence in row]
    return Summaries(tokenize(flat, options["tokenizer"], options["stemmer"]).segments, offsets)


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line]


def _take(summaries: Summaries, rows: IntArray) -> Summaries:
    n_sentences = int(summaries.offsets[-1])
    chosen = Segments(np.arange(n_sentences), summaries.offsets).take(rows)
    return Summaries(summaries.sentences.take(chosen.ids), chosen.offsets)
