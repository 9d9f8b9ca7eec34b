"""Text without combining marks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from .._component import unchanging
from .._splits import Splits
from ._char_map import CharMap
from ._normalizer import Normalizer
from ._tables import removed_by


@cache
def without_marks() -> CharMap:
    """Takes out combining marks, spacing ones too."""
    return CharMap.removing(removed_by("strip_accents"))


@unchanging
@dataclass(frozen=True, repr=False)
class StripAccents(Normalizer):
    """Combining marks are taken out, as `tokenizers.normalizers.StripAccents`; put NFD before it for composed letters.

    >>> StripAccents().normalize_str("e\u0301é")
    'eé'
    """

    def normalize_splits(self, splits: Splits) -> Splits:
        """The splits without marks."""
        return without_marks().apply(splits)
