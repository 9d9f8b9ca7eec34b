"""Normalizers one after another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .._splits import Splits
from .._step_sequence import FlatSequence
from ._normalizer import Normalizer

if TYPE_CHECKING:
    from .._normalized_string import NormalizedString


class Sequence(FlatSequence[Normalizer], Normalizer):
    """Each rewrites what the one before it left, as `tokenizers.normalizers.Sequence`.

    >>> from tokenizers_impl.normalizers import NFD, Lowercase, StripAccents
    >>> Sequence([NFD(), StripAccents(), Lowercase()]).normalize_str("Été")
    'ete'
    """

    kind, key = Normalizer, "normalizers"

    def __init__(self, normalizers: Iterable[Normalizer]) -> None:
        super().__init__(normalizers)

    def __len__(self) -> int:
        return len(self.steps)

    def normalize_splits(self, splits: Splits) -> Splits:
        """The splits after the last of them."""
        for each in self.steps:
            splits = each.normalize_splits(splits)
        return splits

    def normalize(self, normalized: NormalizedString) -> None:
        """One text rewritten in place by each."""
        for each in self.steps:
            each.normalize(normalized)

    @property
    def is_custom(self) -> bool:
        """Whether one of them runs code of the user's own."""
        return any(each.is_custom for each in self.steps)
