"""To what length rows are padded, with what token."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._arranged_batch import PadTokens
from ._option_values import LARGEST_COUNT, LARGEST_ID, checked_count, checked_name, choice_of, name_of
from ._token_lists import TokenLists

_DIRECTIONS = {"left": "Left", "right": "Right"}
_BATCH_LONGEST = "BatchLongest"
# Tokens of a row: a longer one would take gigabytes, and comes from a mistake or worse.
_LARGEST_LENGTH = 1 << 24


@dataclass(frozen=True)
class Padding:
    """What `Tokenizer.enable_padding` was asked for; ValueError for values that it does not take.

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
        checked_name("direction", self.direction, ("left", "right"))
        for name in ("pad_id", "pad_type_id"):
            object.__setattr__(self, name, checked_count(name, getattr(self, name), LARGEST_ID))
        for name, largest in (("length", _LARGEST_LENGTH), ("pad_to_multiple_of", LARGEST_COUNT)):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, checked_count(name, getattr(self, name), largest))
        if not isinstance(self.pad_token, str):
            raise ValueError(f"pad_token={self.pad_token!r}: give a string")

    def target(self, longest: int) -> int:
        """How long the rows of a batch become whose longest one has so many tokens.

        ValueError for rows that a multiple makes too long.
        """
        length, multiple = longest if self.length is None else self.length, self.pad_to_multiple_of or 1
        target = -(-length // multiple) * multiple
        if target > max(length, _LARGEST_LENGTH):
            raise ValueError(
                f"pad_to_multiple_of={multiple} makes rows of {target} tokens: take one that makes "
                f"{_LARGEST_LENGTH} at most"
            )
        return target

    def tokens(self, longest: int) -> PadTokens:
        """The tokens that are put to the rows of such a batch."""
        return PadTokens(self.target(longest), self.pad_id, self.pad_type_id, self.pad_token, self.direction == "left")

    def padded(self, row: TokenLists, longest: int) -> TokenLists:
        """A row of such a batch, and what overflowed from it."""
        return row.padded(self.target(longest), self.pad_id, self.pad_type_id, self.pad_token, self.direction)

    def to_dict(self) -> dict[str, Any]:
        """What `Tokenizer.padding` shows."""
        names = ("length", "pad_to_multiple_of", "pad_id", "pad_token", "pad_type_id", "direction")
        return {name: getattr(self, name) for name in names}

    def to_json(self) -> dict[str, Any]:
        """The `padding` object of tokenizer.json."""
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
        """The way back; ValueError names what is wrong."""
        if not isinstance(data, Mapping):
            raise ValueError(f"the padding of tokenizer.json is {str(data)[:80]}: expected an object, or null")
        values = {"pad_to_multiple_of": None, **data}
        needed = ("strategy", "direction", "pad_id", "pad_type_id", "pad_token")
        if missing := [name for name in needed if name not in values]:
            raise ValueError(f"the padding of tokenizer.json has no {missing[0]}")
        strategy = choice_of(values["strategy"])
        is_longest = strategy == _BATCH_LONGEST
        if not is_longest and (not isinstance(strategy, Mapping) or list(strategy) != ["Fixed"]):
            raise ValueError(f"the strategy of the padding is {str(strategy)[:80]}: BatchLongest and Fixed are there")
        return cls(
            name_of("direction", values["direction"], _DIRECTIONS),
            values["pad_id"],
            values["pad_type_id"],
            values["pad_token"],
            None if is_longest else checked_count("length", strategy["Fixed"], _LARGEST_LENGTH),
            values["pad_to_multiple_of"],
        )
