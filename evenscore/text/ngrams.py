"""Counts clipped n-gram matches between predictions and references, by sorting."""

from __future__ import annotations

import functools
import itertools
import operator
from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np

from evenscore.text.segments import IntArray, Segments, offsets_of, similar

# A block's table fits into the second-level cache with the few others of its size.
_BLOCK_CELLS = 1 << 16
# Numbers of up to 31 bits are sorted as int32, which is faster, and others as int64.
_SMALL_BITS, _KEY_BITS = 31, 63


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
    first = offsets_of(reference_counts)
    longest = np.maximum(predictions.lengths, np.maximum.reduceat(references.lengths, first[:-1]))
    # Behind the last reference is an empty one, for rows with fewer references than others of their block.
    others = Segments(references.ids, np.append(references.offsets, references.offsets[-1]))
    for rows in similar((reference_counts + 1) * (longest + 1), _BLOCK_CELLS):
        counts, width = reference_counts[rows, None], int(longest[rows].max()) + 1
        kth = np.arange(counts.max())
        documents = np.where(kth < counts, first[rows, None] + kth, len(references.lengths))
        table = np.empty((len(rows), 1 + len(kth), width), np.int64)
        table[:, 0] = predictions.padded(rows, width, -1)
        table[:, 1:] = others.padded(documents.ravel(), width, -2).reshape(-1, len(kth), width)
        matches[rows] = _block_matches(table + 2, max_order)
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


def _block_matches(table: IntArray, max_order: int) -> IntArray:
    """Count one block, shape (rows, max_order).

    table: the prediction of each row and its references, shape (rows, documents, width). Each document ends in one or
    more fillers, which are other ones in predictions than in references. So if equal n-grams start in a prediction and
    in a reference, both lie inside their documents.
    """
    n_rows, _, width = table.shape
    tokens = table.reshape(n_rows, -1)
    column_bits = tokens.shape[1].bit_length()
    if max_order * _bits(tokens) + column_bits > _KEY_BITS:
        # The numbers of the tokens of a row are smaller.
        tokens = _numbered(*_sorted(tokens))
    matches = np.zeros((n_rows, max_order), np.int64)
    bits, keys, done = _bits(tokens), np.zeros_like(tokens), 0
    while True:
        # A key has as many tokens as fit. Sorted by them, equal n-grams of fewer tokens stand together, too.
        fitting = max(1, (_KEY_BITS - column_bits - _bits(keys)) // bits)
        orders = range(done, min(done + fitting, max_order))
        for k in orders:
            following = tokens[:, k:]
            keys = keys << bits
            keys[:, : following.shape[1]] |= following
        ordered, columns = _sorted(keys)
        done = orders.stop
        matches[:, orders.start : done] = _matches(ordered, columns // width, [bits * (done - 1 - k) for k in orders])
        if done == max_order or not matches[:, done - 1].any():
            return matches
        keys = _numbered(ordered, columns)


def _bits(numbers: IntArray) -> int:
    return int(numbers.max()).bit_length()


def _numbered(ordered: IntArray, columns: IntArray) -> IntArray:
    """Return numbers from 1 for the keys that `_sorted` returns, in their places and in their order."""
    starts_group = _changes(ordered)[:-1].reshape(ordered.shape) != 0
    numbers = np.empty(columns.shape, np.int64)
    np.put_along_axis(numbers, columns, np.cumsum(starts_group, axis=1), axis=1)
    return numbers


def _sorted(keys: IntArray) -> tuple[IntArray, IntArray]:
    """Return the keys of each row in order, and their columns; equal keys are in order of their columns."""
    n_columns = keys.shape[1]
    bits, column_bits = _bits(keys), n_columns.bit_length()
    if bits + column_bits > _KEY_BITS:
        columns = np.argsort(keys, axis=1, kind="stable")
        return np.take_along_axis(keys, columns, axis=1), columns
    kind = np.int32 if bits + column_bits <= _SMALL_BITS else np.int64
    packed = keys.astype(kind) << column_bits
    packed |= np.arange(n_columns, dtype=kind)
    packed.sort(axis=1)
    return packed >> column_bits, packed & ((1 << column_bits) - 1)


def _changes(ordered: IntArray) -> IntArray:
    """Return in which bits each key differs from the one before it, shape (keys + 1,).

    The first key of a row and the end differ in the highest bit.
    """
    keys, highest = ordered.ravel(), np.iinfo(ordered.dtype).max
    changes = np.full(len(keys) + 1, highest, ordered.dtype)
    np.bitwise_xor(keys[1:], keys[:-1], out=changes[1:-1])
    changes[:: ordered.shape[1]] = highest
    return changes


def _matches(ordered: IntArray, documents: IntArray, shifts: Sequence[int]) -> IntArray:
    """Return the matches of each row and order, shape (rows, orders).

    ordered: keys of the longest n-grams, in order, shape (rows, columns); documents: of which each one is.
    shifts: by how many bits the keys of each order are shorter.
    """
    changes, starts_of_rows = _changes(ordered), np.arange(0, ordered.size, ordered.shape[1])
    # How many n-grams each document has before each place.
    before = np.zeros((int(documents.max()) + 1, len(changes)), np.int32)
    for k, counted in enumerate(before):
        np.cumsum(documents == k, out=counted[1:])
    matches = np.empty((len(ordered), len(shifts)), np.int64)
    for own, shift in zip(matches.T, shifts, strict=True):
        # Equal n-grams of a row are a group.
        bounds = (changes >> shift).nonzero()[0]
        at_bounds = before.take(bounds, axis=1)
        in_prediction, *in_references = at_bounds[:, 1:] - at_bounds[:, :-1]
        clipped = np.minimum(in_prediction, functools.reduce(np.maximum, in_references))
        np.add.reduceat(clipped, np.searchsorted(bounds, starts_of_rows), out=own)
    return matches
