"""Counts clipped n-gram matches between predictions and references, by sorting."""

from __future__ import annotations

import functools
import itertools
import operator
from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np

from evenscore.text.segments import IntArray, Segments, offsets_of, similar

# Of the sizes tried, this one was fastest.
_BLOCK_CELLS = 1 << 16
# Numbers of up to 31 bits are sorted as int32, which is faster, and others as int64.
_SMALL_BITS, _KEY_BITS = 31, 63
# With more documents in a row, sorting once for each order is faster than cumulative sums of each document.
_FEW_DOCUMENTS = 11
# What stands behind a prediction and behind a reference, and the least number of a token.
_AFTER_PREDICTION, _AFTER_REFERENCE, _LEAST = 1, 0, 2


def clipped_matches(
    predictions: Segments, references: Segments, reference_counts: IntArray, max_order: int
) -> IntArray:
    """Count the matching n-grams of each prediction, each clipped at its highest count in any one reference.

    reference_counts: the number of references of each prediction, in order, at least 1, shape (n,).
    Returns int64, shape (n, max_order); column k - 1 is for n-grams of k tokens. Empty sides have no matches.
    Source: Papineni et al. (2002), section 2.1.1, modified n-gram precision.

    >>> the = Segments(np.zeros(7, int), np.array([0, 7]))
    >>> cat = Segments(np.array([0, 1, 2, 3, 0, 4]), np.array([0, 6]))
    >>> clipped_matches(the, cat, np.array([1]), 2).tolist()
    [[2, 0]]
    """
    matches = np.zeros((len(reference_counts), max_order), np.int64)
    tokens = _rows(predictions, references, reference_counts)
    for rows in similar(tokens.lengths, _BLOCK_CELLS):
        table = tokens.padded(rows, int(tokens.lengths[rows[-1]]), _AFTER_REFERENCE)
        matches[rows] = _block_matches(table, int(reference_counts[rows].max()), max_order)
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


def _rows(predictions: Segments, references: Segments, reference_counts: IntArray) -> Segments:
    """Return the tokens of each row, those of its prediction and then of its references.

    Tokens are numbered from `_LEAST`, and another number stands behind each document.
    """
    sizes = reference_counts + 1
    first = offsets_of(sizes)
    is_prediction = np.zeros(first[-1], np.bool_)
    is_prediction[first[:-1]] = True
    lengths = np.empty(len(is_prediction), np.int64)
    lengths[is_prediction], lengths[~is_prediction] = predictions.lengths + 1, references.lengths + 1
    offsets = offsets_of(lengths)
    ids = np.full(offsets[-1], _AFTER_REFERENCE, np.int64)
    for side, starts in (predictions, offsets[:-1][is_prediction]), (references, offsets[:-1][~is_prediction]):
        places = np.repeat(starts - side.offsets[:-1], side.lengths) + np.arange(len(side.ids))
        ids[places] = side.ids.astype(np.int64) + _LEAST
    ids[offsets[1:][is_prediction] - 1] = _AFTER_PREDICTION
    return Segments(ids, offsets[first])


