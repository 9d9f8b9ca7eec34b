"""The options of bleu_corpus, their conventions and the stock metrics' names for them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar

from evenscore.bleu.kernel import REFERENCE_LENGTHS
from evenscore.bleu.smoothing import LOOKING_AHEAD, SMOOTHINGS
from evenscore.bleu.tokenizers import TOKENIZERS, get_tokenizer
from evenscore.options import Alias, Options, check_choice, check_flags, check_integer, check_number, rename


@dataclasses.dataclass(frozen=True, kw_only=True)
class BleuOptions(Options):
    """The options of bleu_corpus; its card says what they mean."""

    convention: str = "sacrebleu"
    tokenizer: Any = "13a"
    lowercase: bool = False
    max_order: int = 4
    weights: Any = None
    smoothing: str = "exp"
    smoothing_value: float | None = None
    effective_order: bool = False
    reference_length: str = "closest"
    force: bool = False

    COUNTING: ClassVar[tuple[str, ...]] = ("convention", "tokenizer", "lowercase", "orders", "reference_length")
    ALIASES: ClassVar[Mapping[str, Alias]] = {
        "smooth": lambda value: {"smoothing": "add-one" if value else "none"},
        "tokenize": rename("tokenizer"),
        "smooth_method": rename("smoothing"),
        "smooth_value": rename("smoothing_value"),
        "use_effective_order": rename("effective_order"),
    }
    CONVENTIONS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "sacrebleu": {},
        "evaluate": {"smoothing": "none", "reference_length": "shortest"},
        "nltk": {"tokenizer": "none", "smoothing": "nltk0"},
        "paper": {"tokenizer": "none", "smoothing": "none"},
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("convention", self.convention, tuple(self.CONVENTIONS))
        check_flags(self, "lowercase", "effective_order", "force")
        check_choice("smoothing", self.smoothing, tuple(SMOOTHINGS))
        check_choice("reference_length", self.reference_length, REFERENCE_LENGTHS)
        check_integer("max_order", self.max_order, least=1, most=100)
        if self.smoothing_value is not None:
            check_number("smoothing_value", self.smoothing_value, least=0)
        for weights in self.weight_sets:
            for weight in weights:
                check_number("weights", weight, least=0)
        get_tokenizer(self.tokenizer, self.lowercase)

    def files(self) -> tuple[Any, ...]:
        """The tokenizer's, where it is one."""
        return () if callable(self.tokenizer) or self.tokenizer in TOKENIZERS else (self.tokenizer,)

    @property
    def weight_sets(self) -> list[list[float]]:
        """The sets of weights; none if all orders weigh the same."""
        if self.weights is None:
            return []
        several = _is_list(self.weights) and any(map(_is_list, self.weights))
        sets = self.weights if several else [self.weights]
        if not all(_is_list(weights) and weights for weights in sets):
            raise ValueError(f"weights={self.weights!r}: give a list with a weight an order, or a list of such lists")
        return [list(weights) for weights in sets]

    @property
    def as_sacrebleu(self) -> bool:
        """Whether sacrebleu has these options, too."""
        usual = self.weights is None and self.reference_length == "closest"
        return usual and self.convention == "sacrebleu" and self.smoothing in ("exp", "floor", "add-k", "none")

    @property
    def highest_order(self) -> int:
        """The longest n-grams that are scored."""
        return max([self.max_order, *map(len, self.weight_sets)])

    @property
    def orders(self) -> int:
        """The longest n-grams that are counted."""
        return self.highest_order + (self.smoothing in LOOKING_AHEAD)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))
