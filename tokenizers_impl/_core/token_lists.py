"""Rows of tokens: their interface, and rows of lists that are truncated, joined and padded."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, reduce
from typing import Any

# --- The interface of rows of tokens, whose columns are computed on demand


class TokenRows:
    """The concatenated tokens of n rows; a part is a slice of all tokens.

    Not an ABC, because each Encoding checks the type of its rows, and the check of an ABC takes four times as long.
    """

    @property
    @abstractmethod
    def bounds(self) -> list[int]:
        """The start of each row, then the end of the last one: n + 1 numbers."""

    @abstractmethod
    def ids(self, part: slice) -> list[int]:
        """The ids of the tokens."""

    @abstractmethod
    def tokens(self, part: slice) -> list[str]:
        """The texts of the tokens."""

    @abstractmethod
    def offsets(self, part: slice) -> list[tuple[int, int]]:
        """The (start, end) of each token in the characters of its text; (0, 0) for tokens that are not in the text."""

    @abstractmethod
    def word_ids(self, part: slice) -> list[int | None]:
        """The index of each token's word in its text; None for tokens that are not in the text."""

    @abstractmethod
    def type_ids(self, part: slice) -> list[int]:
        """The type id of each token, which tells a neural model the token's sequence."""

    @abstractmethod
    def special_tokens_mask(self, part: slice) -> list[int]:
        """1 for tokens that were added, 0 for tokens of the text."""

    @abstractmethod
    def attention_mask(self, part: slice) -> list[int]:
        """0 for padding, 1 for all other tokens."""

    @abstractmethod
    def ranges(self, row: int) -> Mapping[int, tuple[int, int]]:
        """The (start, end) of each sequence's tokens in the row, by sequence index; empty if not assigned."""

    @abstractmethod
    def overflow(self, row: int) -> tuple[TokenLists, ...]:
        """The rows that truncation cut off this row, which overlap by the stride."""


# --- One row of tokens as lists, with the operations of `tokenizers.Encoding`

# The fields that are lists.
COLUMNS = ("id_list", "type_list", "token_list", "word_list", "offset_list", "special_list", "attention_list")
# A template in a file may repeat tokens many times.  Overflow is limited to this many tokens, and so many per token.
_ROOM, _GROWTH = 1 << 24, 4


def _nothing() -> tuple[TokenLists, ...]:
    return ()


