"""How many tokens of an input are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ._arrays import I64, Bools
from ._option_values import checked_count, checked_name, name_of
from ._token_lists import check_stride

# From the names of options to those of the file.
_STRATEGIES = {"longest_first": "LongestFirst", "only_first": "OnlyFirst", "only_second": "OnlySecond"}
_DIRECTIONS = {"left": "Left", "right": "Right"}


@dataclass(frozen=True)
class Truncation:
    """What `Tokenizer.enable_truncation` was asked for; ValueError for values that it does not take.

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
        checked_name("strategy", self.strategy, ("longest_first", "only_first", "only_second"))
        checked_name("direction", self.direction, ("left", "right"))

    def check_room(self, special: int) -> None:
        """ValueError if the rows cannot overlap by the stride beside so many special tokens."""
        room = self._room(special)
        if room < self.stride:
            raise ValueError(
                f"tokenizer stride set to {self.stride}, which is greater than or equal to its effective max length of "
                f"{room} (= {self.max_length} original max length - {special} added special tokens), "
            )

    def _room(self, special: int) -> int:
        if self.max_length < special:
            raise ValueError(
                f"max_length={self.max_length} leaves no room beside the {special} tokens of the post-processor: "
                "give more, or leave them out by add_special_tokens=False"
            )
        return self.max_length - special

    def rooms(self, special_of_single: int, special_of_pair: int, is_pair: Bools) -> I64:
        """How many tokens of the text each input may have, shape (n,)."""
        rooms = np.zeros(len(is_pair), np.int64)
        for wanted, special in ((~is_pair, special_of_single), (is_pair, special_of_pair)):
            if wanted.any():
                rooms[wanted] = min(self._room(special), np.iinfo(np.int64).max)
        return rooms

    def kept(self, first: I64, second: I64, is_pair: Bools, rooms: I64) -> tuple[I64, I64]:
        """How many tokens are kept of the first and of the second sequence of each input, all of shape (n,).

        second: 0 where there is none.  ValueError for an input that cannot be made to fit, or not with this stride.
        """
        excess = first + second - rooms
        over = (excess > 0) & (rooms > 0)
        wanted = self._by_strategy(first, second, is_pair, rooms, over)
        return self._cut(first, wanted[0], over, rooms), self._cut(second, wanted[1], over, rooms)

    def _cut(self, lengths: I64, wanted: I64, over: Bools, rooms: I64) -> I64:
        """The lengths, those of inputs that are too long cut to the wanted ones."""
        kept: I64 = np.where(rooms == 0, 0, np.where(over, np.minimum(wanted, lengths), lengths))
        if len(cut := kept[(kept < lengths) & (kept > 0)]):
            check_stride(self.stride, int(cut.min()))
        return kept

    def _by_strategy(self, first: I64, second: I64, is_pair: Bools, rooms: I64, over: Bools) -> tuple[I64, I64]:
        if self.strategy == "longest_first":
            return _longest_first(first, second, is_pair, rooms)
        if self.strategy == "only_second" and np.any(over & ~is_pair):
            raise ValueError("Truncation error: Second sequence not provided")
        other = second if self.strategy == "only_first" else first
        left = rooms - other
        if np.any(over & (left <= 0)):
            raise ValueError("Truncation error: Sequence to truncate too short to respect the provided max_length")
        return (left, other) if self.strategy == "only_first" else (other, left)

    def parts(self, starts: I64, ends: I64, lengths: I64) -> tuple[I64, I64]:
        """Where the tokens of each sequence that are kept begin and end."""
        return (starts, starts + lengths) if self.direction == "right" else (ends - lengths, ends)

    def to_dict(self) -> dict[str, Any]:
        """What `Tokenizer.truncation` shows."""
        return asdict(self)

    def to_json(self) -> dict[str, Any]:
        """The `truncation` object of tokenizer.json."""
        return {
            "direction": _DIRECTIONS[self.direction],
            "max_length": self.max_length,
            "strategy": _STRATEGIES[self.strategy],
            "stride": self.stride,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Truncation:
        """The way back; ValueError names what is wrong."""
        if not isinstance(data, Mapping):
            raise ValueError(f"the truncation of tokenizer.json is {str(data)[:80]}: expected an object, or null")
        values = {"direction": "Right", **data}
        if missing := [name for name in ("max_length", "strategy", "stride") if name not in values]:
            raise ValueError(f"the truncation of tokenizer.json has no {missing[0]}")
        return cls(
            values["max_length"],
            values["stride"],
            name_of("strategy", values["strategy"], _STRATEGIES),
            name_of("direction", values["direction"], _DIRECTIONS),
        )


def _longest_first(first: I64, second: I64, is_pair: Bools, rooms: I64) -> tuple[I64, I64]:
    """The longer one is cut until they are of one length, then both; without a second one the first alone."""
    short = np.minimum(first, second)
    long = np.where(short > rooms, short, np.maximum(short, rooms - short))
    both = short + long > rooms
    short, long = np.where(both, rooms // 2, short), np.where(both, rooms // 2 + rooms % 2, long)
    is_swapped = first > second
    kept_first, kept_second = np.where(is_swapped, long, short), np.where(is_swapped, short, long)
    return np.where(is_pair, kept_first, rooms), np.where(is_pair, kept_second, 0)
