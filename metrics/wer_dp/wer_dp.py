"""Word error rate: the least number of edits between predictions and references, by dynamic programming."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import evaluate
import numpy as np

from evenscore.inputs import References, check_predictions, check_references
from evenscore.metric import CorpusMetric, metric_info
from evenscore.options import check_integer
from evenscore.parallel import with_bar
from evenscore.pictures import Picture
from evenscore.scorer import ROW_COLUMNS, Result
from evenscore.significance import FloatArray
from evenscore.text.segments import IntArray
from evenscore.wer.alignment import Alignment, alignment_picture, count_errors, draw
from evenscore.wer.edits import Operation
from evenscore.wer.options import WerOptions
from evenscore.wer.score import (
    _RATE_NAMES,
    _SEPARATORS,
    _STATISTICS,
    _align,
    _best_counts,
    _errors,
    _information_preserved,
    _normalizer,
    _rate,
    _rates,
    _summary,
    _transforms_name,
    _weighted,
)
from evenscore.wer.transforms import split_units

_DESCRIPTION = """
Word error rate: substitutions, deletions and insertions between predictions and references, by reference length; also
the character error rate, match error rate and word information. Counts and rates equal jiwer 4.0, ties included.
"""

_INPUTS_DESCRIPTION = """
Args:
    predictions: one string a row.
    references: one string a row, or a list of strings a row, of which the one with the lowest rate counts.
    unit: "word" (default) or "char".
    normalize_by: what errors are divided by: length of the "reference" (default) or "prediction", "max" or "sum".
    transforms: steps before the comparison; by default jiwer's. "standardize", or a list of names and functions.
    costs: of a substitution, deletion and insertion, (1, 1, 1) by default; (4, 3, 3) as sclite.
    per_example, confidence, n_resamples, seed, scalars_only, keep_rows: as for every metric of evenscore.
Returns:
    wer (or cer), mer, wil, wip, hits, substitutions, deletions, insertions, sentence_error_rate, reference_length,
    prediction_length, signature; weighted_error_rate if the costs differ.
Examples:
    >>> wer = WerDp()
    >>> result = wer.compute(predictions=["the cat sit on mat"], references=["the cat sat on the mat"])
    >>> result["wer"], result["substitutions"], result["deletions"], result["insertions"]
    (0.3333333333333333, 1, 1, 0)
"""

_CITATION = """
@article{levenshtein1966, title={Binary codes capable of correcting deletions, insertions, and reversals},
  author={Levenshtein, Vladimir I.}, journal={Soviet Physics Doklady}, year={1966}}
@inproceedings{morris04_interspeech, title={From {WER} and {RIL} to {MER} and {WIL}}, author={Morris, Andrew Cameron and
  Maier, Viktoria and Green, Phil}, booktitle={Interspeech}, year={2004}}
