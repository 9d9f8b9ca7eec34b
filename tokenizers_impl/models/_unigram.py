"""The Unigram model."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
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
    """A segmentation of a text.

    pieces: the tokens, as in `encode`.  probability: among all segmentations of the text, in [0, 1].
    score: the sum of the scores of the pieces, the natural log of the joint probability of segmentation and text.
    """

    pieces: list[str]
    probability: float
    score: float


class Unigram(CheckedOptions, Model):
    """A unigram language model of pieces (Kudo 2018), with the options of `tokenizers.models.Unigram` 0.23.3.

    A word gets the segmentation with the highest sum of scores.  Ties: the longer last piece wins, then the longer last
    piece but one, and so on.  A character that is not a piece is unknown and scores 10 less than the worst piece.
    Adjacent unknown characters, and pieces unk_id, are joined.  They become the piece of the same text, if there is
    one; else their UTF-8 bytes, if byte_fallback is on and vocab has a piece <0x00>..<0xFF> for each; else unk_id.

    vocab: (piece, score) pairs; a score is a natural log-probability.  A piece's id is its index; of equal pieces, the
      last one counts.  None: ("<unk>", 0.0) alone, with unk_id 0.
    unk_id: the id of the unknown piece; None: an unknown character raises ValueError.
    byte_fallback: whether unknown characters become bytes; None: False.
    alpha: a number of 0 or more; unless None or 0, encoding draws segmentations, as `sample` does.
    nbest_size: draw among this many best segmentations; None or 0: among all.
    seed: integer of 0 or more that seeds the draws in every call; None: each call draws different numbers.  The library
      lacks it.
    ValueError for unk_id outside vocab or without vocab, a score that is not finite, alpha < 0 and nbest_size < 0.

    >>> from tokenizers_impl import Tokenizer, models
    >>> model = models.Unigram([("<unk>", 0.0), ("a", -1.0), ("b", -2.0), ("ab", -2.5)], unk_id=0)
    >>> encoding = Tokenizer(model).encode("abbaxx")
    >>> encoding.tokens, encoding.ids
    (['ab', 'b', 'a', 'xx'], [3, 2, 1, 0])
    """

    _fixed = frozenset({"vocab", "unk_id", "byte_fallback"})
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
            raise ValueError(f"unk_id is {unk_id}, but vocab is None: give both or neither")
        pieces, scores = _columns([("<unk>", 0.0)] if vocab is None else vocab)
        self.unk_id = 0 if vocab is None else unk_id
        if self.unk_id is not None and self.unk_id >= len(pieces):
            raise ValueError(f"unk_id is {unk_id!r}, but vocab has {len(pieces)} pieces: give the index of one")
        self.byte_fallback = False if byte_fallback is None else byte_fallback
        self.alpha = alpha
        self.nbest_size = nbest_size
        self.seed = seed
        self._pieces = ScoredPieces(pieces, scores, self.unk_id, self.byte_fallback)

    @cached_property
    def vocab(self) -> tuple[tuple[str, float], ...]:
        """The pieces with their scores, by id."""
        return tuple(zip(self._pieces.pieces, self._pieces.scores.tolist(), strict=True))

    def _checked(self, name: str, value: Any) -> Any:
        kept = super()._checked(name, value)
        return kept if name != "alpha" or kept is None else _checked_alpha(kept)

    def _state(self) -> dict[str, Any]:
        state = super()._state()
        del state["_pieces"]
        return state | {"vocab": (*packed_strings(self._pieces.pieces), self._pieces.scores)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        *pieces, scores = state["vocab"]
        own = {name: value for name, value in state.items() if name != "vocab"}
        made = ScoredPieces(unpacked_strings(*pieces), scores, own["unk_id"], own["byte_fallback"])
        self.__dict__.update(own, _pieces=made)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Unigram:
        """Read the `model` object of a tokenizer.json; ValueError if vocab is missing or invalid."""
        vocab = required(data, "vocab", "Unigram")
        if not isinstance(vocab, list):
            raise ValueError(f"Unigram: vocab is {str(vocab)[:80]}: expected a list")
        return cls(vocab, data.get("unk_id"), data.get("byte_fallback", False))

    def to_json(self) -> dict[str, Any]:
        """Return the `model` object of tokenizer.json; as in the library, it lacks alpha and nbest_size."""
        vocab = list(map(list, zip(self._pieces.pieces, self._pieces.scores.tolist(), strict=True)))
        return {"type": "Unigram", "unk_id": self.unk_id, "vocab": vocab, "byte_fallback": self.byte_fallback}

    def get_vocab(self) -> dict[str, int]:
        """Return a new dictionary from piece to id."""
        return dict(self._pieces.ids)

    def get_vocab_size(self) -> int:
        """Return the number of entries of vocab, equal pieces included."""
        return len(self._pieces.pieces)

    def token_to_id(self, token: str) -> int | None:
        """Return the id of a piece, None if the vocabulary lacks it."""
        return self._pieces.ids.get(checked_token(token))

    def id_to_token(self, id: int) -> str | None:
        """Return the piece of an id, None if no piece has it."""
        return self._pieces.pieces[id] if checked_id(id) < len(self._pieces.pieces) else None

    @property
    def is_random(self) -> bool:
        """Whether two occurrences of a word may get different segmentations."""
        return bool(self.alpha) and self.nbest_size != 1

    def encode_words(self, words: Words) -> Pieces:
        """Split every word into pieces; bytes and joined unknown characters have the offsets of the whole run.

        ValueError, which names the word, if unk_id is None and a character is unknown or alpha is set.
        """
        if not self.alpha:
            return self._shown(words, self._pieces.best(words))
        if self.unk_id is None:
            raise ValueError(f"alpha is {self.alpha}, but unk_id is None: set unk_id to draw segmentations")
        if self.nbest_size == 1:
            lattice = self._pieces.lattice(words)
            return self._shown(words, self._pieces.raw(lattice, lattice.viterbi()))
        return self.sample_words(words, self.alpha, self.seed, self.nbest_size or -1)

    def token_texts(self, words: Words, pieces: Pieces) -> list[str]:
        """Return the tokens of `encode_words(words)`, as in the library's `encode(...).tokens`.

        A token is the text that it covers, even if it is unknown; the token of a byte is its name, such as <0xE3>.
        """
        return self._pieces.texts(words.chars, words.offsets[:-1], pieces)

    def nbest(self, text: str, n: int) -> list[Segmentation]:
        """Return the n best segmentations of a word, or all if it has fewer; `encode_words` takes the first.

        Order: highest score first; ties: longer last piece first, then longer last piece but one, and so on.
        An empty word has one segmentation, without pieces.  Segmentations that differ only inside a run of unknown
        characters show the same pieces.  ValueError if n < 1, or if the word has no segmentation and unk_id is None.

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
        """Draw a segmentation of a word and return its tokens: subword regularization (Kudo 2018, section 3.2).

        alpha: >= 0; the weight of a segmentation is its probability to the power of alpha.  With 0 all are equally
          likely; a larger alpha favours the best.
        seed: an integer, which always draws the same, or a numpy Generator, whose state advances.
        n: draw among the n best segmentations; -1: among all.

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
        """Draw a segmentation of every word, as `sample` does; equal words may get different ones."""
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
        """Return the scores of the pieces of every word's best segmentation, one float64 array per word.

        The scores are natural log-probabilities if the exponentials of the vocabulary's scores add up to 1.  Each
        unknown character is one piece here, although `encode_words` joins adjacent ones.

        >>> model = Unigram([("<unk>", -9.0), ("a", -1.0), ("b", -2.0), ("ab", -2.5)], unk_id=0)
        >>> model.log_probs(["aab", "axx", ""])
        [array([-1. , -2.5]), array([ -1., -19., -19.]), array([], dtype=float64)]
        """
        paths = self._pieces.best(Words.of(texts))
        return np.split(self._pieces.scores_of(paths.pieces[0]), paths.offsets[1:-1]) if len(texts) else []

    def log_marginals(self, texts: Sequence[str]) -> F64:
        """Return the natural log of every word's probability, summed over its segmentations; shape (len(texts),).

        >>> model = Unigram([("<unk>", -9.0), ("a", -1.0), ("b", -2.0), ("ab", -2.5)], unk_id=0)
        >>> [round(math.exp(x), 6) for x in model.log_marginals(["ab", ""])]
        [0.131872, 1.0]
        """
        return self._pieces.lattice(Words.of(texts)).log_sums()

    def explain_word(self, word: str, n: int = 5) -> UnigramExplanation:
        """Return the n best segmentations of a word, with score and posterior of every piece.

        >>> model = Unigram([("<unk>", -9.0), ("a", -1.0), ("b", -2.0), ("ab", -2.5)], unk_id=0)
        >>> for path in model.explain_word("abx").paths:
        ...     print(path.score, [(step.piece, step.id, step.score) for step in path.steps])
        -21.5 [('ab', 3, -2.5), ('x', None, -19.0)]
        -22.0 [('a', 1, -1.0), ('b', 2, -2.0), ('x', None, -19.0)]
        """
        return explained(word, self._pieces.lattice(Words.of([word])), _checked_n(n))

    def save(self, folder: str | os.PathLike[str], prefix: str | None = None, name: str | None = None) -> list[str]:
        """Write unigram.json, or prefix-unigram.json; returns its path in a list."""
        return [written(named(folder, chosen_prefix(prefix, name), "unigram.json"), dumps(self.to_json(), indent=2))]

    def _shown(self, words: Words, paths: RawPaths) -> Pieces:
        return self._pieces.shown(words.chars, words.offsets[:-1], paths)


def _columns(vocab: Any) -> tuple[list[str], F64]:
    """The pieces and their scores; ValueError names a row that is not a piece with a finite score."""
    if isinstance(vocab, (str, Mapping)) or not isinstance(vocab, Iterable):
        raise ValueError(f"vocab is {vocab!r:.80}: give a list of (piece, score) pairs, such as [('<unk>', 0.0)]")
    rows = list(vocab)
    if not _are_plain(rows):
        for id, row in enumerate(rows):
            if not _is_scored(row):
                raise ValueError(f"vocab[{id}] is {row!r:.80}: give a string and a finite number")
    pieces, scores = [row[0] for row in rows], [row[1] for row in rows]
    # UnicodeEncodeError for a lone surrogate now, because the trie of the pieces is built at the first encoding.
    "".join(pieces).encode("utf-32-le")
    return pieces, np.array(scores, np.float64)


def _are_plain(rows: list[Any]) -> bool:
    """Whether all rows are pairs of a string and a finite float; checking all at once is faster than one by one."""
    if not (set(map(type, rows)) <= {list, tuple} and set(map(len, rows)) <= {2}):
        return False
    pieces, scores = [row[0] for row in rows], [row[1] for row in rows]
    return set(map(type, pieces)) <= {str} and set(map(type, scores)) <= {float} and all(map(math.isfinite, scores))


def _is_scored(row: Any) -> bool:
    if not isinstance(row, (list, tuple)) or len(row) != 2 or not isinstance(row[0], str):
        return False
    score = row[1]
    return (isinstance(score, float) or _is_number(score)) and math.isfinite(score)


def _is_number(value: Any) -> bool:
    """Whether it is a real number and not a bool."""
    return isinstance(value, Real) and not isinstance(value, bool)


def _checked_alpha(alpha: float) -> float:
    if not _is_number(alpha) or not 0 <= alpha < math.inf:
        raise ValueError(f"alpha is {alpha!r}: give a number of 0 or more")
    return alpha


def _checked_n(n: int) -> int:
    if n < 1:
        raise ValueError(f"n is {n!r}: give an integer of 1 or more")
    return n
