"""What every normalizer offers: splits in, the same splits with other characters out."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from .._component import Step
from .._splits import Splits

if TYPE_CHECKING:
    from .._normalized_string import NormalizedString


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
        from ._custom import CustomNormalizer

        return CustomNormalizer(normalizer)
