"""Decoding of ids to texts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, pairwise, takewhile
from operator import index
from typing import Any, NamedTuple, NoReturn

import numpy as np

from evenscore.kernel import kernel

from .. import decoders
from .._core.arrays import I32, I64, U8, U32
from .._core.options import UNORDERED, refuse_unordered
from .._text.splits import check_room, room_for
from ..decoders import Decoder, TokenDecoder
from ..models._model import Model
from .added_tokens import AddedVocabulary

# --- Decoding with one vocabulary and one decoder

# The largest id of a lookup table, and the number of ids below which arrays are slower than a loop.
_LARGEST_TABLE, _FEW = 1 << 20, 1 << 5
# Rows that are joined at a time, so that they stay in the processor's cache.
_ROWS = 1 << 12


class Decoding(ABC):
    """Decodes ids to texts; ids without a token, and those of skipped tokens, are skipped."""

    @abstractmethod
    def decode(self, ids: Sequence[int]) -> str:
        """The text of one row."""

    @abstractmethod
    def decode_rows(self, rows: IdRows) -> list[str]:
        """The text of every row."""


def decodings_of(model: Model, added: AddedVocabulary, decoder: Decoder | None) -> dict[bool, Decoding]:
    """The decodings by `skip_special_tokens`; decoder=None joins tokens by spaces."""
    tokens = {flag: ShownTokens(model, added, flag) for flag in (False, True)}
    chosen = SpaceJoined() if decoder is None else decoder
    if isinstance(chosen, TokenDecoder):
        return {flag: FormDecoding(shown, chosen) for flag, shown in tokens.items()}
    kind = GrowingDecoding if chosen.grows else ChainDecoding
    return {flag: kind(shown, chosen) for flag, shown in tokens.items()}


class SpaceJoined(TokenDecoder):
    """The decoding of a tokenizer without a decoder: tokens joined by spaces."""

    def decode_token(self, token: str, *, is_first: bool, is_last: bool) -> str:
        """The token, after a space unless it is the first."""
        return token if is_first else f" {token}"


class FormDecoding(Decoding):
    """Decodes each distinct token once for every position it may have in a row, then joins bytes."""

    def __init__(self, tokens: ShownTokens, decoder: TokenDecoder) -> None:
        self._decoder = decoder
        self._forms = TokenForms(tokens, decoder)
        self._packed = PackedForms.of_none()

    def decode(self, ids: Sequence[int]) -> str:
        """The text of one row, computed without arrays, which are slower for few ids."""
        return self._decoder.polish([self._decoder.read(self._forms.joined(ids))])[0]

    def decode_rows(self, rows: IdRows) -> list[str]:
        """The text of every row."""
        if len(rows.ids) < _FEW or rows.ids.max() > _LARGEST_TABLE:
            return list(map(self.decode, rows.lists()))
        packed = self._packed_with(rows)
        joined = (packed.joined(*block) for block in rows.blocks(_ROWS))
        return self._decoder.polish(list(chain.from_iterable(map(self._read, joined))))

    def _packed_with(self, rows: IdRows) -> PackedForms:
        """The packed forms, extended by those of these ids."""
        packed = self._packed
        if new := packed.new_ids(rows.ids):
            packed = packed.with_forms({id: self._forms.made(id) for id in new})
            # If two threads add forms at once, those of one are lost and computed again when needed.
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
    """Decodes row by row, for decoders that look at several tokens at once and make no text longer."""

    def __init__(self, tokens: ShownTokens, decoder: Decoder) -> None:
        steps = list(decoder.steps) if isinstance(decoder, decoders.Sequence) else [decoder]
        leading = list(takewhile(_edits_tokens, steps))
        self._edited, self._rest = EditedTokens(tokens, leading), steps[len(leading) :]

    def decode(self, ids: Sequence[int]) -> str:
        """The text of one row; steps at the beginning that edit single tokens run once per distinct token."""
        texts = [text for text in map(self._edited.__getitem__, ids) if text is not None]
        for each in self._rest:
            texts = each.decode_chain(texts)
        return "".join(texts)

    def decode_rows(self, rows: IdRows) -> list[str]:
        """The text of every row."""
        return list(map(self.decode, rows.lists()))


def _edits_tokens(step: Decoder) -> bool:
    """Whether a decoder edits every token by itself, wherever it is."""
    return isinstance(step, (decoders.Replace, decoders.Strip))


class GrowingDecoding(Decoding):
    """Decodes row by row, with a limit of the texts' growth."""

    def __init__(self, tokens: ShownTokens, decoder: Decoder) -> None:
        self._tokens, self._decoder = tokens, decoder

    def decode(self, ids: Sequence[int]) -> str:
        """The text of one row."""
        return self._decoder.decode([token for token in map(self._tokens.__getitem__, ids) if token is not None])

    def decode_rows(self, rows: IdRows) -> list[str]:
        """The text of every row; leading steps that edit single tokens run once per distinct token."""
        named = {id: token for id in set(rows.ids.tolist()) if (token := self._tokens[id]) is not None}
        listed = [[id for id in row if id in named] for row in rows.lists()]
        room = room_for(sum(len(named[id]) for row in listed for id in row))
        steps = list(self._decoder.steps if isinstance(self._decoder, decoders.Sequence) else (self._decoder,))
        texts = list(named.values())
        while steps and _edits_tokens(steps[0]):
            texts = steps.pop(0).decode_within(texts, room_for(sum(map(len, named.values()))))
        edited = dict(zip(named, texts, strict=True))
        check_room(sum(len(edited[id]) for row in listed for id in row), room)
        rest, decoded = decoders.Sequence(steps), list[str]()
        for row in listed:
            decoded.append("".join(rest.decode_within([edited[id] for id in row], room)))
            room -= len(decoded[-1])
        return decoded


