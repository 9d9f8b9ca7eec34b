"""The base class of normalizers, custom normalizers, and Sequence."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from functools import cache
from typing import Any, cast

from .._core.component import CustomComponent, FlatSequence, Step
from .._normalized_string import NormalizedString, Strings, checked_string
from .._pre_tokenized_string import Part, Row, parts_with_surroundings, splits_of
from .._text.splits import TEXT, Given, Splits

# --- The base class of normalizers


class Normalizer(Step):
    """The base class of all normalizers, which rewrite text before it is split into words."""

    role = "normalizer"

    @abstractmethod
    def normalize_splits(self, splits: Splits) -> Splits:
        """Rewrite each split by itself; splits that are added tokens stay as they are."""

    @property
    def is_custom(self) -> bool:
        """Whether it runs the user's code, which needs the origins of characters."""
        return False

    @property
    def takes_pieces(self) -> bool:
        """Whether it rewrites a text as it rewrites the text's pieces, cut before spaces (U+0020).

        A piece that ends with visible ASCII (U+0021 to U+007E) still does, and the next one begins with U+0020.
        """
        return False

    def rewrites_each(self, text: str) -> bool:
        """Whether it rewrites each character of this text by itself; False if that is not known."""
        return False

    def normalize_str(self, sequence: str) -> str:
        """Normalize one string; an empty string stays empty."""
        return self.normalize_splits(Splits.of([sequence], offsets=self.is_custom)).texts()[0]

    def normalize(self, normalized: NormalizedString) -> None:
        """Normalize a NormalizedString in place; it keeps the origins of its characters.

        >>> from tokenizers_impl import NormalizedString, normalizers
        >>> text = NormalizedString("ÉTÉ")
        >>> normalizers.BertNormalizer().normalize(text)
        >>> text[1:]
        NormalizedString(original="TÉ", normalized="te")
        """
        string = checked_string(normalized)
        if self.rewrites_each(string.normalized):
            # A table, because arrays take ten times as long for a line.  No normalizer makes several characters of one
            # in ASCII text.
            string.translate(_table(self), removes=not string.normalized.isascii())
        else:
            string.rewrite(self.normalize_splits)

    @staticmethod
    def custom(normalizer: Any) -> Normalizer:
        """Build a normalizer from your own object, whose normalize(normalized) changes a NormalizedString in place.

        It works wherever a normalizer does, but cannot be saved or pickled.  Its exceptions are raised unchanged.
        ValueError for an object without that method.

        >>> class Digits:
        ...     def normalize(self, normalized):
        ...         normalized.map(lambda char: "0" if char.isnumeric() else char)
        >>> Normalizer.custom(Digits()).normalize_str("in 2024")
        'in 0000'
        """

        return CustomNormalizer(normalizer)


class _Table(dict[int, str]):
    """The text that replaces each character, found when the character is first met."""

    def __init__(self, normalizer: Normalizer) -> None:
        self._normalizer = normalizer

    def __missing__(self, code: int) -> str:
        return self.setdefault(code, self._normalizer.normalize_str(chr(code)))


@cache
def _table(normalizer: Normalizer) -> _Table:
    return _Table(normalizer)


# --- Custom normalizers


class CustomNormalizer(CustomComponent, Normalizer):
    """A normalizer that calls the user's `normalize`; see `Normalizer.custom`."""

    base, part, method = "Normalizer", "normalizer", "normalize"

    def normalize(self, normalized: NormalizedString) -> None:
        """Let the object change a NormalizedString in place."""
        self.change(checked_string(normalized))

    def normalize_str(self, sequence: str) -> str:
        """Normalize one string; the object also gets an empty one."""
        text = NormalizedString(sequence)
        self.change(text)
        return text.normalized

    def normalize_splits(self, splits: Splits) -> Splits:
        """Let the object change every split that is text and whose original is not empty."""
        given = cast("Given", splits.given)
        return splits_of(list(map(self._changed, parts_with_surroundings(splits, given))), given)

    def _changed(self, parts: Iterable[Part]) -> Row:
        strings, added = [], []
        for part in parts:
            if part.added == TEXT and part.string.original:
                self.change(part.string)
            # A copy, because the object may keep the string and change it later.
            strings.append(part.string.copy())
            added.append(part.added)
        return Row(Strings(strings), added)


# --- Sequences of normalizers


class Sequence(FlatSequence[Normalizer], Normalizer):
    """Applies normalizers one after another, like `tokenizers.normalizers.Sequence` 0.23.3.

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
        """Apply all normalizers."""
        for each in self.steps:
            splits = each.normalize_splits(splits)
        return splits

    def normalize(self, normalized: NormalizedString) -> None:
        """Apply all normalizers to a NormalizedString in place."""
        for each in self.steps:
            each.normalize(normalized)

    @property
    def is_custom(self) -> bool:
        """Whether one of them runs the user's code."""
        return any(each.is_custom for each in self.steps)

    @property
    def takes_pieces(self) -> bool:
        """Whether all of them rewrite a text as its pieces."""
        return all(each.takes_pieces for each in self.steps)
