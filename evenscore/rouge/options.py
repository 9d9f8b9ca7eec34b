"""The options of rouge_l_multi and the stock metric's names for them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any, ClassVar

from evenscore.options import Alias, Options, check_choice, check_flags, check_number, rename
from evenscore.rouge.references import RULES
from evenscore.rouge.tokens import TOKENIZERS

AGGREGATES = ("mean", "bootstrap", "none")
SENTENCES = ("newline", "rules")


@dataclasses.dataclass(frozen=True, kw_only=True)
class RougeOptions(Options):
    """The options of rouge_l_multi; its card says what they mean."""

    rouge_types: Any = ("rougeL", "rougeLsum")
    multi_reference: str = "best"
    beta: Any = 1
    tokenizer: Any = "rouge_score"
    stemmer: bool = False
    sentences: str = "newline"
    aggregate: str = "mean"

    COUNTING: ClassVar[tuple[str, ...]] = (
        "types",
        "multi_reference",
        "beta",
        "tokenizer",
        "stemmer",
        "sentences",
    )
    ALIASES: ClassVar[Mapping[str, Alias]] = {
        "use_stemmer": rename("stemmer"),
        "use_aggregator": lambda value: {"aggregate": "bootstrap" if value else "none"},
        "split_summaries": lambda value: {"sentences": "rules" if value else "newline"},
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.types:
            raise ValueError("rouge_types is empty: give one or more of rougeL, rougeLsum, rouge1 .. rouge9")
        for name in self.types:
            if not re.fullmatch(r"rouge([1-9]|L|Lsum)", name):
                raise ValueError(f"rouge_types holds {name!r}: choose from rougeL, rougeLsum, rouge1 .. rouge9")
        check_choice("multi_reference", self.multi_reference, tuple(RULES))
        if isinstance(self.beta, str) and self.beta != "P/R":
            raise ValueError(f"beta={self.beta!r}: give a number, or 'P/R'")
        if not isinstance(self.beta, str):
            check_number("beta", self.beta, least=0, below=1e100)
        if not callable(self.tokenizer):
            check_choice("tokenizer", self.tokenizer, TOKENIZERS)
        check_flags(self, "stemmer")
        check_choice("sentences", self.sentences, SENTENCES)
        check_choice("aggregate", self.aggregate, AGGREGATES)

    @property
    def types(self) -> tuple[str, ...]:
        """The kinds of ROUGE, each once, in the order given."""
        given = [self.rouge_types] if isinstance(self.rouge_types, str) else self.rouge_types
        if not isinstance(given, (list, tuple)) or not all(isinstance(name, str) for name in given):
            raise ValueError(f"rouge_types={self.rouge_types!r}: give a list such as ['rougeL', 'rouge1']")
        return tuple(dict.fromkeys(given))

    @property
    def orders(self) -> list[int]:
        """The lengths of the n-grams that are compared."""
        return [int(name[-1]) for name in self.types if name[-1].isdigit()]