@dataclass(frozen=True)
class TokenLists(TokenRows):
    """An immutable row of n tokens.

    cut_off: computes the overflow on demand, because rows joined with rows may exceed memory.
    sequences: the (start, end) of each sequence's tokens, by sequence index.
    room: the largest size of the overflow; see `_size`.
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
        """Copy a row, with its overflow."""
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
        """A row of special tokens, which a post-processor adds."""
        listed = list(ids)
        n = len(listed)
        return cls(listed, [type_id] * n, list(tokens), [None] * n, [(0, 0)] * n, [1] * n, [1] * n)

    @property
    def bounds(self) -> list[int]:
        """[0, n], because there is one row."""
        return [0, len(self.id_list)]

    def ids(self, part: slice) -> list[int]:
        """The ids of the tokens."""
        return self.id_list[part]

    def tokens(self, part: slice) -> list[str]:
        """The texts of the tokens."""
        return self.token_list[part]

    def offsets(self, part: slice) -> list[tuple[int, int]]:
        """The (start, end) of each token."""
        return self.offset_list[part]

    def word_ids(self, part: slice) -> list[int | None]:
        """The index of each token's word."""
        return self.word_list[part]

    def type_ids(self, part: slice) -> list[int]:
        """The type id of each token."""
        return self.type_list[part]

    def special_tokens_mask(self, part: slice) -> list[int]:
        """1 for tokens that were added, 0 for tokens of the text."""
        return self.special_list[part]

    def attention_mask(self, part: slice) -> list[int]:
        """0 for padding, 1 for all other tokens."""
        return self.attention_list[part]

    def ranges(self, row: int) -> Mapping[int, tuple[int, int]]:
        """The (start, end) of each sequence's tokens."""
        return self.sequences

    def overflow(self, row: int) -> tuple[TokenLists, ...]:
        """The rows that truncation cut off."""
        return self.cut_off()

    def with_overflow(self, parts: Callable[[], Iterable[TokenLists]]) -> TokenLists:
        """Set the overflow; computing it raises ValueError if it is too large."""
        return replace(self, cut_off=cache(lambda: tuple(_within(self.room, parts()))))

    def with_changed_overflow(self, of: TokenLists, change: Callable[[TokenLists], TokenLists]) -> TokenLists:
        """Set the overflow to that of another row, with each part changed."""
        return self if of.cut_off is _nothing else self.with_overflow(lambda: map(change, of.cut_off()))

    def __len__(self) -> int:
        return len(self.id_list)

    def __reduce__(self) -> Any:
        return _restored, ([getattr(self, name) for name in COLUMNS], dict(self.sequences), self.cut_off())

    def of_type(self, type_id: int) -> TokenLists:
        """Set the type id of all tokens."""
        return replace(self, type_list=[type_id] * len(self))

    def as_text(self) -> TokenLists:
        """Mark all tokens as tokens of the text, and drop sequences and overflow."""
        special, attention = [0] * len(self), [1] * len(self)
        return replace(self, special_list=special, attention_list=attention, cut_off=_nothing, sequences={})

    def of_sequence(self, sequence: int) -> TokenLists:
        """Assign all tokens to this sequence."""
        return replace(self, sequences={**self.sequences, sequence: (0, len(self))})

    def truncated(self, max_length: int, stride: int, direction: str) -> TokenLists:
        """Truncate to max_length tokens; the rest overflows in rows of that length, which overlap by `stride` tokens.

        direction: the side that is cut: "right" keeps the first tokens, "left" the last ones.
        An earlier overflow is dropped.
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
        """Append another row; every overflowing row of either is joined with the other and with its overflow.

        growing_offsets: shift the other row's offsets by the end of this row's last token.
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
        """Concatenate rows."""
        return reduce(lambda a, b: a.followed_by(b, growing_offsets=growing_offsets), rows, TokenLists())

    def padded(self, length: int, pad_id: int, pad_type_id: int, pad_token: str, direction: str) -> TokenLists:
        """Pad to `length` tokens on the right, or on the left with direction "left"; also pads the overflow."""
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
    """Restore a pickled row."""
    row = TokenLists(**dict(zip(COLUMNS, columns, strict=True)), sequences=sequences)
    return row.with_overflow(lambda: parts) if parts else row


def _within(room: int, parts: Iterable[TokenLists]) -> Iterator[TokenLists]:
    """Yield the parts; ValueError as soon as their size exceeds `room`."""
    size = 0
    for part in parts:
        size += _size([part])
        check_size("what overflows", size, room)
        yield part


def _size(rows: Iterable[TokenLists]) -> int:
    """The size of rows: their tokens, plus 16 per row for the memory of the row itself."""
    return sum(len(row) + 16 for row in rows)


def room_for(size: int) -> int:
    """The largest size of rows that are made of this many tokens."""
    return _ROOM + _GROWTH * size


def check_size(what: str, size: int, room: int) -> None:
    """ValueError if the size exceeds the room."""
    if size > room:
        raise ValueError(
            f"{what} would take the memory of {size} tokens, but the limit is {room} (2**24, and {_GROWTH} per token "
            "of the text): truncate to a larger max_length, with a smaller stride, or only one text of a pair; name "
            "each sequence once in the template, or pad to shorter rows"
        )


def check_stride(stride: int, max_length: int) -> None:
    """ValueError, in the library's words, if the stride is not smaller than the row length."""
    if stride >= max_length:
        raise ValueError(
            f"`stride` must be strictly less than `max_len={max_length}` (note that `max_len` may be shorter than the "
            "max length of the original model, as it subtracts the number of special characters: set a smaller "
            "stride or a larger max_length"
        )


def _parts(n: int, length: int, step: int, direction: str) -> Iterable[tuple[int, int]]:
    """The (start, end) of the rows into which n tokens are cut."""
    for done in range(0, n, step):
        start, end = (done, min(done + length, n)) if direction == "right" else (max(n - done - length, 0), n - done)
        yield start, end
        if (end == n) if direction == "right" else (start == 0):
            return
