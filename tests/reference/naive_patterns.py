"""A regular expression searched by backtracking as it is defined, which counts how often it reads each character."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tokenizers_impl._patterns.char_sets import lone_word_chars
from tokenizers_impl._patterns.nodes import Anchor, Atomic, Chain, Char, Choice, Look, Node, OneOf, Place, Repeat

_WORD = lone_word_chars().bounds.tolist()


def _holds(bounds: list[int], char: str) -> bool:
    return any(first <= ord(char) < end for first, end in zip(bounds[::2], bounds[1::2], strict=True))


class NaiveSearch:
    """All matches of an expression in a text, and in `reads` how often each character was read outside look-arounds."""

    def __init__(self, node: Node, text: str) -> None:
        self.text = text
        self.reads = [0] * len(text)
        self.matches: list[tuple[int, int]] = []
        start = 0
        while start < len(text):
            end = next(self._ends(node, start, self._count), None)
            if end is not None:
                self.matches.append((start, end))
            start = start + 1 if end is None or end == start else end

    def _count(self, at: int) -> None:
        self.reads[at] += 1

    def _ends(self, node: Node, at: int, read: Callable[[int], None]) -> Iterator[int]:
        """Where the part can end that begins at a position, in the order in which the ends are tried."""
        match node:
            case Char() | OneOf():
                if at < len(self.text) and self._is(node, self.text[at]):
                    read(at)
                    yield at + 1
            case Chain(parts):
                yield from self._chain(parts, at, read)
            case Choice(alternatives):
                for each in alternatives:
                    yield from self._ends(each, at, read)
            case Repeat():
                repeats = self._repeats(node, at, 0, read)
                yield from [end for end in [next(repeats, None)] if end is not None] if node.mode == "+" else repeats
            case Atomic(part):
                end = next(self._ends(part, at, read), None)
                if end is not None:
                    yield end
            case Look(part, behind, negative):
                begins = range(at + 1) if behind else [at]
                ends = (end for begin in begins for end in self._ends(part, begin, lambda at: None))
                if any(end == at if behind else True for end in ends) != negative:
                    yield at
            case Anchor(place):
                if self._is_at(place, at):
                    yield at

    def _is(self, node: Char | OneOf, char: str) -> bool:
        return ord(char) == node.code if isinstance(node, Char) else _holds(node.chars.bounds.tolist(), char)

    def _chain(self, parts: tuple[Node, ...], at: int, read: Callable[[int], None]) -> Iterator[int]:
        if not parts:
            yield at
            return
        for end in self._ends(parts[0], at, read):
            yield from self._chain(parts[1:], end, read)

    def _repeats(self, node: Repeat, at: int, done: int, read: Callable[[int], None]) -> Iterator[int]:
        is_enough, may_go_on = done >= node.least, node.most is None or done < node.most
        if is_enough and node.mode == "?":
            yield at
        if may_go_on:
            for end in self._ends(node.part, at, read):
                yield from self._repeats(node, end, done + 1, read)
        if is_enough and node.mode != "?":
            yield at

    def _is_at(self, place: Place, at: int) -> bool:
        text, end = self.text, len(self.text)
        edges = [0 <= i < end and _holds(_WORD, text[i]) for i in (at - 1, at)]
        return {
            Place.TEXT_BEGIN: at == 0,
            Place.TEXT_END: at == end,
            Place.TEXT_END_OR_LAST_LINE_FEED: text[at:] in ("", "\n"),
            Place.LINE_BEGIN: at == 0 or (text[at - 1] == "\n" and at < end),
            Place.LINE_END: at == end or text[at] == "\n",
            Place.WORD_EDGE: edges[0] != edges[1],
            Place.NO_WORD_EDGE: edges[0] == edges[1],
        }[place]
