"""Counts and scores corpus BLEU, and draws the picture of a row."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evenscore.bleu.options import INSTEAD, BleuOptions, highest_order, orders, weight_sets
from evenscore.bleu.score import (
    AVERAGE_PARTS,
    all_ratios,
    bleu,
    brevity_penalty,
    can_score_rows,
    precisions,
    ratios_of,
    read,
    reference_length,
    reference_lengths,
    row_percents,
)
from evenscore.bleu.smoothing import SMOOTHINGS, smoothing_value
from evenscore.bleu.tokenizers import AT_ONCE, TOKENIZERS, get_tokenizer, tokens_of_few
from evenscore.inputs import References, are_few, check_references, warn_caller
from evenscore.pictures import MATCH, MISS, ORANGE, Bars, Block, Kind, Line, Mark, Picture, box
from evenscore.scorer import ROW_COLUMNS, Result, Scorer
from evenscore.significance import FloatArray
from evenscore.text.ngrams import clipped_matches, matches_of_row
from evenscore.text.segments import IntArray, both_sides
from evenscore.text.unspaced import are_whole
from evenscore.text.words import Units
from evenscore.totals import Bound

# Up to this many words or characters (see `are_few`), plain Python is faster than arrays. The time of arrays is that of
# 170 to 390 words in seven languages; if characters are tokens, it is that of 200 to 440 characters in three.
_FEW_WORDS, _FEW_TOKENS, _FEW_CHARACTERS = 200, 300, 900
_OF_CHARACTERS = ("char", "zh")
# These tokenizers need spaces between words.
_OF_WORDS = ("13a", "intl", "none")
# sacrebleu warns about tokenized input if this many predictions end in " .".
_TOKENIZED_LINES = 100
_OWN = slice(len(ROW_COLUMNS), None)


class Bleu(Scorer[BleuOptions]):
    """Corpus BLEU with fixed options; `evenscore.bleu.score` has the formula."""

    name = "bleu_corpus"
    declaration = BleuOptions
    instead = INSTEAD
    # The arrays of larger blocks need fresh memory from the system, which takes a fifth of the time or more.
    block_characters = 1 << 18

    # --- counting

    def count(self, predictions: list[str], references: References) -> IntArray:
        """Count both lengths, then matches and n-grams per order; for nltk also the rows without n-grams per order."""
        options = self.options
        # Tokenize both sides in one call, so that equal tokens get equal ids.
        tokens = self.tokens(predictions + references.texts).segments
        left, right, counts = both_sides(tokens, len(predictions), references.counts)
        lengths = left.lengths
        chosen = reference_lengths(lengths, right.lengths, counts, options["reference_length"])
        matches = clipped_matches(left, right, counts, orders(options))
        n_grams = np.maximum(lengths[:, None] - np.arange(orders(options)), 0)
        without = [n_grams == 0] if options["convention"] == "nltk" else []
        return np.concatenate((lengths[:, None], chosen[:, None], matches, n_grams, *without), axis=1)

    def tokens(self, texts: list[str]) -> Units:
        """Return the tokens of texts as they are compared; equal tokens of one call have equal ids."""
        return get_tokenizer(self.options["tokenizer"], self.options["lowercase"]).tokenize(texts)

    def has_few(self, predictions: list[str], references: References) -> bool:
        if self.options["tokenizer"] in _OF_WORDS:
            return are_few(predictions, references, _FEW_WORDS)
        most = _FEW_TOKENS if self.options["tokenizer"] in _OF_CHARACTERS else _FEW_CHARACTERS
        return are_few(predictions, references, most, in_characters=True)

    def count_few(self, predictions: list[str], references: References) -> list[list[int]]:
        options, highest, counted = self.options, orders(self.options), []
        tokens = iter(tokens_of_few(options["tokenizer"], options["lowercase"], predictions + references.texts))
        own = list(itertools.islice(tokens, len(predictions)))
        rows = [list(itertools.islice(tokens, count)) for count in references.counts.tolist()]
        for prediction, others in zip(own, rows, strict=True):
            lengths = len(prediction), reference_length(prediction, others, options["reference_length"])
            n_grams = [max(len(prediction) - n, 0) for n in range(highest)]
            without = [not n for n in n_grams] if options["convention"] == "nltk" else []
            counted.append([*lengths, *matches_of_row(prediction, others, highest), *n_grams, *without])
        return counted

    def own_statistic_names(self) -> Sequence[str]:
        without = ["rows_without_n_grams"] if self.options["convention"] == "nltk" else []
        ns = range(1, orders(self.options) + 1)
        numbered = [f"{name}_{n}" for name in ["matches", "n_grams", *without] for n in ns]
        return ["prediction_length", "reference_length", *numbered]

    def bounds(self, counts: Mapping[str, int]) -> Iterator[Bound]:
        rows, highest = counts["rows"], orders(self.options)
        n_grams = [counts[f"n_grams_{n}"] for n in range(1, highest + 1)]
        yield Bound("prediction_length", n_grams[0], n_grams[0], ("n_grams_1",))
        yield Bound("n_grams_1", 0, None)
        for n, (before, own) in enumerate(itertools.pairwise([n_grams[0] + rows, *n_grams]), 1):
            # A row with n-grams has one n+1-gram less. Each order has as many such rows as the order below, or fewer.
            if n < highest:
                known = ("rows", *(f"n_grams_{k}" for k in (n - 1, n) if k))
                yield Bound(f"n_grams_{n + 1}", max(0, 2 * own - before), max(own - 1, 0), known)
            yield Bound(f"matches_{n}", 0, own, (f"n_grams_{n}",))
        yield Bound("reference_length", 0, None)
        if counts["references"] == rows:
            yield from self._bounds_of_single_references(counts)
        if self.options["convention"] == "nltk":
            yield from _bounds_of_rows_without(rows, n_grams)

    def _bounds_of_single_references(self, counts: Mapping[str, int]) -> Iterator[Bound]:
        """Yield the bounds where no row has several references, which could have other n-grams than words."""
        parts = AVERAGE_PARTS if self.options["reference_length"] == "average" else 1
        yield Bound("matches_1", 0, counts["reference_length"] // parts, ("reference_length",))
        for n in range(1, orders(self.options)):
            yield Bound(f"matches_{n + 1}", 0, counts[f"matches_{n}"], (f"matches_{n}",))

    def counting(self) -> tuple[Any, ...]:
        """Add the highest order to count, which follows from max_order, weights and smoothing."""
        return (*super().counting(), orders(self.options))

    def cuts_text_by_text(self) -> bool:
        return self.options["tokenizer"] not in AT_ONCE

    def warn(self, predictions: list[str], references: References) -> None:
        """Warn if texts have no spaces between words, or, as sacrebleu does, if predictions look tokenized."""
        tokenizer = self.options["tokenizer"]
        if tokenizer in _OF_WORDS and are_whole(predictions + references.texts, str.split, at_spaces=True):
            warn_caller(
                f"texts are in a script without spaces, and tokenizer={tokenizer!r} does not split their words: set "
                "tokenizer='zh' for Chinese, 'ja-mecab' for Japanese, 'char', or a function that splits words"
            )
        if not self.options["force"] and sum(text.endswith(" .") for text in predictions) >= _TOKENIZED_LINES:
            warn_caller(
                f'{_TOKENIZED_LINES} or more predictions end in " ." and look tokenized, but BLEU tokenizes them '
                f"again: give detokenized text, or set force=True if it is detokenized"
            )

    def files(self) -> Sequence[Any]:
        tokenizer = self.options["tokenizer"]
        return (tokenizer,) if isinstance(tokenizer, (str, Path)) and tokenizer not in TOKENIZERS else ()

    # --- scoring

    def score(self, total: list[int]) -> Result:
        """Return BLEU and its components."""
        options = self.options
        sums, best = read(total[_OWN], options), highest_order(options)
        ratios, penalty = all_ratios(sums, options), brevity_penalty(sums, options)
        cumulative = [bleu(sums, ratios[n - 1], n, None, options) for n in range(1, best + 1)]
        by_weights = [bleu(sums, ratios[-1], best, weights, options) for weights in weight_sets(options["weights"])]
        score = by_weights[0] if by_weights else cumulative[-1]
        shares = precisions(ratios[-1], best)
        return {
            "score": score.percent,
            "bleu": score.fraction,
            "precisions": shares,
            "counts": list(sums.matches[:best]),
            "totals": list(sums.totals[:best]),
            "brevity_penalty": penalty,
            "length_ratio": sums.prediction_length / sums.reference_length if sums.reference_length else 0.0,
            "translation_length": sums.prediction_length,
            "reference_length": sums.reference_length,
            "bleu_cumulative": [score.fraction for score in cumulative],
            "bleu_individual": [penalty * share for share in shares],
            **({"bleu_by_weights": [score.fraction for score in by_weights]} if by_weights else {}),
        }

    def headlines(self) -> Sequence[str]:
        return ("score",)

    def headline_scores(self, totals: IntArray, resampled: bool) -> FloatArray:
        return self._percents(totals, self.options, resampled)

    def row_scores(self, rows: IntArray) -> FloatArray:
        """Return the BLEU of single rows with effective_order, as sacrebleu's sentence_bleu does."""
        if can_score_rows(self.options):
            return row_percents(rows[:, _OWN], self.options)[:, None]
        # effective_order does not affect the counts, so the rows need no other scorer.
        return self._percents(rows, {**self.options, "effective_order": True}, resampled=False)

    def _percents(self, totals: IntArray, options: BleuOptions, resampled: bool) -> FloatArray:
        has_sacrebleu = options["weights"] is None and options["reference_length"] == "closest"
        has_sacrebleu &= options["smoothing"] in ("exp", "floor", "add-k", "none")
        # sacrebleu resamples and divides float32 counts; doing the same gives its intervals to the last bit.
        single = resampled and has_sacrebleu and options["convention"] == "sacrebleu"
        weights, best = next(iter(weight_sets(options["weights"])), None), highest_order(options)

        def score(row: list[Any]) -> float:
            sums = read(row, options)
            return bleu(sums, ratios_of(sums, best, options), best, weights, options).percent

        # Convert one row at a time: keeping the objects of all rows alive would double the time by garbage collections.
        own = totals[:, _OWN]
        rows = map(list, own.astype(np.float32)) if single else map(np.ndarray.tolist, own)
        return np.fromiter(map(score, rows), np.float64, len(totals))[:, None]

    def signature_fields(self) -> Mapping[str, Any]:
        """Return sacrebleu's fields, then those for options that sacrebleu lacks."""
        options = self.options
        smoothing, value = options["smoothing"], smoothing_value(options["smoothing"], options["smoothing_value"])
        return {
            "case": "lc" if options["lowercase"] else "mixed",
            "eff": "yes" if options["effective_order"] else "no",
            "tok": get_tokenizer(options["tokenizer"], options["lowercase"]).signature,
            "smooth": f"{smoothing}[{value:.2f}]" if SMOOTHINGS[smoothing][1] else smoothing,
            **_unusual(options),
        }

    # --- picture

    def picture(self, prediction: str, references: str | Sequence[str]) -> Picture:
        """Show precisions and brevity penalty as bars, and the n-grams of each order in text order."""
        result = self.row_result({"predictions": [prediction], "references": [references]})
        texts = [prediction, *check_references([references], 1).texts]
        tokens = self.tokens(texts)
        names = tokens.row(0)
        own, *others = [tokens.segments.row(k).tolist() for k in range(len(texts))]
        blocks: list[Block] = [_bars(result), Line("prediction", list(map(Mark, names)))]
        for order in range(1, len(result["counts"]) + 1):
            kinds = n_gram_kinds(own, others, order)
            marks = [Mark(" ".join(names[i : i + order]), KINDS[kind]) for i, kind in enumerate(kinds)]
            blocks.append(Line(f"{order}-grams", marks, separator="  "))
        title = f"BLEU {result['score_per_example'][0]:.2f}, of this row alone"
        return Picture(title, blocks, [*KINDS.values()])


