"""The Unigram model."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from .._core.arrays import F64, packed_strings, unpacked_strings
from .._core.files import chosen_prefix, dumps, named, required, written
from .._core.options import CheckedOptions, checked_id, checked_token
from .._text.words import Words
from ._explanation import UnigramExplanation, explained
from ._model import Model, Pieces
from ._scored_pieces import RawPaths, ScoredPieces


class Segmentation(NamedTuple):
    """One way to cut a text.

    pieces: as `encode` shows them.  probability: of this way among all ways to cut the text, in [0, 1].
    score: natural logarithm of the probability of this way and text together: the sum of the scores of the pieces.
    """

    pieces: list[str]
    probability: float
    score: float


class Unigram(CheckedOptions, Model):
    """A language model of independent pieces (Kudo 2018), as `tokenizers.models.Unigram` 0.23.3.

    A word is cut so that the sum of the scores of its pieces is highest; of equal sums the one whose last piece is
    longer, then by the same rule without that piece.  A character that is no piece may stand alone, unknown, with the
    score of the worst piece less 10.  Unknown neighbours, the piece unk_id among them, then stand as one: the piece
    that they make up, if there is one; else their UTF-8 bytes, if byte_fallback and a piece <0x00> .. <0xFF> is there
    for each; else unk_id.

    vocab: pieces and their scores, natural logarithms of probabilities; a piece's id is its place, of equal pieces the
      last one's.  None: "<unk>" alone, with score 0, and unk_id 0.
    unk_id: id of the unknown piece; without it a character that is unknown is an error.
    alpha, nbest_size: with alpha, unless 0, encoding draws segmentations as `sample` does: among the nbest_size best;
      with None or 0 among all.
    seed: what it draws from, in each call anew; None: other numbers each time.  The library has no such thing.
    ValueError for unk_id outside the vocabulary or without one, scores that are not finite, alpha < 0, nbest_size < 0.

    >>> from tokenizers_impl import Tokenizer, models
    >>> model = models.Unigram([("<unk>", 0.0), ("a", -1.0), ("b", -2.0), ("ab", -2.5)], unk_id=0)
    >>> encoding = Tokenizer(model).encode("abbaxx")
    >>> encoding.tokens, encoding.ids
    (['ab', 'b', 'a', 'xx'], [3, 2, 1, 0])
    """

    _fixed = frozenset({"vocab", "unk_id", "byte_fallback"})
    vocab: tuple[tuple[str, float], ...]
    byte_fallback: bool

    def __init__(
        self,
        vocab: Sequence[tuple[str, float]] | None = None,
        unk_id: int | None = None,
        byte_fallback: bool | None = False,
        alpha: float | None = None,
        nbest_size: int | None = None,
        *,
        seed: int | None = None,
    ) -> None:
        if vocab is None and unk_id is not None:
            raise ValueError(f"unk_id={unk_id} without vocab: give both")
        self.vocab = (("<unk>", 0.0),) if vocab is None else _checked(vocab)
        self.unk_id = 0 if vocab is None else unk_id
        if self.unk_id is not None and self.unk_id >= len(self.vocab):
            raise ValueError(f"unk_id={unk_id!r}: the vocabulary has {len(self.vocab)} pieces; give the place of one")
        self.byte_fallback = False if byte_fallback is None else byte_fallback
        self.alpha = alpha
        self.nbest_size = nbest_size
        self.seed = seed
        self._pieces = ScoredPieces(self.vocab, self.unk_id, self.byte_fallback)

    def _checked(self, name: str, value: Any) -> Any:
        kept = super()._checked(name, value)
        return kept if name != "alpha" or kept is None else _checked_alpha(kept)

    def _state(self) -> dict[str, Any]:
        state = super()._state()
        del state["_pieces"]
        scores = np.array([score for _, score in self.vocab], np.float64)
        return state | {"vocab": (*packed_strings([piece for piece, _ in self.vocab]), scores)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        *pieces, scores = state["vocab"]
        vocab = tuple(zip(unpacked_strings(*pieces), scores.tolist(), strict=True))
        made = ScoredPieces(vocab, state["unk_id"], state["byte_fallback"])
        self.__dict__.update(state | {"vocab": vocab, "_pieces": made})

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Unigram:
        """The model of the `model` object of a tokenizer.json; ValueError if it lacks the vocab."""
        vocab = _rows(required(data, "vocab", "Unigram"))
        return cls(vocab, data.get("unk_id"), data.get("byte_fallback", False))

    def to_json(self) -> dict[str, Any]:
        """The `model` object of tokenizer.json; as in the library's, alpha and nbest_size have no place in it."""
        vocab = [[piece, score] for piece, score in self.vocab]
        return {"type": "Unigram", "unk_id": self.unk_id, "vocab": vocab, "byte_fallback": self.byte_fallback}

    def get_vocab(self) -> dict[str, int]:
        """From piece to id."""
        return dict(self._pieces.ids)

    def get_vocab_size(self) -> int:
        """Number of entries of the vocabulary; equal pieces count each."""
        return len(self.vocab)

    def token_to_id(self, token: str) -> int | None:
        """The id of a piece, None if there is no such piece."""
        return self._pieces.ids.get(checked_token(token))

    def id_to_token(self, id: int) -> str | None:
        """The piece of an id, None if there is no such id."""
        return self.vocab[id][0] if checked_id(id) < len(self.vocab) else None

    @property
    def is_random(self) -> bool:
        """Whether a word is cut anew each time it comes."""
        return bool(self.alpha) and self.nbest_size != 1

    def encode_words(self, words: Words) -> Pieces:
        """The pieces of every word; bytes and joined unknown characters have the places of the whole stretch.

        ValueError, which names the word, if unk_id is None and a character is unknown (or alpha is set).
        """
        if not self.alpha:
            return self._shown(words, self._pieces.best(words))
        if self.unk_id is None:
            raise ValueError(f"alpha={self.alpha}: drawing segmentations needs unk_id, which is None")
        if self.nbest_size == 1:
            lattice = self._pieces.lattice(words)
            return self._shown(words, self._pieces.raw(lattice, lattice.viterbi()))
        return self.sample_words(words, self.alpha, self.seed, self.nbest_size or -1)

    def token_texts(self, words: Words, pieces: Pieces) -> list[str]:
        """The tokens of `encode_words(words)`, as the library's `encode(...).tokens`.

        A token is the characters that it covers, also where it is unknown; the piece of a byte is its name, as <0xE3>.
        """
        return self._pieces.texts(words.chars, words.offsets[:-1], pieces)

    def nbest(self, text: str, n: int) -> list[Segmentation]:
        """The n best segmentations of a word, fewer if it has fewer; the first one is that of `encode_words`.

        Order: score, highest first; of equal ones that whose last piece is longer, then by the same rule without it.
        An empty word has one segmentation, into nothing.  Segmentations that differ inside a stretch of unknown
        characters alone show the same pieces.  ValueError if n < 1, or if there is none at all, for want of unk_id.

        >>> model = Unigram([("<unk>", -9.0), ("a", -1.0), ("b", -2.0), ("ab", -2.5)], unk_id=0)
        >>> for pieces, probability, score in model.nbest("ab", 5):
        ...     print(pieces, round(probability, 6), score)
        ['ab'] 0.622459 -2.5
        ['a', 'b'] 0.377541 -3.0
        """
        words = Words.of([text])
        lattice = self._pieces.lattice(words)
        scores, paths = lattice.n_best(_checked_n(n))
        begins = np.zeros(len(scores), np.int64)
        raw = RawPaths(lattice.pieces(paths, begins), paths.offsets)
        pieces = self._pieces.shown(words.chars, begins, raw)
        texts, bounds = self._pieces.texts(words.chars, begins, pieces), pieces.offsets.tolist()
        log_sum = float(lattice.log_sums()[0])
        return [
            Segmentation(texts[start:end], min(math.exp(score - log_sum), 1.0), score)
            for (start, end), score in zip(pairwise(bounds), scores.tolist(), strict=True)
        ]

    def sample(self, text: str, alpha: float, seed: int | np.random.Generator | None = None, n: int = -1) -> list[str]:
        """The tokens of a random segmentation of a word: subword regularization (Kudo 2018, section 3.2).

        alpha: >= 0; a segmentation comes with probability in proportion to its own to the power of alpha: 0 draws
        from all alike, and the larger it is the more often comes the best.  n: draw among the n best, -1 among all.
        seed: a number, which always draws the same, or a numpy Generator, to go on drawing.

        >>> model = Unigram([("<unk>", -9.0), ("a", -1.0), ("b", -2.0), ("ab", -2.5)], unk_id=0)
        >>> generator = np.random.default_rng(0)
        >>> [" ".join(model.sample("ab", 0.5, generator)) for _ in range(5)]
        ['ab', 'a b', 'ab', 'ab', 'a b']
        """
        words = Words.of([text])
        return self.token_texts(words, self.sample_words(words, alpha, seed, n))

    def sample_words(
        self, words: Words, alpha: float, seed: int | np.random.Generator | None = None, n: int = -1
    ) -> Pieces:
        """`sample` for every word, each drawn by itself: equal words may be cut in different ways."""
        _checked_alpha(alpha)
        generator = np.random.default_rng(seed)
        if n != -1:
            return self._sample_best(words, alpha, generator, _checked_n(n))
        lattice = self._pieces.lattice(words)
        return self._shown(words, self._pieces.raw(lattice, lattice.tempered(alpha).sample(generator)))

    def _sample_best(self, words: Words, alpha: float, generator: np.random.Generator, n: int) -> Pieces:
        lattices = (self._pieces.lattice(Words.of([text])) for text in words.texts())
        chosen = [each.pieces(each.sample_best(n, alpha, generator), each.roots[:1]) for each in lattices]
        offsets = np.cumsum([0, *(pieces.shape[1] for pieces in chosen)])
        return self._shown(words, RawPaths(np.concatenate([np.empty((3, 0), np.int32), *chosen], axis=1), offsets))

    def log_probs(self, texts: Sequence[str]) -> list[F64]:
        """The scores of the pieces of the best segmentation, from left to right: one float64 array a word.

        They are natural logarithms of probabilities, if the exponentials of the vocabulary's scores add up to 1.  An
        unknown character is a piece here, as the search counts it, though `encode_words` joins it to its neighbours.

        >>> model = Unigram([("<unk>", -9.0), ("a", -1.0), ("b", -2.0), ("ab", -2.5)], unk_id=0)
        >>> model.log_probs(["aab", "axx", ""])
        [array([-1. , -2.5]), array([ -1., -19., -19.]), array([], dtype=float64)]
        """
        paths = self._pieces.best(Words.of(texts))
        return np.split(self._pieces.scores_of(paths.pieces[0]), paths.offsets[1:-1]) if len(texts) else []

    def log_marginals(self, texts: Sequence[str]) -> F64:
        """The natural logarithm of the probability of every word, summed over its segmentations; shape (len(texts),).

        >>> model = Unigram([("<unk>", -9.0), ("a", -1.0), ("b", -2.0), ("ab", -2.5)], unk_id=0)
        >>> [round(math.exp(x), 6) for x in model.log_marginals(["ab", ""])]
        [0.131872, 1.0]
        """
        return self._pieces.lattice(Words.of(texts)).log_sums()

    def explain_word(self, word: str, n: int = 5) -> UnigramExplanation:
        """The n best segmentations of a word, piece by piece.

        >>> model = Unigram([("<unk>", -9.0), ("a", -1.0), ("b", -2.0), ("ab", -2.5)], unk_id=0)
        >>> for path in model.explain_word("abx").paths:
        ...     print(path.score, [(step.piece, step.id, step.score) for step in path.steps])
        -21.5 [('ab', 3, -2.5), ('x', None, -19.0)]
        -22.0 [('a', 1, -1.0), ('b', 2, -2.0), ('x', None, -19.0)]
        """
        return explained(word, self._pieces.lattice(Words.of([word])), _checked_n(n))

    def save(self, folder: str | os.PathLike[str], prefix: str | None = None, name: str | None = None) -> list[str]:
        """Writes unigram.json, with prefix "name" name-unigram.json; returns its path in a list."""
        return [written(named(folder, chosen_prefix(prefix, name), "unigram.json"), dumps(self.to_json(), indent=2))]

    def _shown(self, words: Words, paths: RawPaths) -> Pieces:
        return self._pieces.shown(words.chars, words.offsets[:-1], paths)


