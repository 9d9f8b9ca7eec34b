"""ROUGE with several references: what it counts, what it makes of the sum, and the picture of a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np

from evenscore.exact import LIMBS, from_limbs, mean_of_limbs, to_limbs
from evenscore.inputs import References, check_references
from evenscore.parallel import with_bar
from evenscore.pictures import MATCH, MISS, Block, Line, Mark, Picture
from evenscore.rouge.lcs import Summaries, lcs_lengths, lcs_positions, union_lcs_hits
from evenscore.rouge.options import RougeOptions, rouge_types
from evenscore.rouge.references import Pairs, Scores, row_scores
from evenscore.rouge.tokens import split_sentences, tokenize, tokenizer_name, warn_of_nothing_left
from evenscore.scorer import ROW_COLUMNS, Result, Scorer
from evenscore.significance import FloatArray
from evenscore.text.ngrams import clipped_matches
from evenscore.text.segments import IntArray, Segments
from evenscore.text.words import Units

# What stands for a row: precision, recall and F, as limbs.
_PARTS = ("precision", "recall", "f")


class Rouge(Scorer[RougeOptions]):
    """ROUGE with several references under some options."""

    name = "rouge_l_multi"
    declaration = RougeOptions

    @property
    def types(self) -> tuple[str, ...]:
        """The kinds of ROUGE, each once, in the order given."""
        return rouge_types(self.options["rouge_types"])

    # --- what is counted

    def count(self, predictions: list[str], references: References) -> IntArray:
        """Precision, recall and F of every row as exact integers, for each type."""
        pairs = compare(predictions, references, self.options)
        multi, beta = self.options["multi_reference"], self.options["beta"]
        scores = [row_scores(pairs[name], multi, beta) for name in self.types]
        limbs = to_limbs(np.stack([np.stack(row) for row in scores]).transpose(2, 0, 1))
        return limbs.reshape(len(predictions), len(self.own_statistic_names()))

    def own_statistic_names(self) -> Sequence[str]:
        return [f"{name}_{part}_{k}" for name in self.types for part in _PARTS for k in range(LIMBS)]

    def cuts_text_by_text(self) -> bool:
        return callable(self.options["tokenizer"])

    def warn(self, predictions: list[str], references: References) -> None:
        if self.options["tokenizer"] == "rouge_score":
            rows = np.arange(len(predictions))
            row_of_text = np.concatenate((rows, np.repeat(rows, references.counts)))
            warn_of_nothing_left(predictions + references.texts, row_of_text.tolist())

    def counting(self) -> tuple[Any, ...]:
        """The types by their names, in whichever form they were given."""
        return (*super().counting(), self.types)

    # --- what is made of the sum

    def score(self, total: IntArray) -> Result:
        """The mean over rows of F, precision and recall of every type, each rounded once."""
        result: Result = {}
        for name, limbs in zip(self.types, _by_type(total), strict=True):
            precision, recall, f = (mean_of_limbs(part, int(total[0])) for part in limbs)
            result.update({name: f, f"{name}_precision": precision, f"{name}_recall": recall})
        return result

    def headlines(self) -> Sequence[str]:
        return self.types

    def row_scores(self, rows: IntArray) -> FloatArray:
        return from_limbs(_by_type(rows))[:, :, _PARTS.index("f")]

    def refuse_rows(self) -> None:
        if self.options["aggregate"] != "mean":
            raise ValueError(
                f"aggregate must be 'mean' here, not {self.options['aggregate']!r}: sums have no rows any more"
            )

    def drawn(self) -> dict[str, Any]:
        drawn = super().drawn()
        return {"bs": self.options["n_resamples"], **drawn} if self.options["aggregate"] == "bootstrap" else drawn

    def finish(self, result: Result, rows: IntArray) -> Result:
        """The result with what other aggregates than the mean make of the rows."""
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
        options = self.options
        return {
            "tok": tokenizer_name(options["tokenizer"]),
            "stem": "yes" if options["stemmer"] else "no",
            "multi": options["multi_reference"],
            "beta": options["beta"],
            "sent": options["sentences"],
            "agg": options["aggregate"],
        }

    # --- why a row has its score

    def picture(self, prediction: str, references: str | Sequence[str]) -> Picture:
        """The longest common subsequence with every reference, each read as one sentence."""
        row = {"predictions": [prediction], "references": [references]}
        result = self.under({"aggregate": "mean"}).row_result(row)
        texts = check_references([references], 1).texts
        tokens = tokenize([prediction, *texts], self.options["tokenizer"], self.options["stemmer"])
        scores = self._each_reference(prediction, texts)
        labels = [f"reference {k}, rougeL {score:.3f}" for k, score in enumerate(scores.f.tolist(), 1)]
        deciding = {"best": scores.f, "best_recall": scores.recall}.get(self.options["multi_reference"])
        if deciding is not None and "rougeL" in self.types:
            labels[int(deciding.argmax())] += ", counts"
        return lcs_picture(", ".join(f"{name} {result[name]:.3f}" for name in self.types), tokens, labels)

    def _each_reference(self, prediction: str, references: list[str]) -> Scores:
        """ROUGE-L with each reference alone, shape (len(references),)."""
        alone = References(references, np.ones(len(references), dtype=np.int64))
        options = cast(RougeOptions, {**self.options, "rouge_types": ("rougeL",)})
        pairs = compare([prediction] * len(references), alone, options)
        return row_scores(pairs["rougeL"], "best", self.options["beta"])


def _by_type(statistics: IntArray) -> IntArray:
    """Shape (..., columns) to (..., types, parts, LIMBS)."""
    return statistics[..., len(ROW_COLUMNS) :].reshape(*statistics.shape[:-1], -1, len(_PARTS), LIMBS)


def _bootstrap_mid(values: FloatArray, n_resamples: int, seed: int) -> list[list[float]]:
    """Medians of resampled means, shape (types, parts), of values of shape (rows, types, parts).

    Source: rouge_score 0.1.2, scoring.BootstrapAggregator, with its draws after np.random.seed(seed): a type after the
    other from one stream.
    """
    rng = np.random.RandomState(seed)
    n = len(values)
    medians = []
    for matrix in np.ascontiguousarray(values.transpose(1, 0, 2)):
        trials = with_bar(range(n_resamples), "Resample", " resamples", lambda _: 1, n_resamples)
        means = np.stack([np.mean(matrix[rng.choice(n, size=n)], axis=0) for _ in trials])
        medians.append(np.percentile(means, 50, axis=0).tolist())
    return medians


# --- what predictions have in common with their references


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


# --- pictures


def lcs_picture(title: str, tokens: Units, labels: list[str]) -> Picture:
    """The prediction against every reference, with the tokens of their longest common subsequence marked in both.

    tokens: of the prediction, then of the references.
    labels: what stands before each reference.

    Of several such subsequences it is the one that rouge_score 0.1.2 reads out (rouge_scorer._backtrack_norec).
    """
    prediction = tokens.segments.row(0).tolist()
    blocks: list[Block] = []
    for k, label in enumerate(labels, 1):
        of_reference, of_prediction = lcs_positions(tokens.segments.row(k).tolist(), prediction)
        blocks.append(Line("prediction", _marks(tokens.row(0), of_prediction)))
        blocks.append(Line(label, _marks(tokens.row(k), of_reference)))
    return Picture(title, blocks, [MATCH, MISS])


def _marks(tokens: list[str], matched: IntArray) -> list[Mark]:
    inside = set(matched.tolist())
    return [Mark(token, MATCH if i in inside else MISS) for i, token in enumerate(tokens)]