def _bounds_of_rows_without(rows: int, n_grams: Sequence[int]) -> Iterator[Bound]:
    """Yield the bounds of the rows without n-grams; n_grams: those of each order."""
    without = 0
    for n, (own, longer) in enumerate(itertools.pairwise(n_grams), 1):
        # The other rows have one n+1-gram less.
        without = rows - own + longer
        yield Bound(f"rows_without_n_grams_{n}", without, without, ("rows", f"n_grams_{n}", f"n_grams_{n + 1}"))
    n, last = len(n_grams), n_grams[-1]
    known = ("rows", *(f"n_grams_{k}" for k in (n - 1, n) if k))
    yield Bound(f"rows_without_n_grams_{n}", max(without, rows - last), rows - min(last, 1), known)


def _unusual(options: BleuOptions) -> Mapping[str, Any]:
    """Return the fields that sacrebleu's signature lacks, where the options differ from sacrebleu."""
    fields = {
        "order": (highest_order(options), 4),
        "weights": ("+".join("/".join(map(str, weights)) for weights in weight_sets(options["weights"])), ""),
        "reflen": (options["reference_length"], "closest"),
        "convention": (options["convention"], "sacrebleu"),
    }
    return {name: value for name, (value, usual) in fields.items() if value != usual}


# --- pictures

