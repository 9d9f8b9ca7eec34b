"""Splits long texts into windows: the tokens that a model reads, and those that it scores."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evenscore.text.segments import IntArray


class Spans(NamedTuple):
    """Sequences of tokens as positions in one long array; each field is int64 of shape (n,).

    begins, ends: sequence i is ids[begins[i]:ends[i]].
    firsts: the text starts at ids[firsts[i]], after the start token and the context.
    """

    begins: IntArray
    firsts: IntArray
    ends: IntArray


class Windows(NamedTuple):
    """Inputs of a model as positions in one long array; each field is int64 of shape (windows,).

    starts, stops: the model reads ids[starts[k]:stops[k]].
    first_targets, last_targets: it scores ids[first_targets[k]:last_targets[k]].
    """

    starts: IntArray
    stops: IntArray
    first_targets: IntArray
    last_targets: IntArray

    @property
    def lengths(self) -> IntArray:
        """The number of tokens that the model reads, shape (windows,)."""
        return self.stops - self.starts

    def targets(self) -> IntArray:
        """Return the positions of all targets, window after window."""
        return ranges(self.first_targets, self.last_targets)

    def take(self, rows: IntArray) -> Windows:
        """Return the windows at `rows`, in that order."""
        return Windows(*(field[rows] for field in self))


def strided_windows(spans: Spans, window: int, stride: int) -> Windows:
    """Return windows of a causal model that score each token once and advance by `stride` tokens.

    window: the most tokens that the model reads at once.
    stride: tokens that a window scores, from 1 to window. The first window scores as many as it can, the last one of a
      text may score fewer.

    Each window ends just before its last target and starts as early as possible. A sequence's first token has no token
    before it and is never a target. A sequence without targets has no windows.
    Source: lm-eval 0.4.13, utils.get_rolling_token_windows with context_len = window - stride + 1; stride = window
    gives the windows of its rolling log-likelihood.

    >>> one = Spans(np.array([0]), np.array([1]), np.array([8]))
    >>> for start, stop, first, last in zip(*strided_windows(one, window=4, stride=2), strict=True):
    ...     print(f"reads {start}..{stop - 1}, scores {first}..{last - 1}")
    reads 0..3, scores 1..4
    reads 2..5, scores 5..6
    reads 3..6, scores 7..7
    """
    firsts = np.maximum(spans.firsts, spans.begins + 1)
    reach = np.minimum(np.maximum(spans.begins + window + 1, firsts + stride), spans.ends)
    counts = np.where(firsts < spans.ends, 1 - (reach - spans.ends) // stride, 0)
    text = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(text)) - (np.cumsum(counts) - counts)[text]
    last_targets = np.minimum(reach[text] + number * stride, spans.ends[text])
    first_targets = np.where(number == 0, firsts[text], reach[text] + (number - 1) * stride)
    starts = np.maximum(last_targets - 1 - window, spans.begins[text])
    return Windows(starts, last_targets - 1, first_targets, last_targets)


def centred_windows(spans: Spans, window: int) -> Windows:
    """Return one window per token for a masked model, centred on the token as far as the text's ends allow.

    window: the most tokens of a text that the model reads at once, at least 1.

    >>> one = Spans(np.array([0]), np.array([0]), np.array([5]))
    >>> windows = centred_windows(one, window=3)
    >>> windows.starts.tolist(), windows.stops.tolist(), windows.first_targets.tolist()
    ([0, 0, 1, 2, 2], [3, 3, 4, 5, 5], [0, 1, 2, 3, 4])
    """
    targets = ranges(spans.firsts, spans.ends)
    text = np.repeat(np.arange(len(spans.ends)), spans.ends - spans.firsts)
    begins, ends = spans.begins[text], spans.ends[text]
    starts = np.maximum(np.minimum(targets - window // 2, ends - window), begins)
    return Windows(starts, np.minimum(starts + window, ends), targets, targets + 1)


def first_windows(spans: Spans, window: int) -> Spans:
    """Truncate each sequence to `window` tokens, after shortening a context from its start to at most half of them.

    The window includes the start token, like max_length of evaluate's perplexity 0.4.6.

    >>> first_windows(Spans(np.array([0, 9]), np.array([1, 15]), np.array([9, 20])), window=4)
    Spans(begins=array([ 0, 13]), firsts=array([ 1, 15]), ends=array([ 4, 17]))
    """
    begins = np.maximum(spans.begins, np.minimum(spans.firsts - (window + 1) // 2, spans.ends - window))
    return Spans(begins, spans.firsts, np.minimum(begins + window, spans.ends))


def ranges(starts: IntArray, stops: IntArray) -> IntArray:
    """Return the integers of all half-open ranges, range after range.

    >>> ranges(np.array([3, 9]), np.array([5, 10])).tolist()
    [3, 4, 9]
    """
    lengths = stops - starts
    ends = np.cumsum(lengths)
    places: IntArray = np.arange(lengths.sum()) + np.repeat(stops - ends, lengths)
    return places
