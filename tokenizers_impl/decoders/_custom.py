"""A decoder of the user's own."""

from __future__ import annotations

from collections.abc import Sequence

from .._custom_component import CustomComponent
from ._decoder import Decoder


class CustomDecoder(CustomComponent, Decoder):
    """An object whose method `decode_chain` makes texts of tokens; see `Decoder.custom`."""

    base, part, method = "Decoder", "decoder", "decode_chain"

    def decode_chain(self, tokens: Sequence[str]) -> list[str]:
        """The texts that the object makes; ValueError if it makes anything else."""
        texts = self.component.decode_chain(list(tokens))
        is_list = isinstance(texts, Sequence) and not isinstance(texts, str)
        if not is_list or not all(isinstance(text, str) for text in texts):
            raise ValueError(f"{self.name} returned {texts!r} from decode_chain: give a list of strings")
        return list(texts)
