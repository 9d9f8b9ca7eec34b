"""Decoders one after another."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Rows
from typing import Any

from ._decoder import Decoder


class Sequence(Decoder):
    """Each takes what the one before it left, as `tokenizers.decoders.Sequence`.

    >>> from tokenizers_impl.decoders import Replace, Strip
    >>> Sequence([Replace("▁", " "), Strip(" ", left=1)]).decode(["▁▁low", "er"])
    ' lower'
    """

    def __init__(self, decoders: Iterable[Decoder]) -> None:
        self.decoders = tuple(decoders)
        for i, each in enumerate(self.decoders):
            if not isinstance(each, Decoder):
                raise ValueError(f"decoders[{i}] is {each!r}: give decoders of this package")

    def decode_chain(self, tokens: Rows[str]) -> list[str]:
        """The texts after the last of them."""
        texts = list(tokens)
        for each in self.decoders:
            texts = each.decode_chain(texts)
        return texts

    def to_json(self) -> dict[str, Any]:
        """The `decoder` object of tokenizer.json."""
        return {"type": "Sequence", "decoders": [each.to_json() for each in self.decoders]}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self.decoders == other.decoders

    def __hash__(self) -> int:
        return hash(self.decoders)

    def __repr__(self) -> str:
        return f"Sequence({list(self.decoders)!r})"
