"""Rows of a batch as arrays: truncated sequences with special tokens and padding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np

from evenscore.kernel import kernel

from .._core.arrays import I32, I64, U32
from .._core.token_lists import TokenLists, TokenRows
from ..processors._post_processor import Layout, SequencePiece
from ..processors._special_tokens import margins, without_spaces
from .encoded import EncodedBatch

# The columns of a row of `Blueprint.pieces`.
_SEQUENCE, _START, _END, _TYPE = range(4)
_ABSENT = -1


class Blueprint(NamedTuple):
    """Two layouts, of single inputs and of pairs, as arrays.

    pieces: int64, shape (p, 4); per piece its sequence or -1, the start and end of its tokens in `ids`, its type.
    firsts: int64, shape (3,); the pieces of layout k are firsts[k]:firsts[k + 1].
    ids: int64, shape (c,).  tokens: strings.  The special tokens of all pieces.
    trims, names_single: `trims` of the layouts, and `named` of the layout of single inputs.
    """

    pieces: I64
    firsts: I64
    ids: I64
    tokens: list[str]
    trims: tuple[bool, ...]
    names_single: bool

    @classmethod
    def of(cls, single: Layout | None, pair: Layout | None) -> Blueprint:
        """Convert two layouts; None for a layout that is not needed."""
        rows, ids, tokens = list[list[int]](), list[int](), list[str]()
        known = [layout for layout in (single, pair) if layout]
        for piece in chain.from_iterable(layout.pieces for layout in known):
            if isinstance(piece, SequencePiece):
                rows.append([piece.sequence, 0, 0, piece.type_id])
                continue
            rows.append([_ABSENT, len(ids), len(ids) + len(piece.ids), piece.type_id])
            ids += piece.ids
            tokens += piece.tokens
        firsts = np.array([0, len(single.pieces) if single else 0, len(rows)])
        pieces = np.array(rows, np.int64).reshape(-1, 4)
        trims = known[0].trims if known else ()
        return cls(pieces, firsts, np.array(ids, np.int64), tokens, trims, single is None or single.named)


class Cuts(NamedTuple):
    """The tokens that truncation keeps of the s sequences of n inputs.

    starts, ends: int64, shape (s,); sequence j keeps the tokens starts[j]:ends[j] of the batch.
    firsts: int64, shape (n + 1,); input i has the sequences firsts[i]:firsts[i + 1], one or two.
    """

    starts: I64
    ends: I64
    firsts: I64


class PadTokens(NamedTuple):
    """The padding of rows that are shorter than `length`; is_left: on the left."""

    length: int
    id: int
    type_id: int
    token: str
    is_left: bool


@dataclass(frozen=True)
class ArrangedBatch(TokenRows):
    """One row per input, t tokens in all.

    sources: int32, shape (t,); token k is token sources[k] of the batch of m tokens, or, from m on, the special token
      sources[k] - m.
    types: uint32, shape (t,).  firsts: int64, shape (n + 1,).
    sequence_ranges: int64, shape (n, 2, 2); the (start, end) of the tokens of sequences 0 and 1 in a row, or -1.
    cut_off: computes the overflow of a row.
    """

    batch: EncodedBatch
    sources: I32
    types: U32
    firsts: I64
    sequence_ranges: I64
    special_ids: I64
    special_tokens: list[str]
    trims: tuple[bool, ...]
    cuts: Cuts
    cut_off: Callable[[int], tuple[TokenLists, ...]] = field(repr=False)

    @cached_property
    def bounds(self) -> list[int]:
        """`firsts` as a list."""
        listed: list[int] = self.firsts.tolist()
        return listed

    @cached_property
    def _id_list(self) -> list[int]:
        listed: list[int] = np.append(self.batch.token_ids, self.special_ids)[self.sources].tolist()
        return listed

    @cached_property
    def _type_list(self) -> list[int]:
        listed: list[int] = self.types.tolist()
        return listed

    @cached_property
    def _special_list(self) -> list[int]:
        listed: list[int] = (self.sources >= len(self.batch.token_ids)).astype(np.int64).tolist()
        return listed

    @cached_property
    def _attention_list(self) -> list[int]:
        # The last of the special tokens is the padding.
        padding = len(self.batch.token_ids) + len(self.special_ids) - 1
        listed: list[int] = (self.sources != padding).astype(np.int64).tolist()
        return listed

    @cached_property
    def _reach(self) -> I32:
        """The offsets of every token of the batch, without white space if a processor trims it."""
        reach = self.batch.reach
        for has_prefix in self.trims if len(reach) else ():
            kept = self.cuts.starts < self.cuts.ends
            reach = trimmed(reach, self.batch, self.cuts.starts[kept], add_prefix_space=has_prefix)
        return reach

    def ids(self, part: slice) -> list[int]:
        """The ids of the tokens."""
        return self._id_list[part]

    def tokens(self, part: slice) -> list[str]:
        """The texts of the tokens."""
        sources, n = self.sources[part], len(self.batch.token_ids)
        inner = np.flatnonzero(sources < n)
        found = self.batch.texts_of(self.batch.token_ids[sources[inner]], self.batch.places[sources[inner]])
        texts = [self.special_tokens[source - n] if source >= n else "" for source in sources.tolist()]
        for i, text in zip(inner.tolist(), found, strict=True):
            texts[i] = text
        return texts

    def offsets(self, part: slice) -> list[tuple[int, int]]:
        """The (start, end) of each token in its sequence; (0, 0) for special tokens."""
        sources, reach = self.sources[part], self._reach
        found = np.zeros((len(sources), 2), np.int32)
        inner = np.flatnonzero(sources < len(reach))
        found[inner] = reach[sources[inner]]
        return [(start, end) for start, end in found.tolist()]

    def word_ids(self, part: slice) -> list[int | None]:
        """The index of each token's word."""
        words, n = self.batch.token_words, len(self.batch.token_ids)
        inner = self.sources[part]
        found = np.where(inner < n, words[np.minimum(inner, n - 1)] if n else _ABSENT, _ABSENT)
        return [word if word >= 0 else None for word in found.tolist()]

    def type_ids(self, part: slice) -> list[int]:
        """The type id of each token."""
        return self._type_list[part]

    def special_tokens_mask(self, part: slice) -> list[int]:
        """1 for special tokens and padding, 0 for all other tokens."""
        return self._special_list[part]

    def attention_mask(self, part: slice) -> list[int]:
        """0 for padding, 1 for all other tokens."""
        return self._attention_list[part]

    def ranges(self, row: int) -> Mapping[int, tuple[int, int]]:
        """The (start, end) of each sequence's tokens."""
        found = self.sequence_ranges[row].tolist()
        return {sequence: (start, end) for sequence, (start, end) in enumerate(found) if start >= 0}

    def overflow(self, row: int) -> tuple[TokenLists, ...]:
        """The rows that truncation cut off."""
        return self.cut_off(row)


