"""A batch of texts on its way through normalizer and pre-tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ._arrays import I32, I64, U32, code_points, text_of
from ._kernel import kernel

# Marks a split that is text; any other number is the id of the added token that the split is.
TEXT = -1
# How far texts may grow.  NFKD makes 18 characters of one, and a byte level three of each: no pipeline needs more.
_GROWTH, _ROOM = 64, 1 << 24


class Given(NamedTuple):
    """n texts as they were given: their characters one after another, and where each of them ends, shape (n,)."""

    chars: U32
    ends: I64

    def text(self, i: int) -> str:
        """Text i."""
        return text_of(self.chars[self.ends[i - 1] if i > 0 else 0 : self.ends[i]])


class Splits(NamedTuple):
    """k splits of n texts.

    chars: uint32 code points of all texts one after another, as they stand by now.
    starts, ends: int64, shape (k,); split j is chars[starts[j]:ends[j]].  In order, without overlap; gaps are
      characters that were taken out, such as white space.
    added: int32, shape (k,); the id of the added token that the split is, or TEXT.  Only TEXT is changed or cut.
    firsts: int64, shape (n + 1,); the splits of text i are firsts[i]:firsts[i + 1].
    origins: int32, shape (len(chars), 2): from where to where in its own text, as it was given, the character came;
      shape (0, 2) where nobody asks for offsets.
    given: the texts that origins point into; None where nobody asks for offsets.
    room: how many characters the texts may grow to.  spent: seconds that regular expressions have worked on them.
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
        """Every text as one split, also an empty one; `offsets`: whether origins are kept.

        ValueError if a text is no string, or holds half of a surrogate pair; first: the number of the first text there.
        """
        chars = _checked(texts, first)
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        ends = np.cumsum(lengths)
        starts = ends - lengths
        origins = positions(starts, ends) if offsets else np.empty((0, 2), np.int32)
        added = np.full(len(texts), TEXT, np.int32)
        given = Given(chars, ends) if offsets else None
        return cls(chars, starts, ends, added, np.arange(len(texts) + 1), origins, given, room_for(len(chars)))

    def check_room(self, size: int) -> None:
        """ValueError if the texts are to become more characters than they may, before these take memory."""
        check_room(size, self.room)

    def rewritten(self, chars: U32, source: I32, starts: I64, ends: I64) -> Splits:
        """The same splits with other characters: split j is now chars[starts[j]:ends[j]]; ValueError for too many.

        source: shape (len(chars),), the index among the present characters from which each new one came; not looked at
          where nobody asks for offsets.
        """
        self.check_room(len(chars))
        origins = self.origins.take(source, axis=0) if len(self.origins) else self.origins
        return self._replace(chars=chars, starts=starts, ends=ends, origins=origins)

    def recut(self, starts: I64, ends: I64, parent: I64) -> Splits:
        """Smaller splits of the same characters: new split j lies in present split parent[j], sorted."""
        firsts = np.searchsorted(parent, self.firsts)
        return self._replace(starts=starts, ends=ends, added=self.added[parent], firsts=firsts)

    def without_empty(self) -> Splits:
        """The splits that have a character."""
        kept = self.ends > self.starts
        return self if kept.all() else self.recut(self.starts[kept], self.ends[kept], np.flatnonzero(kept))

    def texts(self) -> list[str]:
        """Every split as a string."""
        joined = text_of(self.chars)
        return [joined[start:end] for start, end in zip(self.starts.tolist(), self.ends.tolist(), strict=True)]

    def offsets(self) -> list[tuple[int, int]]:
        """From where to where every split, none of them empty, reaches in its text as it was given."""
        starts, ends = self.origins[self.starts, 0].tolist(), self.origins[self.ends - 1, 1].tolist()
        return list(zip(starts, ends, strict=True))


def room_for(size: int) -> int:
    """How many characters texts of so many may grow to."""
    return _ROOM + _GROWTH * size


def check_room(size: int, room: int) -> None:
    """ValueError for texts of so many characters that may have so many."""
    if size > room:
        raise ValueError(
            f"the texts grow to {size} characters by what replaces their own: more than {room} of those that they may "
            f"have, {_GROWTH} for each that was given and 2**24"
        )


@kernel
def positions(starts: I64, ends: I64) -> I32:
    """From where to where every character reaches in its own text, shape (number of characters, 2)."""
    origins = np.empty((ends[-1] if len(ends) > 0 else 0, 2), np.int32)
    for j in range(len(starts)):
        for i in range(starts[j], ends[j]):
            origins[i, 0] = i - starts[j]
            origins[i, 1] = i - starts[j] + 1
    return origins


def _checked(texts: Sequence[str], first: int) -> U32:
    """The code points of all texts; ValueError names the text that has none to give."""
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
            "decode the text anew, or leave the character out"
        ) from None
