"""The steps after the model: truncation, post-processor, padding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property, partial
from itertools import chain, pairwise
from typing import Any

import numpy as np

from .._core.arrays import I64, Bools
from .._core.encoding import Encoding, encodings_of, lists_of
from .._core.options import LARGEST_COUNT, LARGEST_ID, checked_count, checked_name, choice_of, name_of
from .._core.token_lists import TokenLists, check_stride
from ..processors import PostProcessor
from ..processors._post_processor import Layout, SequencePiece
from .arranged import Blueprint, Cuts, PadTokens, arranged, row_lengths
from .encoded import EncodedBatch
from .inputs import Inputs
from .laid_out import NO_PADDING, LaidOutRow, TokenPart
from .stretches import StretchRow

# From the names of options to those of tokenizer.json.
_DIRECTIONS = {"left": "Left", "right": "Right"}
_STRATEGIES = {"longest_first": "LongestFirst", "only_first": "OnlyFirst", "only_second": "OnlySecond"}

# --- From encoded sequences to rows

# Up to this many inputs, the rows are made one by one.  Arrays take as long for 6 (template) to 13 inputs (padded).
_FEW = 8
# The limit of added tokens, in all and per input, enough for the longest contexts of models.
_ROOM, _ROOM_OF_INPUT = 1 << 24, 1 << 17


@dataclass(frozen=True)
class PostProcessing:
    """The steps after the sequences of an input are encoded; None for a step that is off."""

    truncation: Truncation | None
    processor: PostProcessor | None
    padding: Padding | None
    add_special_tokens: bool

    @property
    def does_nothing(self) -> bool:
        """Whether a single sequence is returned unchanged."""
        return self.truncation is None and self.processor is None and self.padding is None

    @cached_property
    def _room(self) -> Callable[[bool], int]:
        """The number of tokens of text that truncation leaves to a single input or a pair, remembered."""
        return cache(lambda is_pair: self.truncation.room(self.special_count(is_pair)) if self.truncation else 0)

    def special_count(self, is_pair: bool) -> int:
        """The number of special tokens that are added to a text, or to a pair."""
        if self.processor is None or not self.add_special_tokens:
            return 0
        return self.processor.num_special_tokens_to_add(is_pair)

    # One input, as lists

    def of_encodings(self, encoding: Encoding, pair: Encoding | None) -> Encoding:
        """Process one input whose sequences are encoded already; ValueError for anything else than an Encoding."""
        first, second = lists_of("encoding", encoding), None if pair is None else lists_of("pair", pair)
        row = self.process(first, second)
        return Encoding(self.padded(row, len(row)))

    def process(self, first: TokenLists, second: TokenLists | None) -> TokenLists:
        """Process one input, with its overflow but without padding."""
        sequences = [first] if second is None else [first, second]
        if self.truncation is not None:
            sequences = self._truncated(sequences, self.truncation)
        if self.processor is not None:
            return self.processor.process_lists(sequences, add_special_tokens=self.add_special_tokens)
        if second is None:
            return sequences[0]
        return TokenLists.joined(each.of_sequence(i) for i, each in enumerate(sequences))

    def _truncated(self, sequences: list[TokenLists], truncation: Truncation) -> list[TokenLists]:
        lengths = self._kept_of_one(truncation, *map(len, sequences))
        return [
            each.truncated(length, truncation.stride, truncation.direction)
            for each, length in zip(sequences, lengths, strict=True)
        ]

    def _kept_of_one(self, truncation: Truncation, first: int, *second: int) -> list[int]:
        """The number of tokens to keep of each sequence of an input; first, second: the tokens that they have."""
        kept = self._kept(truncation, np.array([first]), np.array(second or [0]), bool(second))
        return [int(lengths[0]) for lengths in kept][: 1 + len(second)]

    def _kept(self, truncation: Truncation, first: I64, second: I64, is_pair: object) -> tuple[I64, I64]:
        pairs = np.broadcast_to(np.asarray(is_pair, np.bool_), first.shape)
        rooms = truncation.rooms(self.special_count(False), self.special_count(True), pairs)
        return truncation.kept(first, second, pairs, rooms)

    def padded(self, row: TokenLists, longest: int) -> TokenLists:
        """Pad a row; longest: tokens of the longest row of the batch."""
        return row if self.padding is None else self.padding.padded(row, longest)

    def of_sequences(self, sequences: Sequence[TokenPart], has_offsets: bool) -> TokenLists:
        """Process an input with one or two sequences."""
        lists = [each.lists() for each in sequences]
        # Without offsets, the library gives both sequences the same type.
        return self.process(lists[0], lists[1].of_type(int(has_offsets)) if len(lists) == 2 else None)

    # Few inputs, as rows

    def of_stretches(self, rows: Sequence[StretchRow], bounds: Sequence[int] | None, offsets: bool) -> list[Encoding]:
        """One Encoding per input; input i has the rows bounds[i]:bounds[i + 1], one each if bounds is None."""
        if bounds is None and self.does_nothing:
            return list(map(Encoding, rows))
        return self._of_few([TokenPart.of_row(row, 0) for row in rows], bounds, offsets)

    def _of_few(self, sequences: Sequence[TokenPart], bounds: Sequence[int] | None, offsets: bool) -> list[Encoding]:
        places = pairwise(range(len(sequences) + 1) if bounds is None else bounds)
        plan = self._plan_of_few([sequences[first:end] for first, end in places], offsets)
        longest = plan.longest
        # Rows that have fewer tokens in all than may be added need no check, which takes a tenth of the time.
        if self.padding is not None or len(plan) * longest > _ROOM:
            check_put_in([plan], longest)
        return plan.encodings(longest)

    def _plan_of_few(self, inputs: Sequence[Sequence[TokenPart]], offsets: bool) -> RowPlan | ListPlan:
        rows = list[LaidOutRow]()
        for sequences in inputs:
            layout = self.layout(len(sequences) == 2, offsets)
            if layout is None:
                return ListPlan(self, [self.of_sequences(each, offsets) for each in inputs])
            parts = self._parts(sequences)
            cut_off = None if parts is sequences else partial(self.overflow, sequences, offsets)
            rows.append(LaidOutRow.of(layout, parts, cut_off))
        return RowPlan(self.padding, rows, inputs)

    def overflow(self, sequences: Sequence[TokenPart], offsets: bool, length: int) -> tuple[TokenLists, ...]:
        """The rows that truncation cuts off an input; length: tokens of the longest row, or those of padded rows."""
        return self.padded(self.of_sequences(sequences, offsets), length).cut_off()

    def _parts(self, sequences: Sequence[TokenPart]) -> Sequence[TokenPart]:
        """What truncation keeps of the sequences of an input."""
        if self.truncation is None or 0 < sum(map(len, sequences)) <= self._room(len(sequences) == 2):
            return sequences
        lengths = self._kept_of_one(self.truncation, *map(len, sequences))
        parts = [(each.part.start, each.part.stop, length) for each, length in zip(sequences, lengths, strict=True)]
        bounds = [self.truncation.parts(*part) for part in parts]
        return [TokenPart(each.rows, slice(*part)) for each, part in zip(sequences, bounds, strict=True)]

    # Batches, as arrays

    def of_batches(self, batches: Iterable[EncodedBatch], inputs: Sequence[Inputs]) -> list[Encoding]:
        """One Encoding per input; the rows of all parts are padded to the same length."""
        if self.does_nothing and inputs[0].sequences is None:
            return [each for batch in batches for each in encodings_of(batch, len(batch.firsts) - 1)]
        if len(inputs) == 1 and inputs[0].size <= _FEW:
            [batch] = batches
            sequences = _sequences(batch, 0, len(batch.firsts) - 1)
            return self._of_few(sequences, inputs[0].bounds, batch.has_offsets)
        plans = [self.plan(batch, part.sequence_bounds()) for batch, part in zip(batches, inputs, strict=True)]
        longest = max((plan.longest for plan in plans), default=0)
        check_put_in(plans, longest)
        return list(chain.from_iterable(plan.encodings(longest) for plan in plans))

    def plan(self, batch: EncodedBatch, firsts: I64) -> ArrayPlan | ListPlan:
        """Plan the rows of inputs: input i has the sequences firsts[i]:firsts[i + 1] of the batch."""
        layouts = {kind: self.layout(kind, batch.has_offsets) for kind in set((np.diff(firsts) == 2).tolist())}
        if None in layouts.values():
            places = pairwise(firsts.tolist())
            return ListPlan(self, [self.of_sequences(_sequences(batch, *each), batch.has_offsets) for each in places])
        blueprint = Blueprint.of(layouts.get(False), layouts.get(True))
        return ArrayPlan(self, batch, blueprint, self._cuts(batch, firsts))

    @cached_property
    def layout(self) -> Callable[[bool, bool], Layout | None]:
        """The layout by whether the input is a pair and whether offsets were requested, remembered."""
        return cache(self._layout)

    def _layout(self, is_pair: bool, has_offsets: bool) -> Layout | None:
        if self.processor is not None:
            return self.processor.layout(is_pair, add_special_tokens=self.add_special_tokens)
        types = [0, int(has_offsets)][: 1 + is_pair]
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


def _sequences(batch: EncodedBatch, first: int, end: int) -> list[TokenPart]:
    """The sequences first:end of a batch."""
    return [TokenPart.of_row(batch, row) for row in range(first, end)]


def check_put_in(plans: Sequence[ArrayPlan | RowPlan | ListPlan], longest: int) -> None:
    """ValueError, before memory is used, if padding and post-processor add too many tokens to a batch."""
    put_in, inputs = sum(plan.put_in(longest) for plan in plans), sum(map(len, plans))
    if put_in > (room := _ROOM + _ROOM_OF_INPUT * inputs):
        raise ValueError(
            f"padding and post-processor would add {put_in} tokens to {inputs} inputs, but the limit is {room} (2**24, "
            "and 2**17 per input): pad to shorter rows, or encode fewer inputs at once"
        )


@dataclass(frozen=True)
class ArrayPlan:
    """The rows of a part of a batch, before the length of the batch's longest row is known."""

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
        """The number of tokens of the longest row."""
        return int(self._lengths.max(initial=0))

    def put_in(self, longest: int) -> int:
        """The number of tokens that are added to the texts; longest: tokens of the longest row of the batch."""
        padding = self.processing.padding
        rows = np.maximum(self._lengths, padding.target(longest) if padding else 0)
        return int(rows.sum()) - len(self.batch.token_ids)

    def encodings(self, longest: int) -> list[Encoding]:
        """One Encoding per input; longest: tokens of the longest row of the batch."""
        padding = self.processing.padding
        pads = padding.tokens(longest) if padding else NO_PADDING
        overflow = partial(self._overflow, longest)
        return encodings_of(arranged(self.batch, self.blueprint, self.cuts, pads, overflow), len(self))

    def _overflow(self, longest: int, row: int) -> tuple[TokenLists, ...]:
        """The rows that truncation cuts off an input."""
        if self.processing.truncation is None:
            return ()
        sequences = _sequences(self.batch, *self.cuts.firsts[row : row + 2].tolist())
        return self.processing.overflow(sequences, self.batch.has_offsets, longest)


