"""Tables with cells of several lines, as plain text, Markdown or LaTeX."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from evenscore.pictures import display_width

# The lines of a cell, from top to bottom.
Cell: TypeAlias = Sequence[str]


class Table(NamedTuple):
    """A header, rows with as many cells, and notes of one line each to print below."""

    header: Sequence[Cell]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str]


_MARKDOWN_ESCAPES = str.maketrans({character: f"\\{character}" for character in r"\`*_[]<>|&~#$"})
_LATEX_ESCAPES = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        # Signatures are long, so a line may break between their fields.
        "|": r"\textbar\allowbreak{}",
        # At the start of a row, these would be read as arguments of the command that ends the previous row.
        **{character: f"{{{character}}}" for character in "*[]"},
    }
)


def as_text(table: Table) -> str:
    """Format a table as plain text: aligned columns, with an empty line after the header and after every row.

    >>> print(as_text(Table([["name"], ["score", "of 10"]], [[["x"], ["9.5", "p = 0.1"]]], ["a note"])))
    name  score
          of 10
    <BLANKLINE>
    x     9.5
          p = 0.1
    <BLANKLINE>
    a note
    """
    rows = [table.header, *table.rows]
    widths = [max(display_width(line) for cell in column for line in cell) for column in zip(*rows, strict=True)]
    blocks = [[_justified(line, widths) for line in _lines(row)] for row in rows]
    return "\n\n".join("\n".join(block) for block in [*blocks, table.notes])


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Format rows of single lines as lines with aligned columns.

    >>> aligned([("name", "score"), ("x", "9.5")])
    ['name  score', 'x     9.5']
    """
    widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
    return [_justified(row, widths) for row in rows]


def _justified(line: Sequence[str], widths: Sequence[int]) -> str:
    """Pad the cells of a line to their widths on a terminal, where a Chinese character takes two columns."""
    padded = (part + " " * (width - display_width(part)) for part, width in zip(line, widths, strict=True))
    return "  ".join(padded).rstrip()


def as_markdown(table: Table) -> str:
    """Format a table in GitHub's Markdown, followed by a list of the notes.

    >>> print(as_markdown(Table([["name"], ["score", "of 10"]], [[["x"], ["9.5", "p = 0.1"]]], ["a note"])))
    | name | score<br>of 10 |
    |---|---|
    | x | 9.5<br>p = 0.1 |
    <BLANKLINE>
    - a note
    """
    escaped = _escaped(table, _MARKDOWN_ESCAPES)
    header, *rows = [f"| {' | '.join('<br>'.join(cell) for cell in row)} |" for row in (escaped.header, *escaped.rows)]
    notes = [f"- {note}" for note in escaped.notes]
    return "\n".join([header, f"|{'---|' * len(table.header)}", *rows, "", *notes])


def as_latex(table: Table) -> str:
    r"""Format a table as a tabular for the package booktabs, followed by the notes in small print.

    >>> print(as_latex(Table([["name"], ["score", "of 10"]], [[["x_1"], ["9.5", "p = 0.1"]]], ["a note"])))
    \begin{tabular}{ll}
    \toprule
    name & score \\
     & of 10 \\
    \midrule
    x\_1 & 9.5 \\
     & p = 0.1 \\
    \bottomrule
    \end{tabular}
    <BLANKLINE>
    \smallskip
    {\footnotesize\raggedright
    a note\par}
    """
    escaped = _escaped(table, _LATEX_ESCAPES)
    lines = ([rf"{' & '.join(line)} \\" for line in _lines(row)] for row in (escaped.header, *escaped.rows))
    header, *rows = map("\n".join, lines)
    head = [rf"\begin{{tabular}}{{{'l' * len(table.header)}}}", r"\toprule", header, r"\midrule"]
    body = ["\n\\addlinespace\n".join(rows), r"\bottomrule", r"\end{tabular}", ""]
    notes = [r"\smallskip", r"{\footnotesize\raggedright", "\\par\n".join(escaped.notes) + r"\par}"]
    return "\n".join([*head, *body, *notes])


def _lines(row: Sequence[Cell]) -> Iterator[tuple[str, ...]]:
    """The lines of a row, each with a part of every cell."""
    return itertools.zip_longest(*row, fillvalue="")


def _escaped(table: Table, escapes: Mapping[int, str]) -> Table:
    """The same table with special characters escaped."""
    rows = [[[line.translate(escapes) for line in cell] for cell in row] for row in (table.header, *table.rows)]
    return Table(rows[0], rows[1:], [note.translate(escapes) for note in table.notes])
