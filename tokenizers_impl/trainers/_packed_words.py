"""What an E step needs of some words, packed to travel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._arrays import F64, packed
from ._lexicon import Lexicon
from ._piece_matches import Matches
from ._word_text import WordText


class PackedBlock(NamedTuple):
    """Some words, with the pieces that begin at each position; integers in the smallest type that holds them.

    symbols: as in WordText, shape (n,).  sizes, counts: shape (w,), of the words; a size counts the separator.
    numbers: shape (n - 1,), of the pieces that begin at each position.  ids: of these pieces, one after another.
    """

    symbols: Any
    sizes: Any
    counts: Any
    numbers: Any
    ids: Any

    @classmethod
    def of(cls, text: WordText, matches: Matches, first: int, last: int) -> PackedBlock:
        """The words first up to, without, last."""
        start, end = text.starts[first], text.starts[last]
        # Behind the last word stands its separator, where the next block's pieces may begin anywhere.
        offsets = matches.offsets[start:end]
        return cls(
            packed(text.symbols[start:end]),
            packed(np.diff(text.starts[first : last + 1])),
            packed(text.counts[first:last]),
            packed(np.diff(offsets)),
            packed(matches.ids[offsets[0] : offsets[-1]]),
        )

    def unpacked(self) -> tuple[WordText, Matches]:
        """The words as a text of their own, without its alphabet."""
        starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(self.sizes, dtype=np.int64)))
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(self.numbers, dtype=np.int64)))
        text = WordText(self.symbols.astype(np.int32), np.empty(0, np.uint32), starts, self.counts.astype(np.int64))
        return text, Matches(offsets, self.ids.astype(np.int32))


class PackedLexicon(NamedTuple):
    """Lengths and scores of pieces, as Lexicon has them."""

    lengths: Any
    scores: F64

    @classmethod
    def of(cls, lexicon: Lexicon) -> PackedLexicon:
        """Those of this lexicon."""
        return cls(packed(lexicon.lengths), lexicon.scores)

    def unpacked(self) -> Lexicon:
        """A lexicon without places, and without pieces that stay."""
        # Copied, because what comes from elsewhere may be read only.
        lengths, scores = self.lengths.astype(np.int32), self.scores.copy()
        return Lexicon(np.empty(0, np.int32), lengths, scores, np.empty(0, np.bool_))
