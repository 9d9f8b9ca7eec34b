"""Splitting texts into words, and encoding the words in batches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from evenscore.kernel import kernel

from .._core.arrays import F64, I32, I64, text_of
from .._core.parallel import map_in_order
from .._core.token_lists import TokenLists, TokenRows
from .._text.splits import TEXT, Splits
from .._text.words import Words, WordTable
from ..models import Unigram
from ..models._model import Model, Pieces
from ..normalizers import Normalizer
from ..pre_tokenizers import PreTokenizer
from .added_tokens import AddedVocabulary, TokenFinder
from .inputs import Inputs

# --- Splitting texts into words, before the model


@dataclass(frozen=True)
class Cutter:
    """The steps before the model: added tokens, normalizer, added tokens in normalized text, pre-tokenizer.

    raw, normalized: the finders of added tokens before and after the normalizer.
    A cutter is small, so executors can send it to their workers.
    """

    raw: TokenFinder
    normalizer: Normalizer | None
    normalized: TokenFinder
    pre_tokenizer: PreTokenizer | None

    @classmethod
    def of(cls, added: AddedVocabulary, normalizer: Normalizer | None, pre_tokenizer: PreTokenizer | None) -> Cutter:
        """Build from the parts of a tokenizer."""
        return cls(added.raw, normalizer, added.normalized, pre_tokenizer)

    @property
    def needs_origins(self) -> bool:
        """Whether a step needs the origins of characters, their positions in the text as given."""
        asks = self.pre_tokenizer is not None and self.pre_tokenizer.needs_origins
        return asks or (self.normalizer is not None and self.normalizer.is_custom)

    @property
    def takes_pieces(self) -> bool:
        """Whether a text has the words of its pieces, cut before a space after visible ASCII."""
        if self.raw.crosses_spaces or self.normalized.crosses_spaces or self.pre_tokenizer is None:
            return False
        return self.pre_tokenizer.takes_pieces and (self.normalizer is None or self.normalizer.takes_pieces)

    @property
    def rehearsal(self) -> Cutter:
        """The cutter without custom components, which must not see the texts of a rehearsal."""
        normalizer, pre_tokenizer = self.normalizer, self.pre_tokenizer
        return replace(
            self,
            normalizer=normalizer if normalizer and not normalizer.is_custom else None,
            pre_tokenizer=pre_tokenizer if pre_tokenizer and not pre_tokenizer.is_custom else None,
        )

    def words(self, texts: Sequence[str], *, offsets: bool = False, first: int = 0) -> Splits:
        """Split texts into words and drop empty ones; offsets: keep origins even if no step needs them."""
        return self.cut(Splits.of(texts, offsets=offsets or self.needs_origins, first=first)).without_empty()

    def cut(self, splits: Splits) -> Splits:
        """Split texts into words."""
        found = self.normal(splits)
        return self.pre_tokenizer.cut(found) if self.pre_tokenizer else found

    def normal(self, splits: Splits) -> Splits:
        """Find added tokens and normalize the text between them."""
        raw = self.raw.cut(splits)
        normal = self.normalizer.normalize_splits(raw) if self.normalizer else raw
        return self.normalized.cut(normal)


# --- Encoding words

# The place of an added token that is shown by its name; smaller places are those of `own_texts`.
_NAMED = -1


@dataclass(frozen=True)
class EncodedBatch(TokenRows):
    """The m tokens of n texts, before truncation, special tokens and padding.

    token_ids: int32, shape (m,).  firsts: int64, shape (n + 1,); the tokens of text i are firsts[i]:firsts[i + 1].
    reach: int32, shape (m, 2), the offsets in the text as given; shape (0, 2) if offsets were not requested.
    places: int32, shape (m,); the index of each token in `pieces`, -1 for an added token, -2 - i for an added token
      with the text own_texts[i].
    word_bounds: int64, shape (w + 1,); the first token of each word.
    word_firsts: int64, shape (n + 1,); the words of text i are word_firsts[i]:word_firsts[i + 1].
    """

    token_ids: I32
    firsts: I64
    reach: I32
    places: I32
    word_bounds: I64 = field(repr=False)
    word_firsts: I64 = field(repr=False)
    words: Words = field(repr=False)
    pieces: Pieces = field(repr=False)
    model: Model = field(repr=False)
    names: Mapping[int, str] = field(repr=False)
    own_texts: Sequence[str] = field(repr=False)

    @property
    def has_offsets(self) -> bool:
        """Whether offsets were requested; False for an empty batch."""
        return len(self.reach) > 0

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
    def _id_list(self) -> list[int]:
        # Slicing this list is several times as fast as converting slices of the array.
        listed: list[int] = self.token_ids.tolist()
        return listed

    @cached_property
    def token_words(self) -> I32:
        """The index of each token's word in its text, shape (m,); -1 without offsets."""
        if len(self.reach) == 0:
            return np.full(len(self.token_ids), -1, np.int32)
        numbers = np.arange(len(self.word_bounds) - 1) - np.repeat(self.word_firsts[:-1], np.diff(self.word_firsts))
        return np.repeat(numbers, np.diff(self.word_bounds)).astype(np.int32)

    def ids(self, part: slice) -> list[int]:
        """The ids of the tokens."""
        return self._id_list[part]

    def tokens(self, part: slice) -> list[str]:
        """The texts of the tokens."""
        return self.texts_of(self.token_ids[part], self.places[part])

    def texts_of(self, ids: I32, places: I32) -> list[str]:
        """The texts of tokens with these ids and places."""
        texts, names, own = self.piece_texts, self.names, self.own_texts
        return [
            texts[place] if place >= 0 else names[id] if place == _NAMED else own[_NAMED - 1 - place]
            for place, id in zip(places.tolist(), ids.tolist(), strict=True)
        ]

    def offsets(self, part: slice) -> list[tuple[int, int]]:
        """The (start, end) of each token in the text; (0, 0) without offsets."""
        if len(self.reach) == 0:
            return [(0, 0)] * len(self.token_ids[part])
        return list(map(tuple, self.reach[part].tolist()))

    def word_ids(self, part: slice) -> list[int | None]:
        """The index of each token's word."""
        return [word if word >= 0 else None for word in self.token_words[part].tolist()]

    def type_ids(self, part: slice) -> list[int]:
        """0 for all tokens; post-processing sets the type ids."""
        return [0] * len(self.token_ids[part])

    def special_tokens_mask(self, part: slice) -> list[int]:
        """0 for all tokens."""
        return [0] * len(self.token_ids[part])

    def attention_mask(self, part: slice) -> list[int]:
        """1 for all tokens."""
        return [1] * len(self.token_ids[part])

    def ranges(self, row: int) -> Mapping[int, tuple[int, int]]:
        """Empty; post-processing assigns the sequences."""
        return {}

    def overflow(self, row: int) -> tuple[TokenLists, ...]:
        """Empty; post-processing truncates."""
        return ()

    def grouped(self, firsts: I64) -> EncodedBatch:
        """Join texts that are words of pre-tokenized inputs: row i has the texts firsts[i]:firsts[i + 1]."""
        return replace(self, firsts=self.firsts[firsts], word_bounds=self.firsts, word_firsts=firsts)


