"""Pre-tokenizers one after another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._splits import Splits
from ._pre_tokenizer import PreTokenizer


class Sequence(PreTokenizer):
    """Each cuts what the one before it left, as `tokenizers.pre_tokenizers.Sequence`."""

    def __init__(self, pretokenizers: Iterable[PreTokenizer]) -> None:
        self.pretokenizers = tuple(pretokenizers)
        for i, each in enumerate(self.pretokenizers):
            if not isinstance(each, PreTokenizer):
                raise ValueError(f"pretokenizers[{i}] is {each!r}: give pre-tokenizers of this package")

    def cut(self, splits: Splits) -> Splits:
        """The splits after the last of them."""
        for each in self.pretokenizers:
            splits = each.cut(splits)
        return splits

    @property
    def needs_origins(self) -> bool:
        """Whether one of them must know where in the input a split stands."""
        return any(each.needs_origins for each in self.pretokenizers)

    def to_json(self) -> dict[str, Any]:
        """The `pre_tokenizer` object of tokenizer.json."""
        return {"type": "Sequence", "pretokenizers": [each.to_json() for each in self.pretokenizers]}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self.pretokenizers == other.pretokenizers

    def __hash__(self) -> int:
        return hash(self.pretokenizers)

    def __repr__(self) -> str:
        return f"Sequence({list(self.pretokenizers)!r})"
