"""Pictures as pages: what a browser makes of them."""

from __future__ import annotations

from html.parser import HTMLParser

NASTY = "<script>alert(1)</script> </span> &amp; \x1b[31m \u202e \x07 \"'"
# The elements that pictures are made of.
TAGS = {
    *("style", "div", "h4", "p", "b", "i", "span", "bdi", "mark", "del", "ins", "sub", "ul", "li"),
    *("table", "tr", "th", "td", "meter"),
}


class Page(HTMLParser):
    """The elements of a page with their classes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs).get("class")))
        self.open += [] if tag in ("meter", "br") else [tag]

    def handle_endtag(self, tag: str) -> None:
        if tag != "meter":
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)
