"""Text as visible bytes."""

from __future__ import annotations

from dataclasses import dataclass

from .._byte_text import in_byte_chars
from .._component import unchanging
from .._splits import Splits
from ._normalizer import Normalizer


@unchanging
@dataclass(frozen=True, repr=False)
class ByteLevel(Normalizer):
    """Every byte of the UTF-8 as a visible character, as `tokenizers.normalizers.ByteLevel`.

    >>> ByteLevel().normalize_str("Hi é")
    'HiĠÃ©'
    """

    def normalize_splits(self, splits: Splits) -> Splits:
        """The splits in byte characters."""
        return in_byte_chars(splits)
