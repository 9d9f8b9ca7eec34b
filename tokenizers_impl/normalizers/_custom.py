"""A normalizer of the user's own."""

from __future__ import annotations

from typing import cast

from .._custom_component import CustomComponent
from .._normalized_string import NormalizedString, checked_string
from .._splits import TEXT, Given, Splits
from .._string_splits import parts_with_surroundings, splits_of
from ._normalizer import Normalizer


class CustomNormalizer(CustomComponent, Normalizer):
    """An object whose method `normalize` changes a NormalizedString in place; see `Normalizer.custom`."""

    base, part, method = "Normalizer", "normalizer", "normalize"

    def normalize(self, normalized: NormalizedString) -> None:
        """One text, changed by the object."""
        self.change(checked_string(normalized))

    def normalize_str(self, sequence: str) -> str:
        """One text rewritten, also an empty one."""
        text = NormalizedString(sequence)
        self.change(text)
        return text.normalized

    def normalize_splits(self, splits: Splits) -> Splits:
        """Every split that is text, and part of a text that was not empty, changed by the object."""
        given = cast("Given", splits.given)
        rows = list(parts_with_surroundings(splits, given))
        for part in (part for row in rows for part in row):
            if part.added == TEXT and part.string.original:
                self.change(part.string)
        return splits_of(rows, given)
