"""Corpus BLEU: clipped n-gram precision with a brevity penalty, the score that sacrebleu prints."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import evaluate
import numpy as np

from evenscore.bleu.kernel import reference_lengths
from evenscore.bleu.options import BleuOptions
from evenscore.bleu.picture import n_gram_picture
from evenscore.bleu.score import (
    _bleu,
    _brevity_penalty,
    _length_ratio,
    _precisions,
    _ratios,
    _ratios_of,
    _read,
    _unusual,
    can_score_rows,
    row_percents,
)
from evenscore.bleu.smoothing import SMOOTHINGS
from evenscore.bleu.tokenizers import AT_ONCE, get_tokenizer
from evenscore.inputs import References, check_references
from evenscore.metric import CorpusMetric, metric_info
from evenscore.pictures import Picture
from evenscore.scorer import ROW_COLUMNS, Result
from evenscore.significance import FloatArray
from evenscore.text.ngrams import clipped_matches
from evenscore.text.segments import IntArray

_DESCRIPTION = """
BLEU of a corpus (Papineni et al. 2002): how many n-grams of the predictions stand in their references, times a penalty
for predictions that are too short. Scores and counts equal sacrebleu 2.6.0 bit for bit; no network is needed.
"""

_INPUTS_DESCRIPTION = """
Args:
    predictions: one string a row.
    references: one string a row, or a list of strings a row.
    tokenizer: "13a" (default), "intl", "char", "zh", "none", "ja-mecab", "ko-mecab", a function from a text to its
        tokens, or the path of a SentencePiece .model or a tokenizer.json.
    lowercase: compare without case.
    max_order: the longest n-grams, 4 by default.
    weights: one weight an order, or several such lists; the same weight for all by default.
    smoothing: "exp" (default), "floor", "add-k", "none", "add-one" (evaluate's), "nltk0" .. "nltk7".
    smoothing_value: what the smoothing method takes.
    effective_order: leave out orders of which the predictions hold no n-gram.
    reference_length: "closest" (default; the shorter of two as close), "shortest" or "average".
    convention: "sacrebleu" (default), "evaluate", "nltk" or "paper": sets all of the above.
    force: do not warn of predictions that look tokenized.
    per_example, confidence, n_resamples, seed, scalars_only, keep_rows: as for every metric of evenscore.
Returns:
    score (0 to 100), bleu (0 to 1), counts, totals, precisions, brevity_penalty, length_ratio, translation_length,
    reference_length, bleu_cumulative and bleu_individual (one an order), signature.
Examples:
    >>> bleu = BleuCorpus()
    >>> result = bleu.compute(predictions=["the cat sat on the mat"], references=[["the cat sat on a mat"]])
    >>> round(result["score"], 2), result["counts"]
    (53.73, [5, 3, 2, 1])
"""

_CITATION = """
@inproceedings{papineni-etal-2002-bleu, title={{B}leu: a Method for Automatic Evaluation of Machine Translation},
  author={Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing}, booktitle={ACL}, year={2002}}
@inproceedings{post-2018-call, title={A Call for Clarity in Reporting {BLEU} Scores}, author={Post, Matt},
  booktitle={WMT}, year={2018}}
"""

# As many predictions must end in " ." before sacrebleu takes them for tokenized.
_TOKENIZED_LINES = 100


class BleuCorpus(CorpusMetric):
    """Corpus BLEU as an evaluate.Metric."""

    metric_name = "bleu_corpus"
    _options_type = BleuOptions

    def _info(self) -> evaluate.MetricInfo:
        urls = ["https://aclanthology.org/P02-1040", "https://aclanthology.org/W18-6319"]
        return metric_info(_DESCRIPTION, _CITATION, _INPUTS_DESCRIPTION, urls)

    def picture(self, prediction: str, references: str | Sequence[str], **options: Any) -> Picture:
        """Why one row has its score: its n-grams, those that match and those that do not.

        >>> print(BleuCorpus().picture("the the cat", ["the cat sat"], max_order=1).text(colour=False))
        BLEU 66.67, of this row alone
        1-grams         =============....... 2 of 3
        brevity penalty ==================== 1.000 (3 tokens, reference 3)
        prediction the the cat
        1-grams *the*  (the)  *cat*
        *matched*   (clipped)
        """
        result = self._row_result({"predictions": [prediction], "references": [references]}, options)
        chosen, checked = self._chosen(options), check_references([references], 1)
        tokens = get_tokenizer(chosen.tokenizer, chosen.lowercase).tokenize([prediction, *checked.texts])
        return n_gram_picture(f"BLEU {result['score_per_example'][0]:.2f}, of this row alone", tokens, result)

    def _warn(self, predictions: list[str], references: References, options: BleuOptions) -> None:
        if not options.force and sum(text.endswith(" .") for text in predictions) >= _TOKENIZED_LINES:
            warnings.warn(
                f'{_TOKENIZED_LINES} predictions or more end in " .": they look tokenized, and BLEU tokenizes them '
                f"once more. Give plain text, or force=True if they are plain",
                stacklevel=5,
            )

    def _cuts_text_by_text(self, options: BleuOptions) -> bool:
        return options.tokenizer not in AT_ONCE

    def _count(self, predictions: list[str], references: References, options: BleuOptions) -> IntArray:
        tokenizer = get_tokenizer(options.tokenizer, options.lowercase)
        # One vocabulary for both sides, so that equal tokens have equal ids.
        tokens, reference_tokens = tokenizer.tokenize(predictions + references.texts).segments.split(len(predictions))
        lengths = tokens.lengths
        reference_length = reference_lengths(
            lengths, reference_tokens.lengths, references.counts, options.reference_length
        )
        matches = clipped_matches(tokens, reference_tokens, references.counts, options.orders)
        n_grams = np.maximum(lengths[:, None] - np.arange(options.orders), 0)
        without = [n_grams == 0] if options.convention == "nltk" else []
        return np.concatenate((lengths[:, None], reference_length[:, None], matches, n_grams, *without), axis=1)

    def _statistic_names(self, options: BleuOptions) -> Sequence[str]:
        names = ["matches", "n_grams", *(["rows_without_n_grams"] if options.convention == "nltk" else [])]
        numbered = [f"{name}_{n}" for name in names for n in range(1, options.orders + 1)]
        return ["prediction_length", "reference_length", *numbered]

    def _score(self, total: IntArray, options: BleuOptions) -> Result:
        sums = _read(total.tolist(), options.orders, options)
        best = options.highest_order
        ratios = _ratios(sums, options)
        precisions = _precisions(ratios[-1], best)
        penalty = _brevity_penalty(sums, options)
        cumulative = [_bleu(sums, ratios[n - 1], n, None, options) for n in range(1, best + 1)]
        by_weights = [_bleu(sums, ratios[-1], best, weights, options) for weights in options.weight_sets]
        score = by_weights[0] if by_weights else cumulative[-1]
        return {
            "score": score.percent,
            "bleu": score.fraction,
            "precisions": precisions,
            "counts": list(sums.counts.matches[:best]),
            "totals": list(sums.counts.totals[:best]),
            "brevity_penalty": penalty,
            "length_ratio": _length_ratio(sums),
            "translation_length": sums.counts.prediction_length,
            "reference_length": sums.reference_length,
            "bleu_cumulative": [score.fraction for score in cumulative],
            "bleu_individual": [penalty * precision for precision in precisions],
            **({"bleu_by_weights": [score.fraction for score in by_weights]} if by_weights else {}),
        }

    def _headlines(self, options: BleuOptions) -> Sequence[str]:
        return ("score",)

    def _headline_scores(self, totals: IntArray, options: BleuOptions, resampled: bool) -> FloatArray:
        # sacrebleu resamples float32 counts, and divides them as such: its intervals are reproduced to the last bit.
        single = resampled and options.as_sacrebleu
        weights = options.weight_sets[0] if options.weights else None
        best, orders = options.highest_order, options.orders

        def score(row: list[Any]) -> float:
            sums = _read(row, orders, options)
            return _bleu(sums, _ratios_of(sums, best, options), best, weights, options).percent

        # A row at a time: objects that stay, a dozen a row, would set off garbage collections that cost as much again.
        rows = map(list, totals.astype(np.float32)) if single else map(np.ndarray.tolist, totals)
        return np.fromiter(map(score, rows), np.float64, len(totals))[:, None]

    def _row_scores(self, rows: IntArray, options: BleuOptions) -> FloatArray:
        if can_score_rows(options):
            return row_percents(rows[:, len(ROW_COLUMNS) :], options)[:, None]
        return self._headline_scores(rows, dataclasses.replace(options, effective_order=True), resampled=False)

    def _signature_fields(self, options: BleuOptions) -> Mapping[str, Any]:
        value = options.smoothing_value
        default = SMOOTHINGS[options.smoothing][1]
        shown = default if value is None else value
        return {
            "case": "lc" if options.lowercase else "mixed",
            "eff": "yes" if options.effective_order else "no",
            "tok": get_tokenizer(options.tokenizer, options.lowercase).signature,
            "smooth": f"{options.smoothing}[{shown:.2f}]" if default else options.smoothing,
            **_unusual(options),
        }
