"""Counts and scores word error rate, and shows alignments."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np

from evenscore.inputs import References, are_few, check_predictions, check_references
from evenscore.options import callable_name
from evenscore.parallel import with_bar
from evenscore.pictures import Picture
from evenscore.scorer import ROW_COLUMNS, Result, Scorer
from evenscore.significance import FloatArray
from evenscore.text.segments import IntArray, Segments, both_sides
from evenscore.text.words import Units
from evenscore.totals import Bound
from evenscore.wer.alignment import Alignment, alignment_picture, count_errors, draw
from evenscore.wer.costs import Costs, WholeCosts, weighted_edit_counts, weighted_edit_operations, whole_costs
from evenscore.wer.edits import edit_counts, edit_operations, string_counts
from evenscore.wer.kernel import add_work, pay_off
from evenscore.wer.options import INSTEAD, WerOptions
from evenscore.wer.plain import fast_edit_counts
from evenscore.wer.readings import Occurrences, best_reading, with_best_readings
from evenscore.wer.synonyms import Pair, read_synonyms, split_synonyms, synonyms_name
from evenscore.wer.transforms import pipeline, split_units, splitter, warn_of_whole_texts

_KINDS = ("hits", "substitutions", "deletions", "insertions")
_STATISTICS = (*_KINDS, "wrong_rows", "normalizer")
_RATE_NAMES = {"word": "wer", "char": "cer", "mixed": "wer"}
_SEPARATORS = {"word": " ", "char": "", "mixed": " "}
# Up to this many words or characters (see `are_few`), plain Python is faster than arrays. The time of arrays is that of
# 4,800 to 6,200 words in seven languages, of 4,000 characters of Japanese and of 29,000 of English.
_FEW_WORDS, _FEW_CHARACTERS = 4800, 12_000
# Once kernels are loaded, lists of strings are faster only up to this many words, or twice as many characters.
_FEW_BESIDE_KERNELS = 240
# What plain Python takes longer than a kernel for each further word, as cells (see `add_work`).
_CELLS_PER_WORD = 200


class Wer(Scorer[WerOptions]):
    """Word or character error rate with fixed options."""

    name = "wer_dp"
    declaration = WerOptions
    instead = INSTEAD

    def prepared(self, given: dict[str, Any]) -> dict[str, Any]:
        """Replace the path of synonyms by the pairs in the file, which other machines may not have."""
        others = {name: value for name, value in given.items() if name != "synonyms"}
        pairs = read_synonyms(given["synonyms"]) if "synonyms" in given else ()
        return {**others, "synonyms": pairs} if pairs else others

    def check(self) -> None:
        unit, transforms = self.options["unit"], self.options["transforms"]
        pipeline(transforms, unit)
        if self._pairs and unit == "char":
            raise ValueError("synonyms= replaces words, and unit='char' compares characters: leave one of them out")
        self._split = splitter(unit, transforms)
        self._synonyms = split_synonyms(self._pairs, self._split)
        self._occurrences = Occurrences(self._synonyms)

    @property
    def _pairs(self) -> tuple[Pair, ...]:
        """The synonyms as texts; empty if there are none."""
        return cast(tuple[Pair, ...], self.options["synonyms"] or ())

    # --- counting

    def count(self, predictions: list[str], references: References) -> IntArray:
        """Count hits and errors of each row against the reference with the lowest rate."""
        said, read, reference_counts = self._sides(predictions, references)
        counts, _ = _best_counts(said.segments, read.segments, reference_counts, self.options)
        return np.column_stack((counts, _errors(counts) > 0, _normalizer(counts, self.options["normalize_by"])))

    def tokens(self, texts: list[str]) -> Units:
        """Return the tokens of texts as they are compared; equal tokens of one call have equal ids."""
        return split_units(texts, self.options["unit"], self.options["transforms"])

    def _sides(self, predictions: list[str], references: References) -> tuple[Units, Units, IntArray]:
        """Return the tokens of predictions, the readings of their references, and the number of these by prediction."""
        texts = predictions + references.texts
        sides = [" ".join(words) for pair in self._synonyms for words in pair]
        units = split_units(texts, self.options["unit"], self.options["transforms"], sides)
        tokens, synonyms = units.segments.split(len(texts))
        said, read, counts = both_sides(tokens, len(predictions), references.counts)
        if sides:
            read = with_best_readings(read, said.repeat(counts), synonyms, whole_costs(Costs(*self.options["costs"])))
        return units._replace(segments=said), units._replace(segments=read), counts

    def is_for_threads(self) -> bool:
        return self.options["transforms"] is None

    def has_few(self, predictions: list[str], references: References) -> bool:
        has_words = self.options["unit"] == "word"
        most = _FEW_WORDS if has_words else _FEW_CHARACTERS
        if _is_weighted(self.options) or not are_few(predictions, references, most, in_characters=not has_words):
            return False
        if not pay_off():
            return True
        texts = predictions + references.texts
        is_char = self.options["unit"] == "char"
        return self._beyond_few(sum(map(len, texts)) if is_char else " ".join(texts).count(" ") + 1) <= 0

    def _beyond_few(self, units: int) -> int:
        """How many words, or pairs of characters, there are beyond those that are few."""
        return (units // 2 if self.options["unit"] == "char" else units) - _FEW_BESIDE_KERNELS

    def count_few(self, predictions: list[str], references: References) -> list[list[int]]:
        divisor, synonyms = _DIVISORS[self.options["normalize_by"]], self._occurrences
        counts = references.counts.tolist()
        said = list(map(self._split, predictions))
        if len(references.texts) > len(said):
            # Repeat each prediction once per reference.
            said = [words for words, n in zip(said, counts, strict=True) for _ in range(n)]
        read: list[Sequence[str]] = list(map(self._split, references.texts))
        add_work(max(0, self._beyond_few(sum(map(len, said + read)))) * _CELLS_PER_WORD, 0)
        if synonyms:
            read = [best_reading(*pair, synonyms, WholeCosts(1, 1, 1)) for pair in zip(read, said, strict=True)]
        pairs = map(fast_edit_counts, read, said, itertools.repeat(string_counts))
        rows = [[h, s, d, i, s + d + i > 0, divisor(h, s, d, i)] for h, s, d, i in pairs]
        if len(rows) == len(counts):
            return rows
        left = iter(rows)
        return [min(itertools.islice(left, n), key=lambda row: _rate(sum(row[1:4]), row[5])) for n in counts]

    def own_statistic_names(self) -> Sequence[str]:
        return _STATISTICS

    def bounds(self, counts: Mapping[str, int]) -> Iterator[Bound]:
        rows, hits, substitutions, deletions, insertions = (counts[name] for name in ("rows", *_KINDS))
        yield from (Bound(name, 0, None) for name in _KINDS)
        # A wrong row has an error.
        errors = substitutions + deletions + insertions
        yield Bound("wrong_rows", min(errors, 1), min(rows, errors), ("rows", *_KINDS[1:]))
        reference, prediction = hits + substitutions + deletions, hits + substitutions + insertions
        least, most = {
            "reference": (reference, reference),
            "prediction": (prediction, prediction),
            "max": (max(reference, prediction), hits + errors),
            "sum": (reference + prediction, reference + prediction),
        }[self.options["normalize_by"]]
        yield Bound("normalizer", least, most, _KINDS)

    def warn(self, predictions: list[str], references: References) -> None:
        if self.options["unit"] == "word":
            warn_of_whole_texts(predictions, references, self.options["transforms"])

    # --- scoring

    def score(self, total: list[int]) -> Result:
        """Return the error rate and jiwer's other measures."""
        hits, substitutions, deletions, insertions, wrong_rows, normalizer = total[len(ROW_COLUMNS) :]
        errors = substitutions + deletions + insertions
        reference_length, prediction_length = hits + substitutions + deletions, hits + substitutions + insertions
        costs = Costs(*self.options["costs"])
        cost = costs.substitution * substitutions + costs.deletion * deletions + costs.insertion * insertions
        preserved = _information_preserved(hits, reference_length, prediction_length)
        return {
            _RATE_NAMES[self.options["unit"]]: _rate(errors, normalizer),
            "mer": errors / (hits + errors) if hits + errors else 0.0,
            "wil": 1 - preserved,
            "wip": preserved,
            **({"weighted_error_rate": _rate(cost, normalizer)} if _is_weighted(self.options) else {}),
            "hits": hits,
            "substitutions": substitutions,
            "deletions": deletions,
            "insertions": insertions,
            "sentence_error_rate": wrong_rows / total[0] if total[0] else 0.0,
            "reference_length": reference_length,
            "prediction_length": prediction_length,
        }

    def headlines(self) -> Sequence[str]:
        return (_RATE_NAMES[self.options["unit"]],)

    def headline_scores(self, totals: IntArray, resampled: bool) -> FloatArray:
        own = totals[:, len(ROW_COLUMNS) :]
        return _rates(_errors(own), own[:, _STATISTICS.index("normalizer")])[:, None]

    def signature_fields(self) -> Mapping[str, Any]:
        return {
            "unit": self.options["unit"],
            "norm": self.options["normalize_by"],
            "transforms": _transforms_name(self.options["transforms"]),
            "costs": "/".join(map(str, self.options["costs"])),
            **({"syn": synonyms_name(self._pairs)} if self._pairs else {}),
        }

    # --- alignments and pictures

    @property
    def separator(self) -> str:
        """What stands between two units of a text."""
        return _SEPARATORS[self.options["unit"]]

    def alignments(self, predictions: Any, references: Any) -> list[Alignment]:
        """Return the alignment of each row with the reference that counts."""
        return [alignment for _, alignment in self._aligned(predictions, references)]

    def drawing(
        self, predictions: Any, references: Any, show_measures: bool, skip_correct: bool, line_width: int | None
    ) -> str:
        """Return the alignments as text, equal to that of jiwer 4.0, visualize_alignment."""
        alignments, unit = self.alignments(predictions, references), self.options["unit"]
        drawn = draw(alignments, separator=self.separator, skip_correct=skip_correct, line_width=line_width)
        if not show_measures:
            return drawn[:-1]
        result = self.compute({"predictions": predictions, "references": references})
        return drawn + _summary(result, len(alignments), unit)

    def error_counts(self, predictions: Any, references: Any, top_k: int | None) -> dict[str, list[Any]]:
        """Return substitutions, insertions and deletions with their counts, most frequent first, ties by position."""
        counts = count_errors(self.alignments(predictions, references), self.separator)
        return {kind: counter.most_common(top_k) for kind, counter in counts.items()}

    def picture(self, prediction: str, references: str | Sequence[str]) -> Picture:
        """Show the alignment of a row with the reference that counts."""
        result = self.row_result({"predictions": [prediction], "references": [references]})
        ((number, alignment),) = self._aligned([prediction], [references])
        name = _RATE_NAMES[self.options["unit"]]
        counts = ", ".join(f"{kind} {result[kind]}" for kind in ("hits", "substitutions", "deletions", "insertions"))
        return alignment_picture(f"{name.upper()} {result[name]:.3f} by reference {number + 1}: {counts}", alignment)

    def _aligned(self, predictions: Any, references: Any) -> list[tuple[int, Alignment]]:
        """Return for each row the index of the reference that counts, and the alignment with it."""
        texts = check_predictions(predictions)
        checked = check_references(references, len(texts))
        said, read, _ = self._sides(texts, checked)
        _, best = _best_counts(said.segments, read.segments, checked.counts, self.options)
        starts, words, others = np.cumsum(checked.counts) - checked.counts, said.rows(), read.rows()

        def align(prediction: int, start: int, reference: int) -> tuple[int, Alignment]:
            ids = read.segments.row(reference), said.segments.row(prediction)
            if _is_weighted(self.options):
                operations = weighted_edit_operations(*ids, Costs(*self.options["costs"]))
            else:
                operations = edit_operations(*ids)
            return reference - start, Alignment(others[reference], words[prediction], operations)

        aligned = map(align, range(len(texts)), starts.tolist(), best.tolist())
        return [*with_bar(aligned, "Align rows", " rows", lambda _: 1, len(texts))]


