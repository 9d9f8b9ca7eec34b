"""Text in lower case."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from .._component import unchanging
from .._splits import Splits
from ._char_map import CharMap
from ._normalizer import Normalizer
from ._tables import code_points_by_char


def lower_case() -> CharMap:
    """The lower case of every code point, looked at alone: without the rule for a sigma at the end of a word."""
    return CharMap.of_dict(code_points_by_char("unicode_lowercase.txt"))


@cache
def _lower_case() -> CharMap:
    return lower_case()


@unchanging
@dataclass(frozen=True, repr=False)
class Lowercase(Normalizer):
    """Every character in lower case, as `tokenizers.normalizers.Lowercase`.

    >>> Lowercase().normalize_str("ΟΔΟΣ")
    'οδοσ'
    """

    def normalize_splits(self, splits: Splits) -> Splits:
        """The splits in lower case."""
        return _lower_case().apply(splits)
