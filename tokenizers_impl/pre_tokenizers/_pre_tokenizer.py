"""The base class of pre-tokenizers, custom pre-tokenizers, and Sequence."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, cast

from .._core.component import CustomComponent, FlatSequence, Step
from .._pre_tokenized_string import PreTokenizedString, checked_pre_tokenized, parts, splits_of
from .._text.splits import Given, Splits

# --- The base class of pre-tokenizers


class PreTokenizer(Step):
    """The base class of all pre-tokenizers, which split text into words; no token crosses a word boundary."""

    role = "pre-tokenizer"

    @abstractmethod
    def cut(self, splits: Splits) -> Splits:
        """Split the splits into smaller ones, none empty; splits that are added tokens stay as they are."""

    @property
    def needs_origins(self) -> bool:
        """Whether it needs the origins of characters, their positions in the input."""
        return False

    @property
    def takes_pieces(self) -> bool:
        """Whether a text has the words of its pieces, cut before spaces (U+0020) that have visible text on one side.

        A training then holds only a piece of a long text at once, and short texts are encoded by stretches.
        """
        return False

    @property
    def is_custom(self) -> bool:
        """Whether it runs the user's code."""
        return False

    def pre_tokenize_str(self, sequence: str) -> list[tuple[str, tuple[int, int]]]:
        """Split a string into words with their (start, end) in characters; an empty string has none."""
        if self.is_custom:
            # It makes strings, each of which tells its own offsets.
            text = PreTokenizedString(sequence)
            self.pre_tokenize(text)
            return [(split, offsets) for split, offsets, _ in text.get_splits()]
        splits = self.cut(Splits.of([sequence], offsets=True))
        return list(zip(splits.texts(), splits.offsets(), strict=True))

    def pre_tokenize(self, pretok: PreTokenizedString) -> None:
        """Split a PreTokenizedString in place; splits that have tokens stay as they are.

        >>> from tokenizers_impl import PreTokenizedString, pre_tokenizers
        >>> text = PreTokenizedString("in 2024")
        >>> pre_tokenizers.Whitespace().pre_tokenize(text)
        >>> pre_tokenizers.Digits(individual_digits=True).pre_tokenize(text)
        >>> [split for split, _, _ in text.get_splits()]
        ['in', '2', '0', '2', '4']
        """
        checked_pre_tokenized(pretok).split(lambda i, split: split.cut(self.cut))

    @staticmethod
    def custom(pretok: Any) -> PreTokenizer:
        """Build a pre-tokenizer from your own object, whose pre_tokenize(pretok) splits a PreTokenizedString in place.

        It works wherever a pre-tokenizer does, but cannot be saved or pickled.  Its exceptions are raised unchanged.
        ValueError for an object without that method, and in use if it assigns tokens to a split.

        >>> class Halves:
        ...     def pre_tokenize(self, pretok):
        ...         pretok.split(lambda i, split: [split[: len(str(split)) // 2], split[len(str(split)) // 2 :]])
        >>> PreTokenizer.custom(Halves()).pre_tokenize_str("before")
        [('bef', (0, 3)), ('ore', (3, 6))]
        """

        return CustomPreTokenizer(pretok)


# --- Custom pre-tokenizers


class CustomPreTokenizer(CustomComponent, PreTokenizer):
    """A pre-tokenizer that calls the user's `pre_tokenize`; see `PreTokenizer.custom`."""

    base, part, method = "PreTokenizer", "pre_tokenizer", "pre_tokenize"

    @property
    def needs_origins(self) -> bool:
        """Always True, because the object may look at the original."""
        return True

    def pre_tokenize(self, pretok: PreTokenizedString) -> None:
        """Let the object split a PreTokenizedString in place."""
        self.change(checked_pre_tokenized(pretok))

    def cut(self, splits: Splits) -> Splits:
        """Let the object split every text."""
        given = cast("Given", splits.given)
        rows = []
        for i, row in enumerate(parts(splits.without_empty(), given)):
            text = PreTokenizedString.of_parts(given.text(i), row)
            self.change(text)
            rows.append(text.row)
        return splits_of(rows, given).without_empty()


# --- Sequences of pre-tokenizers


class Sequence(FlatSequence[PreTokenizer], PreTokenizer):
    """Applies pre-tokenizers one after another, like `tokenizers.pre_tokenizers.Sequence` 0.23.3.

    >>> from tokenizers_impl.pre_tokenizers import Digits, WhitespaceSplit
    >>> Sequence([WhitespaceSplit(), Digits()]).pre_tokenize_str("in 24h")
    [('in', (0, 2)), ('24', (3, 5)), ('h', (5, 6))]
    """

    kind, key = PreTokenizer, "pretokenizers"

    def __init__(self, pretokenizers: Iterable[PreTokenizer]) -> None:
        super().__init__(pretokenizers)

    def cut(self, splits: Splits) -> Splits:
        """Apply all pre-tokenizers."""
        for each in self.steps:
            splits = each.cut(splits)
        return splits if self.steps else splits.without_empty()

    def pre_tokenize_str(self, sequence: str) -> list[tuple[str, tuple[int, int]]]:
        """Split a string into words with their (start, end); without pre-tokenizers it stays whole, even if empty."""
        found = super().pre_tokenize_str(sequence)
        return found if self.steps else [(sequence, (0, len(sequence)))]

    def pre_tokenize(self, pretok: PreTokenizedString) -> None:
        """Apply all pre-tokenizers to a PreTokenizedString in place."""
        for each in self.steps:
            each.pre_tokenize(pretok)

    @property
    def needs_origins(self) -> bool:
        """Whether one of them needs the origins of characters."""
        return any(each.needs_origins for each in self.steps)

    @property
    def is_custom(self) -> bool:
        """Whether one of them runs the user's code."""
        return any(each.is_custom for each in self.steps)

    @property
    def takes_pieces(self) -> bool:
        """Whether the first one takes pieces, so that the others get the same splits, and none asks where these are."""
        first, *others = self.steps or (None,)
        return first is not None and first.takes_pieces and not any(each.needs_origins for each in others)
