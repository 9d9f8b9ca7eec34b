"""The patterns that Split and Replace search for.

`tokenizers` runs its regular expressions with Oniguruma, whose syntax and Unicode tables differ from those of Python's
`re` and of the package `regex`.  Oniguruma and `regex` search in the same way, so this package translates:

1. `syntax` parses an expression in Oniguruma's syntax (`brackets`: sets and escapes; `char_sets`: sets of code points
   from frozen tables; `nodes`: the parts of an expression).
2. `alphabet` numbers the code points: those that are in the same sets of the expression get the same number.
   `compiled` writes the expression over these numbers.  So `regex` uses no Unicode tables of its own, and no release
   of it or of Python changes a result.
3. `work` finds out whether some text can make a search take long.
4. `search` writes the texts as these numbers, finds all matches at once, and splits the texts there or replaces them.
"""

from __future__ import annotations

from .compiled import Pattern, Regex, check_pattern, pattern_from_json, pattern_json
from .search import Matches, matches

__all__ = ["Matches", "Pattern", "Regex", "check_pattern", "matches", "pattern_from_json", "pattern_json"]
