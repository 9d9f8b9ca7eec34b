"""Counting the distinct words of a corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from ._arrays import utf8_size
from ._progress import progress
from ._splits import Splits
from ._threads import map_in_order
from ._word_table import WordTable
from ._words import WordCounts


class Measure(NamedTuple):
    """How much there is to count: `total`, if that is known, bytes of UTF-8 (unit "B") or texts (unit "text")."""

    total: int | None = None
    unit: str = "B"

    def of(self, block: Splits) -> int:
        """How much of it a block is."""
        return utf8_size(block.chars) if self.unit == "B" else len(block.firsts) - 1


def count_words(
    blocks: Iterable[Splits], cut: Callable[[Splits], Splits], measure: Measure, *, show_progress: bool
) -> WordCounts:
    """The words that `cut` makes of all blocks, in the order in which they first come, with their counts.

    Every thread counts whole blocks; their counts are added in the order of the blocks, so the result does not depend
    on the threads.
    """

    def counted(block: Splits) -> tuple[int, WordCounts]:
        table, words = WordTable(), cut(block).without_empty()
        table.add(words.chars, words.starts, words.ends)
        return measure.of(block) if show_progress else 0, table.counted()

    whole = WordTable()
    with progress("Count words", measure.total, show_progress, unit=measure.unit, unit_scale=True) as bar:
        for size, part in map_in_order(counted, blocks):
            whole.add(part.words.chars, part.words.offsets[:-1], part.words.offsets[1:], part.counts)
            bar.update(size)
    return whole.counted()
