"""Few texts, encoded stretch by stretch in plain Python: the tokens of a stretch that was seen before are looked up.

A stretch goes from a space (U+0020) before visible text to the next such space: "new low, lower" has the stretches
"new", " low," and " lower".  In most pipelines a text has the tokens of its stretches, one after another;
`is_divisible` says in which.  Arrays and compiled kernels cost a tenth of a millisecond however short the texts are, a
look-up less than a microsecond.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from .. import normalizers, pre_tokenizers
from .._core.token_lists import TokenLists, TokenRows
from .._text.splits import TEXT, Splits
from ..models._model import Model
from ..normalizers import Normalizer
from ..pre_tokenizers import PreTokenizer
from .added_tokens import AddedVocabulary
from .encoded import Cutter, EncodedBatch, encoded_words


def is_divisible(cutter: Cutter, added: AddedVocabulary) -> bool:
    """Whether a text has the tokens of its stretches, if these keep their space and the visible text after it.

    An added token must not extend over a space, which it might share with the next stretch.
    """
    splits = cutter.pre_tokenizer is not None and cutter.pre_tokenizer.takes_pieces
    is_shared = added.strips or any(" " in text for text in chain(added.ids, added.shown.values()))
    return splits and not is_shared and _is_local(unstripped(cutter.normalizer))


def _is_local(normalizer: Normalizer | None) -> bool:
    """Whether it rewrites a text as the stretches of the text."""
    match normalizer:
        case None:
            return True
        case normalizers.Sequence():
            return all(map(_is_local, normalizer.steps))
        case normalizers.Replace(pattern=str() as pattern):
            # It may remove visible text; then the stretch is refused.
            return pattern != "" and " " not in pattern
    return normalizer.takes_pieces


def needs_visible_text(pre_tokenizer: PreTokenizer | None) -> bool:
    """Whether it splits a + b like a and b only if b has visible text after its space.

    ByteLevel keeps spaces, and where several meet, the words depend on all of them.  The others drop white space, or
    split before every space.
    """
    match pre_tokenizer:
        case pre_tokenizers.Sequence(steps=(first, *_)):
            return needs_visible_text(first)
    return isinstance(pre_tokenizer, pre_tokenizers.ByteLevel)


def unstripped(normalizer: Normalizer | None) -> Normalizer | None:
    """The normalizer without a last step that strips the ends of the text, which most texts do not need."""
    match normalizer:
        case normalizers.Strip():
            return None
        case normalizers.Sequence(steps=(*others, normalizers.Strip())):
            return normalizers.Sequence(others)
    return normalizer


# --- The tokens of stretches


class Stretch(NamedTuple):
    """The n tokens of a stretch.

    ids, tokens: of length n.  offsets: the (start, end) of each token in the stretch.
    words: the index of each token's word among the `word_count` words of the stretch.
    size: the number of characters, the space included.
    """

    ids: list[int]
    tokens: list[str]
    offsets: list[tuple[int, int]]
    words: list[int]
    word_count: int
    size: int


@dataclass
class StretchRow(TokenRows):
    """The tokens of one text, before truncation, special tokens and padding.

    has_offsets: whether offsets and word indices were requested.
    """

    stretches: Sequence[Stretch]
    has_offsets: bool

    @cached_property
    def bounds(self) -> list[int]:
        """0 and the number of tokens."""
        return [0, len(self._id_list)]

    @cached_property
    def _id_list(self) -> list[int]:
        return list(chain.from_iterable([each.ids for each in self.stretches]))

    def ids(self, part: slice) -> list[int]:
        """The ids of the tokens."""
        return self._id_list[part]

    def tokens(self, part: slice) -> list[str]:
        """The texts of the tokens."""
        return list(chain.from_iterable([each.tokens for each in self.stretches]))[part]

    def offsets(self, part: slice) -> list[tuple[int, int]]:
        """The (start, end) of each token in the text; (0, 0) without offsets."""
        return self._offset_list[part] if self.has_offsets else [(0, 0)] * len(self._id_list[part])

    @cached_property
    def _offset_list(self) -> list[tuple[int, int]]:
        found, at = list[tuple[int, int]](), 0
        for each in self.stretches:
            found += [(at + start, at + end) for start, end in each.offsets]
            at += each.size
        return found

    def word_ids(self, part: slice) -> list[int | None]:
        """The index of each token's word; None without offsets."""
        return self._word_list[part] if self.has_offsets else [None] * len(self._id_list[part])

    @cached_property
    def _word_list(self) -> list[int | None]:
        found, first = list[int | None](), 0
        for each in self.stretches:
            found += [first + word for word in each.words]
            first += each.word_count
        return found

    def type_ids(self, part: slice) -> list[int]:
        """0 for all tokens; post-processing sets the type ids."""
        return [0] * len(self._id_list[part])

    def special_tokens_mask(self, part: slice) -> list[int]:
        """0 for all tokens."""
        return [0] * len(self._id_list[part])

    def attention_mask(self, part: slice) -> list[int]:
        """1 for all tokens."""
        return [1] * len(self._id_list[part])

    def ranges(self, row: int) -> dict[int, tuple[int, int]]:
        """Empty; post-processing assigns the sequences."""
        return {}

    def overflow(self, row: int) -> tuple[TokenLists, ...]:
        """Empty; post-processing truncates."""
        return ()


