"""From encoded sequences to rows: truncated, post-processed, padded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

import numpy as np

from ._arranged_batch import Blueprint, Cuts, PadTokens, arranged, row_lengths
from ._arrays import I64
from ._encoding import EncodedBatch
from ._encoding_object import Encoding
from ._layout import Layout, SequencePiece
from ._padding import Padding
from ._token_lists import TokenLists
from ._truncation import Truncation
from .processors import PostProcessor

_NO_PADDING = PadTokens(0, 0, 0, "", False)
# How many tokens may be put in: what the longest contexts of models need for each input.
_ROOM, _ROOM_OF_INPUT = 1 << 24, 1 << 17


@dataclass(frozen=True)
class PostProcessing:
    """What is done to an input after its sequences are encoded; None for what is not done."""

    truncation: Truncation | None
    processor: PostProcessor | None
    padding: Padding | None
    add_special_tokens: bool

    @property
    def does_nothing(self) -> bool:
        """Whether a single sequence comes out as it is."""
        return self.truncation is None and self.processor is None and self.padding is None

    def special_count(self, is_pair: bool) -> int:
        """How many special tokens are put in."""
        if self.processor is None or not self.add_special_tokens:
            return 0
        return self.processor.num_special_tokens_to_add(is_pair)

    # One input, as lists

    def process(self, first: TokenLists, second: TokenLists | None) -> TokenLists:
        """One input, not yet padded, with all that overflows."""
        sequences = [first] if second is None else [first, second]
        if self.truncation is not None:
            sequences = self._truncated(sequences, self.truncation)
        if self.processor is not None:
            return self.processor.process_lists(sequences, add_special_tokens=self.add_special_tokens)
        if second is None:
            return sequences[0]
        return TokenLists.joined(each.of_sequence(i) for i, each in enumerate(sequences))

    def _truncated(self, sequences: list[TokenLists], truncation: Truncation) -> list[TokenLists]:
        lengths = [np.array([len(each)]) for each in sequences]
        starts = [np.zeros(1, np.int64)] * len(lengths)
        kept = self._kept(truncation, lengths[0], lengths[1] if len(lengths) == 2 else starts[0], len(lengths) == 2)
        return [
            each.truncated(int(length[0]), truncation.stride, truncation.direction)
            for each, length in zip(sequences, kept, strict=False)
        ]

    def _kept(self, truncation: Truncation, first: I64, second: I64, is_pair: object) -> tuple[I64, I64]:
        pairs = np.broadcast_to(np.asarray(is_pair, np.bool_), first.shape)
        rooms = truncation.rooms(self.special_count(False), self.special_count(True), pairs)
        return truncation.kept(first, second, pairs, rooms)

    def padded(self, row: TokenLists, longest: int) -> TokenLists:
        """A row of a batch whose longest one has so many tokens."""
        return row if self.padding is None else self.padding.padded(row, longest)

    def of_sequences(self, batch: EncodedBatch, first: int, end: int) -> TokenLists:
        """The input of which the sequences first:end of the batch are, one or two."""
        rows = [TokenLists.of_row(batch, row) for row in range(first, end)]
        # Without offsets the library does not tell the sequences apart.
        second = rows[1].of_type(int(batch.has_offsets)) if len(rows) == 2 else None
        return self.process(rows[0], second)

    # Batches, as arrays

    def plan(self, batch: EncodedBatch, firsts: I64) -> ArrayPlan | ListPlan:
        """The rows of inputs: input i has the sequences firsts[i]:firsts[i + 1] of the batch."""
        layouts = {kind: self._layout(kind, batch) for kind in set((np.diff(firsts) == 2).tolist())}
        if None in layouts.values():
            bounds = firsts.tolist()
            return ListPlan(self, [self.of_sequences(batch, *each) for each in pairwise(bounds)])
        blueprint = Blueprint.of(layouts.get(False), layouts.get(True))
        return ArrayPlan(self, batch, blueprint, self._cuts(batch, firsts))

    def _layout(self, is_pair: bool, batch: EncodedBatch) -> Layout | None:
        if self.processor is not None:
            return self.processor.layout(is_pair, add_special_tokens=self.add_special_tokens)
        types = [0, int(batch.has_offsets)][: 1 + is_pair]
        return Layout(tuple(map(SequencePiece, range(len(types)), types)), named=is_pair)

    def _cuts(self, batch: EncodedBatch, firsts: I64) -> Cuts:
        starts, ends = batch.firsts[:-1], batch.firsts[1:]
        if self.truncation is None:
            return Cuts(starts, ends, firsts)
        lengths, is_pair = ends - starts, np.diff(firsts) == 2
        first = firsts[:-1]
        second = np.zeros(len(first), np.int64)
        second[is_pair] = lengths[first[is_pair] + 1]
        kept = np.empty(len(lengths), np.int64)
        kept[first], kept_second = self._kept(self.truncation, lengths[first], second, is_pair)
        kept[first[is_pair] + 1] = kept_second[is_pair]
        return Cuts(*self.truncation.parts(starts, ends, kept), firsts)


def check_put_in(plans: Sequence[ArrayPlan | ListPlan], longest: int) -> None:
    """ValueError if more tokens are to be put into the inputs of a call than may be, before they take memory."""
    put_in, inputs = sum(plan.put_in(longest) for plan in plans), sum(map(len, plans))
    if put_in > (room := _ROOM + _ROOM_OF_INPUT * inputs):
        raise ValueError(
            f"padding and post-processor put {put_in} tokens into {inputs} inputs: more than {room}, 2**24 and 2**17 "
            "for each input; pad to shorter rows, or encode fewer at once"
        )


@dataclass(frozen=True)
class ArrayPlan:
    """The rows of a part of a batch, before it is known how long the longest one of the batch is."""

    processing: PostProcessing
    batch: EncodedBatch
    blueprint: Blueprint
    cuts: Cuts

    def __len__(self) -> int:
        return len(self.cuts.firsts) - 1

    @cached_property
    def _lengths(self) -> I64:
        return row_lengths(self.blueprint, self.cuts)

    @property
    def longest(self) -> int:
        """Tokens of the longest row."""
        return int(self._lengths.max(initial=0))

    def put_in(self, longest: int) -> int:
        """How many tokens the rows have that the texts have not; longest: tokens of the longest row of the batch."""
        padding = self.processing.padding
        rows = np.maximum(self._lengths, padding.target(longest) if padding else 0)
        return int(rows.sum()) - len(self.batch.token_ids)

    def encodings(self, longest: int) -> list[Encoding]:
        """An Encoding an input; longest: tokens of the longest row of the batch."""
        padding = self.processing.padding
        pads = padding.tokens(longest) if padding else _NO_PADDING
        return arranged(self.batch, self.blueprint, self.cuts, pads, partial(self._overflow, longest)).encodings()

    def _overflow(self, longest: int, row: int) -> tuple[TokenLists, ...]:
        """What truncation cuts off an input."""
        if self.processing.truncation is None:
            return ()
        lists = self.processing.of_sequences(self.batch, *self.cuts.firsts[row : row + 2].tolist())
        return self.processing.padded(lists, longest).cut_off()


@dataclass(frozen=True)
class ListPlan:
    """The same for a post-processor that has no layout."""

    processing: PostProcessing
    rows: list[TokenLists]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def longest(self) -> int:
        """Tokens of the longest row."""
        return max(map(len, self.rows), default=0)

    def put_in(self, longest: int) -> int:
        """How many tokens padding puts in."""
        target = self.processing.padding.target(longest) if self.processing.padding else 0
        return sum(max(target - len(row), 0) for row in self.rows)

    def encodings(self, longest: int) -> list[Encoding]:
        """An Encoding an input."""
        return [Encoding(self.processing.padded(row, longest)) for row in self.rows]