def _best_counts(
    predictions: Segments, references: Segments, reference_counts: IntArray, options: WerOptions
) -> tuple[IntArray, IntArray]:
    """Return the counts of each prediction, shape (n, 4), and the index of the reference that counts, shape (n,).

    It is the reference with the lowest rate, the first one of a tie.
    """
    paired = predictions.repeat(reference_counts)
    if _is_weighted(options):
        counts = weighted_edit_counts(references, paired, Costs(*options["costs"]))
    else:
        counts = edit_counts(references, paired)
    if len(counts) == len(reference_counts):
        return counts, np.arange(len(counts))
    rates = _rates(_errors(counts), _normalizer(counts, options["normalize_by"]))
    row = np.repeat(np.arange(len(reference_counts)), reference_counts)
    order = np.lexsort((np.arange(len(row)), rates, row))
    best = order[np.cumsum(reference_counts) - reference_counts]
    return counts[best], best


def _is_weighted(options: WerOptions) -> bool:
    """Whether the costs of the three kinds of error differ."""
    return len(set(options["costs"])) > 1


def _errors(counts: IntArray) -> IntArray:
    """Return the sum of substitutions, deletions and insertions, shape (n,)."""
    errors: IntArray = counts[:, 1:4].sum(axis=1)
    return errors


