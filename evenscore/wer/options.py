"""The options of wer_dp and the stock metrics' names for them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar

from evenscore.options import Alias, Options, check_choice, check_number
from evenscore.wer.costs import Costs
from evenscore.wer.transforms import pipeline

UNITS = ("word", "char")
NORMALIZERS = ("reference", "prediction", "max", "sum")


@dataclasses.dataclass(frozen=True, kw_only=True)
class WerOptions(Options):
    """The options of wer_dp; its card says what they mean."""

    unit: str = "word"
    normalize_by: str = "reference"
    transforms: Any = None
    costs: Any = (1, 1, 1)

    COUNTING: ClassVar[tuple[str, ...]] = ("unit", "normalize_by", "transforms", "costs")
    # Scoring all texts together or one by one gives the same number, in evaluate's wer too.
    ALIASES: ClassVar[Mapping[str, Alias]] = {"concatenate_texts": lambda value: {}}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("unit", self.unit, UNITS)
        check_choice("normalize_by", self.normalize_by, NORMALIZERS)
        pipeline(self.transforms, self.unit)
        if not isinstance(self.costs, (list, tuple)) or len(self.costs) != len(Costs._fields):
            raise ValueError(f"costs={self.costs!r}: give three numbers, of substitution, deletion, insertion")
        for name, cost in zip(Costs._fields, self.costs, strict=True):
            check_number(f"costs ({name})", cost, above=0)

    @property
    def weighted(self) -> bool:
        """Whether the three kinds of error differ in cost."""
        return len(set(self.costs)) > 1
