"""Pictures of why a score is what it is: they show themselves in notebooks, pages, terminals."""

from __future__ import annotations

import html
import os
import shutil
import sys
from collections.abc import Sequence
from typing import NamedTuple

from ._marks import KINDS, Mark
from ._picture_blocks import Block


class Picture(NamedTuple):
    """A title with blocks below it.

    The last expression of a notebook's cell shows as HTML; print shows text, in colour on a terminal unless NO_COLOR is
    set (no-color.org).  Whatever is in the texts stays text.

    >>> from ._picture_blocks import Line
    >>> picture = Picture("Why", [Line("prediction:", [Mark("a", "hit"), Mark("b", "insert")])])
    >>> print(picture.text(colour=False))
    Why
    prediction: a {+b+}
    the same   {+inserted+}
    """

    title: str
    blocks: Sequence[Block]

    def html(self) -> str:
        """One element with its own style, for a page."""
        blocks = "".join(block.html() for block in self.blocks)
        legend = "".join(f"<li>{mark.html()}</li>" for mark in self._legend())
        below = f"<ul>{legend}</ul>" if legend else ""
        style = f"<style>{_STYLE}</style>"
        return f'{style}<div class="evenscore-picture"><h4>{html.escape(self.title)}</h4>{blocks}{below}</div>'

    def text(self, *, colour: bool | None = None, width: int | None = None) -> str:
        """Lines for a terminal.

        colour: None: whether a terminal reads standard output, and NO_COLOR is not set.
        width: how many cells a line has; None: as many as the terminal, 80 if there is none.
        """
        coloured = _is_coloured() if colour is None else colour
        cells = shutil.get_terminal_size((80, 24)).columns if width is None else width
        legend = "   ".join(mark.text(coloured) for mark in self._legend())
        return "\n".join(
            [self.title, *(block.text(coloured, cells) for block in self.blocks), *([legend] * bool(legend))]
        )

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.html()

    def _legend(self) -> list[Mark]:
        """What the kinds of the blocks' marks mean, each marked as itself."""
        held = {kind for block in self.blocks for kind in block.kinds()}
        return [Mark(kind.meaning, name) for name, kind in KINDS.items() if name in held and kind.meaning]


def _is_coloured() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _rules() -> str:
    """Every rule begins with the picture's own class, so that none reaches the page around it."""
    rules = {
        "": "line-height:1.7;font-size:1rem;overflow-x:auto",
        "h4": "margin:.2em 0",
        "p": "margin:.3em 0;white-space:pre-wrap;overflow-wrap:anywhere",
        "table": "border-collapse:collapse;width:auto;color:inherit",
        "th, td": "text-align:left;padding:.1em .6em .1em 0;border:none;background:none;color:inherit",
        ".columns": "display:flex;flex-wrap:wrap;column-gap:.45em;row-gap:.8em",
        ".columns > span": "display:inline-flex;flex-direction:column;align-items:center;white-space:pre",
        ".columns i": "font-style:normal;min-height:1.7em",
        "sub": "font-size:.65em;margin-left:.2em",
        "ul": "list-style:none;padding:0;margin:.6em 0 0;display:flex;flex-wrap:wrap;column-gap:1.2em;font-size:.85em",
        **{f".{name}": f"padding:0 .15em;border-radius:3px;{kind.css}" for name, kind in KINDS.items()},
    }
    return "".join(
        f"{','.join(f'.evenscore-picture {part}'.strip() for part in selector.split(', '))}{{{rule}}}"
        for selector, rule in rules.items()
    )


_STYLE = _rules()
