"""What every normalizer offers: splits in, the same splits with other characters out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from .._component import component_json
from .._splits import Splits


class Normalizer(ABC):
    """Rewrites text before it is cut into words."""

    @abstractmethod
    def normalize_splits(self, splits: Splits) -> Splits:
        """The same splits, each rewritten by itself; splits that are added tokens stay as they are."""

    def normalize_str(self, sequence: str) -> str:
        """One text rewritten."""
        return self.normalize_splits(Splits.of([sequence], offsets=False)).texts()[0]

    def to_json(self) -> dict[str, Any]:
        """The `normalizer` object of tokenizer.json."""
        return component_json(self)
