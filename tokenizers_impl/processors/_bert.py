"""[CLS] one [SEP] other [SEP]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._component import unchanging
from .._layout import Layout
from .._token_lists import TokenLists
from ._post_processor import PostProcessor
from ._wrapping import Token, checked_fields, checked_token, wrapped, wrapped_layout


@unchanging
@dataclass(frozen=True, init=False, repr=False)
class BertProcessing(PostProcessor):
    """What BERT reads, as `tokenizers.processors.BertProcessing`.

    sep, cls_token: tokens with their ids.

    >>> BertProcessing(("[SEP]", 102), ("[CLS]", 101)).num_special_tokens_to_add(True)
    3
    """

    sep: Token
    cls: Token

    def __init__(self, sep: Token, cls_token: Token) -> None:
        object.__setattr__(self, "sep", checked_token("sep", sep))
        object.__setattr__(self, "cls", checked_token("cls_token", cls_token))

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """2, or 3 for a pair."""
        return 3 if is_pair else 2

    def pieces_of(self, sequences: list[TokenLists], *, add_special_tokens: bool) -> list[TokenLists]:
        """The sequences, each with its tokens."""
        if not add_special_tokens:
            return sequences
        return [
            wrapped(each, [] if i else [self.cls], [self.sep], min(i, 1), min(i, 1)) for i, each in enumerate(sequences)
        ]

    def layout(self, is_pair: bool, *, add_special_tokens: bool) -> Layout:
        """The sequences with their tokens."""
        if not add_special_tokens:
            return Layout.plain(is_pair)
        sides = [([self.cls], [self.sep]), ([], [self.sep])]
        return wrapped_layout(sides[: 1 + is_pair], [0, 1][: 1 + is_pair], ())

    def to_json(self) -> dict[str, Any]:
        """The `post_processor` object of tokenizer.json."""
        return {"type": "BertProcessing", "sep": list(self.sep), "cls": list(self.cls)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BertProcessing:
        """The way back; ValueError names what is wrong."""
        return cls(*checked_fields("BertProcessing", data))
