"""Counting the distinct words of a corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from evenscore.parallel import ordered_results

from ._arrays import utf8_size
from ._corpus import Corpus
from ._cutting import Cutter
from ._progress import Shown, progress
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
    corpus: Corpus, cutter: Cutter, measure: Measure, *, show_progress: Shown, executor: Any = None
) -> WordCounts:
    """The words of all texts, in the order in which they first come, with their counts.

    executor: counts parts of the corpus elsewhere; None: threads do.  The counts of parts are added in the order of the
    parts, so the result does not depend on who counts.
    """
    count = partial(_counted, corpus.read, cutter, measure.of if show_progress else _nothing)
    parts = corpus.parts
    counted = map_in_order(count, parts) if executor is None else ordered_results(executor, count, parts)
    whole = WordTable()
    with progress("Count words", measure.total, show_progress, unit=measure.unit, unit_scale=True) as bar:
        for size, part in counted:
            whole.add(part.words.chars, part.words.offsets[:-1], part.words.offsets[1:], part.counts)
            bar.update(size)
    return whole.counted()


def _counted(
    read: Callable[[Any], Iterable[Splits]], cutter: Cutter, measured: Callable[[Splits], int], part: Any
) -> tuple[int, WordCounts]:
    """The words of a part, and how large it is."""
    table, size = WordTable(), 0
    for block in read(part):
        words = cutter.cut(block).without_empty()
        table.add(words.chars, words.starts, words.ends)
        size += measured(block)
    return size, table.counted()


def _nothing(block: Splits) -> int:
    return 0
