"""A token of a word, as a model gives it."""

from __future__ import annotations

from dataclasses import dataclass

_LARGEST_ID = 2**32 - 1
_LARGEST_PLACE = 2**64 - 1


@dataclass(frozen=True)
class Token:
    """What `Model.tokenize` gives, as `tokenizers.Token`.

    offsets: from where to where it reaches, in bytes of UTF-8.

    >>> Token(4, "low", (0, 3)).as_tuple()
    (4, 'low', (0, 3))
    """

    id: int
    value: str
    offsets: tuple[int, int]

    def __post_init__(self) -> None:
        if not _is_count(self.id, _LARGEST_ID):
            raise ValueError(f"id={self.id!r}: give an integer from 0 to {_LARGEST_ID}")
        if not isinstance(self.value, str):
            raise ValueError(f"value={self.value!r}: give a string")
        places = self.offsets
        if (
            not isinstance(places, tuple)
            or len(places) != 2
            or not all(_is_count(each, _LARGEST_PLACE) for each in places)
        ):
            raise ValueError(f"offsets={places!r}: give a tuple of two integers, 0 or more")

    def as_tuple(self) -> tuple[int, str, tuple[int, int]]:
        """Id, value, offsets."""
        return self.id, self.value, self.offsets


def _is_count(value: object, largest: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= largest
