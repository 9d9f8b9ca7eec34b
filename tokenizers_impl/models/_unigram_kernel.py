"""Kernels of the Unigram model: best paths, lattices, sums over all paths, n best paths, random paths."""

from __future__ import annotations

import math

import numpy as np

from evenscore.kernel import inner_kernel, kernel

from .._core.arrays import F64, I32, I64, U32
from .._text.bytes import utf8_byte, utf8_length
from .._text.trie import ABSENT, ROOT, step

# --- Kernels over the trie of the pieces: best paths, lattices, runs of unknown characters

# The id of a character that is not a piece.
UNKNOWN = -1


@kernel
def best_paths(
    edges: I64, piece_at: I32, scores: F64, unk_score: float, has_unk: bool, chars: U32, offsets: I64
) -> tuple[I32, I64, int]:
    """Find the best path of every word.

    Returns rows ids (or UNKNOWN), starts, ends; the offsets of each word's pieces; and -1.  Without has_unk the search
    stops at the first unknown character that a best path needs, and the last result is its index in `chars`.
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
    """Find the best score for every end, and the start and id of its last piece; returns the start that fails, or -1.

    A path is replaced only by a strictly better one, and a sum is score + best, in that order, as in `encode_optimized`
    of tokenizers 0.23.3: so ties and last bits agree.
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
    """The number of pieces of the path to `end`."""
    count = 0
    while end > 0:
        end = source[end]
        count += 1
    return count


@kernel
def lattice(edges: I64, piece_at: I32, has_unk: bool, chars: U32, offsets: I64) -> tuple[I64, I64, I32]:
    """Find every piece at every position: firsts, sources and ids of a `Lattice`, arcs grouped by their end node."""
    # The walk runs twice: the first one counts the arcs of each node, the second one writes them.
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
    """Advance `filled` by the number of arcs into each node; also write the arcs unless `sources` is empty."""
    # The code that writes an arc is written out twice, because calling a function for it takes four times as long.
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
def has_unknown(ids: I32, unk_id: int) -> bool:
    """Whether any piece is unknown; unk_id: the id of the unknown piece, or UNKNOWN."""
    count = 0
    for id in ids:
        count += id in (unk_id, UNKNOWN)
    return count > 0


@kernel
def join_unknown(
    edges: I64, piece_at: I32, unk_id: int, byte_ids: I32, chars: U32, begins: I64, paths: I32, firsts: I64, size: int
) -> tuple[I32, I64]:
    """Replace each run of UNKNOWN in the paths by a piece, bytes or unk_id.

    Path i has the pieces firsts[i]:firsts[i + 1], and its word starts at chars[begins[i]].
    byte_ids: shape (256,), UNKNOWN for bytes without a piece.  size: upper bound of the number of resulting pieces.
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
    """Write the ids of an unknown run: the piece of its text, else its bytes, else unk_id; returns their number."""
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


# --- Kernels over lattices: sums over all paths, n best paths, random paths

# The arcs firsts[v]:firsts[v + 1] end at node v and start at `sources`, which are smaller than v.  The nodes of word i
# are roots[i]:roots[i + 1]; a path of the word goes from the first of them to the last.


@kernel
def forward(firsts: I64, sources: I64, scores: F64, roots: I64) -> F64:
    """The log of the sum of exp(score) over all paths from the root to each node; -inf without a path."""
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
    """The log of the sum of exp(score) over all paths from each node to its word's last node; -inf without a path."""
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
    """Draw a path of every word with probability proportional to exp(score): arcs, and each word's offsets in them.

    sums: from `forward`.  uniforms: shape (nodes,), in [0, 1); each chooses the arc by which a path enters the node.
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
                # The chances may add up to slightly less than 1; the last possible arc gets the rest.
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
    """Find the n best paths of one word, or all if there are fewer: scores, arcs, the offsets of each path's arcs.

    Order: highest score first; ties: longer last piece first, then longer last piece but one, and so on.
    Scores are summed from left to right, so the first path equals that of `best_paths` to the last bit.
    """
    begins = _path_rows(firsts, sources, n)
    best = np.zeros(begins[-1])
    arc_of = np.empty(begins[-1], np.int64)
    row_of = np.empty(begins[-1], np.int64)
    for node in range(1, len(firsts) - 1):
        # rows[i]: the row of the next path of the source of arc i.  The paths of one source stay in order, because
        # rounding preserves p + score >= q + score for p >= q.
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
    """The first row of each node, shape (nodes + 1,); a node has one row per path, at most n."""
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
    """The arc (first, first + 1, ...) into a node whose next path is the best; ties: the first arc."""
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
    """The arcs of the paths of the rows last[0]:last[1], at most `longest` each, and each path's offsets in them."""
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
    """The best path of every word, which must have one, as found by `Lattice::viterbi` of tokenizers 0.23.3.

    The paths to the start of an arc are compared after adding the arc's own score.  Rounding may make different sums
    equal then, so the path is not always that of `best_paths`.
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
