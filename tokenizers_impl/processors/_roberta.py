"""<s> one </s> </s> other </s>, white space taken out of the offsets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._component import unchanging
from .._layout import Layout, SequencePiece
from .._token_lists import TokenLists
from ._byte_level import trimmed_parts
from ._post_processor import PostProcessor
from ._wrapping import Token, checked_fields, checked_token, wrapped, wrapped_layout


@unchanging
@dataclass(frozen=True, init=False, repr=False)
class RobertaProcessing(PostProcessor):
    """What RoBERTa reads, as `tokenizers.processors.RobertaProcessing`; every type is 0.

    sep, cls_token: tokens with their ids.  trim_offsets: leave white space at the ends of a token out of its offsets.
    add_prefix_space: whether the pre-tokenizer put a space before texts, which has no place in them.

    >>> RobertaProcessing(("</s>", 2), ("<s>", 0)).num_special_tokens_to_add(True)
    4
    """

    sep: Token
    cls: Token
    trim_offsets: bool
    add_prefix_space: bool

    def __init__(self, sep: Token, cls_token: Token, trim_offsets: bool = True, add_prefix_space: bool = True) -> None:
        object.__setattr__(self, "sep", checked_token("sep", sep))
        object.__setattr__(self, "cls", checked_token("cls_token", cls_token))
        object.__setattr__(self, "trim_offsets", trim_offsets)
        object.__setattr__(self, "add_prefix_space", add_prefix_space)
        self.__post_init__()

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """2, or 4 for a pair."""
        return 4 if is_pair else 2

    def pieces_of(self, sequences: list[TokenLists], *, add_special_tokens: bool) -> list[TokenLists]:
        """The sequences, each with its tokens."""
        if self.trim_offsets:
            sequences = [trimmed_parts(each, self.add_prefix_space) for each in sequences]
        # What overflows keeps its types where no tokens are put in.
        sequences = [each.of_type(0) for each in sequences]
        if not add_special_tokens:
            return sequences
        rows = [
            wrapped(each, [self.sep if i else self.cls], [self.sep], min(i, 1), 0) for i, each in enumerate(sequences)
        ]
        return [_of_type_zero(row) for row in rows]

    def layout(self, is_pair: bool, *, add_special_tokens: bool) -> Layout:
        """The sequences with their tokens."""
        trims = (self.add_prefix_space,) if self.trim_offsets else ()
        if not add_special_tokens:
            return Layout(tuple(SequencePiece(sequence, 0) for sequence in range(1 + is_pair)), trims)
        sides = [([self.cls], [self.sep]), ([self.sep], [self.sep])]
        return wrapped_layout(sides[: 1 + is_pair], [0, 0][: 1 + is_pair], trims)

    def to_json(self) -> dict[str, Any]:
        """The `post_processor` object of tokenizer.json."""
        flags = {"trim_offsets": self.trim_offsets, "add_prefix_space": self.add_prefix_space}
        return {"type": "RobertaProcessing", "sep": list(self.sep), "cls": list(self.cls), **flags}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RobertaProcessing:
        """The way back; ValueError names what is wrong."""
        return cls(*checked_fields("RobertaProcessing", data, ("trim_offsets", "add_prefix_space")))


def _of_type_zero(row: TokenLists) -> TokenLists:
    return row.of_type(0).with_changed_overflow(row, _of_type_zero)
