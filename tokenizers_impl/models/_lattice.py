"""All segmentations of words at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._arrays import F64, I32, I64
from . import _lattice_kernel as kernels


class Paths(NamedTuple):
    """Paths through a lattice; path i is arcs[offsets[i]:offsets[i + 1]], from left to right.

    arcs: int64, shape (m,), indices of arcs.  offsets: int64, shape (number of paths + 1,).
    """

    arcs: I64
    offsets: I64


class Lattice(NamedTuple):
    """The lattices of n words (Kudo 2018): every path from the first to the last node of a word is a segmentation.

    A word of k characters has k + 1 nodes, one before each character and one at its end.  An arc is a piece: it leads
    from the node before its first character to the node after its last.

    firsts: int64, shape (nodes + 1,); the arcs that lead to node v are firsts[v]:firsts[v + 1], longest first.
    sources: int64, shape (arcs,), the node from which an arc comes.
    ids: int32, shape (arcs,), the piece, or UNKNOWN for a character that is none.
    scores: float64, shape (arcs,), natural logarithms of probabilities.
    roots: int64, shape (n + 1,); the nodes of word i are roots[i]:roots[i + 1].
    """

    firsts: I64
    sources: I64
    ids: I32
    scores: F64
    roots: I64

    def tempered(self, alpha: float) -> Lattice:
        """The same segmentations, their probabilities to the power of alpha."""
        return self._replace(scores=self.scores * alpha)

    def log_sums(self) -> F64:
        """log of the sum of exp(score) over all paths of each word, shape (n,): -inf if none leads through."""
        return self._forward()[self.roots[1:] - 1]

    def posteriors(self) -> F64:
        """Which part of the probability of all paths of its word goes through each arc, shape (arcs,), in [0, 1]."""
        after = kernels.backward(self.firsts, self.sources, self.scores, self.roots)
        word = np.searchsorted(self.roots, self.sources, side="right") - 1
        through = self._forward()[self.sources] + self.scores + after[self._targets(slice(None))]
        return np.asarray(np.exp(through - self.log_sums()[word]), np.float64)

    def n_best(self, n: int) -> tuple[F64, Paths]:
        """Of a lattice of one word the scores of the n best paths, shape (at most n,), and these.

        Order: score, highest first; of equal ones that whose last piece is longer, then by the same rule without it.
        """
        scores, arcs, offsets = kernels.n_best_paths(self.firsts, self.sources, self.scores, n)
        return scores, Paths(arcs, offsets)

    def sample(self, generator: np.random.Generator) -> Paths:
        """A random path of every word, which must have one: each with probability exp(score) over the sum of all.

        Forward-filtering, backward-sampling.
        """
        uniforms = generator.random(len(self.firsts) - 1)
        sums = self._forward()
        return Paths(*kernels.random_paths(self.firsts, self.sources, self.scores, self.roots, sums, uniforms))

    def sample_best(self, n: int, alpha: float, generator: np.random.Generator) -> Paths:
        """Of a lattice of one word a random one of the n best paths, with weights exp(alpha * score)."""
        scores, paths = self.n_best(n)
        chances = np.exp(alpha * (scores - scores[0]))
        i = generator.choice(len(scores), p=chances / chances.sum())
        arcs = paths.arcs[paths.offsets[i] : paths.offsets[i + 1]]
        return Paths(arcs, np.array([0, len(arcs)]))

    def viterbi(self) -> Paths:
        """The best path of every word; every word needs one.  Ties as `Lattice::viterbi` of tokenizers 0.23.3."""
        return Paths(*kernels.lattice_viterbi(self.firsts, self.sources, self.scores, self.roots))

    def pieces(self, paths: Paths, roots: I64) -> I32:
        """The pieces of the paths as rows ids, starts, ends; path i begins at node roots[i].  int32, shape (3, m)."""
        root = np.repeat(roots, np.diff(paths.offsets))
        starts, ends = self.sources[paths.arcs] - root, self._targets(paths.arcs) - root
        return np.stack((self.ids[paths.arcs], starts, ends)).astype(np.int32)

    def _forward(self) -> F64:
        return kernels.forward(self.firsts, self.sources, self.scores, self.roots)

    def _targets(self, arcs: I64 | slice) -> I64:
        indices = np.arange(len(self.sources))[arcs]
        return np.asarray(np.searchsorted(self.firsts, indices, side="right") - 1, np.int64)
