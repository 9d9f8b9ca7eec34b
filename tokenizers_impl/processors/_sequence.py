"""Post-processors one after another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from .._layout import Layout
from .._token_lists import TokenLists
from ._post_processor import PostProcessor


class Sequence(PostProcessor):
    """Each works on the pieces of the one before it, as `tokenizers.processors.Sequence`."""

    def __init__(self, processors: Iterable[PostProcessor]) -> None:
        listed = list(processors)
        for i, each in enumerate(listed):
            if not isinstance(each, PostProcessor):
                raise ValueError(f"processors[{i}] is {each!r}: give post-processors of this package")
        self.processors = tuple(inner for each in listed for inner in _flat(each))

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """What all of them put in."""
        return sum(each.num_special_tokens_to_add(is_pair) for each in self.processors)

    def pieces_of(self, sequences: list[TokenLists], *, add_special_tokens: bool) -> list[TokenLists]:
        """The pieces that the last of them makes."""
        for each in self.processors:
            sequences = each.pieces_of(sequences, add_special_tokens=add_special_tokens)
        return sequences

    def layout(self, is_pair: bool, *, add_special_tokens: bool) -> Layout | None:
        """That of the last one, if those before it put nothing in."""
        plain = Layout.plain(is_pair)
        done = plain
        for each in self.processors:
            layout = each.layout(is_pair, add_special_tokens=add_special_tokens)
            if layout is None or done.pieces != plain.pieces:
                return None
            done = replace(layout, trims=(*done.trims, *layout.trims))
        return done

    def to_json(self) -> dict[str, Any]:
        """The `post_processor` object of tokenizer.json."""
        return {"type": "Sequence", "processors": [each.to_json() for each in self.processors]}

    def __getitem__(self, index: int) -> PostProcessor:
        return self.processors[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self.processors == other.processors

    def __hash__(self) -> int:
        return hash(self.processors)

    def __repr__(self) -> str:
        return f"Sequence({list(self.processors)!r})"


def _flat(processor: PostProcessor) -> tuple[PostProcessor, ...]:
    return processor.processors if isinstance(processor, Sequence) else (processor,)
