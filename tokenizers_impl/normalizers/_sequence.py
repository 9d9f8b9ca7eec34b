"""Normalizers one after another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._splits import Splits
from ._normalizer import Normalizer


class Sequence(Normalizer):
    """Each rewrites what the one before it left, as `tokenizers.normalizers.Sequence`.

    >>> from tokenizers_impl.normalizers import NFD, Lowercase, StripAccents
    >>> Sequence([NFD(), StripAccents(), Lowercase()]).normalize_str("Été")
    'ete'
    """

    def __init__(self, normalizers: Iterable[Normalizer]) -> None:
        self.normalizers = tuple(normalizers)
        for i, each in enumerate(self.normalizers):
            if not isinstance(each, Normalizer):
                raise ValueError(f"normalizers[{i}] is {each!r}: give normalizers of this package")

    def normalize_splits(self, splits: Splits) -> Splits:
        """The splits after the last of them."""
        for each in self.normalizers:
            splits = each.normalize_splits(splits)
        return splits

    def to_json(self) -> dict[str, Any]:
        """The `normalizer` object of tokenizer.json."""
        return {"type": "Sequence", "normalizers": [each.to_json() for each in self.normalizers]}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self.normalizers == other.normalizers

    def __hash__(self) -> int:
        return hash(self.normalizers)

    def __repr__(self) -> str:
        return f"Sequence({list(self.normalizers)!r})"