@dataclass
class RowPlan:
    """The rows of few inputs, before the length of the longest row is known.

    rows: without padding.  inputs: the sequences of each, before truncation.
    """

    padding: Padding | None
    rows: list[LaidOutRow]
    inputs: Sequence[Sequence[TokenPart]]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def longest(self) -> int:
        """The number of tokens of the longest row."""
        return max([row.size for row in self.rows], default=0)

    def put_in(self, longest: int) -> int:
        """The number of tokens that are added to the texts; longest: tokens of the longest row of the batch."""
        target = self.padding.target(longest) if self.padding else 0
        return sum([max(row.size, target) for row in self.rows]) - sum(map(len, chain.from_iterable(self.inputs)))

    def encodings(self, longest: int) -> list[Encoding]:
        """One Encoding per input; longest: tokens of the longest row of the batch."""
        if self.padding is None:
            return list(map(Encoding, self.rows))
        pads = self.padding.tokens(longest)
        return [Encoding(row.padded(pads)) for row in self.rows]


@dataclass(frozen=True)
class ListPlan:
    """The rows of a part of a batch, for a post-processor without a layout."""

    processing: PostProcessing
    rows: list[TokenLists]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def longest(self) -> int:
        """The number of tokens of the longest row."""
        return max(map(len, self.rows), default=0)

    def put_in(self, longest: int) -> int:
        """The number of tokens that padding adds."""
        target = self.processing.padding.target(longest) if self.processing.padding else 0
        return sum(max(target - len(row), 0) for row in self.rows)

    def encodings(self, longest: int) -> list[Encoding]:
        """One Encoding per input."""
        return [Encoding(self.processing.padded(row, longest)) for row in self.rows]


