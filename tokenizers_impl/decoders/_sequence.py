"""Decoders one after another."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Rows

from .._splits import room_for
from .._step_sequence import StepSequence
from ._decoder import Decoder


class Sequence(StepSequence[Decoder], Decoder):
    """Each takes what the one before it left, as `tokenizers.decoders.Sequence`.

    >>> from tokenizers_impl.decoders import Replace, Strip
    >>> Sequence([Replace("▁", " "), Strip(" ", left=1)]).decode(["▁▁low", "er"])
    ' lower'
    """

    kind, key = Decoder, "decoders"

    def __init__(self, decoders: Iterable[Decoder]) -> None:
        super().__init__(decoders)

    def decode_chain(self, tokens: Rows[str]) -> list[str]:
        """The texts after the last of them; ValueError for those that grow beyond measure."""
        return self.decode_within(tokens, room_for(sum(map(len, tokens))))

    def decode_within(self, tokens: Rows[str], room: int) -> list[str]:
        """The same for every one of them."""
        texts = list(tokens)
        for each in self.steps:
            texts = each.decode_within(texts, room)
        return texts
