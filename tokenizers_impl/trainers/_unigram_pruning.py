"""The pruning of a Unigram training, and the final cut of its vocabulary."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evenscore.kernel import inner_kernel, kernel

from .._core.arrays import F64, I32, I64, Bools
from .._core.parallel import map_in_order
from ._unigram_seed import Lexicon, Matches, UnigramOptions

# --- The second-best segmentation of each piece, which replaces the piece if it is dropped

# The library's search cuts its agenda to the 20 best hypotheses when it exceeds this size.
_LARGEST_AGENDA = 100_000
_CUT_AGENDA = 20
# Results of `_second` that are not a number of pieces.
_CUT_ITSELF, _UNDECIDED = -1, -2
_BEGINNING = -1
_TASK = 1 << 14


class Alternatives(NamedTuple):
    """The second-best segmentation of each piece, empty unless the best one is the piece itself.

    The alternatives of piece i are pieces[offsets[i] : offsets[i] + sizes[i]].
    offsets: int64, shape (number of pieces + 2,).  sizes: int32, shape (number of pieces + 1,).  pieces: int32.
    needed: shape (number of pieces + 1,); whether the best segmentation of a piece is the piece itself.
    """

    offsets: I64
    sizes: I32
    pieces: I32
    needed: Bools


@inner_kernel
def _lattice(matches: Matches, lexicon: Lexicon, place: int, length: int, nodes: I32) -> int:
    """Write the nodes (begin, end, piece) of the text at `place`, sorted by begin and length; returns their number."""
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
    """Add an item to a 4-ary max-heap by sums[:, 0]; it rises past equal items, as in dary_heap 0.3.9."""
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
    """Remove the top of a heap: the last item sinks along the greatest children, then rises, as in dary_heap."""
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
    """Keep the _CUT_AGENDA best hypotheses of an agenda."""
    best = np.empty(_CUT_AGENDA, np.int32)
    for i in range(_CUT_AGENDA):
        best[i] = _pop(heap, size - i, sums)
    for i in range(_CUT_AGENDA):
        _push(heap, i, sums, best[i])


@kernel
def _search(nodes: I32, count: int, length: int, scores: F64, best: F64, found: I32) -> int:
    """Find the two best segmentations by A*, with the library's ties; returns as `_second`, never _UNDECIDED.

    nodes: the first `count` rows are the lattice; best: the best score of the first k characters, k = 0..length.
    """
    # A hypothesis is a node (or _BEGINNING) and the hypothesis that follows it; hypothesis 0 is the end of the text.
    # Its sums are the score of the best whole path through it, and the score of the path from it to the end.
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
    """Find the two best scores of the first k characters without the piece, and the last node of the best path."""
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
    """Write the second-best segmentation of a piece to `found`; returns its number of pieces.

    _CUT_ITSELF: the best segmentation is not the piece itself.  _UNDECIDED: scores are too close to tell which
    segmentation the library takes.
    """
    # The margin far exceeds rounding errors, so no tie is missed.
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
    """Fill the result for the pieces first:last."""
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
    """The second-best segmentation of every piece whose best segmentation is the piece itself.

    Ties are broken as in the library, whose agenda is a 4-ary heap.
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


# --- The loss of each piece, and the pieces to keep


@kernel
def _losses(freq: I64, alternatives: Alternatives, total: float, words: float, own_number: bool) -> F64:
    """The approximate loss of each piece; NaN without alternatives or occurrences."""
    offsets, sizes, pieces = alternatives.offsets, alternatives.sizes, alternatives.pieces
    losses = np.full(len(freq), math.nan)
    for piece in range(1, len(freq)):
        count = float(freq[piece])
        if sizes[piece] == 0 or count == 0.0:
            continue
        number = sizes[piece] if own_number else len(freq)
        log_total = math.log(total + count * (number - 1))
        replaced = 0.0
        for at in range(offsets[piece], offsets[piece] + sizes[piece]):
            replaced += math.log(freq[pieces[at]] + count) - log_total
        losses[piece] = count / words * (math.log(count) - math.log(total) - replaced)
    return losses


def approximate_losses(freq: I64, alternatives: Alternatives, words: int, prune_loss: str) -> F64:
    """The mean log-likelihood that a word loses if its alternatives replace a piece everywhere.

    With f the frequency of the piece, F the sum of all frequencies, and f_a those of its alternatives:
    f / words * (log(f / F) - sum over a of log((f_a + f) / (F + f (N - 1)))).  N is the number of alternatives for
    "sentencepiece", and the number of all pieces for "hf", as in tokenizers 0.23.3.

    freq: shape (number of pieces + 1,); words: number of words of the corpus.  Returns NaN for a piece without
      alternatives or occurrences.
    """
    return _losses(freq, alternatives, float(freq.sum()), float(words), prune_loss == "sentencepiece")