# The divisor of a row's errors, from hits, substitutions, deletions and insertions: integers or arrays.
_DIVISORS: dict[str, Callable[..., Any]] = {
    "reference": lambda hits, substitutions, deletions, insertions: hits + substitutions + deletions,
    "prediction": lambda hits, substitutions, deletions, insertions: hits + substitutions + insertions,
    # Without max or np.maximum, of which each takes only one of integers and arrays.
    "max": lambda h, s, d, i: h + s + (d + i + abs(d - i)) // 2,
    "sum": lambda hits, substitutions, deletions, insertions: 2 * (hits + substitutions) + deletions + insertions,
}


def _normalizer(counts: IntArray, normalize_by: str) -> IntArray:
    """Return the divisor of each row's errors, shape (n,)."""
    divisors: IntArray = _DIVISORS[normalize_by](*counts.T)
    return divisors


def _rates(errors: IntArray, normalizers: IntArray) -> FloatArray:
    """Return `_rate` for arrays, shape (n,)."""
    return np.where(normalizers > 0, errors / np.maximum(normalizers, 1), errors)


def _rate(errors: float, normalizer: int) -> float:
    """Return errors / normalizer, or the number of errors if the normalizer is 0, as jiwer 4.0 does."""
    return errors / normalizer if normalizer else float(errors)


def _information_preserved(hits: int, reference_length: int, prediction_length: int) -> float:
    """Return WIP of Morris et al. (2004): 1 if both sides are empty, 0 if one side is, as in jiwer 4.0."""
    if not (reference_length and prediction_length):
        return float(reference_length == prediction_length)
    return (hits / reference_length) * (hits / prediction_length)


def _transforms_name(transforms: Any) -> str:
    if transforms is None:
        return "default"
    steps = transforms if isinstance(transforms, (list, tuple)) else [transforms]
    return "+".join(callable_name(step) if callable(step) else str(step) for step in steps) or "none"


def _summary(result: Result, n_rows: int, unit: str) -> str:
    counts = " ".join(f"{kind}={result[kind]}" for kind in ("substitutions", "deletions", "insertions", "hits"))
    names = ("cer",) if unit == "char" else ("mer", "wil", "wip", "wer")
    rates = "\n".join(f"{name}={result[name] * 100:.2f}%" for name in names)
    return f"=== SUMMARY ===\nnumber of sentences: {n_rows}\n{counts}\n\n{rates}\n"
