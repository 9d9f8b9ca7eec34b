"""Kernels of the Unigram model: the best path through a word, all paths, n best, random ones."""

from __future__ import annotations

import math

import numpy as np

from .._core.arrays import F64, I32, I64, U32
from .._core.kernel import inner_kernel, kernel
from .._text.bytes import utf8_byte, utf8_length
from .._text.trie import ABSENT, ROOT, step

# --- Kernels of the Unigram model: the trie of its pieces walked for the best path through a word, or for all of them

# In place of an id: a character that no piece covers alone.
UNKNOWN = -1


@kernel
def best_paths(
    edges: I64, piece_at: I32, scores: F64, unk_score: float, has_unk: bool, chars: U32, offsets: I64
) -> tuple[I32, I64, int]:
    """The best path of every word: rows ids (or UNKNOWN), starts, ends; the offsets of each word's pieces; and -1.

    Without has_unk the first unknown character that a best path needs ends it: its index in chars is the last result.
    """
    longest = 0
    for i in range(len(offsets) - 1):
        longest = max(longest, offsets[i + 1] - offsets[i])
    best = np.zeros(longest + 1)
    source = np.empty(longest + 1, np.int32)
    last = np.empty(longest + 1, np.int32)
    paths = np.empty((3, len(chars)), np.int32)
    firsts = np.zeros(len(offsets), np.int64)
    for i in range(len(offsets) - 1):
        word = chars[offsets[i] : offsets[i + 1]]
        failed = _search(edges, piece_at, scores, unk_score, has_unk, word, best, source, last)
        if failed >= 0:
            return paths[:, :0].copy(), firsts, offsets[i] + failed
        firsts[i + 1] = firsts[i] + _length(source, len(word))
        end = len(word)
        for at in range(firsts[i + 1] - 1, firsts[i] - 1, -1):
            paths[0, at], paths[1, at], paths[2, at] = last[end], source[end], end
            end = source[end]
    return paths[:, : firsts[-1]].copy(), firsts, -1


@inner_kernel
def _search(
    edges: I64,
    piece_at: I32,
    scores: F64,
    unk_score: float,
    has_unk: bool,
    word: U32,
    best: F64,
    source: I32,
    last: I32,
) -> int:
    """Finds for every end the best score, where its last piece starts and which it is.  The start that fails, or -1.

    The path found first stays unless another is strictly better, and a sum is score + best so far, in that order: as
    `encode_optimized` of tokenizers 0.23.3 has it, so that ties and last bits agree.
    """
    source[: len(word) + 1] = -1
    for start in range(len(word)):
        alone = False
        node = ROOT
        for end in range(start + 1, len(word) + 1):
            node = step(edges, node, int(word[end - 1]))
            if node == ABSENT:
                break
            id = piece_at[node]
            if id != UNKNOWN:
                alone = alone or end == start + 1
                score = scores[id] + best[start]
                if source[end] < 0 or score > best[end]:
                    best[end], source[end], last[end] = score, start, id
        score = unk_score + best[start]
        if not alone and (source[start + 1] < 0 or score > best[start + 1]):
            if not has_unk:
                return start
            best[start + 1], source[start + 1], last[start + 1] = score, start, UNKNOWN
    return -1


@inner_kernel
def _length(source: I32, end: int) -> int:
    """Number of pieces of the path to `end`."""
    count = 0
    while end > 0:
        end = source[end]
        count += 1
    return count


