"""Kernels over lattices: sums over all paths, the n best paths, random paths."""

from __future__ import annotations

import math

import numpy as np

from .._arrays import F64, I64
from .._kernel import inner_kernel, kernel

# The arcs firsts[v]:firsts[v + 1] lead to node v from `sources`, all before v.  The nodes of word i are
# roots[i]:roots[i + 1]; its paths lead from the first of them to the last.


@kernel
def forward(firsts: I64, sources: I64, scores: F64, roots: I64) -> F64:
    """log of the sum of exp(score) over all paths from the root to each node; -inf where none leads."""
    sums = np.full(len(firsts) - 1, -math.inf)
    sums[roots[:-1]] = 0.0
    for node in range(len(sums)):
        highest = -math.inf
        for arc in range(firsts[node], firsts[node + 1]):
            highest = max(highest, scores[arc] + sums[sources[arc]])
        if highest > -math.inf:
            total = 0.0
            for arc in range(firsts[node], firsts[node + 1]):
                total += math.exp(scores[arc] + sums[sources[arc]] - highest)
            sums[node] = highest + math.log(total)
    return sums


@kernel
def backward(firsts: I64, sources: I64, scores: F64, roots: I64) -> F64:
    """log of the sum of exp(score) over all paths from each node to the last of its word; -inf where none leads."""
    sums = np.full(len(firsts) - 1, -math.inf)
    sums[roots[1:] - 1] = 0.0
    for node in range(len(sums) - 1, -1, -1):
        for arc in range(firsts[node], firsts[node + 1]):
            old, new = sums[sources[arc]], scores[arc] + sums[node]
            highest = max(old, new)
            if highest > -math.inf:
                sums[sources[arc]] = highest + math.log(math.exp(old - highest) + math.exp(new - highest))
    return sums


@kernel
def random_paths(firsts: I64, sources: I64, scores: F64, roots: I64, sums: F64, uniforms: F64) -> tuple[I64, I64]:
    """A path of every word with probability in proportion to exp(score): arcs, and the offsets of each word's.

    sums: of `forward`.  uniforms: in [0, 1), one a node; that of a node decides by which arc its path came there.
    """
    arcs = np.empty(len(sums), np.int64)
    offsets = np.zeros(len(roots), np.int64)
    m = 0
    for i in range(len(roots) - 1):
        node = roots[i + 1] - 1
        while node > roots[i]:
            left = uniforms[node]
            arc = firsts[node]
            for candidate in range(firsts[node], firsts[node + 1]):
                chance = math.exp(scores[candidate] + sums[sources[candidate]] - sums[node])
                # The chances may add up to a little less than 1: the last possible arc takes the rest.
                if chance > 0.0:
                    arc = candidate
                left -= chance
                if left < 0.0:
                    break
            arcs[m] = arc
            m += 1
            node = sources[arc]
        arcs[offsets[i] : m] = arcs[offsets[i] : m][::-1].copy()
        offsets[i + 1] = m
    return arcs[:m].copy(), offsets


@kernel
def n_best_paths(firsts: I64, sources: I64, scores: F64, n: int) -> tuple[F64, I64, I64]:
    """The n best paths of a lattice of one word, or all if there are fewer: scores, arcs, the offsets of each path's.

    Order: score, highest first; then the path whose last piece is longer; then by the same rule without that piece.
    The scores are summed from left to right, so that the first path is that of `best_paths` to the last bit.
    """
    begins = _path_rows(firsts, sources, n)
    best = np.zeros(begins[-1])
    arc_of = np.empty(begins[-1], np.int64)
    row_of = np.empty(begins[-1], np.int64)
    for node in range(1, len(firsts) - 1):
        # The row of the next path of each arc's source.  Those of one source keep their order, for rounding leaves
        # p + score >= q + score where p >= q.
        rows = begins[sources[firsts[node] : firsts[node + 1]]]
        for row in range(begins[node], begins[node + 1]):
            arc = _best_arc(sources, scores, best, begins, rows, firsts[node])
            arc_of[row], row_of[row] = arc, rows[arc - firsts[node]]
            best[row] = scores[arc] + best[row_of[row]]
            rows[arc - firsts[node]] += 1
    arcs, offsets = _trace(arc_of, row_of, begins[-2:], len(begins))
    return best[begins[-2] :].copy(), arcs, offsets