def _checked(vocab: Any) -> tuple[tuple[str, float], ...]:
    if isinstance(vocab, (str, Mapping)) or not isinstance(vocab, Iterable):
        raise ValueError(f"vocab is {vocab!r:.80}: give a list of pieces with their scores, such as [('<unk>', 0.0)]")
    listed = list(vocab)
    if not _are_plain(listed):
        for id, row in enumerate(listed):
            if not _is_scored(row):
                raise ValueError(f"vocab[{id}] is {row!r:.80}: give a string and a finite number")
    return tuple((piece, float(score)) for piece, score in listed)


def _are_plain(rows: list[Any]) -> bool:
    """Whether they are pairs of strings and finite floats, which is seen of all faster than of each."""
    if not (set(map(type, rows)) <= {list, tuple} and set(map(len, rows)) <= {2}):
        return False
    pieces, scores = [row[0] for row in rows], [row[1] for row in rows]
    return set(map(type, pieces)) <= {str} and set(map(type, scores)) <= {float} and all(map(math.isfinite, scores))


def _is_scored(row: Any) -> bool:
    if not isinstance(row, (list, tuple)) or len(row) != 2 or not isinstance(row[0], str):
        return False
    score = row[1]
    return (isinstance(score, float) or _is_number(score)) and math.isfinite(score)


def _rows(vocab: Any) -> list[tuple[str, float]]:
    """The vocab of a file; ValueError for what is no list of lists of a string and a number."""
    if not isinstance(vocab, list):
        raise ValueError(f"Unigram: vocab is {str(vocab)[:80]}: expected a list")
    if set(map(type, vocab)) <= {list} and set(map(len, vocab)) <= {2} and {type(row[1]) for row in vocab} <= {float}:
        return vocab
    for id, row in enumerate(vocab):
        if not isinstance(row, list) or list(map(type, row)) not in ([str, float], [str, int]):
            raise ValueError(f"vocab[{id}] is {str(row)[:80]}: give a string and a finite number")
    return vocab


def _is_number(value: Any) -> bool:
    """Whether it is a real number, of which true and false are none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def _checked_alpha(alpha: float) -> float:
    if not _is_number(alpha) or not 0 <= alpha < math.inf:
        raise ValueError(f"alpha={alpha!r}: give a number of 0 or more")
    return alpha


def _checked_n(n: int) -> int:
    if n < 1:
        raise ValueError(f"n={n!r}: give 1 or more")
    return n
