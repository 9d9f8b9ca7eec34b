"""Patterns: what Split and Replace look for.

`tokenizers` runs its regular expressions with Oniguruma, whose syntax and whose tables of Unicode differ from those of
Python's `re` and of the package `regex`.  Both agree on how an expression is searched, so this package translates:

1. `syntax` parses the text of an expression as Oniguruma reads it (`brackets`: sets and escapes; `char_sets`: the sets
   of code points, from frozen tables; `nodes`: what it consists of).
2. `compiled` numbers the code points: those that no set of the expression tells apart get the same number.  The
   expression is written anew over these numbers, so that `regex` needs no table of Unicode of its own: no release of
   it, or of Python, moves a result.
3. `search` writes the texts as such numbers, finds all matches at once, and cuts the texts there, or replaces them.
"""

from __future__ import annotations

from .compiled import Pattern, Regex, check_pattern, pattern_from_json, pattern_json
from .search import Matches, matches

__all__ = ["Matches", "Pattern", "Regex", "check_pattern", "matches", "pattern_from_json", "pattern_json"]
