"""Upper case, for which the library has no normalizer, but a method of its strings."""

from __future__ import annotations

from functools import cache

from ._char_map import CharMap
from ._tables import code_points_by_char


@cache
def upper_case() -> CharMap:
    """The upper case of every code point, looked at alone."""
    return CharMap.of_dict(code_points_by_char("unicode_uppercase.txt"))
