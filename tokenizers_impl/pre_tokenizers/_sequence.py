"""Pre-tokenizers one after another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .._splits import Splits
from .._step_sequence import FlatSequence
from ._pre_tokenizer import PreTokenizer

if TYPE_CHECKING:
    from .._pre_tokenized_string import PreTokenizedString


class Sequence(FlatSequence[PreTokenizer], PreTokenizer):
    """Each cuts what the one before it left, as `tokenizers.pre_tokenizers.Sequence`."""

    kind, key = PreTokenizer, "pretokenizers"

    def __init__(self, pretokenizers: Iterable[PreTokenizer]) -> None:
        super().__init__(pretokenizers)

    def cut(self, splits: Splits) -> Splits:
        """The splits after the last of them."""
        for each in self.steps:
            splits = each.cut(splits)
        return splits

    def pre_tokenize(self, pretok: PreTokenizedString) -> None:
        """Every split of one text cut in place by each."""
        for each in self.steps:
            each.pre_tokenize(pretok)

    @property
    def needs_origins(self) -> bool:
        """Whether one of them must know where in the input a split stands."""
        return any(each.needs_origins for each in self.steps)

    @property
    def is_custom(self) -> bool:
        """Whether one of them runs code of the user's own."""
        return any(each.is_custom for each in self.steps)
