"""Decoding of many rows of ids at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import numpy as np

from . import decoders
from ._arrays import I32, I64, U8
from ._kernel import kernel
from ._splits import check_room, room_for
from .decoders import Decoder, TokenDecoder

# Where a token stands in its row, as bits: the order of the four forms of a token.
_FIRST, _LAST = 1, 2
# The largest id for which there is a table of all ids up to it.
_LARGEST_TABLE = 1 << 24


def decode_rows(rows: Sequence[Sequence[int]], tokens: Mapping[int, str], decoder: Decoder) -> list[str]:
    """The text of every row of ids; ids that `tokens` does not name are left out.

    Every distinct token is decoded once, as the first, the last, the only and an inner one, and a kernel puts the bytes
    together; but a decoder that looks at more than one token takes row by row.
    """
    if not isinstance(decoder, TokenDecoder):
        return _row_by_row(rows, tokens, decoder)
    flat = np.fromiter(chain.from_iterable(rows), np.int64)
    ends = np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)))
    if max(tokens, default=0) > _LARGEST_TABLE:
        # A vocabulary with such gaps: its ids are numbered anew.
        numbers = {id: number for number, id in enumerate(tokens)}
        return decode_rows(
            [[numbers[id] for id in row if id in numbers] for row in rows], dict(enumerate(tokens.values())), decoder
        )
    table = np.full(max(tokens, default=-1) + 1, -1, np.int32)
    table[np.fromiter(tokens, np.int64, len(tokens))] = np.arange(len(tokens))
    forms = list(chain.from_iterable(map(decoder.token_forms, tokens.values())))
    form_ends = np.cumsum(np.fromiter(map(len, forms), np.int64, len(forms)))
    form_offsets = np.concatenate((np.zeros(1, np.int64), form_ends))
    joined, joined_ends = _joined(flat, ends, table, np.frombuffer(b"".join(forms), np.uint8), form_offsets)
    return _texts(joined, joined_ends, decoder)


def _row_by_row(rows: Sequence[Sequence[int]], tokens: Mapping[int, str], decoder: Decoder) -> list[str]:
    """The same with the steps at the beginning that edit every token by itself done once for each distinct token."""
    steps = list(decoder.steps if isinstance(decoder, decoders.Sequence) else (decoder,))
    rows = [[id for id in row if id in tokens] for row in rows]
    room = room_for(sum(len(tokens[id]) for row in rows for id in row))
    texts = list(tokens.values())
    while steps and isinstance(steps[0], (decoders.Replace, decoders.Strip)):
        texts = steps.pop(0).decode_within(texts, room_for(sum(map(len, tokens.values()))))
    edited = dict(zip(tokens, texts, strict=True))
    check_room(sum(len(edited[id]) for row in rows for id in row), room)
    rest, decoded = decoders.Sequence(steps), list[str]()
    for row in rows:
        decoded.append("".join(rest.decode_within([edited[id] for id in row], room)))
        room -= len(decoded[-1])
    return decoded


def _texts(data: U8, ends: I64, decoder: TokenDecoder) -> list[str]:
    """The text of every row of bytes."""
    whole = data.tobytes()
    aligned, char_ends = _char_ends(data, ends)
    text = _utf8_or_none(whole) if aligned else None
    if text is None:
        rows = [decoder.read(whole[start:end]) for start, end in _bounds(ends)]
    else:
        rows = [text[start:end] for start, end in _bounds(char_ends)]
    return list(map(decoder.polish, rows))


def _utf8_or_none(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _bounds(ends: I64) -> Iterator[tuple[int, int]]:
    """Start and end of every row."""
    listed = ends.tolist()
    return zip([0, *listed], listed, strict=False)


@kernel
def _char_ends(data: U8, ends: I64) -> tuple[bool, I64]:
    """Whether no row begins inside a character; where each row ends, in characters."""
    aligned, char_ends = True, np.empty(len(ends), np.int64)
    at, chars = 0, 0
    for row in range(len(ends)):
        if at < ends[row] and data[at] & 0xC0 == 0x80:
            aligned = False
        for i in range(at, ends[row]):
            chars += data[i] & 0xC0 != 0x80
        at, char_ends[row] = ends[row], chars
    return aligned, char_ends


class SpaceJoined(TokenDecoder):
    """What a tokenizer without a decoder does: tokens joined by spaces."""

    def decode_token(self, token: str, *, is_first: bool, is_last: bool) -> str:
        """The token, a space before it if it is not the first."""
        return token if is_first else f" {token}"


@kernel
def _joined(ids: I64, ends: I64, table: I32, data: U8, offsets: I64) -> tuple[U8, I64]:
    """The bytes of all rows, and where each row ends."""
    places, row_ends = np.empty(len(ids), np.int32), np.empty(len(ends), np.int64)
    total, kept, start = 0, 0, 0
    for row in range(len(ends)):
        first = kept
        for i in range(start, ends[row]):
            if 0 <= ids[i] < len(table) and table[ids[i]] >= 0:
                places[kept] = 4 * table[ids[i]]
                kept += 1
        if kept > first:
            places[first] += _FIRST
            places[kept - 1] += _LAST
        for i in range(first, kept):
            total += offsets[places[i] + 1] - offsets[places[i]]
        row_ends[row], start = total, ends[row]
    out = np.empty(total, np.uint8)
    at = 0
    for i in range(kept):
        for k in range(offsets[places[i]], offsets[places[i] + 1]):
            out[at] = data[k]
            at += 1
    return out, row_ends
