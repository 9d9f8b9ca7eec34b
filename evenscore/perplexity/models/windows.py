"""Which part of a long text a model reads, to score which of its tokens."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evenscore.text.segments import IntArray


class Spans(NamedTuple):
    """Sequences of tokens as places in one long array, each field of shape (n,), int64.

    begins, ends: sequence i is ids[begins[i]:ends[i]].
    firsts: what counts starts at ids[firsts[i]]; before it stand the start token or a context.
    """

    begins: IntArray
    firsts: IntArray
    ends: IntArray


class Windows(NamedTuple):
    """Inputs of a model as places in one long array, each field of shape (windows,), int64.

    starts, stops: the model reads ids[starts[k]:stops[k]].
    first_targets, last_targets: of that it scores ids[first_targets[k]:last_targets[k]], the last one left out.
    """

    starts: IntArray
    stops: IntArray
    first_targets: IntArray
    last_targets: IntArray

    @property
    def lengths(self) -> IntArray:
        """Number of tokens that the model reads, shape (windows,)."""
        return self.stops - self.starts

    def targets(self) -> IntArray:
        """The places of all targets, window by window."""
        return ranges(self.first_targets, self.last_targets)

    def take(self, rows: IntArray) -> Windows:
        """The windows at `rows`, in that order."""
        return Windows(*(field[rows] for field in self))


def strided_windows(spans: Spans, window: int, stride: int) -> Windows:
    """Windows of a causal model that move on by `stride` targets; every token is a target once.

    window: how many tokens the model reads at most.
    stride: how many tokens a window scores at least, from 1 to window; only the last one of a text may score fewer.

    The first window scores all that it can; each one after it scores the next `stride` tokens.  Each ends just before
    its last target and reaches back as far as it can, the last one, too.  A sequence's first token has nothing before
    it, so that it is no target; a sequence without targets has no windows.  These are the windows of
    lm-eval 0.4.13 (utils.get_rolling_token_windows with context_len = window - stride + 1); at stride = window those
    of its rolling log-likelihood.

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
    """A window for every token of a masked model, the token in its middle as far as the text's ends allow.

    window: how many tokens of a text the model reads at most, at least 1.

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
    """Each sequence cut off after `window` tokens; a context that leaves less than half of them loses its beginning.

    The start token counts, as in max_length of evaluate's perplexity 0.4.6.

    >>> first_windows(Spans(np.array([0, 9]), np.array([1, 15]), np.array([9, 20])), window=4)
    Spans(begins=array([ 0, 13]), firsts=array([ 1, 15]), ends=array([ 4, 17]))
    """
    begins = np.maximum(spans.begins, np.minimum(spans.firsts - (window + 1) // 2, spans.ends - window))
    return Spans(begins, spans.firsts, np.minimum(begins + window, spans.ends))


def ranges(starts: IntArray, stops: IntArray) -> IntArray:
    """The whole numbers of every half-open range, one range after another.

    >>> ranges(np.array([3, 9]), np.array([5, 10])).tolist()
    [3, 4, 9]
    """
    lengths = stops - starts
    ends = np.cumsum(lengths)
    places: IntArray = np.arange(lengths.sum()) + np.repeat(stops - ends, lengths)
    return places
