"""How each piece would be cut if it were not in the vocabulary."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._arrays import F64, I32, I64, Bools
from .._kernel import inner_kernel, kernel
from .._threads import map_in_order
from ._lexicon import Lexicon
from ._piece_matches import Matches

# The agenda of the library's search is cut to the 20 best hypotheses when it grows beyond this.
_LARGEST_AGENDA = 100_000
_CUT_AGENDA = 20
# Answers about a piece that are no number of alternatives.
_CUT_ITSELF, _UNDECIDED = -1, -2
_BEGINNING = -1
_TASK = 1 << 14


class Alternatives(NamedTuple):
    """For each piece, the pieces of its second-best segmentation where the best one is the piece itself, else none.

    offsets: int64, shape (number of pieces + 2,); room for the alternatives of piece i begins at offsets[i] of pieces.
    sizes: int32, shape (number of pieces + 1,); how many there are.
    pieces: int32.
    needed: shape (number of pieces + 1,); whether the piece itself is its best segmentation.
    """

    offsets: I64
    sizes: I32
    pieces: I32
    needed: Bools


@inner_kernel
def _lattice(matches: Matches, lexicon: Lexicon, place: int, length: int, nodes: I32) -> int:
    """The nodes (begin, end, piece) of the text at `place`, in the order of begins, then of lengths; their number."""
    count = 0
    for begin in range(length):
        for match in range(matches.offsets[place + begin], matches.offsets[place + begin + 1]):
            end = begin + lexicon.lengths[matches.ids[match]]
            if end <= length:
                nodes[count, 0], nodes[count, 1], nodes[count, 2] = begin, end, matches.ids[match]
                count += 1
    return count


@inner_kernel
def _push(heap: I32, size: int, sums: F64, item: int) -> None:
    """Add to a 4-ary heap of `size`, greatest sums[:, 0] on top; it rises past equal ones, as in dary_heap 0.3.9."""
    hole = size
    while hole > 0:
        parent = (hole - 1) // 4
        if sums[item, 0] < sums[heap[parent], 0]:
            break
        heap[hole] = heap[parent]
        hole = parent
    heap[hole] = item


@inner_kernel
def _pop(heap: I32, size: int, sums: F64) -> int:
    """Take the top of a heap of `size`: the last sinks to the bottom along the greatest children, then it rises."""
    top, last = heap[0], heap[size - 1]
    hole = 0
    while 4 * hole + 1 < size - 1:
        child = 4 * hole + 1
        for other in range(child + 1, min(4 * hole + 5, size - 1)):
            if sums[heap[child], 0] < sums[heap[other], 0]:
                child = other
        heap[hole] = heap[child]
        hole = child
    _push(heap, hole, sums, last)
    return int(top)


@inner_kernel
def _cut(heap: I32, size: int, sums: F64) -> None:
    """Keep the best hypotheses of an agenda that has become too large."""
    best = np.empty(_CUT_AGENDA, np.int32)
    for i in range(_CUT_AGENDA):
        best[i] = _pop(heap, size - i, sums)
    for i in range(_CUT_AGENDA):
        _push(heap, i, sums, best[i])


@kernel
def _search(nodes: I32, count: int, length: int, scores: F64, best: F64, found: I32) -> int:
    """The two best segmentations by A* as in the library, ties included; answers as `_second`, never undecided.

    nodes: the first `count` are the lattice; best: the score of the first k characters, for k up to length.
    """
    # A hypothesis is a node, or the beginning, before an earlier hypothesis; number 0 is the end of the text.  Its
    # sums: of the whole best path through it, and of the part behind it.
    hypotheses, sums, heap = np.zeros((256, 2), np.int32), np.zeros((256, 2)), np.zeros(256, np.int32)
    made, size, ended = 1, 1, 0
    while size > 0:
        top = _pop(heap, size, sums)
        size -= 1
        if hypotheses[top, 0] == _BEGINNING:
            steps, step = 0, hypotheses[top, 1]
            while step != 0:
                found[steps] = nodes[hypotheses[step, 0], 2]
                steps, step = steps + 1, hypotheses[step, 1]
            if ended == 1:
                return steps
            if steps > 1:
                return _CUT_ITSELF
            ended = 1
            continue
        while made + count >= len(heap):
            hypotheses = np.concatenate((hypotheses, np.zeros_like(hypotheses)))
            sums = np.concatenate((sums, np.zeros_like(sums)))
            heap = np.concatenate((heap, np.zeros_like(heap)))
        at = length if top == 0 else nodes[hypotheses[top, 0], 0]
        for node in range(_BEGINNING, count):
            if at != (0 if node == _BEGINNING else nodes[node, 1]):
                continue
            score, before = 0.0, 0.0
            if node != _BEGINNING:
                score, before = scores[nodes[node, 2]], best[nodes[node, 0]]
            hypotheses[made, 0], hypotheses[made, 1] = node, top
            sums[made, 0], sums[made, 1] = before + score + sums[top, 1], score + sums[top, 1]
            _push(heap, size, sums, made)
            made, size = made + 1, size + 1
        if size > _LARGEST_AGENDA:
            _cut(heap, size, sums)
            size = _CUT_AGENDA
    return 0


@inner_kernel
def _relax(nodes: I32, count: int, piece: int, length: int, scores: F64, best: F64, second: F64, last: I32) -> None:
    """The best and second-best score of the first k characters without the piece, and the node that ends the best."""
    for at in range(1, length + 1):
        best[at] = second[at] = -math.inf
    best[0] = 0.0
    for node in range(count):
        end, part = nodes[node, 1], nodes[node, 2]
        if part == piece:
            continue
        score = best[nodes[node, 0]] + scores[part]
        if score > best[end]:
            second[end], best[end], last[end] = best[end], score, node
        elif score > second[end]:
            second[end] = score


@inner_kernel
def _second(nodes: I32, piece: int, length: int, scores: F64, best: F64, second: F64, last: I32, found: I32) -> int:
    """The number of pieces of the second-best segmentation, put into `found`, if the best one is the piece itself.

    Else _CUT_ITSELF; _UNDECIDED if segmentations are too nearly equal to tell which one the library takes.
    """
    # Far above the rounding of sums, so that no tie is missed.
    margin = 1e-9 * (1.0 - best[length])
    if best[length] > scores[piece] + margin:
        return _CUT_ITSELF
    if best[length] >= scores[piece] - margin:
        return _UNDECIDED
    steps, at = 0, length
    while at > 0:
        if second[at] >= best[at] - margin:
            return _UNDECIDED
        steps, at = steps + 1, nodes[last[at], 0]
    step, at = steps, length
    while at > 0:
        step -= 1
        found[step] = nodes[last[at], 2]
        at = nodes[last[at], 0]
    return steps


@kernel
def _fill(matches: Matches, lexicon: Lexicon, first: int, last: int, result: Alternatives) -> None:
    """Fill the result for the pieces first up to, without, last."""
    longest = lexicon.lengths[first:last].max()
    best, second, ends = np.zeros(longest + 1), np.zeros(longest + 1), np.zeros(longest + 1, np.int32)
    nodes = np.empty((longest * (longest + 1) // 2, 3), np.int32)
    for piece in range(first, last):
        length = lexicon.lengths[piece]
        steps = 0
        if length > 1:
            found = result.pieces[result.offsets[piece] : result.offsets[piece + 1]]
            count = _lattice(matches, lexicon, lexicon.places[piece], length, nodes)
            _relax(nodes, count, piece, length, lexicon.scores, best, second, ends)
            steps = _second(nodes, piece, length, lexicon.scores, best, second, ends, found)
            if steps == _UNDECIDED:
                steps = _search(nodes, count, length, lexicon.scores, best, found)
        result.needed[piece] = steps != _CUT_ITSELF
        result.sizes[piece] = max(steps, 0)


def second_best(matches: Matches, lexicon: Lexicon) -> Alternatives:
    """The two best segmentations of every piece: whether it stands for itself, and what would replace it.

    Between equally likely segmentations the choice is the library's, whose agenda is a 4-ary heap.
    """
    size = len(lexicon.lengths)
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lexicon.lengths, dtype=np.int64)))
    result = Alternatives(
        offsets, np.zeros(size, np.int32), np.empty(int(offsets[-1]), np.int32), np.zeros(size, np.bool_)
    )
    tasks = [(first, min(first + _TASK, size)) for first in range(1, size, _TASK)]
    for _ in map_in_order(lambda task: _fill(matches, lexicon, *task, result), tasks):
        pass
    return result
