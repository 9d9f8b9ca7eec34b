"""The row of one input as lists, made of the pieces of a layout when they are asked for.

`arranged` makes the rows of many inputs with arrays, whose fixed costs are five times those of one such row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, TypeVar

from .._core.token_lists import TokenLists, TokenRows
from ..processors._post_processor import Layout, Piece, SequencePiece, SpecialPiece
from ..processors._special_tokens import trimmed_lists
from .arranged import PadTokens

T = TypeVar("T")
CutOff: TypeAlias = Callable[[int], tuple[TokenLists, ...]]


@dataclass
class TokenPart:
    """A part of the tokens of some rows: a sequence of an input, or what truncation keeps of it."""

    rows: TokenRows
    part: slice

    @classmethod
    def of_row(cls, rows: TokenRows, row: int) -> TokenPart:
        """All tokens of a row."""
        return cls(rows, slice(*rows.bounds[row : row + 2]))

    def __len__(self) -> int:
        size: int = self.part.stop - self.part.start
        return size

    def lists(self) -> TokenLists:
        """Copy the tokens, without an overflow."""
        rows, part = self.rows, self.part
        masks = rows.special_tokens_mask(part), rows.attention_mask(part)
        return TokenLists(
            rows.ids(part), rows.type_ids(part), rows.tokens(part), rows.word_ids(part), rows.offsets(part), *masks
        )


NO_PADDING = PadTokens(0, 0, 0, "", False)


@dataclass
class LaidOutRow(TokenRows):
    """The row of one input.

    sequences: those of the input, one or two.  size: the number of tokens without padding.
    padding: that of the row, if it is shorter than `padding.length`.
    cut_off: computes the overflow for rows of this length; None: nothing is truncated.
    """

    layout: Layout
    sequences: Sequence[TokenPart]
    size: int
    cut_off: CutOff | None
    padding: PadTokens = NO_PADDING

    @classmethod
    def of(cls, layout: Layout, sequences: Sequence[TokenPart], cut_off: CutOff | None) -> LaidOutRow:
        """Build a row without padding."""
        size = layout.special_count + sum([len(sequences[k]) for k in layout.sequences])
        return cls(layout, sequences, size, cut_off)

    def padded(self, padding: PadTokens) -> LaidOutRow:
        """The row with this padding."""
        return LaidOutRow(self.layout, self.sequences, self.size, self.cut_off, padding)

    def __len__(self) -> int:
        return max(self.padding.length, self.size)

    @property
    def bounds(self) -> list[int]:
        """0 and the number of tokens."""
        return [0, len(self)]

    def _column(
        self, of_sequence: Callable[[TokenPart], Iterable[T]], of_special: Callable[[SpecialPiece], Iterable[T]], pad: T
    ) -> list[T]:
        found = list[T]()
        for piece in self.layout.pieces:
            if isinstance(piece, SequencePiece):
                found += of_sequence(self.sequences[piece.sequence])
            else:
                found += of_special(piece)
        return self._with_pads(found, pad)

    def _with_pads(self, found: list[T], pad: T) -> list[T]:
        if self.padding.length <= self.size:
            return found
        pads = [pad] * (self.padding.length - self.size)
        return pads + found if self.padding.is_left else found + pads

    def ids(self, part: slice) -> list[int]:
        """The ids of the tokens."""
        return self._column(lambda own: own.rows.ids(own.part), lambda piece: piece.ids, self.padding.id)[part]

    def tokens(self, part: slice) -> list[str]:
        """The texts of the tokens."""
        pad = self.padding.token
        return self._column(lambda own: own.rows.tokens(own.part), lambda piece: piece.tokens, pad)[part]

    def offsets(self, part: slice) -> list[tuple[int, int]]:
        """The (start, end) of each token in its sequence; (0, 0) for special tokens."""
        return self._offset_list[part]

    @cached_property
    def _offset_list(self) -> list[tuple[int, int]]:
        return self._column(self._trimmed, lambda piece: [(0, 0)] * len(piece.ids), (0, 0))

    def _trimmed(self, own: TokenPart) -> list[tuple[int, int]]:
        """The offsets of a sequence, without white space if a processor trims it."""
        if not self.layout.trims:
            return own.rows.offsets(own.part)
        lists = own.lists()
        for has_prefix in self.layout.trims:
            lists = trimmed_lists(lists, add_prefix_space=has_prefix)
        return lists.offset_list

    def word_ids(self, part: slice) -> list[int | None]:
        """The index of each token's word."""
        return self._word_list[part]

    @cached_property
    def _word_list(self) -> list[int | None]:
        return self._column(lambda own: own.rows.word_ids(own.part), lambda piece: [None] * len(piece.ids), None)

    def type_ids(self, part: slice) -> list[int]:
        """The type id of each token."""
        found = [piece.type_id for piece in self.layout.pieces for _ in range(_length(piece, self.sequences))]
        return self._with_pads(found, self.padding.type_id)[part]

    def special_tokens_mask(self, part: slice) -> list[int]:
        """1 for special tokens and padding, 0 for all other tokens."""
        return self._column(lambda own: [0] * len(own), lambda piece: [1] * len(piece.ids), 1)[part]

    def attention_mask(self, part: slice) -> list[int]:
        """0 for padding, 1 for all other tokens."""
        return self._column(lambda own: [1] * len(own), lambda piece: [1] * len(piece.ids), 0)[part]

    def ranges(self, row: int) -> Mapping[int, tuple[int, int]]:
        """The (start, end) of each sequence's tokens."""
        return self._ranges

    @cached_property
    def _ranges(self) -> Mapping[int, tuple[int, int]]:
        found = dict[int, tuple[int, int]]()
        at = len(self) - self.size if self.padding.is_left else 0
        for piece in self.layout.pieces:
            end = at + _length(piece, self.sequences)
            if isinstance(piece, SequencePiece) and self.layout.named:
                found[piece.sequence] = at, end
            at = end
        return found

    def overflow(self, row: int) -> tuple[TokenLists, ...]:
        """The rows that truncation cut off."""
        return self.cut_off(len(self)) if self.cut_off else ()


def _length(piece: Piece, sequences: Sequence[TokenPart]) -> int:
    """The number of tokens of a piece."""
    return len(sequences[piece.sequence]) if isinstance(piece, SequencePiece) else len(piece.ids)
