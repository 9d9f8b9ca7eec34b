"""Which pieces leave a Unigram vocabulary, and the one that the training ends with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._core.arrays import F64, I32, I64, Bools
from .._core.kernel import inner_kernel, kernel
from .._core.parallel import map_in_order
from ._unigram_seed import Lexicon, Matches, UnigramOptions

# --- How each piece would be cut if it were not in the vocabulary

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


# --- Which pieces leave the vocabulary because the corpus loses little likelihood without them


@kernel
def _losses(freq: I64, alternatives: Alternatives, total: float, words: float, own_number: bool) -> F64:
    """The approximate loss of each piece that has alternatives and occurs; NaN for the others."""
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
    """How much log likelihood a word loses on average if a piece is replaced by its alternatives wherever it stands.

    With f the frequency of the piece, F the sum of all, f_a those of its alternatives:
    f / words * (log(f / F) - sum over a of log((f_a + f) / (F + f (N - 1)))), where N is the number of alternatives for
    "sentencepiece" and the number of all pieces for "hf", as tokenizers 0.23.3 has it.

    freq: shape (number of pieces + 1,); words: number of words of the corpus.  Returns NaN where there is nothing to
      weigh: no alternatives, or no occurrence.
    """
    return _losses(freq, alternatives, float(freq.sum()), float(words), prune_loss == "sentencepiece")


def survivors(freq: I64, alternatives: Alternatives, losses: F64, stays: Bools, target: int, endless: bool) -> I64:
    """The numbers of the pieces that stay: those that cannot be replaced, then those with the highest loss.

    stays: shape (number of pieces + 1,); pieces that are kept whatever they lose.
    target: how many may stay.  endless: the library stops at this very number, so all stay where those that cannot be
      replaced are more; else no other does then.
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
    """The numbers of the pieces that stay: those given, then those with the highest loss, at most `target`.

    Of equal losses the piece with the lower number stays.

    >>> survivors_of(np.array([0.0, 0.0, 0.1, 0.3]), np.array([False, True, False, False]), 2).tolist()
    [1, 3]
    """
    fixed = 1 + np.flatnonzero(stays[1:])
    others = 1 + np.flatnonzero(~stays[1:])
    others = others[np.argsort(-losses[others], kind="stable")]
    return np.concatenate((fixed, others[: max(0, target - len(fixed))]))


# --- The vocabulary that a Unigram training ends with

# Of the trainer of tokenizers 0.23.3: its name for the entry 0, which it never takes into the vocabulary.
_LIBRARY_UNKNOWN = "<UNK>"
_PENALTY = 0.0001

Scored = list[tuple[str, float]]


def _with_required(pieces: Scored, required: list[str]) -> Scored:
    """The required characters with their scores; those that did not survive get scores from the lowest one upwards.

    From 0 if no piece survived; the library writes an infinite score then, which no JSON can hold.
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
    """Required characters, then the pieces in the order of the model until their number is the limit."""
    taken = {piece for piece, _ in chosen} | {_LIBRARY_UNKNOWN}
    result = list(chosen)
    for piece, score in pieces:
        if piece in taken:
            continue
        result.append((piece, score))
        # Equal to, as the library has it: where the characters alone are more than the limit, nothing is cut off.
        if len(result) == limit:
            break
    return result


def _cut_by_score(pieces: Scored, chosen: Scored, limit: int, taken: set[str]) -> Scored:
    """Required characters, then the pieces with the highest scores up to the limit, none of them twice."""
    chosen = [entry for entry in chosen if entry[0] not in taken]
    taken = taken | {piece for piece, _ in chosen}
    others = sorted((entry for entry in pieces if entry[0] not in taken), key=lambda entry: -entry[1])
    return chosen + others[: max(0, limit - len(chosen))]


def _scored_anew(existing: Sequence[tuple[str, float]], pieces: Scored, leading: list[str]) -> Scored:
    """The entries of a model with what their scores are by now; special tokens, and what no word has, keep theirs."""
    scores = dict(pieces)
    return [(piece, score if piece in leading else scores.get(piece, score)) for piece, score in existing]


def final_pieces(
    pieces: Scored, required: list[str], options: UnigramOptions, existing: Sequence[tuple[str, float]] = ()
) -> Scored:
    """Entries of a model to extend, special tokens with score 0, then the learnt pieces by falling score.

    pieces: those of the model in its order; required: characters, sorted; they come first among equals.

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
