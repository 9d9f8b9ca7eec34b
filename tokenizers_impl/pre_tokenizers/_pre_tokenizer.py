"""What every pre-tokenizer offers; pre-tokenizers of the user's own, and one after another."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, cast

from .._core.component import CustomComponent, FlatSequence, Step
from .._pre_tokenized_string import PreTokenizedString, checked_pre_tokenized, parts, splits_of
from .._text.splits import Given, Splits

# --- What every pre-tokenizer offers: splits in, smaller splits out


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

        return CustomPreTokenizer(pretok)


# --- A pre-tokenizer of the user's own


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


# --- Pre-tokenizers one after another


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