def _block_matches(tokens: IntArray, n_references: int, max_order: int) -> IntArray:
    """Count one block, shape (rows, max_order).

    tokens: those of `_rows`, shape (rows, columns); n_references: the most references of a row.
    An n-gram that runs beyond a prediction has the number that stands there, which no n-gram of a reference has. So
    equal n-grams that start in a prediction and in a reference lie inside them.
    """
    # Numbered from 0, the prediction, in each row. What stands behind a document or fills a row up belongs to a
    # reference, which changes no match: no n-gram of a prediction starts with it.
    documents = np.minimum(np.cumsum(tokens < _LEAST, axis=1), n_references)
    n_documents, matches = n_references + 1, np.zeros((len(tokens), max_order), np.int64)
    if max_order * _bits(tokens) + _bits(documents) > _KEY_BITS:
        # The numbers of the tokens of a row are at most as high as it has columns.
        tokens = _numbered(tokens)
    bits, keys, done = _bits(tokens), np.zeros_like(tokens), 0
    while True:
        # A key has as many tokens as fit.
        fitting = max(1, (_KEY_BITS - _bits(documents) - _bits(keys)) // bits)
        orders = range(done, min(done + fitting, max_order))
        for k in orders:
            following = tokens[:, k:]
            keys = keys << bits
            keys[:, : following.shape[1]] |= following
            if n_documents > _FEW_DOCUMENTS:
                matches[:, k] = _matches_in_many(*_sorted(keys, documents))
        done = orders.stop
        if n_documents <= _FEW_DOCUMENTS:
            # Sorted by the longest n-grams, equal ones of fewer tokens stand together, too.
            shifts = [bits * (done - 1 - k) for k in orders]
            matches[:, orders.start : done] = _matches_in_few(*_sorted(keys, documents), shifts)
        if done == max_order or not matches[:, done - 1].any():
            return matches
        keys = _numbered(keys)


def _bits(numbers: IntArray) -> int:
    return int(numbers.max()).bit_length()


def _numbered(keys: IntArray) -> IntArray:
    """Number the distinct keys of each row from 1, in order, and return the number of each key."""
    ordered, columns = _sorted(keys, np.broadcast_to(np.arange(keys.shape[1]), keys.shape))
    starts_group = _changes(ordered)[:-1].reshape(ordered.shape) != 0
    numbers = np.empty(columns.shape, np.int64)
    np.put_along_axis(numbers, columns, np.cumsum(starts_group, axis=1), axis=1)
    return numbers


def _sorted(keys: IntArray, values: IntArray) -> tuple[IntArray, IntArray]:
    """Return the keys of each row in order, and their values, which ascend from column to column, in order too."""
    value_bits = _bits(values)
    bits = _bits(keys) + value_bits
    if bits > _KEY_BITS:
        columns = np.argsort(keys, axis=1, kind="stable")
        return np.take_along_axis(keys, columns, axis=1), np.take_along_axis(values, columns, axis=1)
    packed = (keys.astype(np.int32) if bits <= _SMALL_BITS else keys) << value_bits
    packed |= values.astype(packed.dtype)
    packed.sort(axis=1)
    return packed >> value_bits, packed & ((1 << value_bits) - 1)


def _changes(ordered: IntArray) -> IntArray:
    """Return in which bits each key differs from the one before it, shape (keys + 1,).

    The first key of each row, and the end, count as different in all bits.
    """
    keys, all_bits = ordered.ravel(), np.iinfo(ordered.dtype).max
    changes = np.full(len(keys) + 1, all_bits, ordered.dtype)
    np.bitwise_xor(keys[1:], keys[:-1], out=changes[1:-1])
    changes[:: ordered.shape[1]] = all_bits
    return changes


def _matches_in_few(ordered: IntArray, documents: IntArray, shifts: Sequence[int]) -> IntArray:
    """Return the matches of each row and order, shape (rows, orders).

    ordered: keys of the longest n-grams, in order; documents: where each n-gram starts, both of shape (rows, columns).
    shifts: by how many bits the keys of each order are shorter.
    """
    changes = _changes(ordered)
    # How many n-grams each document has before each place.
    before = np.zeros((int(documents.max()) + 1, len(changes)), np.int32)
    for k, counted in enumerate(before):
        np.cumsum(documents == k, out=counted[1:])
    starts_of_rows, matches = _starts_of_rows(ordered), np.empty((len(ordered), len(shifts)), np.int64)
    for own, shift in zip(matches.T, shifts, strict=True):
        # Equal n-grams of a row are a group.
        bounds = (changes >= 1 << shift).nonzero()[0]
        at_bounds = before.take(bounds, axis=1)
        in_prediction, *in_references = at_bounds[:, 1:] - at_bounds[:, :-1]
        clipped = np.minimum(in_prediction, functools.reduce(np.maximum, in_references))
        np.add.reduceat(clipped, np.searchsorted(bounds, starts_of_rows), out=own)
    return matches


def _matches_in_many(ordered: IntArray, documents: IntArray) -> IntArray:
    """Return the matches of each row, shape (rows,), of keys and documents as in `_matches_in_few`.

    documents: ascending among equal keys.
    """
    starts_group, own = _changes(ordered) != 0, documents.ravel()
    starts_run = starts_group.copy()
    starts_run[1:-1] |= own[1:] != own[:-1]
    runs = starts_run.nonzero()[0]
    # The last run is the end.
    counts, in_references = runs[1:] - runs[:-1], own[runs[:-1]] > 0
    groups = starts_group[runs[:-1]].nonzero()[0]
    # The prediction comes first, so if it has the n-gram, its run is the group's first.
    in_prediction = np.where(in_references[groups], 0, counts[groups])
    clipped = np.minimum(in_prediction, np.maximum.reduceat(np.where(in_references, counts, 0), groups))
    matches: IntArray = np.add.reduceat(clipped, np.searchsorted(runs[groups], _starts_of_rows(ordered)))
    return matches


def _starts_of_rows(table: IntArray) -> IntArray:
    return np.arange(0, table.size, table.shape[1])