@inner_kernel
def _path_rows(firsts: I64, sources: I64, n: int) -> I64:
    """Where the rows of each node begin, one a path, at most n: shape (nodes + 1,)."""
    begins = np.zeros(len(firsts), np.int64)
    begins[1] = 1
    for node in range(1, len(firsts) - 1):
        count = 0
        for arc in range(firsts[node], firsts[node + 1]):
            count = min(count + begins[sources[arc] + 1] - begins[sources[arc]], n)
        begins[node + 1] = begins[node] + count
    return begins


@inner_kernel
def _best_arc(sources: I64, scores: F64, best: F64, begins: I64, rows: I64, first: int) -> int:
    """Of the arcs first, first + 1, ... into a node the one whose next path is the best, the first of equals."""
    chosen = -1
    highest = 0.0
    for i in range(len(rows)):
        if rows[i] < begins[sources[first + i] + 1]:
            score = scores[first + i] + best[rows[i]]
            if chosen < 0 or score > highest:
                chosen, highest = first + i, score
    return chosen


@inner_kernel
def _trace(arc_of: I64, row_of: I64, last: I64, longest: int) -> tuple[I64, I64]:
    """The arcs of the paths of the rows last[0]:last[1], none longer than `longest`, and the offsets of each path's."""
    arcs = np.empty((last[1] - last[0]) * longest, np.int64)
    offsets = np.zeros(last[1] - last[0] + 1, np.int64)
    m = 0
    for i in range(last[1] - last[0]):
        row = last[0] + i
        # Row 0 is the empty path to the root.
        while row > 0:
            arcs[m] = arc_of[row]
            row = row_of[row]
            m += 1
        arcs[offsets[i] : m] = arcs[offsets[i] : m][::-1].copy()
        offsets[i + 1] = m
    return arcs[:m].copy(), offsets


@kernel
def lattice_viterbi(firsts: I64, sources: I64, scores: F64, roots: I64) -> tuple[I64, I64]:
    """The best path of every word, which must have one, as `Lattice::viterbi` of tokenizers 0.23.3 finds it.

    What leads to the start of an arc is compared after adding that arc's own score.  Rounding may then tie what differs
    before: the path is not always that of `best_paths`.
    """
    totals = np.empty(len(sources))
    previous = np.full(len(sources), -1, np.int64)
    for arc in range(len(sources)):
        source = sources[arc]
        previous[arc] = _best_before(totals, firsts[source], firsts[source + 1], scores[arc])
        totals[arc] = scores[arc] + (totals[previous[arc]] if previous[arc] >= 0 else 0.0)
    arcs = np.empty(len(firsts), np.int64)
    offsets = np.zeros(len(roots), np.int64)
    m = 0
    for i in range(len(roots) - 1):
        last = roots[i + 1] - 1
        arc = _best_before(totals, firsts[last], firsts[last + 1], 0.0)
        while arc >= 0:
            arcs[m] = arc
            arc = previous[arc]
            m += 1
        arcs[offsets[i] : m] = arcs[offsets[i] : m][::-1].copy()
        offsets[i + 1] = m
    return arcs[:m].copy(), offsets


@inner_kernel
def _best_before(totals: F64, first: int, end: int, score: float) -> int:
    """The first arc of the range with the highest total + score; -1 if the range is empty."""
    chosen = -1
    for arc in range(first, end):
        if chosen < 0 or totals[arc] + score > totals[chosen] + score:
            chosen = arc
    return chosen
