"""What every model offers; the vocabulary that most have, with the arrays of their kernels."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from operator import index
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._core.arrays import I32, I64, byte_places, packed, packed_strings, unpacked_strings
from .._core.component import Component
from .._core.encoding import Token
from .._core.options import CheckedOptions, checked_id, checked_token
from .._text.trie import ABSENT, Trie
from .._text.words import Words

# --- What every model offers: words in, pieces of the vocabulary out


class Pieces(NamedTuple):
    """The pieces of n words.

    ids: int32, shape (m,).
    starts, ends: int32, shape (m,): the characters of its own word that a piece covers, start up to, without, end.
    offsets: int64, shape (n + 1,); the pieces of word i are offsets[i]:offsets[i + 1].
    """

    ids: I32
    starts: I32
    ends: I32
    offsets: I64


class Model(Component):
    """A vocabulary and the rule that cuts a word into its pieces."""

    # The trainer of every kind of model; `trainers`, which is made of models, enters them.
    trainers: ClassVar[dict[type[Model], Callable[[], Any]]] = {}

    @abstractmethod
    def encode_words(self, words: Words) -> Pieces:
        """The pieces of every word, all words at once; an empty word has none."""

    @abstractmethod
    def get_vocab(self) -> dict[str, int]:
        """From piece to id."""

    @abstractmethod
    def token_to_id(self, token: str) -> int | None:
        """The id of a piece, None if there is no such piece."""

    @abstractmethod
    def id_to_token(self, id: int) -> str | None:
        """The piece of an id, None if there is no such id."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The `model` object of tokenizer.json, its keys in the library's order."""

    @abstractmethod
    def explain_word(self, word: str) -> Any:
        """The steps by which a word is cut, as dataclasses for people to read."""

    @abstractmethod
    def save(self, folder: str | os.PathLike[str], prefix: str | None = None) -> list[str]:
        """Writes the files of the model; returns their paths."""

    @property
    def is_random(self) -> bool:
        """Whether a word is cut anew each time it comes, as under dropout."""
        return False

    def token_texts(self, words: Words, pieces: Pieces) -> list[str]:
        """The text of every piece of these words; a model that shows unknown characters as they are says so here."""
        names = {id: self.id_to_token(id) or "" for id in set(pieces.ids.tolist())}
        return [names[id] for id in pieces.ids.tolist()]

    def get_vocab_size(self) -> int:
        """Number of pieces."""
        return len(self.get_vocab())

    def tokenize(self, sequence: str) -> list[Token]:
        """The tokens of one word; an empty one has none.  ValueError for what is no string.

        >>> from tokenizers_impl.models import WordPiece
        >>> [token.as_tuple() for token in WordPiece({"é": 0, "##t": 1, "[UNK]": 2}).tokenize("ét")]
        [(0, 'é', (0, 2)), (1, '##t', (2, 3))]
        """
        if not isinstance(sequence, str):
            raise ValueError(f"the sequence is {sequence!r}: give a string")
        pieces, values = self._tokens_in_bytes(Words.of([sequence]))
        places = zip(pieces.starts.tolist(), pieces.ends.tolist(), strict=True)
        return [Token(*each) for each in zip(pieces.ids.tolist(), values, places, strict=True)]

    def _tokens_in_bytes(self, word: Words) -> tuple[Pieces, list[str]]:
        """The pieces of one word, with the bytes of UTF-8 that they cover in place of characters; their texts."""
        pieces = self.encode_words(word)
        places = byte_places(word.chars)
        in_bytes = pieces._replace(starts=places[pieces.starts], ends=places[pieces.ends])
        return in_bytes, self.token_texts(word, pieces)

    def get_trainer(self) -> Any:
        """A trainer of this kind of model, with its default options: a `trainers.Trainer`."""
        return next(self.trainers[kind] for kind in type(self).__mro__ if kind in self.trainers)()


# --- The tokens of a model, each with its id

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


# --- A model whose pieces are the tokens of a vocabulary


class TokenModel(CheckedOptions, Model):
    """The questions about tokens and ids that `_vocabulary` answers."""

    _unkept = frozenset({"vocab"})
    _vocabulary: Vocabulary

    def get_vocab(self) -> dict[str, int]:
        """From token to id, a new dictionary."""
        return dict(self._vocabulary.ids)

    def get_vocab_size(self) -> int:
        """Number of tokens."""
        return len(self._vocabulary.ids)

    def token_to_id(self, token: str) -> int | None:
        """The id of a token, None if there is no such token."""
        return self._vocabulary.ids.get(checked_token(token))

    def id_to_token(self, id: int) -> str | None:
        """The token of an id, None if there is no such id."""
        return self._vocabulary.tokens.get(checked_id(id))


# --- The arrays that go into an encoding kernel and come out of it

Room = tuple[I32, I32, I32, I64]


def read_only(words: Words) -> Words:
    """The same words, their arrays views that cannot be written to.

    numba compiles a kernel once more for arrays that differ in this from those it knows.
    """
    views = Words(words.chars.view(), words.offsets.view())
    for view in views:
        view.flags.writeable = False
    return views


def room(words: Words, pieces: int) -> Room:
    """The arrays of `Pieces`, unwritten, for so many pieces of these words."""
    ids, starts, ends = (np.empty(pieces, np.int32) for _ in range(3))
    return ids, starts, ends, np.empty(len(words.offsets), np.int64)


def used(written: Room) -> Pieces:
    """The pieces that were written; copies, so that the rest of the room is given back."""
    ids, starts, ends, offsets = written
    return Pieces(ids[: offsets[-1]].copy(), starts[: offsets[-1]].copy(), ends[: offsets[-1]].copy(), offsets)
