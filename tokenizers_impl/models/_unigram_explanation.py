"""The best segmentations of a word, for people to read."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ._lattice import Lattice
from ._unigram_kernel import UNKNOWN


@dataclass(frozen=True)
class UnigramStep:
    """One piece of a segmentation.

    piece: the characters word[start:end].  id: None for an unknown character.  score: natural logarithm.
    posterior: the probability that a segmentation of the word has this piece at this place, in [0, 1].
    """

    piece: str
    id: int | None
    start: int
    end: int
    score: float
    posterior: float


@dataclass(frozen=True)
class UnigramPath:
    """A segmentation: its pieces, the sum of their scores, its probability among all segmentations, in [0, 1]."""

    steps: tuple[UnigramStep, ...]
    score: float
    probability: float


@dataclass(frozen=True)
class UnigramExplanation:
    """A word, the natural logarithm of its probability over all segmentations, and the best of these in order."""

    word: str
    log_probability: float
    paths: tuple[UnigramPath, ...]


def explained(word: str, lattice: Lattice, n: int) -> UnigramExplanation:
    """The n best paths of the lattice of this word."""
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
    """Every arc of the lattice."""
    nodes = range(len(lattice.firsts) - 1)
    ends = np.repeat(nodes, np.diff(lattice.firsts)).tolist()
    ids = [None if id == UNKNOWN else id for id in lattice.ids.tolist()]
    starts, scores, posteriors = lattice.sources.tolist(), lattice.scores.tolist(), lattice.posteriors().tolist()
    rows = zip(ids, starts, ends, scores, posteriors, strict=True)
    return [UnigramStep(word[start:end], id, start, end, score, chance) for id, start, end, score, chance in rows]