def encoded(
    inputs: Sequence[Inputs], cutter: Cutter, model: Model, added: AddedVocabulary, *, offsets: bool
) -> Iterable[EncodedBatch]:
    """Encode every part of the inputs; a batch has one row per sequence."""

    def batch(part: Inputs) -> EncodedBatch:
        words = cutter.words(part.texts, offsets=offsets, first=part.first)
        tokens = encoded_words(words, model, added, offsets=offsets)
        return tokens if part.words is None else tokens.grouped(part.words)

    # For a single part, a thread costs more time than the encoding itself.
    return map(batch, inputs) if len(inputs) == 1 else map_in_order(batch, inputs)


def encoded_words(splits: Splits, model: Model, added: AddedVocabulary, *, offsets: bool) -> EncodedBatch:
    """Encode texts that are split into words, none of them empty; every distinct word is encoded once."""
    words, numbers = _distinct(splits, dedupe=not model.is_random)
    pieces = model.encode_words(words)
    ids, places, ends = _spread(splits.added, numbers, pieces.ids, pieces.offsets)
    reach = np.empty((0, 2), np.int32)
    if offsets:
        reach = _origins(splits.starts, splits.ends, splits.origins, ends, places, pieces.starts, pieces.ends)
    own = _own_texts(splits, ends, places, added.shown) if added.strips else []
    firsts = ends[splits.firsts]
    return EncodedBatch(ids, firsts, reach, places, ends, splits.firsts, words, pieces, model, added.shown, own)