# --- The texts of tokens, by id


class ShownTokens(dict[int, "str | None"]):
    """From id to token; None for an id without a token and for a skipped special token.

    A token is looked up in the vocabulary on first use.

    >>> from tokenizers_impl.models import WordLevel
    >>> tokens = ShownTokens(WordLevel({"low": 0}), AddedVocabulary.of({}, None), False)
    >>> tokens[0], tokens[1], len(tokens)
    ('low', None, 1)
    """

    def __init__(self, model: Model, added: AddedVocabulary, skip_special_tokens: bool) -> None:
        super().__init__()
        self._model, self._added = model, added
        # As in the library, texts decide: a token of the model with the text of a special token is skipped, too.
        self._skipped = added.special if skip_special_tokens else frozenset[str]()

    def __missing__(self, id: int) -> str | None:
        token = self.shown(id)
        # None is not cached, because there are 2**32 ids.
        return None if token is None else self.setdefault(id, token)

    def shown(self, id: int) -> str | None:
        """The token, without caching it."""
        name = self._added.name(id)
        token = self._model.id_to_token(id) if name is None else name
        return None if token is None or token in self._skipped else token


class EditedTokens(dict[int, "str | None"]):
    """From id to the token after some decoders have edited it; None for an id that is skipped."""

    def __init__(self, tokens: ShownTokens, steps: Sequence[Decoder]) -> None:
        super().__init__()
        self._tokens, self._steps = tokens, steps

    def __missing__(self, id: int) -> str | None:
        token = self._tokens.shown(id)
        if token is None:
            # None is not cached, because there are 2**32 ids.
            return None
        texts = [token]
        for each in self._steps:
            texts = each.decode_chain(texts)
        return self.setdefault(id, texts[0])


# --- The bytes that a token adds to a text (its forms), for single rows and packed for many

# The position of a token in its row, as bits; also the index of the form.
_INNER, _FIRST, _LAST, _ONLY = range(4)
# Places of ids that were not looked up yet, and of ids that add nothing.
_NEW, _LEFT_OUT = -1, -2

Forms = tuple[bytes, ...]


class TokenForms(dict[int, Forms]):
    """From id to the bytes of its token as an inner, first, last and only token; () for a skipped id.

    Forms are computed on first use.
    """

    def __init__(self, tokens: ShownTokens, decoder: TokenDecoder) -> None:
        super().__init__()
        self._tokens, self._decoder = tokens, decoder
        # The forms as inner tokens, of the ids that are kept.
        self._inner: dict[int, bytes] = {}

    def __missing__(self, id: int) -> Forms:
        forms = self.made(id)
        if not forms:
            return forms
        self._inner[id] = forms[_INNER]
        return self.setdefault(id, forms)

    def made(self, id: int) -> Forms:
        """The forms, without caching them."""
        token = self._tokens.shown(id)
        return () if token is None else self._decoder.token_forms(token)

    def joined(self, ids: Sequence[int]) -> bytes:
        """The bytes of one row."""
        try:
            parts = list(map(self._inner.__getitem__, ids))
        except KeyError:
            return self._joined(ids)
        if len(parts) < 2:
            return self._joined(ids)
        parts[0], parts[-1] = self[ids[0]][_FIRST], self[ids[-1]][_LAST]
        return b"".join(parts)

    def _joined(self, ids: Sequence[int]) -> bytes:
        """The bytes of one row, of which some ids may be new or skipped."""
        shown = [forms for forms in map(self.__getitem__, ids) if forms]
        if len(shown) < 2:
            return shown[0][_ONLY] if shown else b""
        parts = [forms[_INNER] for forms in shown]
        parts[0], parts[-1] = shown[0][_FIRST], shown[-1][_LAST]
        return b"".join(parts)