def row_lengths(blueprint: Blueprint, cuts: Cuts) -> I64:
    """The number of tokens of each input before padding, shape (n,)."""
    return _lengths(cuts.starts, cuts.ends, cuts.firsts, blueprint.pieces, blueprint.firsts)


def arranged(
    batch: EncodedBatch,
    blueprint: Blueprint,
    cuts: Cuts,
    padding: PadTokens,
    cut_off: Callable[[int], tuple[TokenLists, ...]],
) -> ArrangedBatch:
    """Build the rows of a blueprint, padded to at least `padding.length` tokens."""
    lengths = row_lengths(blueprint, cuts)
    firsts = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.maximum(lengths, padding.length))))
    plan = blueprint.pieces, blueprint.firsts
    inputs = cuts.starts, cuts.ends, cuts.firsts
    first_special = len(batch.token_ids)
    sources, types, ranges = _arrange(
        *inputs, *plan, lengths, firsts, first_special, len(blueprint.ids), padding.type_id, padding.is_left
    )
    if not blueprint.names_single:
        ranges[np.diff(cuts.firsts) == 1] = _ABSENT
    ids = np.append(blueprint.ids, padding.id)
    tokens = [*blueprint.tokens, padding.token]
    return ArrangedBatch(batch, sources, types, firsts, ranges, ids, tokens, blueprint.trims, cuts, cut_off)


@kernel
def _lengths(starts: I64, ends: I64, firsts: I64, pieces: I64, piece_firsts: I64) -> I64:
    lengths = np.zeros(len(firsts) - 1, np.int64)
    for i in range(len(lengths)):
        kind = firsts[i + 1] - firsts[i] - 1
        for p in range(piece_firsts[kind], piece_firsts[kind + 1]):
            sequence = pieces[p, _SEQUENCE]
            if sequence < 0:
                lengths[i] += pieces[p, _END] - pieces[p, _START]
            else:
                lengths[i] += ends[firsts[i] + sequence] - starts[firsts[i] + sequence]
    return lengths


@kernel
def _arrange(
    starts: I64,
    ends: I64,
    firsts: I64,
    pieces: I64,
    piece_firsts: I64,
    lengths: I64,
    row_firsts: I64,
    first_special: int,
    padding: int,
    padding_type: int,
    is_left: bool,
) -> tuple[I32, U32, I64]:
    """The sources and types of all tokens, the ranges of the sequences in every row."""
    sources = np.full(row_firsts[-1], first_special + padding, np.int32)
    types = np.full(row_firsts[-1], padding_type, np.uint32)
    ranges = np.full((len(lengths), 2, 2), _ABSENT, np.int64)
    for i in range(len(lengths)):
        at = row_firsts[i + 1] - lengths[i] if is_left else row_firsts[i]
        kind = firsts[i + 1] - firsts[i] - 1
        for p in range(piece_firsts[kind], piece_firsts[kind + 1]):
            sequence = pieces[p, _SEQUENCE]
            if sequence < 0:
                start, end = first_special + pieces[p, _START], first_special + pieces[p, _END]
            else:
                start, end = starts[firsts[i] + sequence], ends[firsts[i] + sequence]
                ranges[i, sequence, 0] = at - row_firsts[i]
                ranges[i, sequence, 1] = at - row_firsts[i] + end - start
            for k in range(start, end):
                sources[at], types[at] = k, pieces[p, _TYPE]
                at += 1
    return sources, types, ranges


def trimmed(reach: I32, batch: EncodedBatch, firsts: I64, *, add_prefix_space: bool) -> I32:
    """The offsets of all tokens of a batch without white space; firsts: the first token of each row."""
    known = {text: margins(text) for text in set(batch.piece_texts)}
    of_pieces = np.array([known[text] for text in batch.piece_texts], np.int64).reshape(-1, 2)
    spaces = np.zeros((len(reach), 2), np.int64)
    inner = np.flatnonzero(batch.places >= 0)
    spaces[inner] = of_pieces[batch.places[inner]]
    added = np.flatnonzero(batch.places < 0)
    texts = batch.texts_of(batch.token_ids[added], batch.places[added])
    spaces[added] = np.array(list(map(margins, texts)), np.int64).reshape(-1, 2)
    return without_spaces(reach.astype(np.int64), spaces, firsts, add_prefix_space).astype(np.int32)