@kernel
def lattice(edges: I64, piece_at: I32, has_unk: bool, chars: U32, offsets: I64) -> tuple[I64, I64, I32]:
    """Every piece wherever it fits: arcs grouped by the node they lead to, as firsts, sources, ids of `Lattice`."""
    # The same walk twice: first how many arcs lead to a node, then which.
    filled = np.zeros(len(chars) + len(offsets), np.int64)
    sources = np.empty(0, np.int64)
    ids = np.empty(0, np.int32)
    _walk(edges, piece_at, has_unk, chars, offsets, filled, sources, ids)
    firsts = np.zeros(len(filled), np.int64)
    firsts[1:] = np.cumsum(filled)[:-1]
    filled = firsts[:-1].copy()
    sources = np.empty(firsts[-1], np.int64)
    ids = np.empty(firsts[-1], np.int32)
    _walk(edges, piece_at, has_unk, chars, offsets, filled, sources, ids)
    return firsts, sources, ids


@kernel
def _walk(
    edges: I64, piece_at: I32, has_unk: bool, chars: U32, offsets: I64, filled: I64, sources: I64, ids: I32
) -> None:
    """Counts the arcs that lead to each node up in `filled`, and writes them there unless `sources` is empty."""
    # An arc is written in two places: as a function of its own this took four times as long.
    write = len(sources) > 0
    for i in range(len(offsets) - 1):
        word = chars[offsets[i] : offsets[i + 1]]
        root = offsets[i] + i
        for start in range(len(word)):
            alone = not has_unk
            node = ROOT
            for end in range(start + 1, len(word) + 1):
                node = step(edges, node, int(word[end - 1]))
                if node == ABSENT:
                    break
                id = piece_at[node]
                if id != UNKNOWN:
                    alone = alone or end == start + 1
                    if write:
                        sources[filled[root + end]], ids[filled[root + end]] = root + start, id
                    filled[root + end] += 1
            if not alone:
                if write:
                    sources[filled[root + start + 1]], ids[filled[root + start + 1]] = root + start, UNKNOWN
                filled[root + start + 1] += 1


@kernel
def join_unknown(
    edges: I64, piece_at: I32, unk_id: int, byte_ids: I32, chars: U32, begins: I64, paths: I32, firsts: I64, size: int
) -> tuple[I32, I64]:
    """Paths with each stretch of UNKNOWN as the model shows it; their pieces are at most `size`.

    Path i has the pieces firsts[i]:firsts[i + 1] and runs from chars[begins[i]] on.  byte_ids: shape (256,), UNKNOWN
    for bytes that have no piece.
    """
    joined = np.empty((3, size), np.int32)
    joined_firsts = np.zeros(len(firsts), np.int64)
    m = 0
    for i in range(len(firsts) - 1):
        at = firsts[i]
        while at < firsts[i + 1]:
            first = at
            at += 1
            count = 1
            joined[0, m] = paths[0, first]
            if paths[0, first] == UNKNOWN:
                while at < firsts[i + 1] and paths[0, at] == UNKNOWN:
                    at += 1
                stretch = chars[begins[i] + paths[1, first] : begins[i] + paths[2, at - 1]]
                count = _write_unknown(edges, piece_at, unk_id, byte_ids, stretch, joined[0, m:])
            joined[1, m : m + count] = paths[1, first]
            joined[2, m : m + count] = paths[2, at - 1]
            m += count
        joined_firsts[i + 1] = m
    return joined[:, :m].copy(), joined_firsts


@inner_kernel
def _write_unknown(edges: I64, piece_at: I32, unk_id: int, byte_ids: I32, stretch: U32, out: I32) -> int:
    """The ids of an unknown stretch: the piece that it is as a whole, after all; or all its bytes; or unk_id."""
    node = ROOT
    for char in stretch:
        node = step(edges, node, int(char))
        if node == ABSENT:
            break
    if node != ABSENT and piece_at[node] != UNKNOWN:
        out[0] = piece_at[node]
        return 1
    count = 0
    for char in stretch:
        length = utf8_length(int(char))
        for i in range(length):
            byte = utf8_byte(int(char), length, i)
            if byte_ids[byte] == UNKNOWN:
                out[0] = unk_id
                return 1
            out[count] = byte_ids[byte]
            count += 1
    return count


# --- Kernels over lattices: sums over all paths, the n best paths, random paths

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