def _own_texts(splits: Splits, ends: I64, places: I32, names: Mapping[int, str]) -> list[str]:
    """The texts of added tokens that include or lost white space; also sets their places."""
    added = np.flatnonzero(splits.added != TEXT)
    texts = {j: text_of(splits.chars[splits.starts[j] : splits.ends[j]]) for j in added.tolist()}
    own = {j: text for j, text in texts.items() if text != names[splits.added[j]]}
    places[ends[list(own)]] = _NAMED - 1 - np.arange(len(own))
    return list(own.values())


def _distinct(splits: Splits, *, dedupe: bool) -> tuple[Words, I32]:
    """The distinct words of the splits that are text, and the number of each split's word."""
    if not dedupe:
        words = words_of(splits)
        return words, np.arange(len(words.offsets) - 1, dtype=np.int32)
    starts, ends = _bounds_of_text(splits)
    table = WordTable(min(len(starts), 1 << 10))
    numbers = table.add(splits.chars, starts, ends)
    return table.counted().words, numbers


def words_of(splits: Splits) -> Words:
    """The splits that are text."""
    starts, ends = _bounds_of_text(splits)
    lengths = ends - starts
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
    chars = splits.chars[np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1])]
    return Words(chars, offsets)


def _bounds_of_text(splits: Splits) -> tuple[I64, I64]:
    text = splits.added == TEXT
    return (splits.starts, splits.ends) if text.all() else (splits.starts[text], splits.ends[text])


@kernel
def _spread(added: I32, numbers: I32, ids: I32, offsets: I64) -> tuple[I32, I32, I64]:
    """The id and the place of every token of every split, and the first token of each split.

    numbers: the word of each split that is text.
    """
    ends = np.zeros(len(added) + 1, np.int64)
    text = 0
    for j in range(len(added)):
        length = 1
        if added[j] == TEXT:
            length = offsets[numbers[text] + 1] - offsets[numbers[text]]
            text += 1
        ends[j + 1] = ends[j] + length
    token_ids, places = np.empty(ends[-1], np.int32), np.empty(ends[-1], np.int32)
    text = 0
    for j in range(len(added)):
        if added[j] != TEXT:
            token_ids[ends[j]], places[ends[j]] = added[j], _NAMED
            continue
        first = offsets[numbers[text]]
        text += 1
        for k in range(ends[j + 1] - ends[j]):
            token_ids[ends[j] + k], places[ends[j] + k] = ids[first + k], first + k
    return token_ids, places, ends


@kernel
def _origins(
    starts: I64, split_ends: I64, origins: I32, ends: I64, places: I32, piece_starts: I32, piece_ends: I32
) -> I32:
    """The (start, end) of every token in its text."""
    offsets = np.empty((ends[-1], 2), np.int32)
    for j in range(len(starts)):
        for k in range(ends[j], ends[j + 1]):
            first, last = starts[j], split_ends[j] - 1
            if places[k] >= 0:
                last = first + piece_ends[places[k]] - 1
                first += piece_starts[places[k]]
            # A piece that covers no character, such as an end-of-word symbol, is at the end of the word.
            offsets[k, 0] = origins[first, 0] if first <= last else origins[last, 1]
            offsets[k, 1] = origins[last, 1]
    return offsets


# --- Probabilities of pieces, which make a tokenizer a language model


def piece_log_probs(words: Splits, model: Model) -> list[F64]:
    """The natural log-probabilities of every text's pieces, word by word.

    ValueError for a model other than Unigram, and for a text with an added token, because these have no probabilities.
    """
    if not isinstance(model, Unigram):
        raise ValueError(f"models.{type(model).__name__} has no probabilities: use a tokenizer with models.Unigram")
    firsts = words.firsts.tolist()
    for place in np.flatnonzero(words.added != TEXT)[:1].tolist():
        i = int(np.searchsorted(words.firsts, place, side="right")) - 1
        raise ValueError(
            f"text {i} holds the added token {words.texts()[place]!r}, which has no probability: remove it"
        )
    texts = words.texts()
    distinct = list(dict.fromkeys(texts))
    scores = dict(zip(distinct, model.log_probs(distinct), strict=True))
    return [np.concatenate([np.empty(0), *map(scores.get, texts[start:end])]) for start, end in pairwise(firsts)]
