"""How a tokenizer cuts texts into words, whatever its model."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ._splits import Splits
from ._token_finder import TokenFinder
from .normalizers import Normalizer
from .pre_tokenizers import PreTokenizer


@dataclass(frozen=True)
class Cutter:
    """Added tokens, then what normalizer and pre-tokenizer leave of the text between; small enough to travel.

    raw, normalized: finders of added tokens before the normalizer, and after it.
    """

    raw: TokenFinder
    normalizer: Normalizer | None
    normalized: TokenFinder
    pre_tokenizer: PreTokenizer | None

    @property
    def needs_origins(self) -> bool:
        """Whether texts are to come with the origins of their characters."""
        asks = self.pre_tokenizer is not None and self.pre_tokenizer.needs_origins
        return asks or (self.normalizer is not None and self.normalizer.is_custom)

    @property
    def rehearsal(self) -> Cutter:
        """The same without code of the user's own, which is to see no text but the user's."""
        normalizer, pre_tokenizer = self.normalizer, self.pre_tokenizer
        return replace(
            self,
            normalizer=normalizer if normalizer and not normalizer.is_custom else None,
            pre_tokenizer=pre_tokenizer if pre_tokenizer and not pre_tokenizer.is_custom else None,
        )

    def cut(self, splits: Splits) -> Splits:
        """The words of texts."""
        raw = self.raw.cut(splits)
        normal = self.normalizer.normalize_splits(raw) if self.normalizer else raw
        found = self.normalized.cut(normal)
        return self.pre_tokenizer.cut(found) if self.pre_tokenizer else found