"""


class WerDp(CorpusMetric):
    """Word error rate as an evaluate.Metric."""

    metric_name = "wer_dp"
    _options_type = WerOptions
    # Words are only told apart, so that nothing is gained by large blocks.
    _block_characters = 1 << 19

    def _info(self) -> evaluate.MetricInfo:
        urls = ["https://github.com/jitsi/jiwer", "https://en.wikipedia.org/wiki/Word_error_rate"]
        return metric_info(_DESCRIPTION, _CITATION, _INPUTS_DESCRIPTION, urls)

    def align(self, predictions: Any, references: Any, **options: Any) -> list[list[Operation]]:
        """The alignment of every row with the reference that counts, as chunks in text order, as jiwer's.

        A chunk is (kind, reference_start, reference_end, prediction_start, prediction_end), its kind one of "equal",
        "substitute", "delete", "insert".

        >>> [operation.kind for operation in WerDp().align(["a c"], ["a b"])[0]]
        ['equal', 'substitute']
        """
        return [alignment.operations for alignment in self._alignments(predictions, references, options)]

    def visualize(
        self,
        predictions: Any,
        references: Any,
        *,
        show_measures: bool = True,
        skip_correct: bool = True,
        line_width: int | None = None,
        **options: Any,
    ) -> str:
        """The alignments as text of three lines a row, as jiwer.visualize_alignment 4.0 prints them.

        >>> print(WerDp().visualize(["a c"], ["a b"], show_measures=False))
        === SENTENCE 1 ===
        <BLANKLINE>
        REF: a b
        HYP: a c
               S
        <BLANKLINE>
        """
        if line_width is not None:
            check_integer("line_width", line_width, least=0)
        alignments = self._alignments(predictions, references, options)
        unit = self._chosen(options).unit
        drawn = draw(alignments, separator=_SEPARATORS[unit], skip_correct=skip_correct, line_width=line_width)
        if not show_measures:
            return drawn[:-1]
        result = self.compute(predictions=predictions, references=references, **options)
        return drawn + _summary(result, len(alignments), unit)

    def picture(self, prediction: str, references: str | Sequence[str], **options: Any) -> Picture:
        """Why one row has its rate: its alignment with the reference that counts.

        >>> print(WerDp().picture("a c", ["a b", "d"]).text(colour=False))
        WER 0.500 by reference 1: hits 1, substitutions 1, deletions 0, insertions 0
        reference  a ~b~
        prediction a ~c~
                     S
        the same   ~substituted~
        """
        result = self._row_result({"predictions": [prediction], "references": [references]}, options)
        ((number, alignment),) = self._aligned([prediction], [references], options)
        name = _RATE_NAMES[self._chosen(options).unit]
        counts = ", ".join(f"{kind} {result[kind]}" for kind in ("hits", "substitutions", "deletions", "insertions"))
        return alignment_picture(f"{name.upper()} {result[name]:.3f} by reference {number + 1}: {counts}", alignment)

    def error_counts(
        self, predictions: Any, references: Any, *, top_k: int | None = None, **options: Any
    ) -> dict[str, list[Any]]:
        """The substitutions, insertions and deletions with their numbers, most frequent first, then first met.

        Neighbouring errors of a kind count as one, as in jiwer.collect_error_counts 4.0.

        >>> WerDp().error_counts(["a c"], ["a b"])["substitutions"]
        [(('b', 'c'), 1)]
        """
        if top_k is not None:
            check_integer("top_k", top_k, least=0)
        alignments = self._alignments(predictions, references, options)
        counts = count_errors(alignments, separator=_SEPARATORS[self._chosen(options).unit])
        return {kind: counter.most_common(top_k) for kind, counter in counts.items()}

    def _alignments(self, predictions: Any, references: Any, options: Mapping[str, Any]) -> list[Alignment]:
        return [alignment for _, alignment in self._aligned(predictions, references, options)]

    def _aligned(self, predictions: Any, references: Any, options: Mapping[str, Any]) -> list[tuple[int, Alignment]]:
        """Of every row the number of the reference that counts, with the alignment."""
        chosen = self._chosen(options)
        texts = check_predictions(predictions)
        checked = check_references(references, len(texts))
        units = split_units(texts + checked.texts, chosen.unit, chosen.transforms)
        _, best = _best_counts(units.segments, checked.counts, chosen)
        starts, words = np.cumsum(checked.counts) - checked.counts, units.rows()
        aligned = (
            (int(k - start), _align(units.segments, words, i, len(texts) + int(k), chosen))
            for i, (k, start) in enumerate(zip(best, starts, strict=True))
        )
        return [*with_bar(aligned, "Align rows", " rows", lambda _: 1, len(texts))]

    def _count(self, predictions: list[str], references: References, options: WerOptions) -> IntArray:
        units = split_units(predictions + references.texts, options.unit, options.transforms)
        counts, _ = _best_counts(units.segments, references.counts, options)
        return np.column_stack((counts, _errors(counts) > 0, _normalizer(counts, options.normalize_by)))

    def _statistic_names(self, options: WerOptions) -> Sequence[str]:
        return _STATISTICS

    def _score(self, total: IntArray, options: WerOptions) -> Result:
        hits, substitutions, deletions, insertions, wrong_rows, normalizer = total[len(ROW_COLUMNS) :].tolist()
        errors = substitutions + deletions + insertions
        reference_length, prediction_length = hits + substitutions + deletions, hits + substitutions + insertions
        preserved = _information_preserved(hits, reference_length, prediction_length)
        return {
            _RATE_NAMES[options.unit]: _rate(errors, normalizer),
            "mer": errors / (hits + errors) if hits + errors else 0.0,
            "wil": 1 - preserved,
            "wip": preserved,
            **_weighted(substitutions, deletions, insertions, normalizer, options),
            "hits": hits,
            "substitutions": substitutions,
            "deletions": deletions,
            "insertions": insertions,
            "sentence_error_rate": wrong_rows / int(total[0]) if total[0] else 0.0,
            "reference_length": reference_length,
            "prediction_length": prediction_length,
        }

    def _headlines(self, options: WerOptions) -> Sequence[str]:
        return (_RATE_NAMES[options.unit],)

    def _headline_scores(self, totals: IntArray, options: WerOptions, resampled: bool) -> FloatArray:
        own = totals[:, len(ROW_COLUMNS) :]
        return _rates(_errors(own), own[:, _STATISTICS.index("normalizer")])[:, None]

    def _signature_fields(self, options: WerOptions) -> Mapping[str, Any]:
        return {
            "unit": options.unit,
            "norm": options.normalize_by,
            "transforms": _transforms_name(options.transforms),
            "costs": "/".join(map(str, options.costs)),
        }