# --- The stretches that were seen

T = TypeVar("T")

# As in the library, this many stretches are kept at most, and none of more characters.
_MOST, _LONGEST = 10_000, 256
# Stretches whose normal forms are more than this many times as long are left to the arrays, which limit them.
_GROWTH = 32
# To keep the new stretches of a text takes twice as long as to encode the text as arrays, and in running text it is in
# vain: of thousands of lines of 12 words, only 1 % (English, German) to 11 % (French) were made of stretches that had
# been seen before.  So texts with more characters than this in all are left to the arrays until they come again.
_SHORT = 16
# Where a stretch begins, and a space where none does.
_CUT, _UNCUT = re.compile(r" (?=\S)"), re.compile(r" (?!\S)")


class Seen(NamedTuple):
    """What was seen with one revision of the model; each collection only grows.

    first: the first stretches of texts.  inner: other stretches, without their space.
    refused: stretches whose tokens may depend on the rest of the text.
    texts: the hashes of texts that were left to the arrays.
    """

    revision: object
    first: dict[str, Stretch]
    inner: dict[str, Stretch]
    refused: set[str]
    texts: set[int]

    @classmethod
    def of_none(cls, revision: object) -> Seen:
        """Build an empty record."""
        return cls(revision, {}, {}, set(), set())

    def __len__(self) -> int:
        """The number of stretches."""
        return len(self.first) + len(self.inner) + len(self.refused)

    @property
    def is_full(self) -> bool:
        """Whether nothing may be added."""
        return len(self) >= _MOST or len(self.texts) >= _MOST

    def row(self, text: str) -> list[Stretch]:
        """The stretches of a text; KeyError for one that is not kept."""
        first, inner = self.first, self.inner
        if not first:
            # Nothing is kept yet, as in running text, whose lines hardly ever come again.
            raise KeyError
        if "  " not in text:
            try:
                # Faster than _CUT.  Where it cuts elsewhere, nothing is found: no stretch has white space there.
                head, *others = text.split(" ")
                return [first[head], *map(inner.__getitem__, others)]
            except KeyError:
                if not _UNCUT.search(text):
                    raise
        head, *others = _CUT.split(text)
        return [first[head], *map(inner.__getitem__, others)]

    def is_worth_keeping(self, texts: Sequence[str]) -> bool:
        """Whether all texts were left to the arrays before, or are short; otherwise notes that they are now."""
        hashes = list(map(hash, texts))
        if self.texts.issuperset(hashes) or sum(map(len, texts)) <= _SHORT:
            return True
        self.texts.update(hashes)
        return False

    def new(self, text: str) -> set[str]:
        """The stretches of a text that are not kept."""
        head, *others = _CUT.split(text)
        found = {f" {each}" for each in others if each not in self.inner}
        return found if head in self.first else {head, *found}

    def add(self, text: str, stretch: Stretch | None) -> None:
        """Keep a stretch; None refuses it."""
        if stretch is None:
            self.refused.add(text)
        elif _CUT.match(text):
            self.inner[text[1:]] = stretch
        else:
            self.first[text] = stretch