def survivors(freq: I64, alternatives: Alternatives, losses: F64, stays: Bools, target: int, endless: bool) -> I64:
    """The numbers of the pieces to keep: those that cannot be replaced, then those with the highest loss.

    stays: shape (number of pieces + 1,); pieces to keep whatever their loss.
    target: how many pieces to keep.
    endless: if more pieces than that cannot be replaced, keep all pieces, as the library does, whose loop stops at
      exactly `target`; otherwise drop all others.
    """
    occurs = freq > 0
    replaceable = (alternatives.sizes > 0) & ~stays
    fixed = stays | (~replaceable & (occurs | alternatives.needed))
    kept = 1 + np.flatnonzero(fixed[1:])
    weighed = 1 + np.flatnonzero((replaceable & occurs)[1:])
    weighed = weighed[np.argsort(-losses[weighed], kind="stable")]
    room = target - len(kept)
    if room < 0 and endless:
        room = len(weighed)
    return np.concatenate((kept, weighed[: max(room, 0)]))


def survivors_of(losses: F64, stays: Bools, target: int) -> I64:
    """The numbers of the pieces to keep: those in `stays`, then those with the highest loss, `target` in all.

    Of pieces with equal losses, the lower numbers are kept.

    >>> survivors_of(np.array([0.0, 0.0, 0.1, 0.3]), np.array([False, True, False, False]), 2).tolist()
    [1, 3]
    """
    fixed = 1 + np.flatnonzero(stays[1:])
    others = 1 + np.flatnonzero(~stays[1:])
    others = others[np.argsort(-losses[others], kind="stable")]
    return np.concatenate((fixed, others[: max(0, target - len(fixed))]))


# --- The final vocabulary of a Unigram training

# The name of entry 0 in the trainer of tokenizers 0.23.3, which never enters the vocabulary.
_LIBRARY_UNKNOWN = "<UNK>"
_PENALTY = 0.0001

Scored = list[tuple[str, float]]


def _with_required(pieces: Scored, required: list[str]) -> Scored:
    """The required characters with their scores; dropped ones get scores from the lowest one upwards.

    Without any piece these start from 0.  The library then writes an infinite score, which JSON cannot hold.
    """
    scores = dict(pieces)
    lowest = min((score for _, score in pieces), default=0.0)
    penalty = 0.0
    result = []
    for char in required:
        if char in scores:
            result.append((char, scores[char]))
        else:
            result.append((char, lowest + penalty))
            penalty += _PENALTY
    return result


def _cut_as_library(pieces: Scored, chosen: Scored, limit: int) -> Scored:
    """The required characters, then pieces in the order of the model, until their number equals the limit."""
    taken = {piece for piece, _ in chosen} | {_LIBRARY_UNKNOWN}
    result = list(chosen)
    for piece, score in pieces:
        if piece in taken:
            continue
        result.append((piece, score))
        # The library tests for equality: if the characters alone exceed the limit, nothing is cut.
        if len(result) == limit:
            break
    return result


def _cut_by_score(pieces: Scored, chosen: Scored, limit: int, taken: set[str]) -> Scored:
    """The required characters, then the pieces with the highest scores up to the limit, without duplicates."""
    chosen = [entry for entry in chosen if entry[0] not in taken]
    taken = taken | {piece for piece, _ in chosen}
    others = sorted((entry for entry in pieces if entry[0] not in taken), key=lambda entry: -entry[1])
    return chosen + others[: max(0, limit - len(chosen))]


def _scored_anew(existing: Sequence[tuple[str, float]], pieces: Scored, leading: list[str]) -> Scored:
    """The entries of a model with their new scores; special tokens, and pieces without one, keep their scores."""
    scores = dict(pieces)
    return [(piece, score if piece in leading else scores.get(piece, score)) for piece, score in existing]


def final_pieces(
    pieces: Scored, required: list[str], options: UnigramOptions, existing: Sequence[tuple[str, float]] = ()
) -> Scored:
    """The final vocabulary: the model to extend, special tokens with score 0, then learnt pieces by falling score.

    existing: the entries of the model to extend.
    pieces: the learnt pieces, in their order; required: characters, sorted; they come first among equal scores.

    >>> options = UnigramOptions(vocab_size=3, unk_token="<unk>")
    >>> final_pieces([("a", -1.0), ("ab", -2.0), ("ba", -1.5)], ["a"], options)
    [('<unk>', 0.0), ('a', -1.0), ('ab', -2.0)]
    """
    old = {piece for piece, _ in existing}
    leading = options.leading_tokens
    if not options.quirks:
        leading = [token for token in dict.fromkeys(leading) if token not in old]
    chosen = _with_required(pieces or list(existing), required)
    limit = options.vocab_size - len(leading) - len(existing)
    if options.quirks:
        learnt = _cut_as_library(pieces, chosen, limit)
    else:
        learnt = _cut_by_score(pieces, chosen, limit, old.union(leading))
    learnt.sort(key=lambda entry: -entry[1])
    return _scored_anew(existing, pieces, options.leading_tokens) + [(token, 0.0) for token in leading] + learnt
