"""Decoding of ids: one vocabulary, one decoder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import chain, pairwise

from . import decoders
from ._id_rows import IdRows
from ._shown_tokens import ShownTokens
from ._splits import check_room, room_for
from ._token_forms import JoinedRows, PackedForms, TokenForms
from .decoders import Decoder, TokenDecoder

# The largest id for which there is a table of all ids up to it; fewer ids take longer in arrays than one by one.
_LARGEST_TABLE, _FEW = 1 << 20, 1 << 5
# Rows that are put together at a time, so that they stay in the processor's cache.
_ROWS = 1 << 12


class Decoding(ABC):
    """From ids to texts; ids that no token has, or one that is left out, are left out."""

    @abstractmethod
    def decode(self, ids: Sequence[int]) -> str:
        """The text of one row."""

    @abstractmethod
    def decode_rows(self, rows: IdRows) -> list[str]:
        """The text of every row."""


def decoding_of(tokens: ShownTokens, decoder: Decoder | None) -> Decoding:
    """The decoding by that decoder, or by none, which joins tokens by spaces."""
    chosen = SpaceJoined() if decoder is None else decoder
    return FormDecoding(tokens, chosen) if isinstance(chosen, TokenDecoder) else ChainDecoding(tokens, chosen)


class SpaceJoined(TokenDecoder):
    """What a tokenizer without a decoder does: tokens joined by spaces."""

    def decode_token(self, token: str, *, is_first: bool, is_last: bool) -> str:
        """The token, a space before it if it is not the first."""
        return token if is_first else f" {token}"


class FormDecoding(Decoding):
    """Every token is decoded once, for every place in a row that it may have; then bytes are put together."""

    def __init__(self, tokens: ShownTokens, decoder: TokenDecoder) -> None:
        self._decoder = decoder
        self._forms = TokenForms(tokens, decoder)
        self._packed = PackedForms.of_none()

    def decode(self, ids: Sequence[int]) -> str:
        """The text of one row, without the arrays, which take longer for so few."""
        return self._decoder.polish([self._decoder.read(self._forms.joined(ids))])[0]

    def decode_rows(self, rows: IdRows) -> list[str]:
        """The text of every row."""
        if len(rows.ids) < _FEW or rows.ids.max() > _LARGEST_TABLE:
            return list(map(self.decode, rows.lists()))
        packed = self._packed_with(rows)
        joined = (packed.joined(*block) for block in rows.blocks(_ROWS))
        return self._decoder.polish(list(chain.from_iterable(map(self._read, joined))))

    def _packed_with(self, rows: IdRows) -> PackedForms:
        """The packed forms, those of these ids among them."""
        packed = self._packed
        if new := packed.new_ids(rows.ids):
            packed = packed.with_forms({id: self._forms.made(id) for id in new})
            # Of two threads that come here at once one loses what it added, which is made anew when it is needed.
            self._packed = packed
        return packed

    def _read(self, rows: JoinedRows) -> list[str]:
        """The text of every row of bytes."""
        data = rows.data.tobytes()
        text = _utf8_or_none(data) if rows.aligned else None
        if text is None:
            return [self._decoder.read(data[start:end]) for start, end in pairwise([0, *rows.ends.tolist()])]
        return [text[start:end] for start, end in pairwise([0, *rows.char_ends.tolist()])]


def _utf8_or_none(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


class ChainDecoding(Decoding):
    """A decoder that looks at more than one token takes row by row."""

    def __init__(self, tokens: ShownTokens, decoder: Decoder) -> None:
        self._tokens, self._decoder = tokens, decoder

    def decode(self, ids: Sequence[int]) -> str:
        """The text of one row."""
        return self._decoder.decode([token for token in map(self._tokens.__getitem__, ids) if token is not None])

    def decode_rows(self, rows: IdRows) -> list[str]:
        """The same, the steps at the beginning that edit every token by itself done once for each distinct token."""
        named = {id: token for id in set(rows.ids.tolist()) if (token := self._tokens[id]) is not None}
        listed = [[id for id in row if id in named] for row in rows.lists()]
        room = room_for(sum(len(named[id]) for row in listed for id in row))
        steps = list(self._decoder.steps if isinstance(self._decoder, decoders.Sequence) else (self._decoder,))
        texts = list(named.values())
        while steps and isinstance(steps[0], (decoders.Replace, decoders.Strip)):
            texts = steps.pop(0).decode_within(texts, room_for(sum(map(len, named.values()))))
        edited = dict(zip(named, texts, strict=True))
        check_room(sum(len(edited[id]) for row in listed for id in row), room)
        rest, decoded = decoders.Sequence(steps), list[str]()
        for row in listed:
            decoded.append("".join(rest.decode_within([edited[id] for id in row], room)))
            room -= len(decoded[-1])
        return decoded
