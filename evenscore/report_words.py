"""What a report says of words: which are rare, which errors are frequent, and which n-grams one system alone has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evenscore.significance import FloatArray
from evenscore.text.segments import IntArray, Segments
from evenscore.text.words import Units
from evenscore.wer.alignment import Alignment, errors_of

# The share of running words that are rare, at most.
_RARE = 0.1
# How many units around an error an example shows, on either side.
_AROUND = 4
LONGEST_N_GRAM = 4


def rare_shares(texts: Segments) -> tuple[FloatArray, int]:
    """Return the share of rare tokens of each text, shape (n,), and how often a rare token occurs at most.

    The limit is the highest number of occurrences with which at most a tenth of all tokens are rare, at least 1. An
    empty text has share 0.

    >>> shares, limit = rare_shares(Segments(np.array([7, 7, 8, 7]), np.array([0, 3, 4, 4])))
    >>> shares.round(2).tolist(), limit
    ([0.33, 0.0, 0.0], 1)
    """
    _, ids = np.unique(texts.ids, return_inverse=True)
    times = np.bincount(ids, minlength=1)
    # How many tokens occur at most k times, by k.
    tokens_up_to = np.cumsum(np.bincount(times) * np.arange(times.max() + 1))
    highest = int(np.searchsorted(tokens_up_to, _RARE * len(ids), "right")) - 1
    limit = int(times[times <= highest].max(initial=1))
    sums = np.concatenate(([0], np.cumsum(times[ids] <= limit)))
    rare = sums[texts.offsets[1:]] - sums[texts.offsets[:-1]]
    return rare / np.maximum(texts.lengths, 1), limit


# --- errors of alignments


class Example(NamedTuple):
    """An error in its row: the row's number from 1, and the reference around the error."""

    row: int
    before: str
    after: str


class FrequentError(NamedTuple):
    """An error, how often each system makes it, and its first occurrence."""

    reference: str
    prediction: str
    counts: list[int]
    example: Example


def frequent_errors(systems: Sequence[Sequence[Alignment]], separator: str, n: int) -> dict[str, list[FrequentError]]:
    """Return the n most frequent substitutions, insertions and deletions of all systems together.

    systems: the alignments of every row, for each system. Counts are those of `error_counts`. Ties are broken by the
    first occurrence: in the first system that makes the error, by row.
    """
    counts: dict[str, list[Counter[Any]]] = {
        kind: [Counter() for _ in systems] for kind in ("substitutions", "insertions", "deletions")
    }
    first: dict[tuple[str, Any], tuple[int, Alignment, Any]] = {}
    for k, alignments in enumerate(systems):
        for row, alignment in enumerate(alignments, 1):
            for operation, kind, error in errors_of(alignment, separator):
                counts[kind][k][error] += 1
                first.setdefault((kind, error), (row, alignment, operation))
    found = {}
    for kind, own in counts.items():
        # The sum keeps the order of the first occurrences, and so does most_common among equals.
        most = sum(own, Counter()).most_common(n)
        found[kind] = [
            FrequentError(*_sides(kind, error), [each[error] for each in own], _example(*first[kind, error], separator))
            for error, _ in most
        ]
    return found


def _sides(kind: str, error: Any) -> tuple[str, str]:
    """The error in the reference and in the prediction."""
    return error if kind == "substitutions" else (error, "") if kind == "deletions" else ("", error)


def _example(row: int, alignment: Alignment, operation: Any, separator: str) -> Example:
    start, end = operation.reference_start, operation.reference_end
    before = alignment.reference[max(0, start - _AROUND) : start]
    return Example(row, separator.join(before), separator.join(alignment.reference[end : end + _AROUND]))


# --- n-grams


class NGram(NamedTuple):
    """An n-gram of the references, how often it stands in them, and how often baseline and system have it there.

    row: the number from 1 of the first row whose references have it.
    """

    text: str
    references: int
    baseline: int
    system: int
    row: int


class _Counts(NamedTuple):
    """The n-grams of one order that references have. Arrays have one entry for each of them.

    references: how often it stands in the references; of several references of a row, the one with most counts.
    matches: how often each system has it where a reference of the row has it, clipped as BLEU does; (systems, n-grams).
    first: where it first starts among the tokens of the references.
    """

    references: IntArray
    matches: IntArray
    first: IntArray


