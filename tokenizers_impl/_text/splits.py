"""Splits: a batch of texts in arrays, and the operations that normalizers and pre-tokenizers share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    def of(cls, texts: Sequence[str], *, offsets: bool, name: Callable[[int], str] = "text {}".format) -> Splits:
        """Make one split of every text, even of empty ones; `offsets`: whether to keep origins.

        ValueError if a text is not a string, or has a lone surrogate; name: what messages call a text, by its index.
        """
        return cls.of_chars(check_texts(texts, name), np.fromiter(map(len, texts), np.int64, len(texts)), offsets)

    @classmethod
    def of_chars(cls, chars: U32, lengths: I64, offsets: bool) -> Splits:
        """Make one split of every text; chars: their concatenated code points, lengths: int64, shape (n,)."""
        if len(lengths) == 1 and len(chars) <= len(_ORIGINS):
            whole = _START, lengths, _ADDED, _FIRSTS, _ORIGINS[: len(chars) if offsets else 0]
        else:
            whole = _whole(lengths, offsets)
        starts, ends, added, firsts, origins = whole
        given = Given(chars, ends) if offsets else None
        return cls(chars, starts, ends, added, firsts, origins, given, room_for(len(chars)))

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
        return Splits(chars, starts, ends, self.added, self.firsts, origins, self.given, self.room, self.spent)

    def recoded(self, chars: U32) -> Splits:
        """The same splits with other characters, one for each."""
        own = self.starts, self.ends, self.added, self.firsts
        return Splits(chars, *own, self.origins, self.given, self.room, self.spent)

    def recut(self, starts: I64, ends: I64, parent: I64) -> Splits:
        """Divide the splits: new split j is chars[starts[j]:ends[j]] and lies in current split parent[j], ascending."""
        return self.divided(starts, ends, *_inherited(parent, self.added, self.firsts))

    def divided(self, starts: I64, ends: I64, added: I32, firsts: I64) -> Splits:
        """The same characters in other splits."""
        # Not _replace, here and above, because it takes three times as long.
        return Splits(self.chars, starts, ends, added, firsts, self.origins, self.given, self.room, self.spent)

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


# What `_whole` returns for one short text.  A call of the kernel takes a tenth of the time to encode such a text.
_START, _ADDED, _FIRSTS = np.zeros(1, np.int64), np.full(1, TEXT, np.int32), np.arange(2, dtype=np.int64)
_ORIGINS = np.stack((np.arange(1000), np.arange(1, 1001)), axis=1).astype(np.int32)


@kernel
def _whole(lengths: I64, offsets: bool) -> tuple[I64, I64, I32, I64, I32]:
    """Starts, ends, `added`, `firsts` and origins of texts of these lengths."""
    # Loops, here and below, because with np.cumsum, np.full and np.arange numba takes twice as long to compile this.
    n, size = len(lengths), 0
    starts, ends, added = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int32)
    firsts = np.zeros(n + 1, np.int64)
    for i in range(n):
        starts[i], ends[i], added[i], firsts[i + 1] = size, size + lengths[i], TEXT, i + 1
        size += lengths[i]
    origins = np.empty((size if offsets else 0, 2), np.int32)
    for i in range(n if offsets else 0):
        for k in range(lengths[i]):
            origins[starts[i] + k, 0], origins[starts[i] + k, 1] = k, k + 1
    return starts, ends, added, firsts, origins


@kernel
def _inherited(parent: I64, added: I32, firsts: I64) -> tuple[I32, I64]:
    """The `added` of new splits, and their `firsts`; parent, added, firsts: see `Splits.recut`."""
    new_added, new_firsts = np.empty(len(parent), np.int32), np.empty(len(firsts), np.int64)
    text = 0
    for j in range(len(parent)):
        while firsts[text] <= parent[j]:
            new_firsts[text] = j
            text += 1
        new_added[j] = added[parent[j]]
    for last in range(text, len(firsts)):
        new_firsts[last] = len(parent)
    return new_added, new_firsts


def check_texts(texts: Sequence[str], name: Callable[[int], str] = "text {}".format) -> U32:
    """The code points of all texts; ValueError names a text that is not a string or has a lone surrogate."""
    try:
        return code_points("".join(texts))
    except TypeError:
        i, text = next((i, text) for i, text in enumerate(texts) if not isinstance(text, str))
        raise ValueError(f"{name(i)} is {text!r}: give a string") from None
    except UnicodeEncodeError as error:
        ends = np.cumsum([len(text) for text in texts])
        i = int(np.searchsorted(ends, error.start, side="right"))
        place = error.start - int(ends[i]) + len(texts[i])
        raise ValueError(
            f"{name(i)} holds the lone surrogate {texts[i][place]!r} at character {place}, which UTF-8 lacks: "
            "decode the text again, or remove the character"
        ) from None


# --- Characters prepended to splits


def prepended(splits: Splits, head: U32, wanted: Bools) -> Splits:
    """Prepend `head` to each wanted split that is not empty; its origin is the character that follows it."""
    return _with_heads(splits, head, wanted, unless=_NO_CHAR)


def prepended_once(splits: Splits, char: int, wanted: Bools) -> Splits:
    """Prepend one character to each wanted split that is not empty and does not begin with it."""
    return _with_heads(splits, np.array([char], np.uint32), wanted, unless=char)


def _with_heads(splits: Splits, head: U32, wanted: Bools, *, unless: int) -> Splits:
    texts = splits.chars, splits.starts, splits.ends
    starts, ends, heads = _measured(*texts, len(head), wanted, unless)
    if heads == 0:
        return splits
    size = int(ends[-1])
    splits.check_room(size)
    return splits.rewritten(*_written(*texts, head, starts, ends, len(splits.origins) > 0), starts, ends)


# Not a code point.
_NO_CHAR = -1


@kernel
def _measured(chars: U32, starts: I64, ends: I64, head: int, wanted: Bools, unless: int) -> tuple[I64, I64, int]:
    """The new starts and ends, and the number of heads, which have `head` characters; unless: see `prepended_once`."""
    new_starts, new_ends = np.empty(len(starts), np.int64), np.empty(len(starts), np.int64)
    size, heads = 0, 0
    for j in range(len(starts)):
        new_starts[j] = size
        size += ends[j] - starts[j]
        if wanted[j] and starts[j] < ends[j] and chars[starts[j]] != unless:
            size += head
            heads += 1
        new_ends[j] = size
    return new_starts, new_ends, heads


@kernel
def _written(
    chars: U32, starts: I64, ends: I64, head: U32, new_starts: I64, new_ends: I64, tracked: bool
) -> tuple[U32, I32]:
    """The new characters, and the index of the old character that each came from, if tracked."""
    size = new_ends[-1]
    new_chars, source = np.empty(size, np.uint32), np.empty(size if tracked else 0, np.int32)
    for j in range(len(starts)):
        first = new_ends[j] - (ends[j] - starts[j])
        for i in range(new_starts[j], new_ends[j]):
            old = starts[j] + max(i - first, 0)
            new_chars[i] = chars[old] if i >= first else head[i - new_starts[j]]
            if tracked:
                source[i] = old
    return new_chars, source


# --- Splitting by a mark on every character

# The marks that a pre-tokenizer gives to characters.  A split begins at BEGINS and continues over INSIDE.
REMOVED, INSIDE, BEGINS = 0, 1, 2


def cut_at_marks(splits: Splits, mark: Any, *arguments: Any) -> Splits:
    """Split by the marks of a kernel: mark(chars, starts, ends, added, *arguments, marks) writes to `marks`.

    Characters in gaps between the splits are already REMOVED, which is 0.  The kernel marks the others; the first
    character of every split must be BEGINS or REMOVED.
    """
    marks = np.zeros(len(splits.chars), np.uint8)
    mark(splits.chars, splits.starts, splits.ends, splits.added, *arguments, marks)
    return splits.divided(*_marked(marks, splits.ends, splits.added, splits.firsts))


@kernel
def _marked(marks: U8, old_ends: I64, added: I32, firsts: I64) -> tuple[I64, I64, I32, I64]:
    """Starts, ends, `added` and `firsts` of the new splits."""
    size = 0
    for i in range(len(marks)):
        size += marks[i] == BEGINS
    starts, ends, parent = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    old, i = 0, 0
    for j in range(size):
        while marks[i] != BEGINS:
            i += 1
        while old_ends[old] <= i:
            old += 1
        starts[j], parent[j] = i, old
        i += 1
        while i < len(marks) and marks[i] == INSIDE:
            i += 1
        ends[j] = i
    new_added, new_firsts = _inherited(parent, added, firsts)
    return starts, ends, new_added, new_firsts


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