CLIPPED = Kind("clipped", "clipped", "mark", box(ORANGE, "underline dashed"), "30;43", "(", ")")
KINDS = {kind.name: kind for kind in (MATCH, CLIPPED, MISS)}

NGram = tuple[int, ...]


def _bars(result: Mapping[str, Any]) -> Bars:
    shares = [
        (f"{n}-grams", count / total if total else 0.0, f"{count} of {total}")
        for n, (count, total) in enumerate(zip(result["counts"], result["totals"], strict=True), 1)
    ]
    lengths = f"{result['translation_length']} tokens, reference {result['reference_length']}"
    penalty = float(result["brevity_penalty"])
    return Bars([*shares, ("brevity penalty", penalty, f"{penalty:.3f} ({lengths})")])


def n_gram_kinds(prediction: Sequence[int], references: Sequence[Sequence[int]], order: int) -> list[str]:
    """Classify each n-gram as "match", "clipped" or "miss".

    The first occurrences of an n-gram match, those beyond the count of any one reference are clipped (Papineni et al.
    2002, section 2.1.1).

    >>> n_gram_kinds([7, 7, 8], [[7, 9]], 1)
    ['match', 'clipped', 'miss']
    """
    highest: Counter[NGram] = Counter()
    for reference in references:
        highest |= Counter(_n_grams(reference, order))
    seen: Counter[NGram] = Counter()
    kinds = []
    for n_gram in _n_grams(prediction, order):
        seen[n_gram] += 1
        most = highest[n_gram]
        kinds.append("match" if seen[n_gram] <= most else "clipped" if most else "miss")
    return kinds


def _n_grams(tokens: Sequence[int], order: int) -> Iterable[NGram]:
    return (tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))
