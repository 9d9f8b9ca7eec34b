"""What every normalizer offers; normalizers of the user's own, and one after another."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, cast

from .._core.component import CustomComponent, FlatSequence, Step
from .._normalized_string import NormalizedString, checked_string
from .._pre_tokenized_string import parts_with_surroundings, splits_of
from .._text.splits import TEXT, Given, Splits

# --- What every normalizer offers: splits in, the same splits with other characters out


class Normalizer(Step):
    """Rewrites text before it is cut into words."""

    role = "normalizer"

    @abstractmethod
    def normalize_splits(self, splits: Splits) -> Splits:
        """The same splits, each rewritten by itself; splits that are added tokens stay as they are."""

    @property
    def is_custom(self) -> bool:
        """Whether it runs code of the user's own, which must be told where in the input a character stands."""
        return False

    def normalize_str(self, sequence: str) -> str:
        """One text rewritten."""
        return self.normalize_splits(Splits.of([sequence], offsets=self.is_custom)).texts()[0]

    def normalize(self, normalized: NormalizedString) -> None:
        """One text rewritten in place, which knows where its characters come from.

        >>> from tokenizers_impl import NormalizedString, normalizers
        >>> text = NormalizedString("ÉTÉ")
        >>> normalizers.BertNormalizer().normalize(text)
        >>> text[1:]
        NormalizedString(original="TÉ", normalized="te")
        """
        # Imported late, here and below: it is made of normalizers itself.
        from .._normalized_string import checked_string

        checked_string(normalized).rewrite(self.normalize_splits)

    @staticmethod
    def custom(normalizer: Any) -> Normalizer:
        """A normalizer of the user's own: an object whose normalize(normalized) changes a NormalizedString in place.

        It can be used wherever a normalizer can, but not saved or pickled.  What it raises comes out as it is.
        ValueError for an object without that method.

        >>> class Digits:
        ...     def normalize(self, normalized):
        ...         normalized.map(lambda char: "0" if char.isnumeric() else char)
        >>> Normalizer.custom(Digits()).normalize_str("in 2024")
        'in 0000'
        """

        return CustomNormalizer(normalizer)


# --- A normalizer of the user's own


class CustomNormalizer(CustomComponent, Normalizer):
    """An object whose method `normalize` changes a NormalizedString in place; see `Normalizer.custom`."""

    base, part, method = "Normalizer", "normalizer", "normalize"

    def normalize(self, normalized: NormalizedString) -> None:
        """One text, changed by the object."""
        self.change(checked_string(normalized))

    def normalize_str(self, sequence: str) -> str:
        """One text rewritten, also an empty one."""
        text = NormalizedString(sequence)
        self.change(text)
        return text.normalized

    def normalize_splits(self, splits: Splits) -> Splits:
        """Every split that is text, and part of a text that was not empty, changed by the object."""
        given = cast("Given", splits.given)
        rows = list(parts_with_surroundings(splits, given))
        for part in (part for row in rows for part in row):
            if part.added == TEXT and part.string.original:
                self.change(part.string)
        return splits_of(rows, given)


# --- Normalizers one after another


class Sequence(FlatSequence[Normalizer], Normalizer):
    """Each rewrites what the one before it left, as `tokenizers.normalizers.Sequence`.

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
        """The splits after the last of them."""
        for each in self.steps:
            splits = each.normalize_splits(splits)
        return splits

    def normalize(self, normalized: NormalizedString) -> None:
        """One text rewritten in place by each."""
        for each in self.steps:
            each.normalize(normalized)

    @property
    def is_custom(self) -> bool:
        """Whether one of them runs code of the user's own."""
        return any(each.is_custom for each in self.steps)
