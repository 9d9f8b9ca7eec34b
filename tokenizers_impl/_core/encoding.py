"""The public classes Encoding and Token."""

from __future__ import annotations

import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from .options import LARGEST_COUNT, LARGEST_ID
from .token_lists import TokenLists, TokenRows

# --- The encoding of an input

_DIRECTIONS = ("left", "right")
_NO_WORD = -1


class _Spans(NamedTuple):
    """The (start, end) and the words of the tokens of a sequence, in columns; first: the index of the first token.

    words: -1 for a token without one.
    places_ascend: whether starts and ends both do, as always but in lists of words and joined Encodings.
    words_ascend: whether the words do.
    """

    first: int
    starts: list[int]
    ends: list[int]
    words: list[int]
    places_ascend: bool
    words_ascend: bool

    @classmethod
    def of(cls, first: int, offsets: list[tuple[int, int]], words: list[int | None]) -> _Spans:
        """Build from the offsets and word ids of the tokens."""
        starts, ends = [start for start, _ in offsets], [end for _, end in offsets]
        known = [_NO_WORD if word is None else word for word in words]
        places_ascend = starts == sorted(starts) and ends == sorted(ends)
        return cls(first, starts, ends, known, places_ascend, known == sorted(known))

    def token_at(self, place: int) -> int | None:
        """The index of the first token that covers a character; None without one."""
        if self.places_ascend:
            k = bisect_right(self.ends, place)
            return self.first + k if k < len(self.ends) and self.starts[k] <= place else None
        spans = enumerate(zip(self.starts, self.ends, strict=True), self.first)
        return next((token for token, (start, end) in spans if start <= place < end), None)

    def tokens_of(self, word: int) -> tuple[int, int] | None:
        """The (first, last + 1) indices of a word's tokens, up to the first token of a later word; None without any."""
        if self.words_ascend:
            start, end = bisect_left(self.words, word), bisect_right(self.words, word)
            return (self.first + start, self.first + end) if start < end else None
        later = next((k for k, each in enumerate(self.words) if each > word), len(self.words))
        own = [k for k, each in enumerate(self.words[:later], self.first) if each == word]
        return (own[0], own[-1] + 1) if own else None


