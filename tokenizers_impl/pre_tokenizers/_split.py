"""The pre-tokenizer that cuts at a pattern."""

from __future__ import annotations

from dataclasses import dataclass, field

from .._component import json_form, unchanging
from .._splits import Splits
from ..patterns import Pattern, matches, pattern_from_json, pattern_json
from ._behaviors import behavior_from_json, behavior_json, check_behavior, cut_at
from ._pre_tokenizer import PreTokenizer


@unchanging
@dataclass(frozen=True, repr=False)
class Split(PreTokenizer):
    """Cuts at a string or a Regex, as `tokenizers.pre_tokenizers.Split`.

    behavior: a match is "removed", "isolated", "merged_with_previous" or "merged_with_next" text, or "contiguous" with
    matches that it touches.  invert: this holds of the text between matches instead.  ValueError in cutting for a Regex
    that tries too many ways to match.

    >>> Split("-", "merged_with_next").pre_tokenize_str("the-final--countdown")
    [('the', (0, 3)), ('-final', (3, 9)), ('-', (9, 10)), ('-countdown', (10, 20))]
    """

    pattern: Pattern = field(metadata=json_form(write=pattern_json, read=pattern_from_json))
    behavior: str = field(metadata=json_form(write=behavior_json, read=behavior_from_json))
    invert: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_behavior(self.behavior)

    def cut(self, splits: Splits) -> Splits:
        """What the behavior leaves of matches and of the text between."""
        found = matches(self.pattern, splits)
        return cut_at(splits._replace(spent=found.spent), found, self.behavior, invert=self.invert)