class JoinedRows(NamedTuple):
    """The concatenated bytes of many rows.

    data: uint8.  ends, char_ends: int64, shape (rows,); the end of each row in bytes, and in UTF-8 characters.
    aligned: whether no row begins inside a character.
    """

    data: U8
    ends: I64
    char_ends: I64
    aligned: bool


class PackedForms(NamedTuple):
    """Forms as immutable arrays.

    places: int32, by id; the index of the first of its four forms, or _NEW or _LEFT_OUT.
    data: uint8, the concatenated forms.  offsets: int64; form i is data[offsets[i]:offsets[i + 1]].

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
        """Build an empty record."""
        return cls(np.empty(0, np.int32), np.empty(0, np.uint8), np.zeros(1, np.int64))

    def new_ids(self, ids: U32) -> list[int]:
        """The ids whose forms are missing, distinct and ascending."""
        found: list[int] = _new_ids(ids, self.places).tolist()
        return sorted(set(found))

    def with_forms(self, added: Mapping[int, Forms]) -> PackedForms:
        """Add the forms of other ids."""
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
        """Join rows of ids, whose forms must all be present."""
        return JoinedRows(*_joined(*_chosen(ids, offsets, self.places), self.data, self.offsets))


@kernel
def _new_ids(ids: U32, places: I32) -> U32:
    """The ids without a place."""
    found = np.empty(len(ids), np.uint32)
    n = 0
    for id in ids:
        if id >= len(places) or places[id] == _NEW:
            found[n] = id
            n += 1
    return found[:n]


@kernel
def _chosen(ids: U32, offsets: I64, places: I32) -> tuple[I32, I64]:
    """The indices of the forms of all rows, and the end of each row."""
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


# --- The ids of `decode` and its variants, checked

_WHAT = "give integers from 0 to 2**32 - 1"
# The array type of 32 bits; it accepts integers from 0 to 2**32 - 1, also numpy's, and nothing else.
_ID = "I"


class IdRows(NamedTuple):
    """n rows of ids.

    ids: uint32, shape (m,), concatenated.
    offsets: int64, shape (n + 1,); the ids of row i are ids[offsets[i]:offsets[i + 1]].
    """

    ids: U32
    offsets: I64

    def blocks(self, rows: int) -> Iterator[IdRows]:
        """Yield parts of `rows` rows."""
        for at in range(0, len(self.offsets) - 1, rows):
            offsets = self.offsets[at : at + rows + 1]
            yield IdRows(self.ids[offsets[0] : offsets[-1]], offsets - offsets[0])

    def lists(self) -> list[list[int]]:
        """Every row as a list."""
        return [self.ids[start:end].tolist() for start, end in pairwise(self.offsets.tolist())]


def id_row(ids: Any) -> array[int]:
    """Check one row of ids; ValueError names an element that is not an id."""
    if not isinstance(ids, list) and not _is_row(ids):
        refuse_unordered("the ids are", ids)
        raise ValueError(f"the ids are {ids!r:.80}: give {_instead(ids, 'a list of integers, also for one id')}")
    listed = ids if isinstance(ids, list) else list(ids)
    try:
        return array(_ID, listed)
    except (TypeError, OverflowError):
        _refuse([listed], "the ids hold", "; lists of ids are for decode_batch")


def id_rows(rows: Any) -> IdRows:
    """Check rows of ids; ValueError names an invalid row or element."""
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
    """Every row as a list; ValueError names an invalid row."""
    listed = list(rows)
    # The usual case, lists only, is fast to recognize.
    if set(map(type, listed)) <= {list}:
        return listed
    for i, row in enumerate(listed):
        if not _is_row(row):
            refuse_unordered(f"row {i} is", row)
            raise ValueError(f"row {i} is {row!r:.80}: give {_instead(row, 'a list of ids; one list is for decode')}")
    return list(map(list, listed))


def _instead(value: Any, what: str) -> str:
    """What to give instead of this value; for an Encoding, its ids."""
    return "its attribute ids" if hasattr(value, "ids") else what


def _is_row(ids: Any) -> bool:
    if isinstance(ids, list):
        return True
    return isinstance(ids, Iterable) and not isinstance(ids, (str, bytes, *UNORDERED))


def _refuse(rows: Sequence[Sequence[Any]], place: str, hint: str) -> NoReturn:
    """ValueError for the first element that is not an id."""
    i, id = next((i, id) for i, row in enumerate(rows) for id in row if _is_strange(id))
    raise ValueError(f"{place.format(i)} {id!r}: {_WHAT}{hint if isinstance(id, (list, tuple, np.ndarray)) else ''}")


def _is_strange(id: Any) -> bool:
    try:
        return not 0 <= index(id) < 1 << 32
    except TypeError:
        return True
