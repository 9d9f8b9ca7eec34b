"""What tokens add to the bytes of a text, for one row after another and packed for many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from ._arrays import I32, I64, U8, U32
from ._kernel import kernel
from ._shown_tokens import ShownTokens
from .decoders import TokenDecoder

# Where a token stands in its row, as bits: the order of the forms of a token.
_INNER, _FIRST, _LAST, _ONLY = range(4)
# In place of a place: an id that was not looked up yet, one that adds nothing.
_NEW, _LEFT_OUT = -1, -2

Forms = tuple[bytes, ...]


class TokenForms(dict[int, Forms]):
    """From id to what its token adds as an inner one, the first, the last, the only one; () for an id left out.

    Made when first asked for, since neither tokens nor decoders change.
    """

    def __init__(self, tokens: ShownTokens, decoder: TokenDecoder) -> None:
        super().__init__()
        self._tokens, self._decoder = tokens, decoder

    def __missing__(self, id: int) -> Forms:
        forms = self.made(id)
        return self.setdefault(id, forms) if forms else forms

    def made(self, id: int) -> Forms:
        """The forms, which are not kept here."""
        token = self._tokens.shown(id)
        return () if token is None else self._decoder.token_forms(token)

    def joined(self, ids: Sequence[int]) -> bytes:
        """The bytes of one row."""
        shown = [forms for forms in map(self.__getitem__, ids) if forms]
        if len(shown) < 2:
            return shown[0][_ONLY] if shown else b""
        parts = [forms[_INNER] for forms in shown]
        parts[0], parts[-1] = shown[0][_FIRST], shown[-1][_LAST]
        return b"".join(parts)


class JoinedRows(NamedTuple):
    """The bytes of many rows, one after another.

    data: uint8.  ends, char_ends: int64, shape (rows,): where each row ends, in bytes and in characters of UTF-8.
    aligned: whether no row begins inside a character.
    """

    data: U8
    ends: I64
    char_ends: I64
    aligned: bool


class PackedForms(NamedTuple):
    """Forms as arrays, never changed, only replaced.

    places: int32, by id: the number of the first of its four forms; _NEW, _LEFT_OUT.
    data: uint8: the forms one after another.  offsets: int64: form i is data[offsets[i]:offsets[i + 1]].

    >>> packed = PackedForms.of_none().with_forms({2: (b"a", b"b", b"c", b"d"), 0: ()})
    >>> packed.new_ids(np.array([0, 1, 2, 9], np.uint32))
    [1, 9]
    >>> packed.joined(np.array([2, 2, 2, 0], np.uint32), np.array([0, 3, 4])).data.tobytes()
    b'bac'
    """

    places: I32
    data: U8
    offsets: I64

    @classmethod
    def of_none(cls) -> PackedForms:
        """Without any."""
        return cls(np.empty(0, np.int32), np.empty(0, np.uint8), np.zeros(1, np.int64))

    def new_ids(self, ids: U32) -> list[int]:
        """Those among these that are not in it, each once, ascending."""
        found: list[int] = _new_ids(ids, self.places).tolist()
        return sorted(set(found))

    def with_forms(self, added: Mapping[int, Forms]) -> PackedForms:
        """The same with the forms of other ids."""
        flat = list(chain.from_iterable(added.values()))
        sizes = np.fromiter(map(len, flat), np.int64, len(flat))
        places = np.full(max(len(self.places), *(id + 1 for id in added)), _NEW, np.int32)
        places[: len(self.places)] = self.places
        free = len(self.offsets) - 1
        for id, forms in added.items():
            places[id] = free if forms else _LEFT_OUT
            free += len(forms)
        data = np.concatenate((self.data, np.frombuffer(b"".join(flat), np.uint8)))
        return PackedForms(places, data, np.concatenate((self.offsets, self.offsets[-1] + np.cumsum(sizes))))

    def joined(self, ids: U32, offsets: I64) -> JoinedRows:
        """The bytes of rows of ids, all of which are in it."""
        return JoinedRows(*_joined(*_chosen(ids, offsets, self.places), self.data, self.offsets))


@kernel
def _new_ids(ids: U32, places: I32) -> U32:
    """Those that have no place yet."""
    found = np.empty(len(ids), np.uint32)
    n = 0
    for id in ids:
        if id >= len(places) or places[id] == _NEW:
            found[n] = id
            n += 1
    return found[:n]


@kernel
def _chosen(ids: U32, offsets: I64, places: I32) -> tuple[I32, I64]:
    """The forms of all rows by their number, and where each row of them ends."""
    forms, ends = np.empty(len(ids), np.int32), np.empty(len(offsets) - 1, np.int64)
    n = 0
    for row in range(len(ends)):
        first = n
        for id in ids[offsets[row] : offsets[row + 1]]:
            if places[id] >= 0:
                forms[n] = places[id]
                n += 1
        if n > first:
            forms[first] += _FIRST
            forms[n - 1] += _LAST
        ends[row] = n
    return forms[:n], ends


@kernel
def _joined(forms: I32, ends: I64, data: U8, offsets: I64) -> tuple[U8, I64, I64, bool]:
    """The fields of JoinedRows."""
    size = 0
    for form in forms:
        size += offsets[form + 1] - offsets[form]
    out, out_ends, char_ends = np.empty(size, np.uint8), np.empty_like(ends), np.empty_like(ends)
    at, chars, start, aligned = 0, 0, 0, True
    for row in range(len(ends)):
        begin = at
        for form in forms[start : ends[row]]:
            for k in range(offsets[form], offsets[form + 1]):
                out[at] = data[k]
                chars += data[k] & 0xC0 != 0x80
                at += 1
        aligned &= at == begin or out[begin] & 0xC0 != 0x80
        out_ends[row], char_ends[row], start = at, chars, ends[row]
    return out, out_ends, char_ends, aligned
