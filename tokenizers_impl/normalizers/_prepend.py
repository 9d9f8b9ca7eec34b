"""Text with another one before it."""

from __future__ import annotations

from dataclasses import dataclass

from .._arrays import code_points
from .._component import unchanging
from .._prepending import prepended
from .._splits import TEXT, Splits
from ._normalizer import Normalizer


@unchanging
@dataclass(frozen=True, repr=False)
class Prepend(Normalizer):
    """A string is put before every text that is not empty, as `tokenizers.normalizers.Prepend`.

    >>> Prepend().normalize_str("low")
    '▁low'
    """

    prepend: str = "▁"

    def normalize_splits(self, splits: Splits) -> Splits:
        """The splits with it; its origin is their first character."""
        return prepended(splits, code_points(self.prepend), splits.added == TEXT)
