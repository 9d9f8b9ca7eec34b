"""The steps that split a word, as dataclasses for people to read."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .._core.arrays import I64
from ._bpe_merges import Merges
from ._model import Pieces
from ._scored_pieces import Lattice
from ._unigram_kernel import UNKNOWN

# --- The merges or look-ups that split a word

# There is a step per character, with all symbols in each, or a look-up per pair of characters: 50 MB at this length.
LONGEST = 500


@dataclass(frozen=True)
class MergeStep:
    """One merge.

    step: the number of the step, from 0.  left, right: the two symbols.  token: the symbol that they become.
    rank: the merge's index in the model's merges.  position: the index of `left` among the symbols before the step.
    symbols: all symbols after the step.
    count: how often the pair occurred in the training corpus when it was merged; None if unknown.
    """

    step: int
    left: str
    right: str
    token: str
    rank: int
    position: int
    symbols: tuple[str, ...]
    count: int | None = None


@dataclass(frozen=True)
class MatchStep:
    """One look-up of a part of a word.

    step: the number of the step, from 0.  start, end: the part is word[start:end].
    token: the string that is looked up, affixes included.  id: its id, None if the vocabulary lacks it.
    """

    step: int
    start: int
    end: int
    token: str
    id: int | None


def check_length(word: str) -> None:
    """ValueError for a word that is too long, because its steps need quadratic time and space."""
    if len(word) > LONGEST:
        raise ValueError(
            f"the word {word[:20]!r}... has {len(word)} characters, more than {LONGEST}: explain a shorter part, or "
            "split texts with a pre-tokenizer"
        )


def merge_steps(ids: list[int], merges: Merges, token_of: Callable[[int], str], counts: I64 | None) -> list[MergeStep]:
    """Apply merges to the symbols `ids`, always the one of lowest rank, the leftmost of several; returns the steps."""
    steps: list[MergeStep] = []
    while True:
        ranks = [(merges.rank(*pair), at) for at, pair in enumerate(pairwise(ids))]
        rank, at = min(((rank, at) for rank, at in ranks if rank is not None), default=(None, 0))
        if rank is None:
            return steps
        left, right, merged = ids[at], ids[at + 1], int(merges.results[rank])
        ids = [*ids[:at], merged, *ids[at + 2 :]]
        count = None if counts is None else int(counts[rank])
        symbols = tuple(map(token_of, ids))
        steps.append(MergeStep(len(steps), token_of(left), token_of(right), token_of(merged), rank, at, symbols, count))


def greedy_steps(word: str, vocab: Mapping[str, int], prefix: str) -> list[MatchStep]:
    """The look-ups of the greedy longest match from the left; if no token matches, the last look-ups have id None.

    >>> for step in greedy_steps("abc", {"ab": 0, "##c": 1}, "##"):
    ...     print(step.start, step.end, step.token, step.id)
    0 3 abc None
    0 2 ab 0
    2 3 ##c 1
    """
    steps: list[MatchStep] = []
    start = 0
    while start < len(word):
        for end in range(len(word), start, -1):
            token = (prefix if start else "") + word[start:end]
            steps.append(MatchStep(len(steps), start, end, token, vocab.get(token)))
            if token in vocab:
                break
        if steps[-1].id is None:
            break
        start = steps[-1].end
    return steps


def longest_steps(word: str, pieces: Pieces, vocab: Mapping[str, int], prefix: str, suffix: str) -> list[MatchStep]:
    """The longest matches among the pieces of one word, in the order in which they are taken."""
    ids, starts, ends = pieces.ids.tolist(), pieces.starts.tolist(), pieces.ends.tolist()
    tokens = [_affixed(word, start, end, prefix, suffix) for start, end in zip(starts, ends, strict=True)]
    matches = sorted(
        (start - end, start, end, token, id)
        for id, start, end, token in zip(ids, starts, ends, tokens, strict=True)
        if vocab.get(token) == id
    )
    return [MatchStep(step, start, end, token, id) for step, (_, start, end, token, id) in enumerate(matches)]


def _affixed(word: str, start: int, end: int, prefix: str, suffix: str) -> str:
    """The string that is looked up for word[start:end]."""
    return prefix * (0 < start < end) + word[start:end] + suffix * (end == len(word))


# --- The best segmentations of a word


@dataclass(frozen=True)
class UnigramStep:
    """One piece of a segmentation.

    piece: the characters word[start:end].  id: None for an unknown character.  score: natural log-probability.
    posterior: the probability that a segmentation of the word has this piece at this position, in [0, 1].
    """

    piece: str
    id: int | None
    start: int
    end: int
    score: float
    posterior: float


@dataclass(frozen=True)
class UnigramPath:
    """A segmentation.

    steps: its pieces.  score: the sum of their scores.  probability: among all segmentations of the word, in [0, 1].
    """

    steps: tuple[UnigramStep, ...]
    score: float
    probability: float


@dataclass(frozen=True)
class UnigramExplanation:
    """A word with its best segmentations.

    log_probability: natural log of the sum of the probabilities of all segmentations.  paths: the best ones first.
    """

    word: str
    log_probability: float
    paths: tuple[UnigramPath, ...]


def explained(word: str, lattice: Lattice, n: int) -> UnigramExplanation:
    """Explain a word by the n best paths of its lattice."""
    scores, paths = lattice.n_best(n)
    steps = _steps(word, lattice)
    log_probability = float(lattice.log_sums()[0])
    bounds = paths.offsets.tolist()
    found = tuple(
        UnigramPath(
            tuple(steps[arc] for arc in paths.arcs[start:end].tolist()),
            score,
            min(math.exp(score - log_probability), 1.0),
        )
        for (start, end), score in zip(pairwise(bounds), scores.tolist(), strict=True)
    )
    return UnigramExplanation(word, log_probability, found)


def _steps(word: str, lattice: Lattice) -> list[UnigramStep]:
    """One step per arc of the lattice."""
    nodes = range(len(lattice.firsts) - 1)
    ends = np.repeat(nodes, np.diff(lattice.firsts)).tolist()
    ids = [None if id == UNKNOWN else id for id in lattice.ids.tolist()]
    starts, scores, posteriors = lattice.sources.tolist(), lattice.scores.tolist(), lattice.posteriors().tolist()
    rows = zip(ids, starts, ends, scores, posteriors, strict=True)
    return [UnigramStep(word[start:end], id, start, end, score, chance) for id, start, end, score, chance in rows]
