"""A pre-tokenizer of the user's own."""

from __future__ import annotations

from typing import cast

from .._custom_component import CustomComponent
from .._pre_tokenized_string import PreTokenizedString, checked_pre_tokenized
from .._splits import Given, Splits
from .._string_splits import parts, splits_of
from ._pre_tokenizer import PreTokenizer


class CustomPreTokenizer(CustomComponent, PreTokenizer):
    """An object whose method `pre_tokenize` cuts a PreTokenizedString in place; see `PreTokenizer.custom`."""

    base, part, method = "PreTokenizer", "pre_tokenizer", "pre_tokenize"

    @property
    def needs_origins(self) -> bool:
        """True: the object may look at the original."""
        return True

    def pre_tokenize(self, pretok: PreTokenizedString) -> None:
        """One text, cut by the object."""
        self.change(checked_pre_tokenized(pretok))

    def pre_tokenize_str(self, sequence: str) -> list[tuple[str, tuple[int, int]]]:
        """The words of one text, each with where it stands in it."""
        text = PreTokenizedString(sequence)
        self.change(text)
        return [(split, offsets) for split, offsets, _ in text.get_splits()]

    def cut(self, splits: Splits) -> Splits:
        """Every text cut by the object."""
        given = cast("Given", splits.given)
        rows = []
        for i, row in enumerate(parts(splits.without_empty(), given)):
            text = PreTokenizedString.of_parts(given.text(i), row)
            self.change(text)
            rows.append(text.parts)
        return splits_of(rows, given).without_empty()
