"""Post-processors one after another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .._layout import Layout
from .._step_sequence import FlatSequence
from .._token_lists import TokenLists
from ._post_processor import PostProcessor


class Sequence(FlatSequence[PostProcessor], PostProcessor):
    """Each works on the pieces of the one before it, as `tokenizers.processors.Sequence`."""

    kind, key = PostProcessor, "processors"

    def __init__(self, processors: Iterable[PostProcessor]) -> None:
        super().__init__(processors)

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """What all of them put in."""
        return sum(each.num_special_tokens_to_add(is_pair) for each in self.steps)

    def pieces_of(self, sequences: list[TokenLists], *, add_special_tokens: bool) -> list[TokenLists]:
        """The pieces that the last of them makes."""
        for each in self.steps:
            sequences = each.pieces_of(sequences, add_special_tokens=add_special_tokens)
        return sequences

    def layout(self, is_pair: bool, *, add_special_tokens: bool) -> Layout | None:
        """That of the last one, if those before it put nothing in."""
        plain = Layout.plain(is_pair)
        done = plain
        for each in self.steps:
            layout = each.layout(is_pair, add_special_tokens=add_special_tokens)
            if layout is None or done.pieces != plain.pieces:
                return None
            done = replace(layout, trims=(*done.trims, *layout.trims))
        return done
