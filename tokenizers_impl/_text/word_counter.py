"""Counted words that can be sent to another machine and added up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from .._core.options import checked_count


class WordCounter(Counter[str]):
    """The words of texts and their counts, in order of first occurrence; a `collections.Counter`.

    counts: a mapping from word to count, or words to count; none by default.
    min_count: words with a smaller count were dropped; 1: none was.

    The sum of two counters has the words of the first one before the new words of the second one.  So parts that are
    added in order give the order of first occurrence in all texts.  Its min_count is the larger of the two: a word that
    was rarer in a part lacks that part's occurrences.  To drop only words that are rare in all texts, count the parts
    without a threshold, and call `at_least` on the sum.

    >>> parts = [WordCounter({"low": 2, "new": 1}), WordCounter({"new": 1, "er": 1})]
    >>> total = sum(parts, WordCounter())
    >>> total, total.at_least(2)
    (WordCounter({'low': 2, 'new': 2, 'er': 1}), WordCounter({'low': 2, 'new': 2}, min_count=2))
    """

    def __init__(self, counts: Mapping[str, int] | Iterable[str] = (), /, *, min_count: int = 1) -> None:
        super().__init__(counts)
        self.min_count = min_count

    def at_least(self, min_count: int) -> WordCounter:
        """Return a counter of the words with this count or more; ValueError unless it is an integer of 0 or more."""
        least = checked_count("min_count", min_count)
        kept = {word: count for word, count in self.items() if count >= least}
        return WordCounter(kept, min_count=max(self.min_count, least))

    def __add__(self, other: Counter[Any]) -> WordCounter:  # type: ignore[override]
        total = self.copy()
        total += other
        return total

    def __iadd__(self, other: Counter[Any]) -> WordCounter:  # type: ignore[override]
        self.update(other)
        self.min_count = max(self.min_count, getattr(other, "min_count", 1))
        return self

    def copy(self) -> WordCounter:
        """Return a counter with the same words, counts and threshold."""
        return WordCounter(self, min_count=self.min_count)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (dict(self), self.min_count)

    def __repr__(self) -> str:
        threshold = f", min_count={self.min_count}" if self.min_count > 1 else ""
        return f"WordCounter({dict(self)}{threshold})"


def _unpickled(counts: dict[str, int], min_count: int) -> WordCounter:
    return WordCounter(counts, min_count=min_count)
