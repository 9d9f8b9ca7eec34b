"""The tokens of a model, each with its id."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from operator import index
from typing import Any

import numpy as np

from .._arrays import I32, packed
from .._packed_strings import packed_strings, unpacked_strings
from ._trie import ABSENT, Trie

# Ids are kept as int32; the library's are uint32.
MAX_ID = 2**31 - 1


class Vocabulary:
    """Tokens and ids, which stay as they are.

    ids: from token to id.  tokens: from id to token, of several tokens with one id the last.
    Raises ValueError for a token that is no string or an id that is no integer in 0..2**31 - 1.

    >>> Vocabulary({"b": 1, "a": 0}).in_id_order()
    {'a': 0, 'b': 1}
    """

    def __init__(self, vocab: Mapping[str, int]) -> None:
        if not isinstance(vocab, Mapping):
            raise ValueError(f"vocab: {vocab!r} is no mapping from token to id")
        self.ids = dict(vocab)
        if set(map(type, self.ids.values())) - {int}:
            self.ids = {token: _integer(token, id) for token, id in self.ids.items()}
        self._check()
        self.tokens = {id: token for token, id in self.ids.items()}

    def _check(self) -> None:
        if set(map(type, self.ids)) - {str}:
            raise ValueError(f"vocab: {next(t for t in self.ids if type(t) is not str)!r} is no string")
        if self.ids and not 0 <= min(self.ids.values()) <= max(self.ids.values()) <= MAX_ID:
            token, id = next((t, i) for t, i in self.ids.items() if not 0 <= i <= MAX_ID)
            raise ValueError(f"vocab[{token!r}]: the id {id} is not in 0..{MAX_ID}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled without what is made at its first use; most often the ids are 0, 1, ..., which need no room."""
        ids = list(self.ids.values())
        counted = ids == list(range(len(ids)))
        return _unpacked, (*packed_strings(self.ids), None if counted else packed(np.array(ids, np.int64)))

    @cached_property
    def trie(self) -> Trie:
        """The tokens character by character."""
        return Trie.of(self.ids)

    @cached_property
    def byte_ids(self) -> I32:
        """The ids of <0x00>..<0xFF>, int32, shape (256,); ABSENT where there is none."""
        return np.array([self.ids.get(f"<0x{byte:02X}>", ABSENT) for byte in range(256)], np.int32)

    def in_id_order(self) -> dict[str, int]:
        """The tokens sorted by id, as files have them."""
        return dict(sorted(self.ids.items(), key=lambda entry: entry[1]))


def _unpacked(text: str, lengths: Any, ids: Any) -> Vocabulary:
    tokens = unpacked_strings(text, lengths)
    return Vocabulary(dict(zip(tokens, range(len(tokens)) if ids is None else ids.tolist(), strict=True)))


def _integer(token: str, id: Any) -> int:
    try:
        if isinstance(id, bool):
            raise TypeError
        return index(id)
    except TypeError:
        raise ValueError(f"vocab[{token!r}]: the id {id!r} is no integer") from None
