"""Word error rate: the least number of edits between predictions and references, by dynamic programming."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import evaluate
import numpy as np

from ._added_rows import AddedRows
from ._affixes import without_common_affixes
from ._alignment import Alignment, count_errors, draw
from ._code_digest import CODE_DIGEST
from ._column_scores import ColumnScores
from ._corpus_metric import CorpusMetric, metric_info
from ._counted_score import Result
from ._edit_distance import edit_counts, edit_operations
from ._edit_operations import Operation
from ._edit_script import edit_script
from ._executors import ordered_results
from ._file_stamp import file_stamp
from ._hosted_metric import HostedMetric
from ._inputs import References, check_predictions, check_references
from ._installed_class import installed_class
from ._lanes import lane_blocks
from ._marks import Mark
from ._numbering import number_words
from ._options import Options, callable_name, check_integer
from ._paired_tests import PAIRED_TESTS
from ._picture import Picture
from ._picture_blocks import Columns
from ._progress import with_bar
from ._resampling import FloatArray
from ._row_columns import ROW_COLUMNS
from ._row_scorer import RowScorer
from ._segments import IntArray, Segments
from ._transforms import pipeline
from ._units import split_units
from ._version import __version__
from ._weighted_edit_distance import Costs, weighted_edit_counts, weighted_edit_operations
from ._wer_options import WerOptions
from ._wer_picture import alignment_picture
from ._words import Units

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

_STATISTICS = ("hits", "substitutions", "deletions", "insertions", "wrong_rows", "normalizer")


class WerDp(CorpusMetric):
    """Word error rate as an evaluate.Metric."""

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


_RATE_NAMES = {"word": "wer", "char": "cer"}
_SEPARATORS = {"word": " ", "char": ""}


def _best_counts(segments: Segments, reference_counts: IntArray, options: WerOptions) -> tuple[IntArray, IntArray]:
    """Hits, substitutions, deletions, insertions of each row, shape (n, 4), with the number of the reference taken.

    It is the reference with the lowest rate, of equals the first.
    """
    n = len(reference_counts)
    predictions, references = segments.split(n)
    paired = predictions.repeat(reference_counts)
    if options.weighted:
        counts = weighted_edit_counts(references, paired, Costs(*options.costs))
    else:
        counts = edit_counts(references, paired)
    rates = _rates(_errors(counts), _normalizer(counts, options.normalize_by))
    row = np.repeat(np.arange(n), reference_counts)
    order = np.lexsort((np.arange(len(row)), rates, row))
    best = order[np.cumsum(reference_counts) - reference_counts]
    return counts[best], best


def _errors(counts: IntArray) -> IntArray:
    """Substitutions, deletions and insertions together, shape (n,)."""
    errors: IntArray = counts[:, 1:4].sum(axis=1)
    return errors


def _normalizer(counts: IntArray, normalize_by: str) -> IntArray:
    """What the errors of each row are divided by, shape (n,)."""
    reference, prediction = counts[:, [0, 1, 2]].sum(axis=1), counts[:, [0, 1, 3]].sum(axis=1)
    lengths: dict[str, IntArray] = {
        "reference": reference,
        "prediction": prediction,
        "max": np.maximum(reference, prediction),
        "sum": reference + prediction,
    }
    return lengths[normalize_by]


def _rates(errors: IntArray, normalizers: IntArray) -> FloatArray:
    """`_rate` of many, shape (n,)."""
    return np.where(normalizers > 0, errors / np.maximum(normalizers, 1), errors)


def _rate(errors: float, normalizer: int) -> float:
    """Silence: where there is nothing to divide by, the number of errors itself, as jiwer 4 has it."""
    return errors / normalizer if normalizer else float(errors)


def _information_preserved(hits: int, reference_length: int, prediction_length: int) -> float:
    """WIP of Morris et al. (2004); 1 if both sides are empty, 0 if one is, as jiwer 4 has it."""
    if reference_length == 0 and prediction_length == 0:
        return 1.0
    if reference_length == 0 or prediction_length == 0:
        return 0.0
    return (hits / reference_length) * (hits / prediction_length)


def _weighted(substitutions: int, deletions: int, insertions: int, normalizer: int, options: WerOptions) -> Result:
    if not options.weighted:
        return {}
    costs = Costs(*options.costs)
    cost = costs.substitution * substitutions + costs.deletion * deletions + costs.insertion * insertions
    return {"weighted_error_rate": _rate(cost, normalizer)}


def _align(
    segments: Segments, words: list[list[str]], prediction: int, reference: int, options: WerOptions
) -> Alignment:
    ids = segments.row(reference), segments.row(prediction)
    if options.weighted:
        operations = weighted_edit_operations(*ids, Costs(*options.costs))
    else:
        operations = edit_operations(*ids)
    return Alignment(words[reference], words[prediction], operations)


def _transforms_name(transforms: Any) -> str:
    if transforms is None:
        return "default"
    steps = transforms if isinstance(transforms, (list, tuple)) else [transforms]
    return "+".join(callable_name(step) if callable(step) else str(step) for step in steps) or "none"


def _summary(result: Result, n_rows: int, unit: str) -> str:
    counts = " ".join(f"{kind}={result[kind]}" for kind in ("substitutions", "deletions", "insertions", "hits"))
    names = ("mer", "wil", "wip", "wer") if unit == "word" else ("cer",)
    rates = "\n".join(f"{name}={result[name] * 100:.2f}%" for name in names)
    return f"=== SUMMARY ===\nnumber of sentences: {n_rows}\n{counts}\n\n{rates}\n"
