"""How a model cut a word, as blocks of a picture."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from evenscore.pictures import BLUE, MATCH, MISS, ORANGE, PURPLE, Block, Kind, Line, Mark, Table, box

from ._explaining import WordExplanation
from .models._explanation import MatchStep, MergeStep
from .models._unigram_explanation import UnigramExplanation, UnigramPath

PIECE = Kind("piece", "", "span", "border:1px solid rgb(136,136,136);border-radius:4px", "4", "|", "|")
MERGED = Kind("merged", "merged in this step", "mark", box(BLUE, "underline double"), "30;46", "{", "}")
UNKNOWN = Kind("unknown", "unknown", "mark", box(ORANGE, "underline overline"), "30;43", "?", "?")
SPECIAL = Kind("special", "special or added token", "mark", box(PURPLE, "overline"), "30;45", "[", "]")
KINDS = (MATCH, MISS, PIECE, MERGED, UNKNOWN, SPECIAL)

# Rows of a table; the rest is counted.
_MOST_ROWS = 30

Row = list[list[Mark]]


def word_blocks(explanation: WordExplanation) -> list[Block]:
    """The word, then its steps as a table: merges, look-ups, or segmentations; there must be one.

    >>> steps = [MergeStep(0, "l", "o", "lo", 7, 0, ("lo", "w"), 12)]
    >>> for block in word_blocks(WordExplanation("low", (0, 3), ["lo", "w"], [3, 2], steps)):
    ...     print(block.text(colour=False, width=80))
    word low
    merge  seen  symbols
                 |l| |o| |w|
    7      12    {lo} |w|
    """
    heads, rows = _table(explanation.steps)
    blocks: list[Block] = [Line("word", [Mark(explanation.word)]), Table(heads, rows[:_MOST_ROWS])]
    left_out = len(rows) - _MOST_ROWS
    return [*blocks, Line("steps not shown:", [Mark(str(left_out))])] if left_out > 0 else blocks


def _table(steps: list[MergeStep] | list[MatchStep] | UnigramExplanation) -> tuple[Sequence[str], list[Row]]:
    if isinstance(steps, UnigramExplanation):
        return ("probability", "ln P", "pieces with ln P"), list(map(_path_row, steps.paths))
    if isinstance(steps[0], MatchStep):
        places = groupby(steps, lambda step: step.start)
        return ("from", "looked up", "id"), [_match_row(list(own)) for _, own in places]
    return _merge_table(steps)


def _merge_table(steps: Sequence[MergeStep]) -> tuple[Sequence[str], list[Row]]:
    """The symbols before the first merge, then after each; `seen` only where it is known."""
    first, at = steps[0], steps[0].position
    before = (*first.symbols[:at], first.left, first.right, *first.symbols[at + 1 :])
    rows = [_symbols_row("", "", before, None)]
    rows += [_symbols_row(str(step.rank), str(step.count), step.symbols, step.position) for step in steps]
    if first.count is None:
        return ("merge", "symbols"), [[merge, symbols] for merge, _, symbols in rows]
    return ("merge", "seen", "symbols"), rows


def _symbols_row(rank: str, count: str, symbols: Sequence[str], merged: int | None) -> Row:
    marks = [Mark(symbol, MERGED if at == merged else PIECE) for at, symbol in enumerate(symbols)]
    return [[Mark(rank)], [Mark(count)], marks]


def _match_row(steps: Sequence[MatchStep]) -> Row:
    """The look-ups at one place; only the last may have found something."""
    marks = [Mark(step.token, MISS if step.id is None else MATCH) for step in steps]
    found = steps[-1].id
    return [[Mark(str(steps[0].start))], marks, [Mark("none" if found is None else str(found))]]


def _path_row(path: UnigramPath) -> Row:
    marks = [Mark(step.piece, UNKNOWN if step.id is None else PIECE, f"{step.score:.2f}") for step in path.steps]
    return [[Mark(f"{path.probability:.4f}")], [Mark(f"{path.score:.2f}")], marks]