class Stretches:
    """Encodes few texts stretch by stretch, and keeps the stretches as long as the model does not change."""

    def __init__(self, cutter: Cutter, model: Model, added: AddedVocabulary) -> None:
        self._cutter = replace(cutter, normalizer=unstripped(cutter.normalizer))
        self._strips = self._cutter.normalizer is not cutter.normalizer
        self._needs_visible_text = needs_visible_text(cutter.pre_tokenizer)
        self._model, self._added = model, added
        self._is_divisible = is_divisible(cutter, added)
        self._seen = Seen.of_none(None)

    @property
    def are_used(self) -> bool:
        """Whether texts have the tokens of their stretches, always the same ones."""
        return self._is_divisible and not self._model.is_random

    def rows(self, texts: Sequence[str]) -> list[list[Stretch]] | None:
        """The stretches of every text; None if the texts must be encoded as arrays, or are faster so."""
        if not self.are_used:
            return None
        seen = self._of_revision()
        try:
            return list(map(seen.row, texts))
        except KeyError:
            if not seen.is_worth_keeping(texts):
                return None
        new = set[str]().union(*map(seen.new, texts))
        return list(map(seen.row, texts)) if self._keep(seen, new) else None

    def _of_revision(self) -> Seen:
        """The record of the model's revision, which is read before the model's options are."""
        seen, revision = self._seen, self._model.revision
        if seen.revision is not revision or seen.is_full:
            # If two threads do this at once, the stretches of one of them are lost and encoded again when needed.
            seen = self._seen = Seen.of_none(revision)
        return seen

    def _keep(self, seen: Seen, new: set[str]) -> bool:
        """Encode and keep new stretches; returns whether none is refused."""
        texts = list(new)
        if not texts:
            # Another thread has kept them by now.
            return True
        if not seen.refused.isdisjoint(texts) or max(map(len, texts)) > _LONGEST:
            return False
        try:
            found = self._encoded(texts)
        except ValueError:
            # The arrays raise this error, too, with the place in the whole input.
            return False
        for text, stretch in zip(texts, found, strict=True):
            seen.add(text, stretch)
        return None not in found

    def _encoded(self, texts: list[str]) -> list[Stretch | None]:
        """Encode stretches; None for one whose tokens may depend on the rest of the text."""
        normal = self._cutter.normal(Splits.of(texts, offsets=True))
        if len(normal.chars) > _GROWTH * sum(map(len, texts)):
            return [None] * len(texts)
        cutter = self._cutter
        words = cutter.pre_tokenizer.cut(normal) if cutter.pre_tokenizer else normal.without_empty()
        fits = map(self._fits, texts, _own(normal, normal.texts()), _own(normal, normal.added.tolist()))
        found = stretches_of(encoded_words(words, self._model, self._added, offsets=True), texts)
        return [stretch if fit else None for stretch, fit in zip(found, fits, strict=True)]

    def _fits(self, text: str, splits: list[str], added: list[int]) -> bool:
        """Whether a stretch has the same tokens in every text; splits, added: those of its normal form."""
        if self._strips:
            # Neither end of a text may have white space to strip, and no added token may end a text within.
            shown = splits[0].strip() if added == [TEXT] else ""
            return shown != "" and splits[0] == (f" {shown}" if _CUT.match(text) else shown)
        if not _CUT.match(text):
            return True
        own = splits[0] if splits else ""
        return bool(_CUT.match(own)) if self._needs_visible_text else own.startswith(" ")


def _own(splits: Splits, values: list[T]) -> list[list[T]]:
    """The values of the splits of each text."""
    return [values[start:end] for start, end in pairwise(splits.firsts.tolist())]


def stretches_of(batch: EncodedBatch, texts: Sequence[str]) -> Iterator[Stretch]:
    """The tokens of each text of a batch."""
    every = slice(None)
    ids, tokens, offsets = batch.ids(every), batch.tokens(every), batch.offsets(every)
    lengths, words = np.diff(batch.word_bounds).tolist(), batch.word_firsts.tolist()
    for text, part, (first, last) in zip(
        texts, map(slice, batch.bounds, batch.bounds[1:]), pairwise(words), strict=True
    ):
        own = [word for word, length in enumerate(lengths[first:last]) for _ in range(length)]
        yield Stretch(ids[part], tokens[part], offsets[part], own, last - first, len(text))


# --- The words that were seen


class KeptWords:
    """Encodes words that others have split, and keeps their tokens as long as the model does not change."""

    def __init__(self, model: Model, added: AddedVocabulary) -> None:
        self._model, self._added = model, added
        self._kept: tuple[object, dict[str, Stretch]] = (None, {})

    def rows(self, rows: Sequence[Sequence[str]]) -> list[list[Stretch]] | None:
        """The tokens of the words of every text; None if these must be encoded as arrays."""
        kept = self._of_revision()
        try:
            return [list(map(kept.__getitem__, words)) for words in rows]
        except KeyError:
            new = [word for word in dict.fromkeys(chain.from_iterable(rows)) if word not in kept]
        return [list(map(kept.__getitem__, words)) for words in rows] if self._keep(kept, new) else None

    def _of_revision(self) -> dict[str, Stretch]:
        """The words of the model's revision, which is read before the model's options are."""
        revision = self._model.revision
        if self._kept[0] is not revision or len(self._kept[1]) >= _MOST:
            # If two threads do this at once, the words of one of them are lost and encoded again when needed.
            self._kept = revision, {}
        return self._kept[1]

    def _keep(self, kept: dict[str, Stretch], new: list[str]) -> bool:
        """Encode and keep new words; returns whether the model encodes them and none is too long."""
        if max(map(len, new)) > _LONGEST:
            return False
        try:
            batch = encoded_words(Splits.of(new, offsets=True), self._model, self._added, offsets=True)
        except ValueError:
            # The arrays raise this error, too, with the place in the whole input.
            return False
        kept.update(zip(new, stretches_of(batch, new), strict=True))
        return True
