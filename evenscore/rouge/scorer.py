"""Counts and scores ROUGE with several references, and draws the picture of a row."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from evenscore.exact import LARGEST_LIMBS, LIMBS, MOST_SUMMANDS, from_limbs, limbs_of, mean_of_limbs, scaled, to_limbs
from evenscore.inputs import References, are_few, check_references, warn_caller
from evenscore.parallel import with_bar
from evenscore.pictures import MATCH, MISS, Block, Line, Mark, Picture
from evenscore.rouge.lcs import Summaries, lcs_length, lcs_lengths, lcs_positions, union_lcs_hits
from evenscore.rouge.options import INSTEAD, RougeOptions, rouge_types
from evenscore.rouge.references import Pairs, pair_score, row_scores
from evenscore.rouge.tokens import (
    is_east_asian,
    split_sentences,
    tokenize,
    tokenizer_name,
    tokens_of_few,
    warn_of_other_scripts,
)
from evenscore.scorer import ROW_COLUMNS, Result, Scorer
from evenscore.significance import FloatArray
from evenscore.text.ngrams import clipped_matches, matches_of_row
from evenscore.text.segments import IntArray, Segments, both_sides
from evenscore.text.unspaced import are_whole
from evenscore.text.words import Units
from evenscore.totals import Bound

# Up to this many words (see `are_few`), plain Python is faster than arrays, and each text counts as so many words more:
# measured in seven languages, without stems. A character of Chinese or Japanese takes the unicode tokenizer as long as
# a word of others.
_FEW_WORDS, _TEXT_WORDS = {"rouge_score": 2600, "unicode": 1150, "whitespace": 3000}, 16
# The statistics of a row for each type, as limbs.
_PARTS = ("precision", "recall", "f")


class Rouge(Scorer[RougeOptions]):
    """ROUGE with several references and fixed options."""

    name = "rouge_l_multi"
    declaration = RougeOptions
    instead = INSTEAD

    @functools.cached_property
    def types(self) -> tuple[str, ...]:
        """The ROUGE types without duplicates, in the order given."""
        return rouge_types(self.options["rouge_types"])

    # --- counting

    def count(self, predictions: list[str], references: References) -> IntArray:
        """Return precision, recall and F of each row and type as exact integers."""
        multi, beta = self.options["multi_reference"], self.options["beta"]
        columns: dict[str, IntArray] = {}
        for names, pairs in compare(predictions, references, self.options).items():
            limbs = to_limbs(np.stack(row_scores(pairs, multi, beta), axis=1))
            for name in names:
                columns[name] = limbs.reshape(len(predictions), len(_PARTS) * LIMBS)
        return np.concatenate([columns[name] for name in self.types], axis=1)

    def tokens(self, texts: list[str]) -> Units:
        """Return the tokens of texts as they are compared; equal tokens of one call have equal ids."""
        return tokenize(texts, self.options["tokenizer"], self.options["stemmer"])

    def has_few(self, predictions: list[str], references: References) -> bool:
        options, tokenizer = self.options, self.options["tokenizer"]
        most = _FEW_WORDS["rouge_score" if callable(tokenizer) else tokenizer]
        few = functools.partial(are_few, predictions, references, most, text_words=_TEXT_WORDS)
        if not few():
            return False
        has_rule = options["multi_reference"] == "best" or len(references.texts) == len(references.counts)
        texts = predictions + references.texts
        if tokenizer == "unicode" and not few(in_characters=True) and is_east_asian("".join(texts)):
            return False
        has_sentences = "rougeLsum" in self.types and (
            not _are_single_sentences(texts, options) or _may_have_empty_tokens(texts, options)
        )
        return has_rule and options["beta"] != "P/R" and not has_sentences

    def count_few(self, predictions: list[str], references: References) -> list[list[int]]:
        options, counts = self.options, references.counts.tolist()
        tokens = tokens_of_few(predictions + references.texts, options["tokenizer"], options["stemmer"])
        # Repeat each prediction once per reference.
        said = [own for own, n in zip(tokens, counts, strict=False) for _ in range(n)]
        orders, beta = [int(name[-1]) if name[-1].isdigit() else 0 for name in self.types], float(options["beta"])
        scores = [_pair_of_few(*pair, orders, beta) for pair in zip(said, tokens[len(counts) :], strict=True)]
        if len(scores) > len(counts):
            left = iter(scores)
            rows = [zip(*itertools.islice(left, n), strict=True) for n in counts]
            # The first reference with the highest F.
            scores = [[max(own, key=operator.itemgetter(2)) for own in row] for row in rows]
        return [[limb for own in row for value in own for limb in limbs_of(value)] for row in scores]

    def own_statistic_names(self) -> Sequence[str]:
        return [f"{name}_{part}_{k}" for name in self.types for part in _PARTS for k in range(LIMBS)]

    def bounds(self, counts: Mapping[str, int]) -> Iterator[Bound]:
        yield Bound("rows", 1, MOST_SUMMANDS)
        for kind in self.types:
            yield from _bounds_of_type({part: [f"{kind}_{part}_{k}" for k in range(LIMBS)] for part in _PARTS}, counts)

    def cuts_text_by_text(self) -> bool:
        return callable(self.options["tokenizer"])

    def warn(self, predictions: list[str], references: References) -> None:
        texts, tokenizer = predictions + references.texts, self.options["tokenizer"]
        if tokenizer == "rouge_score":
            warn_of_other_scripts(texts)
        elif tokenizer == "whitespace" and are_whole(texts, str.split, at_spaces=True):
            warn_caller(
                "texts are in a script without spaces and count as one word each: set tokenizer='unicode' to compare "
                "Chinese and Japanese characters, or give a function that splits words"
            )

    def counting(self) -> tuple[Any, ...]:
        """Add the types, which the option accepts in several forms."""
        return (*super().counting(), self.types)

    # --- scoring

    def score(self, total: list[int]) -> Result:
        """Return F, precision and recall of each type, averaged over rows and rounded once."""
        result: Result = {}
        limbs = zip(*[iter(total[len(ROW_COLUMNS) :])] * LIMBS, strict=True)
        for name in self.types:
            precision, recall, f = (mean_of_limbs(next(limbs), total[0]) for _ in _PARTS)
            result.update({name: f, f"{name}_precision": precision, f"{name}_recall": recall})
        return result

    def headlines(self) -> Sequence[str]:
        return self.types

    def row_scores(self, rows: IntArray) -> FloatArray:
        return from_limbs(_by_type(rows)[:, :, _PARTS.index("f")])

    def needs_rows(self) -> bool:
        return super().needs_rows() or self.options["aggregate"] != "mean"

    def refuse_rows(self) -> None:
        if self.options["aggregate"] != "mean":
            raise ValueError(
                f"aggregate={self.options['aggregate']!r} needs rows, and a sum has none: set aggregate='mean'"
            )

    def drawn(self) -> dict[str, Any]:
        drawn = super().drawn()
        return {"bs": self.options["n_resamples"], **drawn} if self.options["aggregate"] == "bootstrap" else drawn

    def finish(self, result: Result, rows: IntArray) -> Result:
        """Replace the means by another aggregate of the rows, if the option asks for one."""
        options = self.options
        if options["aggregate"] == "mean":
            return result
        values = from_limbs(_by_type(rows))
        if options["aggregate"] == "none":
            columns = values.transpose(1, 2, 0).tolist()
        else:
            columns = _bootstrap_mid(values, options["n_resamples"], options["seed"])
        for name, (precision, recall, f) in zip(self.types, columns, strict=True):
            result.update({name: f, f"{name}_precision": precision, f"{name}_recall": recall})
        return result

    def signature_fields(self) -> Mapping[str, Any]:
        options, stemmer = self.options, self.options["stemmer"]
        return {
            "tok": tokenizer_name(options["tokenizer"]),
            "stem": stemmer if isinstance(stemmer, str) else "yes" if stemmer else "no",
            "multi": options["multi_reference"],
            "beta": options["beta"],
            "sent": options["sentences"],
            "agg": options["aggregate"],
        }

    # --- picture

    def picture(self, prediction: str, references: str | Sequence[str]) -> Picture:
        """Show the longest common subsequence with each reference, treating each text as one sentence."""
        row = {"predictions": [prediction], "references": [references]}
        result = self.under({"aggregate": "mean"}).row_result(row)
        texts = check_references([references], 1).texts
        tokens = self.tokens([prediction, *texts])
        of_prediction, *of_references = [tokens.segments.row(k).tolist() for k in range(len(texts) + 1)]
        # Ties between subsequences are broken as in rouge_score 0.1.2 (_backtrack_norec).
        common = [lcs_positions(of_reference, of_prediction) for of_reference in of_references]
        hits, lengths = np.array([len(places) for places, _ in common]), tokens.segments.lengths
        # Score each reference as the only one of a row.
        pairs = Pairs(hits, lengths[:1].repeat(len(texts)), lengths[1:], np.ones_like(hits))
        scores = row_scores(pairs, "best", self.options["beta"])
        labels = [f"reference {k}, rougeL {score:.3f}" for k, score in enumerate(scores.f.tolist(), 1)]
        deciding = {"best": scores.f, "best_recall": scores.recall}.get(self.options["multi_reference"])
        if deciding is not None and "rougeL" in self.types:
            labels[int(deciding.argmax())] += ", counts"
        blocks: list[Block] = []
        for k, (label, (in_reference, in_prediction)) in enumerate(zip(labels, common, strict=True), 1):
            blocks.append(Line("prediction", _marks(tokens.row(0), in_prediction)))
            blocks.append(Line(label, _marks(tokens.row(k), in_reference)))
        title = ", ".join(f"{name} {result[name]:.3f}" for name in self.types)
        return Picture(title, blocks, [MATCH, MISS])


def _marks(tokens: list[str], matched: IntArray) -> list[Mark]:
    inside = set(matched.tolist())
    return [Mark(token, MATCH if i in inside else MISS) for i, token in enumerate(tokens)]


def _by_type(statistics: IntArray) -> IntArray:
    """Reshape statistics from (..., columns) to (..., types, parts, LIMBS)."""
    own = statistics[..., len(ROW_COLUMNS) :]
    # Not -1 for the types: there may be no rows.
    return own.reshape(*own.shape[:-1], own.shape[-1] // (len(_PARTS) * LIMBS), len(_PARTS), LIMBS)


def _bounds_of_type(names: Mapping[str, Sequence[str]], counts: Mapping[str, int]) -> Iterator[Bound]:
    """Yield the bounds of the limbs of a type; names: those of the limbs, by part."""
    rows = counts["rows"]
    for own in names.values():
        for name, largest in zip(own, LARGEST_LIMBS, strict=True):
            yield Bound(name, 0, rows * largest, ("rows",))
    values = {part: scaled([counts[name] for name in own]) for part, own in names.items()}
    ones, first = scaled([0] * LIMBS, rows), [own[0] for own in names.values()]
    for part, own in names.items():
        # A row without hits has no precision, recall and F. F lies between the other two.
        most = 0 if 0 in values.values() else ones
        if part == "f":
            most = min(most, values["precision"] + values["recall"])
        rest = scaled([0, *(counts[name] for name in own[1:])])
        yield Bound(own[0], 0, (most - rest) // scaled([1, *[0] * (LIMBS - 1)]), ("rows", *own[1:], *first))


def _bootstrap_mid(values: FloatArray, n_resamples: int, seed: int) -> list[list[float]]:
    """Return the medians of resampled means, shape (types, parts), from values of shape (rows, types, parts).

    Source: rouge_score 0.1.2, scoring.BootstrapAggregator, with the same draws as after np.random.seed(seed): one
    stream for all types in turn.
    """
    rng = np.random.RandomState(seed)
    n = len(values)
    medians = []
    for matrix in np.ascontiguousarray(values.transpose(1, 0, 2)):
        trials = with_bar(range(n_resamples), "Resample", " resamples", lambda _: 1, n_resamples)
        means = np.stack([np.mean(matrix[rng.choice(n, size=n)], axis=0) for _ in trials])
        medians.append(np.percentile(means, 50, axis=0).tolist())
    return medians


# --- hits of predictions and references


def _pair_of_few(
    prediction: list[Any], reference: list[Any], orders: Sequence[int], beta: float
) -> list[tuple[float, float, float]]:
    """Return precision, recall and F of n-grams of each order, or of the LCS for order 0, for one pair."""
    matches = matches_of_row(prediction, [reference], max(orders))
    # By order.
    hits = [lcs_length(prediction, reference) if 0 in orders else 0, *matches]
    scores = [
        pair_score(hit, len(prediction) - less, len(reference) - less, beta)
        for hit, less in zip(hits, (0, *range(len(matches))), strict=True)
    ]
    return [scores[order] for order in orders]


def _are_single_sentences(texts: list[str], options: RougeOptions) -> bool:
    """Whether each text is one sentence, so that rougeLsum equals rougeL."""
    return options["sentences"] == "newline" and "\n" not in "".join(texts)


def _may_have_empty_tokens(texts: list[str], options: RougeOptions) -> bool:
    """Whether an empty text, which has no sentence, may have tokens."""
    return callable(options["tokenizer"]) and "" in texts


def compare(predictions: list[str], references: References, options: RougeOptions) -> dict[tuple[str, ...], Pairs]:
    """Return the hits and lengths of each prediction with each of its references, by the types that share them."""
    n, types = len(predictions), rouge_types(options["rouge_types"])
    texts = predictions + references.texts
    tokens = tokenize(texts, options["tokenizer"], options["stemmer"]).segments
    predictions_alone, right, counts = both_sides(tokens, n, references.counts)
    # Repeat each prediction once per reference.
    left = predictions_alone.repeat(counts)
    pairs: dict[tuple[str, ...], Pairs] = {}
    orders = [int(name[-1]) for name in types if name[-1].isdigit()]
    if orders:
        matches = clipped_matches(left, right, np.ones_like(right.lengths), max(orders))
    for order in orders:
        left_n_grams, right_n_grams = (np.maximum(side.lengths - order + 1, 0) for side in (left, right))
        pairs[(f"rouge{order}",)] = Pairs(matches[:, order - 1], left_n_grams, right_n_grams, counts)
    has_sum = "rougeLsum" in types
    one_line = has_sum and _are_single_sentences(texts, options)
    if one_line and _may_have_empty_tokens(texts, options):
        one_line = not any(length for text, length in zip(texts, tokens.lengths.tolist(), strict=True) if text == "")
    of_texts = tuple(name for name in types if name == "rougeL" or (name == "rougeLsum" and one_line))
    if of_texts:
        pairs[of_texts] = Pairs(lcs_lengths(right, left), left.lengths, right.lengths, counts)
    if has_sum and not one_line:
        summaries = _summaries(texts, options)
        left_side = _take(summaries, np.repeat(np.arange(n), counts))
        right_side = _take(summaries, np.tile(np.arange(n, len(texts)), n // max(len(references.counts), 1)))
        hits = union_lcs_hits(right_side, left_side)
        pairs[("rougeLsum",)] = Pairs(hits, left_side.texts.lengths, right_side.texts.lengths, counts)
    return pairs


def _summaries(texts: list[str], options: RougeOptions) -> Summaries:
    """Split each text into sentences and tokenize them."""
    if options["sentences"] == "newline":
        sentences = [list(filter(None, text.split("\n"))) for text in texts]
    else:
        sentences = list(map(split_sentences, texts))
    offsets = np.cumsum([0, *map(len, sentences)])
    flat = [sentence for row in sentences for sentence in row]
    return Summaries(tokenize(flat, options["tokenizer"], options["stemmer"]).segments, offsets)


def _take(summaries: Summaries, rows: IntArray) -> Summaries:
    n_sentences = int(summaries.offsets[-1])
    chosen = Segments(np.arange(n_sentences), summaries.offsets).take(rows)
    return Summaries(summaries.sentences.take(chosen.ids), chosen.offsets)