# --- Truncation


@dataclass(frozen=True)
class Truncation:
    """The options of `Tokenizer.enable_truncation`; ValueError for invalid values.

    >>> one, other = np.array([7, 3]), np.array([2, 0])
    >>> [kept.tolist() for kept in Truncation(5).kept(one, other, np.array([True, False]), np.array([5, 5]))]
    [[3, 3], [2, 0]]
    """

    max_length: int
    stride: int = 0
    strategy: str = "longest_first"
    direction: str = "right"

    def __post_init__(self) -> None:
        for name in ("max_length", "stride"):
            object.__setattr__(self, name, checked_count(name, getattr(self, name)))
        checked_name("strategy", self.strategy, tuple(_STRATEGIES))
        checked_name("direction", self.direction, tuple(_DIRECTIONS))

    def check_room(self, special: int) -> None:
        """ValueError, in the library's words, if the stride exceeds the room next to the special tokens."""
        room = self.room(special)
        if room < self.stride:
            raise ValueError(
                f"tokenizer stride set to {self.stride}, which is greater than or equal to its effective max length of "
                f"{room} (= {self.max_length} original max length - {special} added special tokens), "
            )

    def room(self, special: int) -> int:
        """The number of tokens that max_length leaves beside special ones; ValueError if it has no room for these."""
        if self.max_length < special:
            raise ValueError(
                f"max_length={self.max_length} is less than the {special} tokens of the post-processor: "
                "set a larger max_length, or encode with add_special_tokens=False"
            )
        return self.max_length - special

    def rooms(self, special_of_single: int, special_of_pair: int, is_pair: Bools) -> I64:
        """The number of tokens of text that each input may have, shape (n,)."""
        rooms = np.zeros(len(is_pair), np.int64)
        for wanted, special in ((~is_pair, special_of_single), (is_pair, special_of_pair)):
            if wanted.any():
                rooms[wanted] = min(self.room(special), np.iinfo(np.int64).max)
        return rooms

    def kept(self, first: I64, second: I64, is_pair: Bools, rooms: I64) -> tuple[I64, I64]:
        """The number of tokens to keep of the first and the second sequence of each input, shape (n,) each.

        second: 0 for an input without one.  ValueError for an input that cannot fit, or not with this stride.
        """
        excess = first + second - rooms
        over = (excess > 0) & (rooms > 0)
        wanted = self._by_strategy(first, second, is_pair, rooms, over)
        return self._cut(first, wanted[0], over, rooms), self._cut(second, wanted[1], over, rooms)

    def _cut(self, lengths: I64, wanted: I64, over: Bools, rooms: I64) -> I64:
        """The lengths, with those of inputs that are too long cut to the wanted lengths."""
        kept: I64 = np.where(rooms == 0, 0, np.where(over, np.minimum(wanted, lengths), lengths))
        if len(cut := kept[(kept < lengths) & (kept > 0)]):
            check_stride(self.stride, int(cut.min()))
        return kept

    def _by_strategy(self, first: I64, second: I64, is_pair: Bools, rooms: I64, over: Bools) -> tuple[I64, I64]:
        if self.strategy == "longest_first":
            return _longest_first(first, second, is_pair, rooms)
        other = second if self.strategy == "only_first" else first
        left = rooms - other
        lacks_second = ~is_pair if self.strategy == "only_second" else np.zeros(len(first), np.bool_)
        # The library's message for the first input that it refuses.
        for i in np.flatnonzero(over & (lacks_second | (left <= 0)))[:1].tolist():
            reason = "Sequence to truncate too short to respect the provided max_length"
            raise ValueError(f"Truncation error: {'Second sequence not provided' if lacks_second[i] else reason}")
        return (left, other) if self.strategy == "only_first" else (other, left)

    def parts(self, starts: Any, ends: Any, lengths: Any) -> tuple[Any, Any]:
        """The start and the end of the tokens to keep of a sequence, or arrays of those of each sequence."""
        return (starts, starts + lengths) if self.direction == "right" else (ends - lengths, ends)

    def to_dict(self) -> dict[str, Any]:
        """Return the value of `Tokenizer.truncation`."""
        return asdict(self)

    def to_json(self) -> dict[str, Any]:
        """Return the `truncation` object of tokenizer.json."""
        return {
            "direction": _DIRECTIONS[self.direction],
            "max_length": self.max_length,
            "strategy": _STRATEGIES[self.strategy],
            "stride": self.stride,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Truncation:
        """Read the `truncation` object of tokenizer.json; ValueError names what is invalid."""
        if not isinstance(data, Mapping):
            raise ValueError(f"the truncation of tokenizer.json is {str(data)[:80]}: expected an object, or null")
        values = {"direction": "Right", **data}
        if missing := [name for name in ("max_length", "strategy", "stride") if name not in values]:
            raise ValueError(f"the truncation of tokenizer.json lacks the key {missing[0]}")
        return cls(
            values["max_length"],
            values["stride"],
            name_of("strategy", values["strategy"], _STRATEGIES),
            name_of("direction", values["direction"], _DIRECTIONS),
        )


def _longest_first(first: I64, second: I64, is_pair: Bools, rooms: I64) -> tuple[I64, I64]:
    """Cut the longer sequence until both have one length, then both; a single sequence is cut alone."""
    short = np.minimum(first, second)
    long = np.where(short > rooms, short, np.maximum(short, rooms - short))
    both = short + long > rooms
    short, long = np.where(both, rooms // 2, short), np.where(both, rooms // 2 + rooms % 2, long)
    is_swapped = first > second
    kept_first, kept_second = np.where(is_swapped, long, short), np.where(is_swapped, short, long)
    return np.where(is_pair, kept_first, rooms), np.where(is_pair, kept_second, 0)


# --- Padding

_BATCH_LONGEST = "BatchLongest"
# The largest length of padded rows; longer rows take gigabytes, so a larger value is most likely a mistake.
_LARGEST_LENGTH = 1 << 24


@dataclass(frozen=True)
class Padding:
    """The options of `Tokenizer.enable_padding`; ValueError for invalid values.

    >>> Padding(pad_to_multiple_of=8).target(13)
    16
    """

    direction: str = "right"
    pad_id: int = 0
    pad_type_id: int = 0
    pad_token: str = "[PAD]"
    length: int | None = None
    pad_to_multiple_of: int | None = None

    def __post_init__(self) -> None:
        checked_name("direction", self.direction, tuple(_DIRECTIONS))
        for name in ("pad_id", "pad_type_id"):
            object.__setattr__(self, name, checked_count(name, getattr(self, name), LARGEST_ID))
        for name, largest in (("length", _LARGEST_LENGTH), ("pad_to_multiple_of", LARGEST_COUNT)):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, checked_count(name, getattr(self, name), largest))
        if not isinstance(self.pad_token, str):
            raise ValueError(f"pad_token={self.pad_token!r}: give a string")

    def target(self, longest: int) -> int:
        """The length of padded rows; longest: tokens of the longest row of the batch.

        ValueError if pad_to_multiple_of makes the rows too long.
        """
        length, multiple = longest if self.length is None else self.length, self.pad_to_multiple_of or 1
        target = -(-length // multiple) * multiple
        if target > max(length, _LARGEST_LENGTH):
            raise ValueError(
                f"pad_to_multiple_of={multiple} makes rows of {target} tokens: set one that makes at most "
                f"{_LARGEST_LENGTH}"
            )
        return target

    def tokens(self, longest: int) -> PadTokens:
        """The padding of a batch; longest: tokens of its longest row."""
        return PadTokens(self.target(longest), self.pad_id, self.pad_type_id, self.pad_token, self.direction == "left")

    def padded(self, row: TokenLists, longest: int) -> TokenLists:
        """Pad a row and its overflow; longest: tokens of the longest row of the batch."""
        return row.padded(self.target(longest), self.pad_id, self.pad_type_id, self.pad_token, self.direction)

    def to_dict(self) -> dict[str, Any]:
        """Return the value of `Tokenizer.padding`."""
        names = ("length", "pad_to_multiple_of", "pad_id", "pad_token", "pad_type_id", "direction")
        return {name: getattr(self, name) for name in names}

    def to_json(self) -> dict[str, Any]:
        """Return the `padding` object of tokenizer.json."""
        return {
            "strategy": _BATCH_LONGEST if self.length is None else {"Fixed": self.length},
            "direction": _DIRECTIONS[self.direction],
            "pad_to_multiple_of": self.pad_to_multiple_of,
            "pad_id": self.pad_id,
            "pad_type_id": self.pad_type_id,
            "pad_token": self.pad_token,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Padding:
        """Read the `padding` object of tokenizer.json; ValueError names what is invalid."""
        if not isinstance(data, Mapping):
            raise ValueError(f"the padding of tokenizer.json is {str(data)[:80]}: expected an object, or null")
        values = {"pad_to_multiple_of": None, **data}
        needed = ("strategy", "direction", "pad_id", "pad_type_id", "pad_token")
        if missing := [name for name in needed if name not in values]:
            raise ValueError(f"the padding of tokenizer.json lacks the key {missing[0]}")
        strategy = choice_of(values["strategy"])
        is_longest = strategy == _BATCH_LONGEST
        if not is_longest and (not isinstance(strategy, Mapping) or list(strategy) != ["Fixed"]):
            raise ValueError(f"the strategy of the padding is {str(strategy)[:80]}: give BatchLongest or Fixed")
        return cls(
            name_of("direction", values["direction"], _DIRECTIONS),
            values["pad_id"],
            values["pad_type_id"],
            values["pad_token"],
            None if is_longest else checked_count("length", strategy["Fixed"], _LARGEST_LENGTH),
            values["pad_to_multiple_of"],
        )
