"""Counts clipped n-gram matches between predictions and references, by sorting."""

from __future__ import annotations

import functools
import itertools
import operator
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from evenscore.text.segments import IntArray, Segments, offsets_of

# Sorting is fastest if a block's keys fit into the second-level cache: 64 Ki keys of 8 bytes.
_BLOCK_TOKENS = 1 << 16
_KEY_BITS = 63


def clipped_matches(
    predictions: Segments, references: Segments, reference_counts: IntArray, max_order: int
) -> IntArray:
    """Count the matching n-grams of each prediction, each clipped at its highest count in any one reference.

    reference_counts: the number of references of each prediction, in order, shape (n,).
    Returns int64, shape (n, max_order); column k - 1 is for n-grams of k tokens. Empty sides have no matches.
    Source: Papineni et al. (2002), section 2.1.1, modified n-gram precision.

    >>> the = Segments(np.zeros(7, int), np.array([0, 7]))
    >>> cat = Segments(np.array([0, 1, 2, 3, 0, 4]), np.array([0, 6]))
    >>> clipped_matches(the, cat, np.array([1]), 2).tolist()
    [[2, 0]]
    """
    matches = np.zeros((len(reference_counts), max_order), dtype=np.int64)
    first_reference = offsets_of(reference_counts)
    for start, stop in _blocks(predictions, references, first_reference):
        left = predictions.rows(start, stop)
        right = references.rows(int(first_reference[start]), int(first_reference[stop]))
        offsets = np.concatenate((left.offsets, left.offsets[-1] + right.offsets[1:]))
        rows = np.arange(stop - start)
        row_of_document = np.concatenate((rows, np.repeat(rows, reference_counts[start:stop])))
        documents = Segments(np.concatenate((left.ids, right.ids)), offsets)
        matches[start:stop] = _block_matches(documents, row_of_document, len(rows), max_order)
    return matches


def matches_of_row(
    prediction: Sequence[Hashable], references: Sequence[Sequence[Hashable]], max_order: int
) -> list[int]:
    """Return what `clipped_matches` returns for one row, from any tokens, faster for a few rows.

    >>> matches_of_row("the the cat".split(), ["the cat sat".split()], 3)
    [2, 1, 0]
    """
    matches: list[int] = []
    # A longer n-gram cannot match if no shorter one does.
    while len(matches) < max_order and (not matches or matches[-1]):
        own, *others = (
            list(zip(*(tokens[i:] for i in range(len(matches) + 1)), strict=False))
            for tokens in (prediction, *references)
        )
        once = set(own)
        if len(once) == len(own):
            matches.append(len(once.intersection(itertools.chain.from_iterable(others))))
        else:
            most = functools.reduce(operator.or_, map(Counter, others))
            matches.append((Counter(own) & most).total())
    return matches + [0] * (max_order - len(matches))


def _blocks(predictions: Segments, references: Segments, first_reference: IntArray) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows with about _BLOCK_TOKENS tokens each, at least one row."""
    ends = predictions.offsets[1:] + references.offsets[first_reference[1:]]
    start, done = 0, 0
    while start < len(ends):
        stop = max(start + 1, int(np.searchsorted(ends, done + _BLOCK_TOKENS, side="right")))
        yield start, stop
        start, done = stop, int(ends[stop - 1])


def _block_matches(documents: Segments, row_of_document: IntArray, n_rows: int, max_order: int) -> IntArray:
    """Count one block, shape (n_rows, max_order); documents: n_rows predictions, then their references."""
    matches = np.zeros((n_rows, max_order), dtype=np.int64)
    n_tokens = len(documents.ids)
    document = np.repeat(np.arange(len(row_of_document)), documents.lengths)
    row = row_of_document[document]
    ends_document = np.zeros(n_tokens + 1, dtype=np.bool_)
    ends_document[documents.offsets[1:] - 1] = True
    # The groups of its first and last n - 1 tokens identify an n-gram. It can match only if both match, so each order
    # sorts only the matches of the order before: about half of them for real translations.
    positions = np.arange(n_tokens)
    keys = row * (int(documents.ids.max(initial=0)) + 1) + documents.ids
    for order in range(max_order):
        number, positions = _grouped(keys, positions)
        clipped, row_of_group, alive = _clip(number, document[positions], row[positions], n_rows)
        matches[:, order] = np.bincount(row_of_group, weights=clipped, minlength=n_rows)
        group = np.full(n_tokens + 1, -1)
        group[positions[alive]] = number[alive]
        positions = ((group[:-1] >= 0) & (group[1:] >= 0) & ~ends_document[:-1]).nonzero()[0]
        if not len(positions):
            break
        keys = group[positions] * (n_tokens + 1) + group[positions + 1]
    return matches


def _grouped(keys: IntArray, positions: IntArray) -> tuple[IntArray, IntArray]:
    """Return group numbers and positions, sorted by key and then by position; equal keys form a group."""
    position_bits = int(positions[-1]).bit_length() if len(positions) else 0
    if int(keys.max(initial=0)).bit_length() + position_bits <= _KEY_BITS:
        packed = np.sort((keys << position_bits) | positions)
        sorted_keys, sorted_positions = packed >> position_bits, packed & ((1 << position_bits) - 1)
    else:
        order = np.argsort(keys, kind="stable")
        sorted_keys, sorted_positions = keys[order], positions[order]
    return np.cumsum(_starts_run(sorted_keys)) - 1, sorted_positions


def _clip(
    number: IntArray, document: IntArray, row: IntArray, n_rows: int
) -> tuple[IntArray, IntArray, npt.NDArray[np.bool_]]:
    """Return the clipped matches and the row of each group, and for each position whether its group matched."""
    # Predictions come before references, so if a prediction has the n-gram, its run is the group's first.
    run_starts = (_starts_run(number) | _starts_run(document)).nonzero()[0]
    counts = np.concatenate((run_starts[1:], [len(document)])) - run_starts
    is_prediction = document[run_starts] < n_rows
    group_starts = _starts_run(number[run_starts]).nonzero()[0]
    in_prediction = np.where(is_prediction[group_starts], counts[group_starts], 0)
    in_references = np.maximum.reduceat(np.where(is_prediction, 0, counts), group_starts) if len(counts) else counts
    clipped = np.minimum(in_prediction, in_references)
    return clipped, row[run_starts[group_starts]], (clipped > 0)[number]


def _starts_run(values: IntArray) -> npt.NDArray[np.bool_]:
    starts = np.empty(len(values), dtype=np.bool_)
    starts[:1] = True
    np.not_equal(values[1:], values[:-1], out=starts[1:])
    return starts
