"""Removal of what every pair has in common at its two ends."""

from __future__ import annotations

import numpy as np

from ._segments import IntArray, Segments


def without_common_affixes(references: Segments, predictions: Segments) -> tuple[Segments, Segments]:
    """What is left of every pair when first its common prefix, then its common suffix is cut off.

    Some alignment of least cost matches both ends token by token, whatever positive prices the edits have, so that
    only the middles are left to align.  rapidfuzz cuts the same way before it aligns (remove_common_affix), which
    decides some of its ties.  Time and memory O(tokens).

    >>> references = Segments(np.array([1, 2, 3, 1, 1]), np.array([0, 3, 5]))
    >>> predictions = Segments(np.array([1, 4, 5, 3, 1]), np.array([0, 4, 5]))
    >>> left, right = without_common_affixes(references, predictions)
    >>> left.ids.tolist(), left.lengths.tolist(), right.ids.tolist(), right.lengths.tolist()
    ([2, 1], [1, 1], [4, 5], [2, 0])
    """
    shorter = np.minimum(references.lengths, predictions.lengths)
    prefix = _common_prefix(references, predictions, shorter)
    backwards = _common_prefix(_reversed(references), _reversed(predictions), shorter[::-1])
    suffix = np.minimum(backwards[::-1], shorter - prefix)
    return _trimmed(references, prefix, suffix), _trimmed(predictions, prefix, suffix)


def _common_prefix(left: Segments, right: Segments, shorter: IntArray) -> IntArray:
    """Number of equal tokens at the start of each pair, shape (n,); `shorter` is the length of its shorter side."""
    ends = np.cumsum(shorter)
    starts = ends - shorter
    position = np.arange(shorter.sum())
    left_ids = left.ids[position + np.repeat(left.offsets[:-1] - starts, shorter)]
    right_ids = right.ids[position + np.repeat(right.offsets[:-1] - starts, shorter)]
    # A mismatch at the very end stops the last pairs.
    mismatches = np.append(np.flatnonzero(left_ids != right_ids), len(position))
    first_mismatch: IntArray = mismatches[np.searchsorted(mismatches, starts)]
    prefix: IntArray = np.minimum(first_mismatch, ends) - starts
    return prefix


def _reversed(segments: Segments) -> Segments:
    """The whole corpus backwards: the last token of the last segment comes first."""
    return Segments(segments.ids[::-1], segments.offsets[-1] - segments.offsets[::-1])


def _trimmed(segments: Segments, prefix: IntArray, suffix: IntArray) -> Segments:
    """Every segment without its first `prefix` and its last `suffix` tokens."""
    lengths = segments.lengths - prefix - suffix
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    shift = np.repeat(segments.offsets[:-1] + prefix - offsets[:-1], lengths)
    return Segments(segments.ids[shift + np.arange(offsets[-1])], offsets)
