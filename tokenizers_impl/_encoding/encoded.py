"""Splitting texts into words, and encoding the words in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from evenscore.kernel import kernel

from .._core.arrays import F64, I32, I64, U32, text_of
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


# A text of up to this many characters is looked through for added tokens as a string, which is faster than a kernel.
_SHORT = 1000


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

    def words(
        self, texts: Sequence[str], *, offsets: bool = False, name: Callable[[int], str] = "text {}".format
    ) -> Splits:
        """Split texts into words, none empty.

        offsets: keep origins even if no step needs them.  name: what messages call a text, by its index.
        """
        splits = Splits.of(texts, offsets=offsets or self.needs_origins, name=name)
        is_idle = len(texts) == 1 and len(splits.chars) <= _SHORT and self.raw.is_idle(texts[0])
        return (self._without_raw if is_idle else self).cut(splits)

    @cached_property
    def _without_raw(self) -> Cutter:
        return replace(self, raw=TokenFinder.of({}))

    def cut(self, splits: Splits) -> Splits:
        """Split texts into words, none empty."""
        normal = self.normal(splits)
        return self.pre_tokenizer.cut(normal) if self.pre_tokenizer else normal.without_empty()

    def normal(self, splits: Splits) -> Splits:
        """Find added tokens and normalize the text between them."""
        raw = self.raw.cut(splits)
        normal = self.normalizer.normalize_splits(raw) if self.normalizer else raw
        return self.normalized.cut(normal)


# --- Encoding words

# Up to this many words, it takes longer to find the equal ones than to encode each of them.
_FEW = 48
# The place of an added token that is shown by its name; smaller places are those of `own_texts`.
_NAMED = -1


# Not frozen, because a frozen one of so many fields takes six times as long to make.
@dataclass
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
        words = cutter.words(part.texts, offsets=offsets, name=part.name)
        tokens = encoded_words(words, model, added, offsets=offsets)
        return tokens if part.words is None else tokens.grouped(part.words)

    # For a single part, a thread costs more time than the encoding itself.
    return map(batch, inputs) if len(inputs) == 1 else map_in_order(batch, inputs)


def encoded_words(splits: Splits, model: Model, added: AddedVocabulary, *, offsets: bool) -> EncodedBatch:
    """Encode texts that are split into words, none of them empty; every distinct word is encoded once."""
    words, numbers = _distinct(splits, dedupe=not model.is_random)
    pieces = model.encode_words(words)
    spans = splits.added, splits.starts, splits.ends, splits.origins
    ids, places, ends, reach = _spread(*spans, numbers, *pieces, offsets)
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
    """The distinct words of the splits that are text, and the number of each split's word; all words unless dedupe."""
    if not dedupe or len(splits.starts) <= _FEW:
        words = words_of(splits)
        return words, np.arange(len(words.offsets) - 1, dtype=np.int32)
    text = splits.added == TEXT
    starts, ends = (splits.starts, splits.ends) if text.all() else (splits.starts[text], splits.ends[text])
    table = WordTable(min(len(starts), 1 << 10))
    numbers = table.add(splits.chars, starts, ends)
    return table.counted().words, numbers


def words_of(splits: Splits) -> Words:
    """The splits that are text."""
    return Words(*_joined(splits.chars, splits.starts, splits.ends, splits.added))


@kernel
def _joined(chars: U32, starts: I64, ends: I64, added: I32) -> tuple[U32, I64]:
    """The characters of the splits that are text, and the offsets of these splits in them."""
    offsets = np.zeros(len(starts) + 1, np.int64)
    words = 0
    for j in range(len(starts)):
        if added[j] == TEXT:
            offsets[words + 1] = offsets[words] + ends[j] - starts[j]
            words += 1
    joined, at = np.empty(offsets[words], np.uint32), 0
    for j in range(len(starts)):
        for i in range(starts[j], ends[j] if added[j] == TEXT else starts[j]):
            joined[at] = chars[i]
            at += 1
    return joined, offsets[: words + 1]


@kernel
def _spread(
    added: I32,
    starts: I64,
    split_ends: I64,
    origins: I32,
    numbers: I32,
    ids: I32,
    piece_starts: I32,
    piece_ends: I32,
    offsets: I64,
    tracked: bool,
) -> tuple[I32, I32, I64, I32]:
    """The id and the place of every token of every split, the first token of each split, and `reach`, if tracked.

    numbers: the word of each split that is text.  ids, piece_starts, piece_ends, offsets: the pieces of the words.
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
    reach = np.empty((ends[-1] if tracked else 0, 2), np.int32)
    text = 0
    for j in range(len(added)):
        first = 0
        if added[j] == TEXT:
            first = offsets[numbers[text]]
            text += 1
        for k in range(ends[j], ends[j + 1]):
            place = first + k - ends[j]
            start, last = starts[j], split_ends[j] - 1
            if added[j] != TEXT:
                token_ids[k], places[k] = added[j], _NAMED
            else:
                token_ids[k], places[k] = ids[place], place
                start, last = start + piece_starts[place], start + piece_ends[place] - 1
            if tracked:
                # A piece that covers no character, such as an end-of-word symbol, is at the end of the word.
                reach[k, 0] = origins[start, 0] if start <= last else origins[last, 1]
                reach[k, 1] = origins[last, 1]
    return token_ids, places, ends, reach


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
