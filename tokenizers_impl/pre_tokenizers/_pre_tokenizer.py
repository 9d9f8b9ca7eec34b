"""What every pre-tokenizer offers: splits in, smaller splits out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from .._component import component_json
from .._splits import Splits


class PreTokenizer(ABC):
    """Cuts text into words; no merge and no piece ever crosses the cut."""

    @abstractmethod
    def cut(self, splits: Splits) -> Splits:
        """Smaller splits, none empty; splits that are added tokens stay as they are."""

    @property
    def needs_origins(self) -> bool:
        """Whether it must be known where in the input a split stands."""
        return False

    def pre_tokenize_str(self, sequence: str) -> list[tuple[str, tuple[int, int]]]:
        """The words of one text, each with where it stands in it."""
        splits = self.cut(Splits.of([sequence], offsets=True))
        return list(zip(splits.texts(), splits.offsets(), strict=True))

    def to_json(self) -> dict[str, Any]:
        """The `pre_tokenizer` object of tokenizer.json."""
        return component_json(self)
