"""The clean-up of neural machine translation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from .._component import unchanging
from .._splits import Splits
from ._char_map import CharMap
from ._normalizer import Normalizer

_REMOVED = (*range(0x01, 0x09), 0x0B, *range(0x0E, 0x20), 0x7F, 0x8F, 0x9F)
_BLANK = (0x09, 0x0A, 0x0C, 0x0D, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD)


@cache
def _nmt() -> CharMap:
    return CharMap.of_dict({code: [] for code in _REMOVED} | {code: [0x20] for code in _BLANK})


@unchanging
@dataclass(frozen=True, repr=False)
class Nmt(Normalizer):
    r"""Controls are taken out, and other white space becomes a blank, as `tokenizers.normalizers.Nmt`.

    >>> Nmt().normalize_str("a\tb\u200bc\x07")
    'a b c'
    """

    def normalize_splits(self, splits: Splits) -> Splits:
        """The splits cleaned up."""
        return _nmt().apply(splits)
