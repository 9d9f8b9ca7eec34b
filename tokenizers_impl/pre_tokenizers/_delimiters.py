"""Pre-tokenizers that cut at characters of a kind."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from .._arrays import Bools
from .._component import json_form, unchanging
from .._splits import Splits
from .._unicode import CODE_POINTS, NUMERIC, PUNCTUATION, character_classes
from ._behaviors import behavior_from_json, behavior_json, chars_in, check_behavior, cut_at
from ._pre_tokenizer import PreTokenizer


@unchanging
@dataclass(frozen=True, repr=False)
class Punctuation(PreTokenizer):
    """Cuts at punctuation, as `tokenizers.pre_tokenizers.Punctuation`.

    behavior: what becomes of each of them, as with `Split`.

    >>> Punctuation("contiguous").pre_tokenize_str("Hi (you)...")
    [('Hi ', (0, 3)), ('(', (3, 4)), ('you', (4, 7)), (')...', (7, 11))]
    """

    behavior: str = field(default="isolated", metadata=json_form(write=behavior_json, read=behavior_from_json))

    def __post_init__(self) -> None:
        super().__post_init__()
        check_behavior(self.behavior)

    def cut(self, splits: Splits) -> Splits:
        """What the behavior leaves of punctuation and of the text between."""
        return cut_at(splits, chars_in(splits, _of_class(PUNCTUATION)), self.behavior)


@unchanging
@dataclass(frozen=True, repr=False)
class Digits(PreTokenizer):
    """Cuts numbers from the rest, as `tokenizers.pre_tokenizers.Digits`; its digits are all of Unicode's numbers.

    individual_digits: cut every digit from the next one.

    >>> Digits(individual_digits=True).pre_tokenize_str("in 24")
    [('in ', (0, 3)), ('2', (3, 4)), ('4', (4, 5))]
    """

    individual_digits: bool = False

    def cut(self, splits: Splits) -> Splits:
        """Numbers and the text between."""
        behavior = "isolated" if self.individual_digits else "contiguous"
        return cut_at(splits, chars_in(splits, _of_class(NUMERIC)), behavior)


@unchanging
@dataclass(frozen=True, repr=False)
class CharDelimiterSplit(PreTokenizer):
    """Cuts at one character, which is left out, as `tokenizers.pre_tokenizers.CharDelimiterSplit`.

    >>> CharDelimiterSplit("-").pre_tokenize_str("a-b")
    [('a', (0, 1)), ('b', (2, 3))]
    """

    delimiter: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.delimiter) != 1:
            raise ValueError(f"delimiter={self.delimiter!r}: give one character")

    def cut(self, splits: Splits) -> Splits:
        """The text between the delimiters."""
        return cut_at(splits, chars_in(splits, _alone(ord(self.delimiter))), "removed")


@cache
def _of_class(wanted: int) -> Bools:
    return character_classes() & wanted > 0


def _alone(code: int) -> Bools:
    table = np.zeros(CODE_POINTS, np.bool_)
    table[code] = True
    return table
