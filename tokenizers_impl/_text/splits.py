"""Splits: a batch of texts in arrays, and the operations that normalizers and pre-tokenizers share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evenscore.kernel import kernel

from .._core.arrays import I32, I64, U8, U32, Bools, code_points, text_of
from .unicode import SPACE, character_classes

# --- A batch of texts between normalizer and pre-tokenizer

# The value of `Splits.added` for a split that is text; any other value is the id of an added token.
TEXT = -1
# How far texts may grow: to _GROWTH times their size plus _ROOM.  NFKD makes up to 18 characters of one, and a byte
# level up to three of each of these, so no pipeline needs more.  The room is for what is put before a short text, or in
# place of one: a prompt of a million characters.  Sixty steps that each double a text reach it in half a second.
_GROWTH, _ROOM = 64, 1 << 20


class Given(NamedTuple):
    """n original texts: their concatenated characters, and the end of each text, shape (n,)."""

    chars: U32
    ends: I64

    def text(self, i: int) -> str:
        """Return text i as a string."""
        return text_of(self.chars[self.ends[i - 1] if i > 0 else 0 : self.ends[i]])


class Splits(NamedTuple):
    """k splits of n texts.

    chars: uint32, the concatenated code points of all texts in their current form.
    starts, ends: int64, shape (k,); split j is chars[starts[j]:ends[j]].  Splits are in order and do not overlap; gaps
      are removed characters, such as white space.
    added: int32, shape (k,); the id if the split is an added token, else TEXT.  Only TEXT is changed or split.
    firsts: int64, shape (n + 1,); the splits of text i are firsts[i]:firsts[i + 1].
    origins: int32, shape (len(chars), 2): the start and end in the original text from which each character came;
      shape (0, 2) if offsets are not wanted.
    given: the original texts; None if offsets are not wanted.
    room: how many characters the texts may grow to.  spent: seconds that regular expressions with a time limit
      have used on them.
    """

    chars: U32
    starts: I64
    ends: I64
    added: I32
    firsts: I64
    origins: npt.NDArray[np.int32]
    given: Given | None = None
    room: int = _ROOM
    spent: float = 0.0

    @classmethod
    def of(cls, texts: Sequence[str], *, offsets: bool, first: int = 0) -> Splits:
        """Make one split of every text, even of empty ones; `offsets`: whether to keep origins.

        ValueError if a text is not a string, or has a lone surrogate; first: the number of the first text in messages.
        """
        chars = check_texts(texts, first)
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        ends = np.cumsum(lengths)
        starts = ends - lengths
        origins = positions(starts, ends) if offsets else np.empty((0, 2), np.int32)
        added = np.full(len(texts), TEXT, np.int32)
        given = Given(chars, ends) if offsets else None
        return cls(chars, starts, ends, added, np.arange(len(texts) + 1), origins, given, room_for(len(chars)))

    def given_size(self) -> int:
        """The number of characters of the texts before any step."""
        return (self.room - _ROOM) // _GROWTH

    def check_room(self, size: int) -> None:
        """ValueError if `size` characters are more than the texts may grow to; call this before allocating them."""
        check_room(size, self.room)

    def rewritten(self, chars: U32, source: I32, starts: I64, ends: I64) -> Splits:
        """The same splits with new characters: split j is chars[starts[j]:ends[j]]; ValueError if there are too many.

        source: shape (len(chars),), for each new character the index of the current one that it came from; not used if
          offsets are not wanted.
        """
        self.check_room(len(chars))
        origins = self.origins.take(source, axis=0) if len(self.origins) else self.origins
        return self._replace(chars=chars, starts=starts, ends=ends, origins=origins)

    def recut(self, starts: I64, ends: I64, parent: I64) -> Splits:
        """Divide the splits: new split j is chars[starts[j]:ends[j]] and lies in current split parent[j], ascending."""
        # The new splits before each current one; np.searchsorted would take three times as long.
        before = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.bincount(parent, minlength=len(self.starts)))))
        firsts = before[self.firsts]
        return self._replace(starts=starts, ends=ends, added=self.added[parent], firsts=firsts)

    def without_empty(self) -> Splits:
        """Leave out the empty splits."""
        kept = self.ends > self.starts
        return self if kept.all() else self.recut(self.starts[kept], self.ends[kept], np.flatnonzero(kept))

    def texts(self) -> list[str]:
        """Return every split as a string."""
        joined = text_of(self.chars)
        return [joined[start:end] for start, end in zip(self.starts.tolist(), self.ends.tolist(), strict=True)]

    def offsets(self) -> list[tuple[int, int]]:
        """Return the (start, end) of every split in its original text; no split may be empty."""
        starts, ends = self.origins[self.starts, 0].tolist(), self.origins[self.ends - 1, 1].tolist()
        return list(zip(starts, ends, strict=True))


def room_for(size: int) -> int:
    """The number of characters that texts of this size may grow to."""
    return _ROOM + _GROWTH * size


def check_room(size: int, room: int) -> None:
    """ValueError if texts have more characters than `room`."""
    if size > room:
        raise ValueError(
            f"the texts grow to {size} characters by what replaces their own: more than {room} of those that they may "
            f"have, {_GROWTH} for each that was given and 2**20"
        )


@kernel
def positions(starts: I64, ends: I64) -> I32:
    """The (start, end) of every character in its own text, shape (number of characters, 2)."""
    origins = np.empty((ends[-1] if len(ends) > 0 else 0, 2), np.int32)
    for j in range(len(starts)):
        for i in range(starts[j], ends[j]):
            origins[i, 0] = i - starts[j]
            origins[i, 1] = i - starts[j] + 1
    return origins


def check_texts(texts: Sequence[str], first: int = 0) -> U32:
    """The code points of all texts; ValueError names a text that is not a string or has a lone surrogate."""
    try:
        return code_points("".join(texts))
    except TypeError:
        i, text = next((i, text) for i, text in enumerate(texts) if not isinstance(text, str))
        raise ValueError(f"text {first + i} is {text!r}: give a string") from None
    except UnicodeEncodeError as error:
        ends = np.cumsum([len(text) for text in texts])
        i = int(np.searchsorted(ends, error.start, side="right"))
        place = error.start - int(ends[i]) + len(texts[i])
        raise ValueError(
            f"text {first + i} holds the lone surrogate {texts[i][place]!r} at character {place}, which UTF-8 lacks: "
            "decode the text again, or remove the character"
        ) from None


# --- Characters prepended to splits


def prepended(splits: Splits, head: U32, wanted: Bools) -> Splits:
    """Prepend `head` to each wanted split that is not empty; its origin is the character that follows it."""
    # numpy, because numba would take seconds to compile this.
    lengths = splits.ends - splits.starts
    heads = np.where(wanted & (lengths > 0), len(head), 0)
    ends = np.cumsum(lengths + heads)
    firsts = ends - lengths
    size = int(ends[-1]) if len(ends) else 0
    splits.check_room(size)
    chars = np.empty(size, np.uint32)
    source = np.empty(len(chars) if len(splits.origins) else 0, np.int32)
    _write(splits.chars, splits.starts, firsts, ends, head, heads, chars, source)
    return splits.rewritten(chars, source, firsts - heads, ends)


def prepended_once(splits: Splits, char: int, wanted: Bools) -> Splits:
    """Prepend one character to each wanted split that does not begin with it."""
    full = np.flatnonzero(wanted & (splits.ends > splits.starts))
    lacking = np.zeros(len(wanted), np.bool_)
    lacking[full] = splits.chars[splits.starts[full]] != char
    if not lacking.any():
        return splits
    return prepended(splits, np.array([char], np.uint32), lacking)


@kernel
def _write(chars: U32, starts: I64, firsts: I64, ends: I64, head: U32, heads: I64, new_chars: U32, source: I32) -> None:
    """Write split j from firsts[j] on, after the first heads[j] characters of the head; also write their sources."""
    tracked = len(source) > 0
    for j in range(len(starts)):
        for i in range(heads[j]):
            new_chars[firsts[j] - heads[j] + i] = head[i]
            if tracked:
                source[firsts[j] - heads[j] + i] = starts[j]
        for i in range(ends[j] - firsts[j]):
            new_chars[firsts[j] + i] = chars[starts[j] + i]
            if tracked:
                source[firsts[j] + i] = starts[j] + i


# --- Splitting by a mark on every character

# The marks that a pre-tokenizer gives to characters.  A split begins at BEGINS and continues over INSIDE.
INSIDE, BEGINS, REMOVED = 0, 1, 2


def cut_at_marks(splits: Splits, mark: Any, *arguments: Any) -> Splits:
    """Split by the marks of a kernel: mark(chars, starts, ends, added, *arguments, marks) writes to `marks`.

    Characters in gaps between the splits are already REMOVED.  The kernel marks the others; the first character of
    every split must be BEGINS or REMOVED.
    """
    marks = np.full(len(splits.chars), REMOVED, np.uint8)
    mark(splits.chars, splits.starts, splits.ends, splits.added, *arguments, marks)
    starts, ends, parents = np.empty((3, np.count_nonzero(marks == BEGINS)), np.int64)
    _find(marks, splits.ends, starts, ends, parents)
    return splits.recut(starts, ends, parents)


@kernel
def _find(marks: U8, old_ends: I64, starts: I64, ends: I64, parent: I64) -> None:
    """Write the start, the end and the old split of every new split."""
    old, i = 0, 0
    for j in range(len(starts)):
        while marks[i] != BEGINS:
            i += 1
        while old_ends[old] <= i:
            old += 1
        starts[j], parent[j] = i, old
        i += 1
        while i < len(marks) and marks[i] == INSIDE:
            i += 1
        ends[j] = i


# --- Stripping white space


def stripped(splits: Splits, *, left: bool, right: bool) -> Splits:
    """Strip white space from the chosen ends of the splits."""
    texts = splits.chars, splits.starts, splits.ends, splits.added
    starts, ends = _stripped(*texts, character_classes().copy(), left, right)
    return splits._replace(starts=starts, ends=ends)


@kernel
def _stripped(chars: U32, starts: I64, ends: I64, added: I32, classes: U8, left: bool, right: bool) -> tuple[I64, I64]:
    """The new bounds of the splits."""
    new_starts, new_ends = starts.copy(), ends.copy()
    for j in range(len(starts)):
        if added[j] != TEXT:
            continue
        while left and new_starts[j] < new_ends[j] and classes[chars[new_starts[j]]] & SPACE:
            new_starts[j] += 1
        while right and new_starts[j] < new_ends[j] and classes[chars[new_ends[j] - 1]] & SPACE:
            new_ends[j] -= 1
    return new_starts, new_ends
