"""What pictures are made of, each block as HTML or as text of a terminal."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from ._marks import Mark, display_width


class Block(Protocol):
    """One part of a picture."""

    def html(self) -> str:
        """An element."""

    def text(self, colour: bool, width: int) -> str:
        """Lines of at most `width` cells, where words allow it."""

    def kinds(self) -> Iterable[str]:
        """The kinds of its marks, for the legend."""


class Line(NamedTuple):
    """A text in marks, with a label before it."""

    label: str
    marks: Sequence[Mark]
    separator: str = " "

    def html(self) -> str:
        inner = html.escape(self.separator).join(mark.html() for mark in self.marks)
        return f'<p dir="auto"><b>{html.escape(self.label)}</b> {inner}</p>'

    def text(self, colour: bool, width: int) -> str:
        rows = _wrapped([[mark] for mark in self.marks], width - display_width(self.label) - 1)
        lines = [self.separator.join(mark.text(colour) for (mark,) in row) for row in rows] or [""]
        indent = " " * (display_width(self.label) + 1)
        return "\n".join([f"{self.label} {lines[0]}", *(indent + line for line in lines[1:])])

    def kinds(self) -> Iterable[str]:
        return [mark.kind for mark in self.marks]


class Columns(NamedTuple):
    """Texts one above the other, cell by cell; every column holds one mark a label."""

    labels: Sequence[str]
    columns: Sequence[Sequence[Mark]]

    def html(self) -> str:
        heads = [f"<b>{html.escape(label)}</b>" for label in self.labels]
        stacks = [heads, *([mark.html() for mark in column] for column in self.columns)]
        cells = "".join(f"<span><i>{'</i><i>'.join(stack)}</i></span>" for stack in stacks)
        return f'<div class="columns" dir="auto">{cells}</div>'

    def text(self, colour: bool, width: int) -> str:
        head = max(map(display_width, self.labels)) + 1
        return "\n\n".join(self._rows(block, head, colour) for block in _wrapped(self.columns, width - head))

    def _rows(self, columns: Sequence[Sequence[Mark]], head: int, colour: bool) -> str:
        widths = [_column_width(column) for column in columns]
        lines = [
            " ".join(column[k].text(colour, cells) for column, cells in zip(columns, widths, strict=True))
            for k in range(len(self.labels))
        ]
        heads = [Mark(label).text(False, head) for label in self.labels]
        return "\n".join((start + line).rstrip() for start, line in zip(heads, lines, strict=True))

    def kinds(self) -> Iterable[str]:
        return [mark.kind for column in self.columns for mark in column]


class Bars(NamedTuple):
    """Shares of one as bars: (label, share, what stands behind it)."""

    bars: Sequence[tuple[str, float, str]]

    def html(self) -> str:
        rows = "".join(
            f"<tr><th>{html.escape(label)}</th>"
            f'<td><meter aria-label="{html.escape(label)}" value="{share:.4f}">{share:.2f}</meter></td>'
            f"<td>{html.escape(value)}</td></tr>"
            for label, share, value in self.bars
        )
        return f"<table>{rows}</table>"

    def text(self, colour: bool, width: int) -> str:
        head = max(display_width(label) for label, _, _ in self.bars)
        return "\n".join(
            f"{Mark(label).text(False, head)} {_bar(share)} {value}".rstrip() for label, share, value in self.bars
        )

    def kinds(self) -> Iterable[str]:
        return ()


class Table(NamedTuple):
    """Rows of cells under heads; a cell is a row of marks."""

    heads: Sequence[str]
    rows: Sequence[Sequence[Sequence[Mark]]]

    def html(self) -> str:
        heads = "".join(f"<th>{html.escape(head)}</th>" for head in self.heads)
        rows = "".join(f"<tr>{''.join(map(_html_cell, row))}</tr>" for row in self.rows)
        return f"<table><tr>{heads}</tr>{rows}</table>"

    def text(self, colour: bool, width: int) -> str:
        rows = [[[Mark(head)] for head in self.heads], *self.rows]
        widths = [max(_cell_width(row[k]) for row in rows) for k in range(len(self.heads))]
        return "\n".join(
            "  ".join(_cell(cell, colour, cells) for cell, cells in zip(row, widths, strict=True)).rstrip()
            for row in rows
        )

    def kinds(self) -> Iterable[str]:
        return [mark.kind for row in self.rows for cell in row for mark in cell]


_BAR_CELLS = 20


def _bar(share: float) -> str:
    filled = round(share * _BAR_CELLS)
    return "=" * filled + "." * (_BAR_CELLS - filled)


def _html_cell(cell: Sequence[Mark]) -> str:
    return f"<td>{' '.join(mark.html() for mark in cell)}</td>"


def _cell(cell: Sequence[Mark], colour: bool, width: int) -> str:
    return " ".join(mark.text(colour) for mark in cell) + " " * (width - _cell_width(cell))


def _cell_width(cell: Sequence[Mark]) -> int:
    return display_width(" ".join(mark.bare() for mark in cell))


def _column_width(column: Sequence[Mark]) -> int:
    return max(display_width(mark.bare()) for mark in column)


def _wrapped(columns: Sequence[Sequence[Mark]], width: int) -> list[list[Sequence[Mark]]]:
    """The columns in lines of at most `width` cells, a space between two, one column a line at least."""
    lines: list[list[Sequence[Mark]]] = []
    room = 0
    for column in columns:
        needed = _column_width(column) + 1
        if needed > room:
            lines.append([])
            room = width + 1
        lines[-1].append(column)
        room -= needed
    return lines
