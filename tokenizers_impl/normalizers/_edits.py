"""Normalizers that edit whole texts: Prepend, Strip, Replace."""

from __future__ import annotations

from dataclasses import dataclass, field

from .._core.arrays import code_points
from .._core.component import json_form, unchanging
from .._patterns import Pattern, matches, pattern_from_json, pattern_json
from .._patterns.search import replaced
from .._text.splits import TEXT, Splits, prepended, stripped
from ._normalizer import Normalizer

# --- Prepending


@unchanging
@dataclass(frozen=True, repr=False)
class Prepend(Normalizer):
    """Prepends a string to every non-empty text, like `tokenizers.normalizers.Prepend` 0.23.3.

    prepend: the string.

    >>> Prepend().normalize_str("low")
    '▁low'
    """

    prepend: str = "▁"

    def normalize_splits(self, splits: Splits) -> Splits:
        """Prepend the string; its origin is the first character of the split."""
        return prepended(splits, code_points(self.prepend), splits.added == TEXT)


# --- Stripping


@unchanging
@dataclass(frozen=True, repr=False)
class Strip(Normalizer):
    """Strips white space from the ends of a text, like `tokenizers.normalizers.Strip` 0.23.3.

    left, right: whether to strip this end.

    >>> Strip(left=False).normalize_str("  a b \\n")
    '  a b'
    """

    left: bool = field(default=True, metadata=json_form(name="strip_left"))
    right: bool = field(default=True, metadata=json_form(name="strip_right"))

    def normalize_splits(self, splits: Splits) -> Splits:
        """Strip white space."""
        return stripped(splits, left=self.left, right=self.right)


# --- Replacing


@unchanging
@dataclass(frozen=True, repr=False)
class Replace(Normalizer):
    """Replaces every match of a pattern, like `tokenizers.normalizers.Replace` 0.23.3.

    pattern: a string or a Regex.  content: the replacement, without references to groups.
    Normalizing raises ValueError for a Regex that backtracks too long, and for texts that grow beyond a limit.

    >>> from tokenizers_impl import Regex
    >>> Replace(Regex(" {2,}"), "▁").normalize_str("a  b c")
    'a▁b c'
    """

    pattern: Pattern = field(metadata=json_form(write=pattern_json, read=pattern_from_json))
    content: str

    def normalize_splits(self, splits: Splits) -> Splits:
        """Replace all matches; the origin of the content is that of the last character of the match."""
        return replaced(splits, matches(self.pattern, splits), code_points(self.content))
