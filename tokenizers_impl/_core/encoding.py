"""The Encoding of a text, and the tokens of a word, as a caller gets them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np

from .options import LARGEST_COUNT, LARGEST_ID
from .token_lists import TokenLists, TokenRows

# --- The Encoding that a caller gets

_DIRECTIONS = ("left", "right")


class Encoding:
    """The tokens of one input, with the names of `tokenizers.Encoding`; lists are made when they are asked for.

    >>> from tokenizers_impl import Tokenizer, models
    >>> encoding = Tokenizer(models.BPE({"a": 0, "b": 1}, [])).encode("ab")
    >>> encoding.pad(3, pad_id=9)
    >>> encoding.ids, encoding.attention_mask, encoding.char_to_token(1)
    ([0, 1, 9], [1, 1, 0], 1)
    """

    __slots__ = ("_row", "_rows")

    def __init__(self, rows: TokenRows | None = None, row: int = 0) -> None:
        """An empty one; those with tokens come of a Tokenizer."""
        if rows is not None and not isinstance(rows, TokenRows):
            raise ValueError(f"Encoding({rows!r}): it takes nothing; Tokenizer.encode makes one of a text")
        self._rows = TokenLists() if rows is None else rows
        self._row = row

    def _lists(self) -> TokenLists:
        """All there is of it."""
        return TokenLists.of_row(self._rows, self._row)

    def _take(self, lists: TokenLists) -> None:
        self._rows, self._row = lists, 0

    @property
    def _part(self) -> slice:
        bounds = self._rows.bounds
        return slice(bounds[self._row], bounds[self._row + 1])

    @property
    def ids(self) -> list[int]:
        """The ids."""
        return self._rows.ids(self._part)

    @property
    def tokens(self) -> list[str]:
        """The tokens as text."""
        return self._rows.tokens(self._part)

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """From where to where each token reaches in its text, in characters; (0, 0) after `encode_batch_fast`."""
        return self._rows.offsets(self._part)

    @property
    def type_ids(self) -> list[int]:
        """The type of each token."""
        return self._rows.type_ids(self._part)

    @property
    def attention_mask(self) -> list[int]:
        """0 for padding, else 1."""
        return self._rows.attention_mask(self._part)

    @property
    def special_tokens_mask(self) -> list[int]:
        """1 for what the post-processor put in and for padding, else 0."""
        return self._rows.special_tokens_mask(self._part)

    @property
    def word_ids(self) -> list[int | None]:
        """The number of the word that each token is of; None for what is of no text, and after `encode_batch_fast`."""
        return self._rows.word_ids(self._part)

    @property
    def words(self) -> list[int | None]:
        """An older name of `word_ids`."""
        message = "Deprecated in 0.9.4: Encoding.words is deprecated, please use Encoding.word_ids instead."
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return self.word_ids

    @property
    def sequence_ids(self) -> list[int | None]:
        """The number of the sequence that each token is of; None for none."""
        found: list[int | None] = [None] * len(self)
        for sequence in range(self.n_sequences):
            start, end = self._range(sequence)
            found[start:end] = [sequence] * (end - start)
        return found

    @property
    def n_sequences(self) -> int:
        """Number of sequences: 1, or 2 for a pair."""
        return len(self._rows.ranges(self._row)) or 1

    @property
    def overflowing(self) -> list[Encoding]:
        """What truncation cut off."""
        return list(map(Encoding, self._rows.overflow(self._row)))

    def _range(self, sequence: int) -> tuple[int, int]:
        return self._rows.ranges(self._row).get(sequence, (0, len(self)))

    def token_to_sequence(self, token_index: int) -> int | None:
        """The sequence of a token, None for one of none."""
        ranges = self._rows.ranges(self._row)
        if _counted(token_index, "token_index") > len(self):
            return None
        found = [sequence for sequence, (start, end) in ranges.items() if start <= token_index < end]
        return min(found, default=None) if ranges else 0

    def token_to_chars(self, token_index: int) -> tuple[int, int] | None:
        """From where to where a token reaches in its text."""
        return self.offsets[token_index] if self._is_of_text(token_index) else None

    def token_to_word(self, token_index: int) -> int | None:
        """The word of a token."""
        return self.word_ids[token_index] if self._is_of_text(token_index) else None

    def _is_of_text(self, token_index: int) -> bool:
        return self.token_to_sequence(token_index) is not None and token_index < len(self)

    def char_to_token(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """The first token that covers a character of a sequence."""
        _counted(char_pos, "char_pos")
        first, last = self._range(_counted(sequence_index, "sequence_index"))
        reach = enumerate(self.offsets[first:last], first)
        return next((token for token, (start, end) in reach if start <= char_pos < end), None)

    def char_to_word(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """The word that covers a character of a sequence."""
        token = self.char_to_token(char_pos, sequence_index)
        return None if token is None else self.token_to_word(token)

    def word_to_tokens(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        """From where to where the tokens of a word of a sequence reach."""
        _counted(word_index, "word_index", LARGEST_ID)
        first, last = self._range(_counted(sequence_index, "sequence_index"))
        found = None
        for token, word in enumerate(self.word_ids[first:last], first):
            if word is not None and word > word_index:
                break
            if word == word_index:
                found = (found[0] if found else token, token + 1)
        return found

    def word_to_chars(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        """From where to where a word of a sequence reaches in its text."""
        tokens = self.word_to_tokens(word_index, sequence_index)
        offsets = self.offsets
        return (offsets[tokens[0]][0], offsets[tokens[1] - 1][1]) if tokens else None

    def set_sequence_id(self, sequence_id: int) -> None:
        """Make all its tokens those of this sequence."""
        self._take(self._lists().of_sequence(_counted(sequence_id, "sequence_id")))

    def truncate(self, max_length: int, stride: int = 0, direction: str = "right") -> None:
        """Keep at most max_length tokens; the others overflow, each row with `stride` tokens of the last."""
        if direction not in _DIRECTIONS:
            raise ValueError(f"Invalid truncation direction value : {direction}")
        self._take(self._lists().truncated(_counted(max_length, "max_length"), _counted(stride, "stride"), direction))

    def pad(
        self, length: int, direction: str = "right", pad_id: int = 0, pad_type_id: int = 0, pad_token: str = "[PAD]"
    ) -> None:
        """Pad it, and what overflowed, to this length."""
        if direction not in _DIRECTIONS:
            raise ValueError(f"Unknown `direction`: `{direction}`. Use one of `left` or `right`")
        ids = _counted(pad_id, "pad_id", LARGEST_ID), _counted(pad_type_id, "pad_type_id", LARGEST_ID)
        self._take(self._lists().padded(_counted(length, "length"), *ids, pad_token, direction))

    @staticmethod
    def merge(encodings: Iterable[Encoding], growing_offsets: bool = True) -> Encoding:
        """All of them in one; growing_offsets: each one's offsets go on where those before it end."""
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
        # A row of its own: the batch holds other texts, and the model.
        return Encoding, (self._lists(),)


def encodings_of(rows: TokenRows) -> list[Encoding]:
    """An Encoding a row."""
    return list(map(Encoding, repeat(rows), range(len(rows.bounds) - 1)))


def lists_of(name: str, encoding: Any) -> TokenLists:
    """All there is of an Encoding; ValueError for anything else."""
    if not isinstance(encoding, Encoding):
        raise ValueError(f"{name}={encoding!r}: give an Encoding, as Tokenizer.encode makes it")
    return encoding._lists()


def _counted(value: int, name: str, largest: int = LARGEST_COUNT) -> int:
    """ValueError for what is no position, so that none counts from the end."""
    if not isinstance(value, (int, np.integer)) or not 0 <= value <= largest:
        raise ValueError(f"{name}={value!r}: give an integer from 0 to {largest}")
    return int(value)


# --- A token of a word, as a model gives it


@dataclass(frozen=True)
class Token:
    """What `Model.tokenize` gives, as `tokenizers.Token`.

    offsets: from where to where it reaches, in bytes of UTF-8.

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
        """Id, value, offsets."""
        return self.id, self.value, self.offsets


def _is_count(value: object, largest: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= largest