class Encoding:
    """The tokens of one input, with the attributes of `tokenizers.Encoding` 0.23.3.

    Its lists, except `overflowing`, have one entry per token.  `Encoding()` is empty; `Tokenizer.encode` makes others.
    Methods that look up a position or an index return None if there is nothing; ValueError for a negative one.

    >>> from tokenizers_impl import Tokenizer, models
    >>> encoding = Tokenizer(models.BPE({"a": 0, "b": 1}, [])).encode("ab")
    >>> encoding.pad(3, pad_id=9)
    >>> encoding.ids, encoding.attention_mask, encoding.char_to_token(1)
    ([0, 1, 9], [1, 1, 0], 1)
    """

    __slots__ = ("_row", "_rows", "_spans")

    def __init__(self, rows: TokenRows | None = None, row: int = 0) -> None:
        """Make an empty Encoding; Tokenizers make those with tokens."""
        if rows is not None and not isinstance(rows, TokenRows):
            raise ValueError(f"Encoding({rows!r}): give no arguments; to encode a text, call Tokenizer.encode")
        self._rows = TokenLists() if rows is None else rows
        self._row = row

    def _lists(self) -> TokenLists:
        """All columns of this row, with its overflow."""
        return TokenLists.of_row(self._rows, self._row)

    def _take(self, lists: TokenLists) -> None:
        self._rows, self._row, self._spans = lists, 0, dict[int, _Spans]()

    @property
    def _part(self) -> slice:
        bounds = self._rows.bounds
        return slice(bounds[self._row], bounds[self._row + 1])

    @property
    def ids(self) -> list[int]:
        """The ids, integers from 0 to 2**32 - 1."""
        return self._rows.ids(self._part)

    @property
    def tokens(self) -> list[str]:
        """The texts of the tokens."""
        return self._rows.tokens(self._part)

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """The (start, end) of each token, which covers text[start:end]; (0, 0) after `encode_batch_fast`."""
        return self._rows.offsets(self._part)

    @property
    def type_ids(self) -> list[int]:
        """The type id of each token, most often 0, or 1 in the second text of a pair."""
        return self._rows.type_ids(self._part)

    @property
    def attention_mask(self) -> list[int]:
        """0 for padding, 1 for all other tokens."""
        return self._rows.attention_mask(self._part)

    @property
    def special_tokens_mask(self) -> list[int]:
        """1 for special tokens of the post-processor and for padding, 0 for all other tokens."""
        return self._rows.special_tokens_mask(self._part)

    @property
    def word_ids(self) -> list[int | None]:
        """The index of each token's word; None for special tokens and padding, and after `encode_batch_fast`."""
        return self._rows.word_ids(self._part)

    @property
    def words(self) -> list[int | None]:
        """The deprecated name of `word_ids`."""
        message = "Deprecated in 0.9.4: Encoding.words is deprecated, please use Encoding.word_ids instead."
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return self.word_ids

    @property
    def sequence_ids(self) -> list[int | None]:
        """The index of each token's sequence: 0, or 1 in the second text of a pair; None for special tokens."""
        found: list[int | None] = [None] * len(self)
        for sequence in range(self.n_sequences):
            start, end = self._range(sequence)
            found[start:end] = [sequence] * (end - start)
        return found

    @property
    def n_sequences(self) -> int:
        """The number of sequences: 1, or 2 for a pair."""
        return len(self._rows.ranges(self._row)) or 1

    @property
    def overflowing(self) -> list[Encoding]:
        """The rows that truncation cut off, as Encodings."""
        return list(map(Encoding, self._rows.overflow(self._row)))

    def _range(self, sequence: int) -> tuple[int, int]:
        return self._rows.ranges(self._row).get(sequence, (0, len(self)))

    def token_to_sequence(self, token_index: int) -> int | None:
        """Return the index of a token's sequence, None for a token without one."""
        ranges = self._rows.ranges(self._row)
        if _counted(token_index, "token_index") > len(self):
            return None
        found = [sequence for sequence, (start, end) in ranges.items() if start <= token_index < end]
        return min(found, default=None) if ranges else 0

    def token_to_chars(self, token_index: int) -> tuple[int, int] | None:
        """Return the (start, end) of a token in its text, None for a token without sequence."""
        return self._rows.offsets(self._alone(token_index))[0] if self._is_of_text(token_index) else None

    def token_to_word(self, token_index: int) -> int | None:
        """Return the index of a token's word, None for a token without one."""
        return self._rows.word_ids(self._alone(token_index))[0] if self._is_of_text(token_index) else None

    def _alone(self, token_index: int) -> slice:
        """The slice of one token, so that a loop over all tokens does not build all offsets each time."""
        at = self._rows.bounds[self._row] + token_index
        return slice(at, at + 1)

    def _is_of_text(self, token_index: int) -> bool:
        return self.token_to_sequence(token_index) is not None and token_index < len(self)

    def char_to_token(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """Return the index of the first token that covers a character of a sequence, None without one."""
        _counted(char_pos, "char_pos")
        return self._spans_of(_counted(sequence_index, "sequence_index")).token_at(char_pos)

    def _spans_of(self, sequence: int) -> _Spans:
        """The spans of a sequence, kept for the next character; made when first needed, as most Encodings never are."""
        kept: dict[int, _Spans] | None = getattr(self, "_spans", None)
        if kept is None:
            kept = self._spans = {}
        if sequence not in kept:
            first, last = self._range(sequence)
            kept[sequence] = _Spans.of(first, self.offsets[first:last], self.word_ids[first:last])
        return kept[sequence]

    def char_to_word(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """Return the index of the word that covers a character of a sequence, None without one."""
        token = self.char_to_token(char_pos, sequence_index)
        return None if token is None else self.token_to_word(token)

    def word_to_tokens(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        """Return the (first, last + 1) indices of the tokens of a word of a sequence, None without tokens."""
        _counted(word_index, "word_index", LARGEST_ID)
        return self._spans_of(_counted(sequence_index, "sequence_index")).tokens_of(word_index)

    def word_to_chars(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        """Return the (start, end) of a word of a sequence in its text, None without tokens."""
        tokens = self.word_to_tokens(word_index, sequence_index)
        if tokens is None:
            return None
        first, last = (self._rows.offsets(self._alone(token))[0] for token in (tokens[0], tokens[1] - 1))
        return first[0], last[1]

    def set_sequence_id(self, sequence_id: int) -> None:
        """Assign all tokens to this sequence."""
        self._take(self._lists().of_sequence(_counted(sequence_id, "sequence_id")))

    def truncate(self, max_length: int, stride: int = 0, direction: str = "right") -> None:
        """Truncate to max_length tokens; the rest goes to `overflowing`, each row repeating `stride` tokens."""
        if direction not in _DIRECTIONS:
            raise ValueError(f"Invalid truncation direction value : {direction}")
        self._take(self._lists().truncated(_counted(max_length, "max_length"), _counted(stride, "stride"), direction))

    def pad(
        self, length: int, direction: str = "right", pad_id: int = 0, pad_type_id: int = 0, pad_token: str = "[PAD]"
    ) -> None:
        """Pad this encoding and its `overflowing` to this number of tokens."""
        if direction not in _DIRECTIONS:
            raise ValueError(f"Unknown `direction`: `{direction}`. Use one of `left` or `right`")
        ids = _counted(pad_id, "pad_id", LARGEST_ID), _counted(pad_type_id, "pad_type_id", LARGEST_ID)
        self._take(self._lists().padded(_counted(length, "length"), *ids, pad_token, direction))

    @staticmethod
    def merge(encodings: Iterable[Encoding], growing_offsets: bool = True) -> Encoding:
        """Concatenate Encodings; growing_offsets: shift offsets so that they continue those of the one before."""
        if isinstance(encodings, Encoding) or not isinstance(encodings, Iterable):
            raise ValueError(f"encodings={encodings!r}: give a list of Encodings")
        rows = [lists_of(f"encodings[{i}]", each) for i, each in enumerate(encodings)]
        return Encoding(TokenLists.joined(rows, growing_offsets=growing_offsets))

    def __len__(self) -> int:
        bounds = self._rows.bounds
        return bounds[self._row + 1] - bounds[self._row]

    def __repr__(self) -> str:
        attributes = "ids, type_ids, tokens, offsets, attention_mask, special_tokens_mask, overflowing"
        return f"Encoding(num_tokens={len(self)}, attributes=[{attributes}])"

    def __reduce__(self) -> Any:
        # Pickle this row only: the batch also holds the other texts and the model.
        return Encoding, (self._lists(),)


def encodings_of(rows: TokenRows, count: int) -> list[Encoding]:
    """One Encoding per row; count: the number of rows, so that their bounds need not be listed yet."""
    return list(map(Encoding, repeat(rows), range(count)))


def lists_of(name: str, encoding: Any) -> TokenLists:
    """All columns of an Encoding; ValueError for anything else."""
    if not isinstance(encoding, Encoding):
        raise ValueError(f"{name}={encoding!r}: give an Encoding, the result of Tokenizer.encode")
    return encoding._lists()


def _counted(value: int, name: str, largest: int = LARGEST_COUNT) -> int:
    """Check an index; ValueError unless it is an integer in 0..largest, so that none counts from the end."""
    if not isinstance(value, (int, np.integer)) or not 0 <= value <= largest:
        raise ValueError(f"{name}={value!r}: give an integer from 0 to {largest}")
    return int(value)


# --- A token of a word


@dataclass(frozen=True)
class Token:
    """A token from `Model.tokenize`, like `tokenizers.Token` 0.23.3.

    id: from 0 to 2**32 - 1.  value: its text.  offsets: (start, end) in the word's UTF-8 bytes, not characters.
    ValueError for a value of another type or range.

    >>> Token(4, "low", (0, 3)).as_tuple()
    (4, 'low', (0, 3))
    """

    id: int
    value: str
    offsets: tuple[int, int]

    def __post_init__(self) -> None:
        if not _is_count(self.id, LARGEST_ID):
            raise ValueError(f"id={self.id!r}: give an integer from 0 to {LARGEST_ID}")
        if not isinstance(self.value, str):
            raise ValueError(f"value={self.value!r}: give a string")
        places = self.offsets
        if (
            not isinstance(places, tuple)
            or len(places) != 2
            or not all(_is_count(each, LARGEST_COUNT) for each in places)
        ):
            raise ValueError(f"offsets={places!r}: give a tuple of two integers, 0 or more")

    def as_tuple(self) -> tuple[int, str, tuple[int, int]]:
        """Return (id, value, offsets)."""
        return self.id, self.value, self.offsets


def _is_count(value: object, largest: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= largest
