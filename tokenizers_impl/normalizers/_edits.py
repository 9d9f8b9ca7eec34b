"""Normalizers that edit whole texts: Prepend, Strip, Replace."""

from __future__ import annotations

from dataclasses import dataclass, field

from .._core.arrays import code_points
from .._core.component import json_form, unchanging
from .._patterns import Pattern, matches, pattern_from_json, pattern_json
from .._patterns.search import replaced
from .._text.splits import TEXT, Splits, prepended, stripped
from ._normalizer import Normalizer

# --- Text with another one before it


@unchanging
@dataclass(frozen=True, repr=False)
class Prepend(Normalizer):
    """A string is put before every text that is not empty, as `tokenizers.normalizers.Prepend`.

    >>> Prepend().normalize_str("low")
    '▁low'
    """

    prepend: str = "▁"

    def normalize_splits(self, splits: Splits) -> Splits:
        """The splits with it; its origin is their first character."""
        return prepended(splits, code_points(self.prepend), splits.added == TEXT)


# --- Text without white space at its ends


@unchanging
@dataclass(frozen=True, repr=False)
class Strip(Normalizer):
    """White space is taken off the ends, as `tokenizers.normalizers.Strip`.

    left, right: at which.

    >>> Strip(left=False).normalize_str("  a b \\n")
    '  a b'
    """

    left: bool = field(default=True, metadata=json_form(name="strip_left"))
    right: bool = field(default=True, metadata=json_form(name="strip_right"))

    def normalize_splits(self, splits: Splits) -> Splits:
        """The splits without it."""
        return stripped(splits, left=self.left, right=self.right)


# --- Text with another one in place of a pattern


@unchanging
@dataclass(frozen=True, repr=False)
class Replace(Normalizer):
    """Every match of a string or a Regex becomes the content, as it stands, as `tokenizers.normalizers.Replace`.

    ValueError in normalizing for a Regex that tries too many ways to match, and for texts that grow beyond `room`.

    >>> from tokenizers_impl import Regex
    >>> Replace(Regex(" {2,}"), "▁").normalize_str("a  b c")
    'a▁b c'
    """

    pattern: Pattern = field(metadata=json_form(write=pattern_json, read=pattern_from_json))
    content: str

    def normalize_splits(self, splits: Splits) -> Splits:
        """The splits with the content in place of matches; its origin is that of the last character of the match."""
        return replaced(splits, matches(self.pattern, splits), code_points(self.content))
