"""What encoding a text gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat

import numpy as np
import numpy.typing as npt

from ._arrays import I32, I64
from ._kernel import kernel
from ._splits import TEXT, Splits
from ._word_table import WordTable
from ._words import Words
from .models._model import Model, Pieces


@dataclass(frozen=True)
class EncodedBatch:
    """The tokens of n texts, one after another.

    ids: int32, shape (m,).  firsts: int64, shape (n + 1,); the tokens of text i are firsts[i]:firsts[i + 1].
    offsets: int32, shape (m, 2), characters of the text as it was given; (0, 2) where nobody asked for them.
    places: int32, shape (m,): the piece among `pieces` that each token is, or -1 for an added token.
    """

    ids: I32
    firsts: I64
    offsets: npt.NDArray[np.int32]
    places: I32
    words: Words = field(repr=False)
    pieces: Pieces = field(repr=False)
    model: Model = field(repr=False)
    added: Mapping[int, str] = field(repr=False)

    @cached_property
    def piece_texts(self) -> list[str]:
        """The text of every piece."""
        return self.model.token_texts(self.words, self.pieces)

    @cached_property
    def bounds(self) -> list[int]:
        """`firsts` as a list."""
        listed: list[int] = self.firsts.tolist()
        return listed

    @cached_property
    def id_list(self) -> list[int]:
        """`ids` as a list: to slice it is several times as fast as to turn slices of the array into lists."""
        listed: list[int] = self.ids.tolist()
        return listed

    def encodings(self) -> list[Encoding]:
        """An Encoding a text."""
        return list(map(Encoding, repeat(self), range(len(self.firsts) - 1)))


class Encoding:
    """The tokens of one text, with the names of `tokenizers.Encoding`; lists are made when they are asked for."""

    __slots__ = ("_batch", "_row")

    def __init__(self, batch: EncodedBatch, row: int) -> None:
        self._batch = batch
        self._row = row

    def _tokens(self) -> slice:
        bounds = self._batch.bounds
        return slice(bounds[self._row], bounds[self._row + 1])

    @property
    def ids(self) -> list[int]:
        """The ids."""
        bounds = self._batch.bounds
        return self._batch.id_list[bounds[self._row] : bounds[self._row + 1]]

    @property
    def tokens(self) -> list[str]:
        """The tokens as text."""
        texts, added = self._batch.piece_texts, self._batch.added
        places = self._batch.places[self._tokens()].tolist()
        return [texts[place] if place >= 0 else added[id] for place, id in zip(places, self.ids, strict=True)]

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """From where to where each token reaches in the text, in characters; (0, 0) after `encode_batch_fast`."""
        if len(self._batch.offsets) == 0:
            return [(0, 0)] * len(self)
        return list(map(tuple, self._batch.offsets[self._tokens()].tolist()))

    @property
    def type_ids(self) -> list[int]:
        """The sequence that each token belongs to: 0, as there is one."""
        return [0] * len(self)

    @property
    def attention_mask(self) -> list[int]:
        """1 for every token, as none is padding."""
        return [1] * len(self)

    @property
    def special_tokens_mask(self) -> list[int]:
        """0 for every token, as none was put in by a post-processor."""
        return [0] * len(self)

    @property
    def overflowing(self) -> list[Encoding]:
        """Empty, as nothing is truncated."""
        return []

    def __len__(self) -> int:
        bounds = self._batch.bounds
        return bounds[self._row + 1] - bounds[self._row]

    def __repr__(self) -> str:
        attributes = "ids, type_ids, tokens, offsets, attention_mask, special_tokens_mask, overflowing"
        return f"Encoding(num_tokens={len(self)}, attributes=[{attributes}])"


def encoded(splits: Splits, model: Model, added: Mapping[int, str]) -> EncodedBatch:
    """The tokens of texts that are cut into words: every distinct word is encoded once."""
    text = np.flatnonzero(splits.added == TEXT)
    words, numbers = _distinct(splits, text, dedupe=not model.is_random)
    word_of = np.full(len(splits.starts), TEXT, np.int32)
    word_of[text] = numbers
    pieces = model.encode_words(words)
    lengths = np.ones(len(word_of), np.int64)
    lengths[text] = (pieces.offsets[1:] - pieces.offsets[:-1])[numbers]
    ends = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
    ids, places = _spread(splits.added, word_of, ends, pieces.ids, pieces.offsets)
    offsets = np.empty((0, 2), np.int32)
    if len(splits.origins):
        offsets = _origins(splits.starts, splits.ends, splits.origins, ends, places, pieces.starts, pieces.ends)
    return EncodedBatch(ids, ends[splits.firsts], offsets, places, words, pieces, model, added)


def _distinct(splits: Splits, text: I64, *, dedupe: bool) -> tuple[Words, I32]:
    """The words of the splits `text`, and the number of the word that each of these is."""
    starts, ends = splits.starts[text], splits.ends[text]
    if dedupe:
        table = WordTable(min(len(text), 1 << 10))
        numbers = table.add(splits.chars, starts, ends)
        return table.counted().words, numbers
    lengths = ends - starts
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
    chars = splits.chars[np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1])]
    return Words(chars, offsets), np.arange(len(text), dtype=np.int32)


@kernel
def _spread(added: I32, word_of: I32, ends: I64, ids: I32, offsets: I64) -> tuple[I32, I32]:
    """The id of every token of every split, and the piece that it is."""
    token_ids, places = np.empty(ends[-1], np.int32), np.empty(ends[-1], np.int32)
    for j in range(len(word_of)):
        if word_of[j] < 0:
            token_ids[ends[j]], places[ends[j]] = added[j], -1
            continue
        first = offsets[word_of[j]]
        for k in range(ends[j + 1] - ends[j]):
            token_ids[ends[j] + k], places[ends[j] + k] = ids[first + k], first + k
    return token_ids, places


@kernel
def _origins(
    starts: I64, split_ends: I64, origins: I32, ends: I64, places: I32, piece_starts: I32, piece_ends: I32
) -> I32:
    """From where to where in its text every token reaches."""
    offsets = np.empty((ends[-1], 2), np.int32)
    for j in range(len(starts)):
        for k in range(ends[j], ends[j + 1]):
            first, last = starts[j], split_ends[j] - 1
            if places[k] >= 0:
                last = first + piece_ends[places[k]] - 1
                first += piece_starts[places[k]]
            # A piece without a character of its own, such as an end-of-word symbol, stands where the word ends.
            offsets[k, 0] = origins[first, 0] if first <= last else origins[last, 1]
            offsets[k, 1] = origins[last, 1]
    return offsets
