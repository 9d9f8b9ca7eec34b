"""An extension of griffe that converts docstrings to Markdown, for the site's API reference.

Examples become blocks of code; lines `name: description`, with their indented continuations, become a list.  Sections
such as "Args:" get a bold title.
"""

from __future__ import annotations

import re
import textwrap
from typing import Any

from griffe import Extension, Object

_ITEM = re.compile(r"(?P<names>[*`]{0,2}[a-z_]\w*`?(?:, `?[a-z_]\w*`?)*): +(?P<text>\S.*)")
_SECTION = re.compile(r"^(?P<title>Args|Attributes|Returns|Raises|Examples):\n(?P<body>(?: .*\n?|\n)+)", re.MULTILINE)
# Outside code, brackets are literal: they begin no tags or links.
_CODE_OR_MARK = re.compile(r"(`[^`]+`)|([<\[])")


class Docstrings(Extension):
    """Rewrites the docstring of every object when it is loaded."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite the docstring of an object."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(docstring: str) -> str:
    r"""Convert a docstring to Markdown.

    >>> as_markdown("Adds.\n\na, b: numbers,\n  both whole.")
    'Adds.\n\n- **a, b**: numbers,\n  both whole.'
    >>> as_markdown(">>> add(1, 2)\n3")
    '```pycon\n>>> add(1, 2)\n3\n```'
    >>> as_markdown("Adds.\n\nArgs:\n    a: a number.\n")
    'Adds.\n\n**Args**\n\n- **a**: a number.'
    """
    plain = _SECTION.sub(lambda found: f"**{found['title']}**\n\n{textwrap.dedent(found['body'])}", docstring)
    return "\n\n".join(part for block in _blocks(plain) for part in _block(block))


def _blocks(docstring: str) -> list[str]:
    return [block.strip("\n") for block in re.split(r"\n\s*\n", docstring) if block.strip()]


def _block(block: str) -> list[str]:
    """Convert a block without blank lines: an example, indented text, or paragraphs and lists."""
    if block.lstrip().startswith(">>> "):
        return [f"```pycon\n{block}\n```"]
    return [block] if block.startswith("    ") else _prose(block.splitlines())


def _prose(lines: list[str]) -> list[str]:
    parts: list[list[str]] = []
    for line in lines:
        item = _ITEM.fullmatch(line)
        in_list = bool(parts) and parts[-1][0].startswith("- ")
        goes_on = bool(item) or (in_list and line.startswith(" "))
        if not parts or in_list != goes_on:
            parts.append([])
        shown = f"- **{re.sub('[*`]', '', item['names'])}**: {item['text']}" if item else line
        parts[-1].append(_CODE_OR_MARK.sub(lambda found: found[1] or f"\\{found[2]}", shown))
    return ["\n".join(part) for part in parts]
