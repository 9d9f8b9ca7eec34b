"""Pictures that explain a row's score, as HTML for notebooks and pages and as text for terminals."""

from __future__ import annotations

import html
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol


class Kind(NamedTuple):
    """The look of one kind of mark. Colours suit colour-blind readers and never carry the meaning alone.

    name: the CSS class.
    meaning: the text of the legend.
    tag, css: the HTML element and its style.
    ansi: the parameters of the terminal's colour sequence.
    left, right: characters around the text in a terminal.
    """

    name: str
    meaning: str
    tag: str
    css: str
    ansi: str
    left: str = ""
    right: str = ""


def box(background: str, line: str = "none", text: str = "0,0,0") -> str:
    """Return the CSS of text on a background with a text-decoration line; colours are "red,green,blue"."""
    return f"background:rgb({background});color:rgb({text});text-decoration:{line};text-decoration-thickness:2px"


# Colours of Okabe & Ito (2008), lightened so that black text is legible on them on light and dark pages.
ORANGE, PURPLE, BLUE, GREEN = "255,210,127", "242,184,214", "168,216,248", "159,224,200"

# Kinds that several metrics use. Each metric defines its other kinds next to its picture.
PLAIN = Kind("plain", "", "span", "", "")
MATCH = Kind("match", "matched", "mark", box(GREEN, "underline") + ";font-weight:600", "30;42", "*", "*")
MISS = Kind("miss", "not matched", "span", "opacity:.75;text-decoration:underline dotted", "2")

