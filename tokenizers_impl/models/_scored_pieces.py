"""The vocabulary of a Unigram model as arrays, and lattices of all segmentations of words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .._core.arrays import F64, I32, I64, U32, Bools, text_of
from .._text.trie import Trie
from .._text.words import Words
from . import _unigram_kernel as kernels
from ._model import Pieces
from ._unigram_kernel import UNKNOWN

# --- Lattices of all segmentations


class Paths(NamedTuple):
    """Paths through a lattice; path i has the arcs arcs[offsets[i]:offsets[i + 1]], from left to right.

    arcs: int64, shape (m,), indices of arcs.  offsets: int64, shape (number of paths + 1,).
    """

    arcs: I64
    offsets: I64


class Lattice(NamedTuple):
    """The lattices of n words (Kudo 2018): every path from the first to the last node of a word is a segmentation.

    A word of k characters has k + 1 nodes, one before each character and one at the end.  An arc is a piece: it goes
    from the node before its first character to the node after its last character.

    firsts: int64, shape (nodes + 1,); the arcs into node v are firsts[v]:firsts[v + 1], longest first.
    sources: int64, shape (arcs,); the node where an arc starts.
    ids: int32, shape (arcs,); the piece of an arc, UNKNOWN for a character that is not a piece.
    scores: float64, shape (arcs,); natural log-probabilities.
    roots: int64, shape (n + 1,); the nodes of word i are roots[i]:roots[i + 1].
    """

    firsts: I64
    sources: I64
    ids: I32
    scores: F64
    roots: I64

    def tempered(self, alpha: float) -> Lattice:
        """The lattice with every probability raised to the power of alpha."""
        return self._replace(scores=self.scores * alpha)

    def log_sums(self) -> F64:
        """The log of the sum of exp(score) over all paths of each word, shape (n,); -inf for a word without a path."""
        return self._forward()[self.roots[1:] - 1]

    def posteriors(self) -> F64:
        """The probability that a path of the word uses each arc, shape (arcs,), in [0, 1]."""
        after = kernels.backward(self.firsts, self.sources, self.scores, self.roots)
        word = np.searchsorted(self.roots, self.sources, side="right") - 1
        through = self._forward()[self.sources] + self.scores + after[self._targets(slice(None))]
        return np.asarray(np.exp(through - self.log_sums()[word]), np.float64)

    def n_best(self, n: int) -> tuple[F64, Paths]:
        """The scores of the n best paths of one word, shape (at most n,), and these paths.

        Order: highest score first; ties: longer last piece first, then longer last piece but one, and so on.
        """
        scores, arcs, offsets = kernels.n_best_paths(self.firsts, self.sources, self.scores, n)
        return scores, Paths(arcs, offsets)

    def sample(self, generator: np.random.Generator) -> Paths:
        """Draw a path of every word with probability exp(score) / sum of exp(score); every word must have a path.

        Algorithm: forward filtering, backward sampling.
        """
        uniforms = generator.random(len(self.firsts) - 1)
        sums = self._forward()
        return Paths(*kernels.random_paths(self.firsts, self.sources, self.scores, self.roots, sums, uniforms))

    def sample_best(self, n: int, alpha: float, generator: np.random.Generator) -> Paths:
        """Draw one of the n best paths of one word, with weights exp(alpha * score)."""
        scores, paths = self.n_best(n)
        chances = np.exp(alpha * (scores - scores[0]))
        i = generator.choice(len(scores), p=chances / chances.sum())
        arcs = paths.arcs[paths.offsets[i] : paths.offsets[i + 1]]
        return Paths(arcs, np.array([0, len(arcs)]))

    def viterbi(self) -> Paths:
        """The best path of every word, which must have one; ties as in `Lattice::viterbi` of tokenizers 0.23.3."""
        return Paths(*kernels.lattice_viterbi(self.firsts, self.sources, self.scores, self.roots))

    def pieces(self, paths: Paths, roots: I64) -> I32:
        """The pieces of the paths: rows ids, starts, ends, int32, shape (3, m); path i begins at node roots[i]."""
        root = np.repeat(roots, np.diff(paths.offsets))
        starts, ends = self.sources[paths.arcs] - root, self._targets(paths.arcs) - root
        return np.stack((self.ids[paths.arcs], starts, ends)).astype(np.int32)

    def _forward(self) -> F64:
        return kernels.forward(self.firsts, self.sources, self.scores, self.roots)

    def _targets(self, arcs: I64 | slice) -> I64:
        indices = np.arange(len(self.sources))[arcs]
        return np.asarray(np.searchsorted(self.firsts, indices, side="right") - 1, np.int64)


# --- The vocabulary of a Unigram model

# An unknown character scores this much less than the worst piece: kUnkPenalty of sentencepiece and of the library.
UNK_PENALTY = 10.0


class RawPaths(NamedTuple):
    """Segmentations of n words, with one piece per unknown character.

    pieces: int32, shape (3, m); rows ids (or UNKNOWN), starts, ends.  offsets: int64, shape (n + 1,).
    """

    pieces: I32
    offsets: I64


class ScoredPieces:
    """A vocabulary as arrays.

    pieces: by id; of equal pieces, the last one counts.  scores: float64, shape (len(pieces),).
    ids: from piece to id.  unk_id, byte_fallback: see `Unigram`.
    unk_score: the score of an unknown character.
    """

    def __init__(self, pieces: Sequence[str], scores: F64, unk_id: int | None, byte_fallback: bool) -> None:
        self.pieces = pieces
        self.scores = scores
        self.ids = dict(zip(pieces, range(len(pieces)), strict=True))
        self.unk_score = float(self.scores.min(initial=math.inf)) - UNK_PENALTY
        self._has_unk = unk_id is not None
        self._unk_id = UNKNOWN if unk_id is None else unk_id
        names = [f"<0x{byte:02X}>" for byte in range(256)]
        self._byte_ids: I32 = np.array([self.ids.get(name, UNKNOWN) for name in names], np.int32)
        if not byte_fallback:
            self._byte_ids[:] = UNKNOWN
        self._bytes = self._byte_ids[self._byte_ids != UNKNOWN]

    @cached_property
    def _trie(self) -> Trie:
        return Trie.of(self.ids)

    def scores_of(self, ids: I32) -> F64:
        """The scores of these pieces, UNKNOWN among them."""
        if not len(self.scores):
            return np.full(len(ids), self.unk_score)
        return np.where(ids == UNKNOWN, self.unk_score, self.scores[ids])

    def best(self, words: Words) -> RawPaths:
        """The best segmentation of every word; ValueError for an unknown character without unk_id."""
        edges, ids = self._trie
        pieces, offsets, failed = kernels.best_paths(edges, ids, self.scores, self.unk_score, self._has_unk, *words)
        if failed >= 0:
            word = int(np.searchsorted(words.offsets, failed, side="right")) - 1
            raise ValueError(
                f"word {word}, {words.text(word)!r}: the vocabulary has no piece for character "
                f"{failed - words.offsets[word]}, {chr(words.chars[failed])!r}, and unk_id is None: set unk_id, "
                "or train with unk_token="
            )
        return RawPaths(pieces, offsets)

    def lattice(self, words: Words) -> Lattice:
        """The lattice of every word, about 70 bytes per character; ValueError for a word without segmentation."""
        firsts, sources, ids = kernels.lattice(*self._trie, self._has_unk, *words)
        roots = words.offsets + np.arange(len(words.offsets))
        lattice = Lattice(firsts, sources, ids, self.scores_of(ids), roots)
        if not self._has_unk and not np.isfinite(lattice.log_sums()).all():
            word = int(np.argmin(lattice.log_sums()))
            raise ValueError(f"word {word}, {words.text(word)!r}, has no segmentation, and unk_id is None: set unk_id")
        return lattice

    def raw(self, lattice: Lattice, paths: Paths) -> RawPaths:
        """The segmentations of these paths, one per word of the lattice."""
        return RawPaths(lattice.pieces(paths, lattice.roots[:-1]), paths.offsets)

    def shown(self, chars: U32, begins: I64, paths: RawPaths) -> Pieces:
        """Convert segmentations to the pieces of `encode_words`; segmentation i is of the word at chars[begins[i]:]."""
        pieces, offsets = paths
        ids, starts, ends = pieces
        if kernels.has_unknown(ids, self._unk_id):
            unknown: Bools = (ids == self._unk_id) | (ids == UNKNOWN)
            pieces = pieces.copy()
            pieces[0, unknown] = UNKNOWN
            # A character has at most four bytes.
            size = len(ids) + 4 * int((ends - starts)[unknown].sum())
            table = (*self._trie, self._unk_id, self._byte_ids)
            pieces, offsets = kernels.join_unknown(*table, chars, begins, pieces, offsets, size)
        return Pieces(pieces[0], pieces[1], pieces[2], offsets)

    def texts(self, chars: U32, begins: I64, pieces: Pieces) -> list[str]:
        """The tokens of these pieces: the characters that they cover, or the name of a byte, such as <0xE3>."""
        begin = np.repeat(begins, pieces.offsets[1:] - pieces.offsets[:-1])
        text = text_of(chars)
        bounds = zip((begin + pieces.starts).tolist(), (begin + pieces.ends).tolist(), strict=True)
        texts = [text[start:end] for start, end in bounds]
        # The search for bytes would take most of the time of a short call.
        if not len(self._bytes):
            return texts
        # The id is not enough: a text may contain "<0x41>", and unk_id may be the id of a byte.
        for i in np.flatnonzero(np.isin(pieces.ids, self._bytes)).tolist():
            if self._is_spelled(texts[i]):
                texts[i] = self.pieces[pieces.ids[i]]
        return texts

    def _is_spelled(self, surface: str) -> bool:
        """Whether the model encodes these characters as bytes."""
        return surface not in self.ids and bool((self._byte_ids[list(surface.encode())] != UNKNOWN).all())