def n_gram_differences(
    units: Units, n_systems: int, reference_counts: IntArray, n: int
) -> list[tuple[list[NGram], list[NGram]]]:
    """Return for each system the n-grams that it has and the baseline misses, and those of the opposite.

    units: the tokens of the baseline's texts, of the other systems', then of all references, row after row.
    reference_counts: the number of references of each row, shape (rows,).
    n: how many n-grams of each kind, at most.
    An n-gram that one system has in a times and the other b times, where the references have it, comes by
    (a + 1) / (a + b + 2), highest first (compare-mt, Neubig et al. 2019, section 2.2). Ties: higher a, longer, first
    in the references.
    """
    tokens = units.segments
    counted = dict(enumerate(_counts_by_order(tokens, n_systems, reference_counts), 1))
    rows = np.arange(len(reference_counts))
    row_of_text = np.concatenate((np.tile(rows, n_systems), rows.repeat(reference_counts)))

    def described(order: int, k: int, system: int) -> NGram:
        counts = counted[order]
        start = int(counts.first[k])
        text = int(np.searchsorted(tokens.offsets, start, "right")) - 1
        shown = " ".join(units.names(tokens.ids[start : start + order]))
        own, other = counts.matches[[0, system], k].tolist()
        return NGram(shown, int(counts.references[k]), own, other, int(row_of_text[text]) + 1)

    return [
        (
            [described(*each, system) for each in _most_one_sided(counted, system, 0, n)],
            [described(*each, system) for each in _most_one_sided(counted, 0, system, n)],
        )
        for system in range(1, n_systems)
    ]


def _most_one_sided(counted: Mapping[int, _Counts], more: int, less: int, n: int) -> list[tuple[int, int]]:
    """Return (order, index) of n-grams that one system has more often than another, most one-sided first."""
    found = []
    for order, counts in counted.items():
        high, low = counts.matches[more], counts.matches[less]
        score = (high + 1) / (high + low + 2)
        best = np.lexsort((counts.first, -high, -score))[:n]
        found += [(-score[k], -high[k], -order, int(counts.first[k]), order, int(k)) for k in best if high[k] > low[k]]
    return [(order, k) for *_, order, k in sorted(found)[:n]]


def _counts_by_order(tokens: Segments, n_systems: int, reference_counts: IntArray) -> Iterator[_Counts]:
    """Yield the counts of each order up to LONGEST_N_GRAM."""
    rows = np.arange(len(reference_counts))
    # A text is a row of a column: one column for each system, and the last one for all references.
    row = np.concatenate((np.tile(rows, n_systems), rows.repeat(reference_counts)))
    column = np.concatenate((np.arange(n_systems).repeat(len(rows)), np.full(reference_counts.sum(), n_systems)))
    text = np.arange(len(row)).repeat(tokens.lengths)
    end = tokens.offsets[1:].repeat(tokens.lengths)
    # Equal n-grams get equal ids below their number, so that a pair of ids fits into 64 bits.
    distinct, words = np.unique(tokens.ids, return_inverse=True)
    n_words, ids, starts = len(distinct), words, np.arange(len(words))
    for order in range(1, LONGEST_N_GRAM + 1):
        if order > 1:
            fits = starts + order <= end[starts]
            starts = starts[fits]
            distinct, ids = np.unique(ids[fits] * n_words + words[starts + order - 1], return_inverse=True)
        in_text, times = np.unique(text[starts] * len(distinct) + ids, return_counts=True)
        of_text, n_gram = np.divmod(in_text, max(len(distinct), 1))
        first = _first_places(ids, starts, column[text[starts]] == n_systems)
        yield _counted(n_systems, row[of_text], column[of_text], n_gram, times, first)


def _first_places(ids: IntArray, starts: IntArray, counts: npt.NDArray[np.bool_]) -> IntArray:
    """Where each n-gram first starts among those that count, by its id; -1 for one that does not."""
    first = np.full(ids.max(initial=-1) + 1, -1)
    # Backwards, so that the first occurrence is the last one written.
    first[ids[counts][::-1]] = starts[counts][::-1]
    return first


def _counted(
    n_systems: int, row: IntArray, column: IntArray, n_gram: IntArray, times: IntArray, first: IntArray
) -> _Counts:
    """Sum up the counts of n-grams in texts.

    row, column, n_gram, times: one entry for each n-gram of each text; column n_systems holds the references.
    first: the first place of each n-gram in the references, by its id; -1 for one that they lack.
    """
    n = len(first)
    keys = row * n + n_gram
    # The highest count of each n-gram among the references of a row.
    is_reference = column == n_systems
    known, place = np.unique(keys[is_reference], return_inverse=True)
    most = np.zeros(len(known) + 1, np.int64)
    np.maximum.at(most, place, times[is_reference])
    held = np.searchsorted(known, keys)
    # The last entry stands for an n-gram that no reference of the row has.
    held[~np.isin(keys, known)] = len(known)
    clipped = np.minimum(times, most[held])
    in_references = first >= 0
    matches = [np.bincount(n_gram[column == k], clipped[column == k], n)[in_references] for k in range(n_systems)]
    references = np.bincount(known % max(n, 1), most[:-1], n)[in_references]
    return _Counts(references.astype(np.int64), np.array(matches).astype(np.int64), first[in_references])
