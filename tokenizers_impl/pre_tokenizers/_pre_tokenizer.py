"""What every pre-tokenizer offers: splits in, smaller splits out."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from .._component import Step
from .._splits import Splits

if TYPE_CHECKING:
    from .._pre_tokenized_string import PreTokenizedString


class PreTokenizer(Step):
    """Cuts text into words; no merge and no piece ever crosses the cut."""

    role = "pre-tokenizer"

    @abstractmethod
    def cut(self, splits: Splits) -> Splits:
        """Smaller splits, none empty; splits that are added tokens stay as they are."""

    @property
    def needs_origins(self) -> bool:
        """Whether it must be known where in the input a split stands."""
        return False

    @property
    def is_custom(self) -> bool:
        """Whether it runs code of the user's own."""
        return False

    def pre_tokenize_str(self, sequence: str) -> list[tuple[str, tuple[int, int]]]:
        """The words of one text, each with where it stands in it."""
        splits = self.cut(Splits.of([sequence], offsets=True))
        return list(zip(splits.texts(), splits.offsets(), strict=True))

    def pre_tokenize(self, pretok: PreTokenizedString) -> None:
        """Every split of one text cut in place, but for those that have tokens.

        >>> from tokenizers_impl import PreTokenizedString, pre_tokenizers
        >>> text = PreTokenizedString("in 2024")
        >>> pre_tokenizers.Whitespace().pre_tokenize(text)
        >>> pre_tokenizers.Digits(individual_digits=True).pre_tokenize(text)
        >>> [split for split, _, _ in text.get_splits()]
        ['in', '2', '0', '2', '4']
        """
        # Imported late, here and below: what it is made of needs pre-tokenizers itself.
        from .._pre_tokenized_string import checked_pre_tokenized

        checked_pre_tokenized(pretok).split(lambda i, split: split.cut(self.cut))

    @staticmethod
    def custom(pretok: Any) -> PreTokenizer:
        """A pre-tokenizer of the user's own: an object whose pre_tokenize(pretok) cuts a PreTokenizedString in place.

        It can be used wherever a pre-tokenizer can, but not saved or pickled.  What it raises comes out as it is.
        ValueError for an object without that method; in use, for tokens that it gives to a split.

        >>> class Halves:
        ...     def pre_tokenize(self, pretok):
        ...         pretok.split(lambda i, split: [split[: len(str(split)) // 2], split[len(str(split)) // 2 :]])
        >>> PreTokenizer.custom(Halves()).pre_tokenize_str("before")
        [('bef', (0, 3)), ('ore', (3, 6))]
        """
        from ._custom import CustomPreTokenizer

        return CustomPreTokenizer(pretok)
