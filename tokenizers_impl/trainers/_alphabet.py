"""Which characters a training keeps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._arrays import I64, U32
from .._kernel import kernel
from .._words import WordCounts


@kernel
def _character_counts(chars: U32, offsets: I64, counts: I64, n: int) -> I64:
    totals = np.zeros(n, np.int64)
    for w in range(len(offsets) - 1):
        for i in range(offsets[w], offsets[w + 1]):
            totals[chars[i]] += counts[w]
    return totals


def alphabet(
    counts: WordCounts, initial: Sequence[str] = (), limit: int | None = None, order: Sequence[str] = ()
) -> list[str]:
    """The characters of the words with the first character of each string of `initial`, sorted by code point.

    limit: how many are kept: first those of `initial`, then the most frequent ones.  Of equally frequent ones those
    that come first in `order` are kept, then those with the smaller code point; the library keeps any.

    >>> words = WordCounts.of({"abba": 3, "cd": 1})
    >>> alphabet(words, initial=["z"]), alphabet(words, limit=3), alphabet(words, limit=3, order=["d"])
    (['a', 'b', 'c', 'd', 'z'], ['a', 'b', 'c'], ['a', 'b', 'd'])
    """
    required = [ord(text[0]) for text in initial if text]
    size = max([int(counts.words.chars.max(initial=0)), *required]) + 1
    totals = _character_counts(*counts.words, counts.counts, size)
    totals[required] = np.iinfo(np.int64).max
    kept = np.flatnonzero(totals)
    if limit is not None and len(kept) > limit:
        places = {ord(char[0]): place for place, char in reversed(list(enumerate(order))) if char}
        preference = np.array([places.get(char, len(places)) for char in kept.tolist()])
        kept = np.sort(kept[np.lexsort((kept, preference, -totals[kept]))[:limit]])
    return [chr(char) for char in kept.tolist()]
