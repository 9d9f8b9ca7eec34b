"""Decoding of ids: one vocabulary, one decoder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, pairwise
from operator import index
from typing import Any, NamedTuple, NoReturn

import numpy as np

from .. import decoders
from .._core.arrays import I32, I64, U8, U32
from .._core.kernel import kernel
from .._core.options import UNORDERED, refuse_unordered
from .._text.splits import check_room, room_for
from ..decoders import Decoder, TokenDecoder
from ..models._model import Model
from .added_tokens import AddedVocabulary

# --- Decoding of ids: one vocabulary, one decoder

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


def decodings_of(model: Model, added: AddedVocabulary, decoder: Decoder | None) -> dict[bool, Decoding]:
    """By `skip_special_tokens` the decoding by that decoder, or by none, which joins tokens by spaces."""
    tokens = {flag: ShownTokens(model, added, flag) for flag in (False, True)}
    chosen = SpaceJoined() if decoder is None else decoder
    if isinstance(chosen, TokenDecoder):
        return {flag: FormDecoding(shown, chosen) for flag, shown in tokens.items()}
    return {flag: ChainDecoding(shown, chosen) for flag, shown in tokens.items()}


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


# --- The tokens that decoding shows, by id


class ShownTokens(dict[int, "str | None"]):
    """From id to token, None for an id without one and for a special token that is left out.

    Looked up in the vocabulary, which stays as it is, when first asked for.

    >>> from tokenizers_impl.models import WordLevel
    >>> tokens = ShownTokens(WordLevel({"low": 0}), AddedVocabulary.of({}, None), False)
    >>> tokens[0], tokens[1], len(tokens)
    ('low', None, 1)
    """

    def __init__(self, model: Model, added: AddedVocabulary, skip_special_tokens: bool) -> None:
        super().__init__()
        self._model, self._added = model, added
        # By its text, as in the library: a token of the model that is written like a special one is left out, too.
        self._skipped = added.special if skip_special_tokens else frozenset[str]()

    def __missing__(self, id: int) -> str | None:
        token = self.shown(id)
        # None is not kept: there are 2**32 ids.
        return None if token is None else self.setdefault(id, token)

    def shown(self, id: int) -> str | None:
        """The token, which is not kept here."""
        name = self._added.name(id)
        token = self._model.id_to_token(id) if name is None else name
        return None if token is None or token in self._skipped else token


# --- What tokens add to the bytes of a text, for one row after another and packed for many

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


# --- Ids that a caller gives to be decoded

_WHAT = "give integers from 0 to 2**32 - 1"
# Of 32 bits: it takes integers from 0 to 2**32 - 1, of numpy as well, and refuses all else.
_ID = "I"


class IdRows(NamedTuple):
    """Rows of ids.

    ids: uint32, shape (m,): of all rows, one after another.
    offsets: int64, shape (n + 1,): the ids of row i are offsets[i]:offsets[i + 1].
    """

    ids: U32
    offsets: I64

    def blocks(self, rows: int) -> Iterator[IdRows]:
        """The same in parts of so many rows."""
        for at in range(0, len(self.offsets) - 1, rows):
            offsets = self.offsets[at : at + rows + 1]
            yield IdRows(self.ids[offsets[0] : offsets[-1]], offsets - offsets[0])

    def lists(self) -> list[list[int]]:
        """Every row as a list."""
        return [self.ids[start:end].tolist() for start, end in pairwise(self.offsets.tolist())]


def id_row(ids: Any) -> array[int]:
    """One row of ids; ValueError names what is none."""
    if not _is_row(ids):
        refuse_unordered("the ids are", ids)
        raise ValueError(f"the ids are {ids!r:.80}: give {_instead(ids, 'a list of integers, also for one id')}")
    listed = ids if isinstance(ids, list) else list(ids)
    try:
        return array(_ID, listed)
    except (TypeError, OverflowError):
        _refuse([listed], "the ids hold", "; lists of ids are for decode_batch")


def id_rows(rows: Any) -> IdRows:
    """Rows of ids; ValueError names the row that is none, or what it holds."""
    if not _is_row(rows):
        refuse_unordered("the rows are", rows)
        raise ValueError(f"the rows are {rows!r}: give a list of lists of ids")
    listed = _listed(rows)
    try:
        ids = array(_ID, chain.from_iterable(listed))
    except (TypeError, OverflowError):
        _refuse(listed, "row {} holds", "")
    return IdRows(np.asarray(ids), np.asarray(array("q", accumulate(map(len, listed), initial=0))))


def _listed(rows: Iterable[Any]) -> list[list[Any]]:
    """Every row as a list; ValueError names the row that is none."""
    listed = list(rows)
    # Most often they are lists, which takes no time to see.
    if set(map(type, listed)) <= {list}:
        return listed
    for i, row in enumerate(listed):
        if not _is_row(row):
            refuse_unordered(f"row {i} is", row)
            raise ValueError(f"row {i} is {row!r:.80}: give {_instead(row, 'a list of ids; one list is for decode')}")
    return list(map(list, listed))


def _instead(value: Any, what: str) -> str:
    """What to give in place of this; an Encoding has ids."""
    return "its attribute ids" if hasattr(value, "ids") else what


def _is_row(ids: Any) -> bool:
    if isinstance(ids, list):
        return True
    return isinstance(ids, Iterable) and not isinstance(ids, (str, bytes, *UNORDERED))


def _refuse(rows: Sequence[Sequence[Any]], place: str, hint: str) -> NoReturn:
    """ValueError for the first of their elements that is no id."""
    i, id = next((i, id) for i, row in enumerate(rows) for id in row if _is_strange(id))
    raise ValueError(f"{place.format(i)} {id!r}: {_WHAT}{hint if isinstance(id, (list, tuple, np.ndarray)) else ''}")


def _is_strange(id: Any) -> bool:
    try:
        return not 0 <= index(id) < 1 << 32
    except TypeError:
        return True
