"""Pieces of text that say what became of them, by colour, line and sign."""

from __future__ import annotations

import html
import re
import unicodedata
from typing import NamedTuple


class Kind(NamedTuple):
    """How one sort of mark looks; colours are told apart by every kind of colour vision, and never stand alone.

    meaning: what a legend says of it.
    tag, css: of HTML.
    ansi: the parameters of a terminal's colour sequence.
    left, right: what surrounds the text where there is no colour.
    """

    meaning: str
    tag: str
    css: str
    ansi: str
    left: str = ""
    right: str = ""


def _box(background: str, line: str = "none", text: str = "0,0,0") -> str:
    return f"background:rgb({background});color:rgb({text});text-decoration:{line};text-decoration-thickness:2px"


# The colours are Okabe and Ito's, made lighter so that black text stands on them, on light pages and dark ones.
_ORANGE, _PURPLE, _BLUE, _GREEN = "255,210,127", "242,184,214", "168,216,248", "159,224,200"

KINDS = {
    "plain": Kind("", "span", "", ""),
    "hit": Kind("the same", "span", "opacity:.65", "2"),
    "substitute": Kind("substituted", "mark", _box(_ORANGE, "underline wavy"), "30;43", "~", "~"),
    "delete": Kind("deleted", "del", _box(_PURPLE, "line-through"), "30;45", "[-", "-]"),
    "insert": Kind("inserted", "ins", _box(_BLUE, "underline"), "30;46", "{+", "+}"),
    "match": Kind("matched", "mark", _box(_GREEN, "underline") + ";font-weight:600", "30;42", "*", "*"),
    "clipped": Kind("clipped", "mark", _box(_ORANGE, "underline dashed"), "30;43", "(", ")"),
    "miss": Kind("not matched", "span", "opacity:.75;text-decoration:underline dotted", "2"),
    "piece": Kind("", "span", "border:1px solid rgb(136,136,136);border-radius:4px", "4", "|", "|"),
    "merged": Kind("merged in this step", "mark", _box(_BLUE, "underline double"), "30;46", "{", "}"),
    "unknown": Kind("unknown", "mark", _box(_ORANGE, "underline overline"), "30;43", "?", "?"),
    "special": Kind("special or added token", "mark", _box(_PURPLE, "overline"), "30;45", "[", "]"),
    # Lighter to darker; the note below the text says the number.
    "heat0": Kind("", "span", _box("255,255,229"), "30;47"),
    "heat1": Kind("", "span", _box("254,227,145"), "30;107"),
    "heat2": Kind("", "span", _box("254,153,41"), "30;43"),
    "heat3": Kind("", "span", _box("204,76,2", text="255,255,255"), "97;45"),
    "heat4": Kind("", "span", _box("102,37,6", text="255,255,255"), "97;41"),
}

# Characters that move a cursor, turn the direction of text, or look like a space or like nothing: shown, never obeyed.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\xa0\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]")


def visible(text: str) -> str:
    """The text with its control characters made visible.

    >>> visible("a\\tb\\x1b[31m\\u202e")
    'a␉b␛[31m<U+202E>'
    """
    return _UNSAFE.sub(lambda found: _control_picture(found[0]), text)


def _control_picture(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"<U+{code:04X}>"


def display_width(text: str) -> int:
    """How many cells of a terminal the text takes: two for wide characters, none for combining ones.

    >>> display_width("ab"), display_width("猫"), display_width("e\\u0301")
    (2, 2, 1)
    """
    return sum(_char_width(char) for char in text)


def _char_width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


class Mark(NamedTuple):
    """A piece of text, of a kind, with a note: a word about it that stands below it.

    >>> Mark("<b>", "insert").html()
    '<ins class="insert"><bdi>&lt;b&gt;</bdi></ins>'
    >>> Mark("b", "insert").text(colour=False), Mark("b", "insert").text(colour=True)
    ('{+b+}', '\\x1b[30;46m{+b+}\\x1b[0m')
    """

    content: str
    kind: str = "plain"
    note: str = ""

    def html(self) -> str:
        """One element; whatever is in the text stays text."""
        tag = KINDS[self.kind].tag
        note = f"<sub>{html.escape(self.note)}</sub>" if self.note else ""
        return f'<{tag} class="{self.kind}"><bdi>{html.escape(visible(self.content))}</bdi>{note}</{tag}>'

    def bare(self) -> str:
        """What a terminal without colours shows."""
        kind = KINDS[self.kind]
        note = f"<{self.note}>" if self.note else ""
        return f"{kind.left}{visible(self.content)}{kind.right}{note}"

    def text(self, colour: bool, width: int = 0) -> str:
        """What a terminal shows, filled up with spaces to `width` cells."""
        ansi = KINDS[self.kind].ansi
        bare = self.bare()
        shown = f"\x1b[{ansi}m{bare}\x1b[0m" if colour and ansi else bare
        return shown + " " * (width - display_width(bare))
