"""Counting the distinct words of a corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ._arrays import utf8_size
from ._progress import progress
from ._splits import Splits
from ._threads import map_in_order
from ._word_table import WordTable
from ._words import WordCounts


def count_words(
    blocks: Iterable[Splits], cut: Callable[[Splits], Splits], size: int | None, *, show_progress: bool
) -> WordCounts:
    """The words that `cut` makes of all blocks, in the order in which they first come, with their counts.

    Every thread counts whole blocks; their counts are added in the order of the blocks, so the result does not depend
    on the threads.  size: bytes of UTF-8 in all, for the progress bar.
    """

    def counted(block: Splits) -> tuple[int, WordCounts]:
        table, words = WordTable(), cut(block).without_empty()
        table.add(words.chars, words.starts, words.ends)
        return utf8_size(block.chars) if show_progress else 0, table.counted()

    whole = WordTable()
    with progress("Count words", size, show_progress, unit="B", unit_scale=True) as bar:
        for size_of_part, part in map_in_order(counted, blocks):
            whole.add(part.words.chars, part.words.offsets[:-1], part.words.offsets[1:], part.counts)
            bar.update(size_of_part)
    return whole.counted()
