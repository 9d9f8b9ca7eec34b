"""Rows of tokens: as an Encoding shows them, and as lists that are cut, joined and padded."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, reduce
from typing import Any

# --- What an Encoding shows: rows of tokens, in columns that are made when they are asked for


class TokenRows(ABC):
    """The tokens of n rows, one after another; a part is a slice of all of them."""

    @property
    @abstractmethod
    def bounds(self) -> list[int]:
        """Where each row begins, then where the last one ends: n + 1 numbers."""

    @abstractmethod
    def ids(self, part: slice) -> list[int]:
        """The ids."""

    @abstractmethod
    def tokens(self, part: slice) -> list[str]:
        """The tokens as text."""

    @abstractmethod
    def offsets(self, part: slice) -> list[tuple[int, int]]:
        """From where to where each token reaches in its text, in characters; (0, 0) for none."""

    @abstractmethod
    def word_ids(self, part: slice) -> list[int | None]:
        """The number of the word, in its text, that each token is of; None for none."""

    @abstractmethod
    def type_ids(self, part: slice) -> list[int]:
        """The type of each token, which says of what sequence it is, as the model will see it."""

    @abstractmethod
    def special_tokens_mask(self, part: slice) -> list[int]:
        """1 for a token that was put in, 0 for one of the text."""

    @abstractmethod
    def attention_mask(self, part: slice) -> list[int]:
        """0 for padding, else 1."""

    @abstractmethod
    def ranges(self, row: int) -> Mapping[int, tuple[int, int]]:
        """From the number of a sequence to the tokens of the row that are its own; empty where that was never said."""

    @abstractmethod
    def overflow(self, row: int) -> tuple[TokenLists, ...]:
        """What truncation cut off the row, in rows that overlap by its stride."""


# --- One row of tokens as lists, cut, joined and padded as `tokenizers.Encoding` is

# The lists, by the names of their fields.
COLUMNS = ("id_list", "type_list", "token_list", "word_list", "offset_list", "special_list", "attention_list")
# A file may ask for rows of the same tokens over and over: how many, beyond what a text has.
_ROOM, _GROWTH = 1 << 24, 4


def _nothing() -> tuple[TokenLists, ...]:
    return ()


@dataclass(frozen=True)
class TokenLists(TokenRows):
    """A row of n tokens; nothing is ever changed, only replaced.

    cut_off: gives what overflowed, made when it is asked for: rows joined with rows can be more than memory holds.
    sequences: from the number of a sequence to its tokens.
    room: how large what overflows may be, see `_size`.
    """

    id_list: list[int] = field(default_factory=list)
    type_list: list[int] = field(default_factory=list)
    token_list: list[str] = field(default_factory=list)
    word_list: list[int | None] = field(default_factory=list)
    offset_list: list[tuple[int, int]] = field(default_factory=list)
    special_list: list[int] = field(default_factory=list)
    attention_list: list[int] = field(default_factory=list)
    cut_off: Callable[[], tuple[TokenLists, ...]] = _nothing
    sequences: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    room: int = _ROOM

    @classmethod
    def of_row(cls, rows: TokenRows, row: int) -> TokenLists:
        """The lists of a row."""
        part = slice(*rows.bounds[row : row + 2])
        lists = cls(
            rows.ids(part),
            rows.type_ids(part),
            rows.tokens(part),
            rows.word_ids(part),
            rows.offsets(part),
            rows.special_tokens_mask(part),
            rows.attention_mask(part),
            sequences=rows.ranges(row),
        )
        parts = rows.overflow(row)
        return lists.with_overflow(lambda: parts) if parts else lists

    @classmethod
    def of_special(cls, ids: Iterable[int], tokens: Iterable[str], type_id: int) -> TokenLists:
        """Tokens that a post-processor puts in."""
        listed = list(ids)
        n = len(listed)
        return cls(listed, [type_id] * n, list(tokens), [None] * n, [(0, 0)] * n, [1] * n, [1] * n)

    @property
    def bounds(self) -> list[int]:
        """0 and n, as there is one row."""
        return [0, len(self.id_list)]

    def ids(self, part: slice) -> list[int]:
        """The ids."""
        return self.id_list[part]

    def tokens(self, part: slice) -> list[str]:
        """The tokens as text."""
        return self.token_list[part]

    def offsets(self, part: slice) -> list[tuple[int, int]]:
        """From where to where each token reaches."""
        return self.offset_list[part]

    def word_ids(self, part: slice) -> list[int | None]:
        """The words."""
        return self.word_list[part]

    def type_ids(self, part: slice) -> list[int]:
        """The types."""
        return self.type_list[part]

    def special_tokens_mask(self, part: slice) -> list[int]:
        """What was put in."""
        return self.special_list[part]

    def attention_mask(self, part: slice) -> list[int]:
        """What is no padding."""
        return self.attention_list[part]

    def ranges(self, row: int) -> Mapping[int, tuple[int, int]]:
        """The tokens of every sequence."""
        return self.sequences

    def overflow(self, row: int) -> tuple[TokenLists, ...]:
        """What was cut off."""
        return self.cut_off()

    def with_overflow(self, parts: Callable[[], Iterable[TokenLists]]) -> TokenLists:
        """The same row, from which this overflowed; ValueError for too much of it, once it is asked for."""
        return replace(self, cut_off=cache(lambda: tuple(_within(self.room, parts()))))

    def with_changed_overflow(self, of: TokenLists, change: Callable[[TokenLists], TokenLists]) -> TokenLists:
        """The same row, from which that overflowed which did from another, each part changed."""
        return self if of.cut_off is _nothing else self.with_overflow(lambda: map(change, of.cut_off()))

    def __len__(self) -> int:
        return len(self.id_list)

    def __reduce__(self) -> Any:
        return _restored, ([getattr(self, name) for name in COLUMNS], dict(self.sequences), self.cut_off())

    def of_type(self, type_id: int) -> TokenLists:
        """The same tokens, all of this type."""
        return replace(self, type_list=[type_id] * len(self))

    def as_text(self) -> TokenLists:
        """The same tokens as if all were of the text, of no sequence, with nothing that overflowed."""
        special, attention = [0] * len(self), [1] * len(self)
        return replace(self, special_list=special, attention_list=attention, cut_off=_nothing, sequences={})

    def of_sequence(self, sequence: int) -> TokenLists:
        """The same tokens, all of this sequence."""
        return replace(self, sequences={**self.sequences, sequence: (0, len(self))})

    def truncated(self, max_length: int, stride: int, direction: str) -> TokenLists:
        """At most max_length tokens; the others overflow in rows of that length, `stride` tokens of each in the next.

        direction: "right" keeps the first tokens, "left" the last ones.  What overflowed before is lost.
        """
        n = len(self)
        if max_length >= n:
            return self
        if max_length == 0:
            return TokenLists(room=room_for(n)).with_overflow(lambda: (self,))
        check_stride(stride, max_length)
        first, *rest = _parts(n, max_length, max_length - stride, direction)
        return self._slice(*first).with_overflow(lambda: (self._slice(*part) for part in rest))

    def _slice(self, start: int, end: int) -> TokenLists:
        columns: dict[str, Any] = {name: getattr(self, name)[start:end] for name in COLUMNS}
        return TokenLists(**columns, room=room_for(len(self)))

    def followed_by(self, other: TokenLists, *, growing_offsets: bool = False) -> TokenLists:
        """Both in one row; whatever overflowed from either is joined with all there is of the other.

        growing_offsets: the second's offsets go on from the end of the first's.
        """
        shift = self.offset_list[-1][1] if growing_offsets and self.offset_list else 0
        moved = [(start + shift, end + shift) for start, end in other.offset_list] if shift else other.offset_list
        columns: dict[str, Any] = {name: getattr(self, name) + getattr(other, name) for name in COLUMNS}
        n = len(self)
        behind = {sequence: (n + start, n + end) for sequence, (start, end) in other.sequences.items()}
        columns["offset_list"] = self.offset_list + moved
        room = max(self.room, other.room)
        both = TokenLists(**columns, sequences={**self.sequences, **behind}, room=room)
        if self.cut_off is _nothing and other.cut_off is _nothing:
            return both
        return both.with_overflow(lambda: self._joined_overflow(other, growing_offsets))

    def _joined_overflow(self, other: TokenLists, growing: bool) -> Iterable[TokenLists]:
        mines, others = self.cut_off(), other.cut_off()
        size = _size(mines) * (1 + len(others)) + _size(others) * (1 + len(mines))
        size += len(mines) * len(other) + len(others) * len(self)
        check_size("what overflows", size, max(self.room, other.room))
        for mine in mines:
            yield mine.followed_by(other, growing_offsets=growing)
            for theirs in others:
                yield mine.followed_by(theirs, growing_offsets=growing)
        for theirs in others:
            yield self.followed_by(theirs, growing_offsets=growing)

    @staticmethod
    def joined(rows: Iterable[TokenLists], *, growing_offsets: bool = False) -> TokenLists:
        """All of them in one row."""
        return reduce(lambda a, b: a.followed_by(b, growing_offsets=growing_offsets), rows, TokenLists())

    def padded(self, length: int, pad_id: int, pad_type_id: int, pad_token: str, direction: str) -> TokenLists:
        """At least `length` tokens, padding put behind, or with direction "left" before; also in what overflowed."""
        n = max(0, length - len(self))
        pads = [[pad_id] * n, [pad_type_id] * n, [pad_token] * n, [None] * n, [(0, 0)] * n, [1] * n, [0] * n]
        columns: dict[str, Any] = {
            name: pad + getattr(self, name) if direction == "left" else getattr(self, name) + pad
            for name, pad in zip(COLUMNS, pads, strict=True)
        }
        shift = n if direction == "left" else 0
        moved = {sequence: (start + shift, end + shift) for sequence, (start, end) in self.sequences.items()}
        row = TokenLists(**columns, sequences=moved, room=self.room)
        if self.cut_off is _nothing:
            return row
        return row.with_overflow(lambda: self._padded_overflow(length, pad_id, pad_type_id, pad_token, direction))

    def _padded_overflow(self, length: int, *padding: Any) -> Iterable[TokenLists]:
        parts = self.cut_off()
        check_size("what overflows", len(parts) * length, self.room)
        return (part.padded(length, *padding) for part in parts)


def _restored(
    columns: list[Any], sequences: Mapping[int, tuple[int, int]], parts: tuple[TokenLists, ...]
) -> TokenLists:
    """What was pickled."""
    row = TokenLists(**dict(zip(COLUMNS, columns, strict=True)), sequences=sequences)
    return row.with_overflow(lambda: parts) if parts else row


def _within(room: int, parts: Iterable[TokenLists]) -> Iterator[TokenLists]:
    """The parts; ValueError as soon as they are larger than that."""
    size = 0
    for part in parts:
        size += _size([part])
        check_size("what overflows", size, room)
        yield part


def _size(rows: Iterable[TokenLists]) -> int:
    """The tokens of rows, and 16 for each row, which takes as much memory as those."""
    return sum(len(row) + 16 for row in rows)


def room_for(size: int) -> int:
    """How large what is made of so many tokens may be."""
    return _ROOM + _GROWTH * size


def check_size(what: str, size: int, room: int) -> None:
    """ValueError for so many tokens, where so many may be."""
    if size > room:
        raise ValueError(
            f"{what} would have {size} tokens or more: more than {room}, {_GROWTH} for each of the text and 2**24; "
            "name each sequence once in the template, truncate with a smaller stride, or pad to shorter rows"
        )


def check_stride(stride: int, max_length: int) -> None:
    """ValueError if rows of this length cannot overlap so far."""
    if stride >= max_length:
        raise ValueError(
            f"`stride` must be strictly less than `max_len={max_length}` (note that `max_len` may be shorter than the "
            "max length of the original model, as it subtracts the number of special characters"
        )


def _parts(n: int, length: int, step: int, direction: str) -> Iterable[tuple[int, int]]:
    """Where the rows begin and end into which n tokens are cut."""
    for done in range(0, n, step):
        start, end = (done, min(done + length, n)) if direction == "right" else (max(n - done - length, 0), n - done)
        yield start, end
        if (end == n) if direction == "right" else (start == 0):
            return