# Characters that move the cursor, change the text direction, or are invisible: controls, spaces that do not break, line
# separators, and all that Unicode lets a font ignore (Default_Ignorable_Code_Point of Unicode 16) except U+200C and
# U+200D, which many scripts need to be legible.
_UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202f"
    r"\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    """Replace control and invisible characters by visible ones.

    >>> visible("a\\tb\\x1b[31m\\u202e")
    'a␉b␛[31m<U+202E>'
    """
    return _UNSEEN.sub(_stand_in, text)


def visible_label(label: str) -> str:
    """Return a label as `visible` does, in quotation marks if white space in it, or its lack of text, is easily missed.

    >>> [visible_label(label) for label in ("ann b", " ann", "a  b", "")]
    ['ann b', '" ann"', '"a  b"', '""']
    """
    shown = visible(label)
    return shown if shown and shown == " ".join(shown.split()) else f'"{shown}"'


def _stand_in(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else f"<U+{code:04X}>"


def display_width(text: str) -> int:
    """Return the text's width in terminal cells: two per wide character, none per combining one.

    >>> display_width("ab"), display_width("猫"), display_width("e\\u0301")
    (2, 2, 1)
    """
    return sum(_char_width(char) for char in text)


def _char_width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


class Mark(NamedTuple):
    """A piece of text with a kind, and optionally a short note after it.

    >>> Mark("<b>", MATCH).html()
    '<mark class="match"><bdi>&lt;b&gt;</bdi></mark>'
    >>> Mark("b", MATCH).text(colour=False), Mark("b", MATCH).text(colour=True)
    ('*b*', '\\x1b[30;42m*b*\\x1b[0m')
    """

    content: str
    kind: Kind = PLAIN
    note: str = ""

    def html(self) -> str:
        """Return one HTML element, with the text escaped."""
        tag = self.kind.tag
        note = f"<sub>{html.escape(self.note)}</sub>" if self.note else ""
        return f'<{tag} class="{self.kind.name}"><bdi>{html.escape(visible(self.content))}</bdi>{note}</{tag}>'

    def bare(self) -> str:
        """Return the text for a terminal without colours."""
        note = f"<{self.note}>" if self.note else ""
        return f"{self.kind.left}{visible(self.content)}{self.kind.right}{note}"

    def text(self, colour: bool, width: int = 0) -> str:
        """Return the text for a terminal, padded with spaces to `width` cells."""
        ansi, bare = self.kind.ansi, self.bare()
        shown = f"\x1b[{ansi}m{bare}\x1b[0m" if colour and ansi else bare
        return shown + " " * (width - display_width(bare))


class Block(Protocol):
    """A part of a picture."""

    def html(self) -> str:
        """Return an HTML element."""

    def text(self, colour: bool, width: int) -> str:
        """Return lines of at most `width` cells, unless a single mark is wider."""

    def kinds(self) -> Iterable[Kind]:
        """Return the kinds of its marks, for the legend."""


class Line(NamedTuple):
    """A labelled sequence of marks."""

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

    def kinds(self) -> Iterable[Kind]:
        return [mark.kind for mark in self.marks]


# A longer text of a column is shown in parts on pages, in cells of a terminal, so that a phone shows all of it.
_LONGEST_PART = 16


class Columns(NamedTuple):
    """Aligned texts, one per label. Each column has one mark per label, shown below each other."""

    labels: Sequence[str]
    columns: Sequence[Sequence[Mark]]

    def html(self) -> str:
        heads = "".join(f"<b>{html.escape(label)}</b>" for label in self.labels)
        cells = [cell for column in self.columns for cell in _cells_html(column)]
        # Every line has the labels before it. Only a page knows where its lines end: it gets as many labels as there
        # may be lines, and cuts off what is too much.
        again = f'<div aria-hidden="true">{f"<span>{heads}</span>" * (len(cells) - 1)}</div>'
        labels = f'<div class="labels"><span>{heads}</span>{again}</div>'
        return f'<div class="columns" dir="auto">{labels}<div class="cells">{"".join(cells)}</div></div>'

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

    def kinds(self) -> Iterable[Kind]:
        return [mark.kind for column in self.columns for mark in column]


def _cells_html(column: Sequence[Mark]) -> list[str]:
    """The column as one element, or as several that stand side by side where it holds a long text."""
    split = [_parts(visible(mark.content)) for mark in column]
    n_parts = max(map(len, split))
    cells = []
    for k in range(n_parts):
        marks = [
            mark._replace(content=parts[k], note="" if k else mark.note) if k < len(parts) else Mark("")
            for mark, parts in zip(column, split, strict=True)
        ]
        cut = "" if k + 1 == n_parts else ' class="cut"'
        cells.append(f"<span{cut}>{''.join(f'<i>{mark.html()}</i>' for mark in marks)}</span>")
    return cells


def _parts(text: str) -> list[str]:
    """The text in parts of at most _LONGEST_PART cells.

    >>> _parts("a" * 20), _parts("")
    (['aaaaaaaaaaaaaaaa', 'aaaa'], [''])
    """
    parts, room = [""], _LONGEST_PART
    for char in text:
        width = _char_width(char)
        if width > room:
            parts.append("")
            room = _LONGEST_PART
        parts[-1] += char
        room -= width
    return parts


class Bars(NamedTuple):
    """Bars for shares from 0 to 1, as tuples (label, share, text after the bar)."""

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
            f"{Mark(label).text(False, head)} {'=' * round(share * 20):.<20} {value}".rstrip()
            for label, share, value in self.bars
        )

    def kinds(self) -> Iterable[Kind]:
        return ()


class Table(NamedTuple):
    """A table with heads; each cell is a sequence of marks."""

    heads: Sequence[str]
    rows: Sequence[Sequence[Sequence[Mark]]]

    def html(self) -> str:
        heads = "".join(f"<th>{html.escape(head)}</th>" for head in self.heads)
        shown = [[" ".join(mark.html() for mark in cell) for cell in row] for row in self.rows]
        rows = "".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in shown)
        return f"<table><tr>{heads}</tr>{rows}</table>"

    def text(self, colour: bool, width: int) -> str:
        rows = [[[Mark(head)] for head in self.heads], *self.rows]
        widths = [max(_cell_width(row[k]) for row in rows) for k in range(len(self.heads))]
        return "\n".join(
            "  ".join(_cell(cell, colour, cells) for cell, cells in zip(row, widths, strict=True)).rstrip()
            for row in rows
        )

    def kinds(self) -> Iterable[Kind]:
        return [mark.kind for row in self.rows for cell in row for mark in cell]


def _cell(cell: Sequence[Mark], colour: bool, width: int) -> str:
    return " ".join(mark.text(colour) for mark in cell) + " " * (width - _cell_width(cell))


def _cell_width(cell: Sequence[Mark]) -> int:
    return display_width(" ".join(mark.bare() for mark in cell))


def _column_width(column: Sequence[Mark]) -> int:
    return max(display_width(mark.bare()) for mark in column)


def _wrapped(columns: Sequence[Sequence[Mark]], width: int) -> list[list[Sequence[Mark]]]:
    """Break columns into lines of at most `width` cells, with a space between columns and at least one per line."""
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


class Picture(NamedTuple):
    """A title, blocks below it, and a legend of the kinds of marks in them.

    Notebooks show a picture as HTML. `print` shows it as text, in colour on a terminal unless NO_COLOR is set
    (no-color.org). Texts are escaped.

    kinds: all kinds that marks may have, except PLAIN, in the order of the legend.

    >>> picture = Picture("Why", [Line("prediction:", [Mark("a", MATCH), Mark("b", MISS)])], [MATCH, MISS])
    >>> print(picture.text(colour=False))
    Why
    prediction: *a* b
    *matched*   not matched
    """

    title: str
    blocks: Sequence[Block]
    kinds: Sequence[Kind] = ()

    def html(self) -> str:
        """Return HTML for any page: a style element and one div."""
        return f"<style>{self.css()}</style>{self.body()}"

    def css(self) -> str:
        """Return the rules of the style element. Pictures of one metric have the same, so a page needs them once."""
        return _rules(self.kinds)

    def body(self) -> str:
        """Return the div, for a page that has the rules of `css`."""
        blocks = "".join(block.html() for block in self.blocks)
        legend = "".join(f"<li>{mark.html()}</li>" for mark in self._legend())
        below = f"<ul>{legend}</ul>" if legend else ""
        return f'<div class="evenscore-picture"><h4>{html.escape(self.title)}</h4>{blocks}{below}</div>'

    def text(self, *, colour: bool | None = None, width: int | None = None) -> str:
        """Return text for a terminal.

        colour: whether to use colours; None: if standard output is a terminal and NO_COLOR is not set.
        width: cells per line; None: the terminal's width, or 80 without a terminal.
        """
        # A program without a console has no standard output.
        is_terminal = sys.stdout is not None and sys.stdout.isatty()
        coloured = is_terminal and not os.environ.get("NO_COLOR") if colour is None else colour
        cells = shutil.get_terminal_size((80, 24)).columns if width is None else width
        legend = "   ".join(mark.text(coloured) for mark in self._legend())
        blocks = [block.text(coloured, cells) for block in self.blocks]
        return "\n".join([self.title, *blocks, *([legend] if legend else [])])

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.html()

    def _legend(self) -> list[Mark]:
        """Return the meanings of the kinds that occur, each marked with its own kind."""
        held = {kind for block in self.blocks for kind in block.kinds()}
        return [Mark(kind.meaning, kind) for kind in self.kinds if kind in held and kind.meaning]


def _rules(kinds: Sequence[Kind]) -> str:
    """Return the CSS rules. All selectors start with the picture's class, so that none affects the page around it."""
    rules = {
        "": "line-height:1.7;font-size:1rem;overflow-x:auto",
        "h4": "margin:.2em 0",
        "p": "margin:.3em 0;white-space:pre-wrap;overflow-wrap:anywhere",
        "table": "border-collapse:collapse;width:auto;color:inherit",
        "th, td": "text-align:left;padding:.1em .6em .1em 0;border:none;background:none;color:inherit",
        # Lines of cells and lines of labels are as high as each other, whatever is in them.
        ".columns": "display:grid;grid-template-columns:max-content minmax(0,1fr);column-gap:.6em;overflow:auto hidden",
        ".labels": "height:0",
        ".labels div": "user-select:none",
        ".cells": "display:flex;flex-wrap:wrap;column-gap:.45em",
        ".labels span": "display:block",
        ".labels span, .cells > span": "margin-bottom:.8em",
        ".cells > span": "display:inline-flex;flex-direction:column;align-items:center;white-space:pre",
        ".columns b, .columns i": "display:block;font-style:normal;height:1.7em",
        ".cells .cut": "align-items:stretch;margin-inline-end:-.45em",
        ".cut i > *": "display:block",
        "sub": "font-size:.65em;margin-left:.2em",
        "ul": "list-style:none;padding:0;margin:.6em 0 0;display:flex;flex-wrap:wrap;column-gap:1.2em;font-size:.85em",
        **{f".{kind.name}": f"padding:0 .15em;border-radius:3px;{kind.css}" for kind in (PLAIN, *kinds)},
    }
    return "".join(
        f"{','.join(f'.evenscore-picture {part}'.strip() for part in selector.split(', '))}{{{rule}}}"
        for selector, rule in rules.items()
    )
