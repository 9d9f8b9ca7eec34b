"""The base classes of all models, their vocabulary, and the arrays that their kernels use."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from operator import index, itemgetter
from typing import Any, ClassVar, NamedTuple

import numpy as np

from evenscore.kernel import inner_kernel

from .._core.arrays import I32, I64, byte_places, packed, packed_strings, unpacked_strings
from .._core.component import Component
from .._core.encoding import Token
from .._core.options import CheckedOptions, checked_id, checked_token
from .._text.trie import ABSENT, Trie
from .._text.words import Words

# --- The base class of all models


class Pieces(NamedTuple):
    """The m pieces of n words.

    ids: int32, shape (m,).
    starts, ends: int32, shape (m,); a piece covers the characters word[start:end] of its word.
    offsets: int64, shape (n + 1,); the pieces of word i are offsets[i]:offsets[i + 1].
    """

    ids: I32
    starts: I32
    ends: I32
    offsets: I64


class Model(Component):
    """The base class of all models: a vocabulary and a rule that splits words into pieces."""

    # The trainer of each kind of model; the package `trainers` fills it in, because it imports the models.
    trainers: ClassVar[dict[type[Model], Callable[[], Any]]] = {}

    @abstractmethod
    def encode_words(self, words: Words) -> Pieces:
        """Split all words into pieces at once; an empty word has none."""

    @abstractmethod
    def get_vocab(self) -> dict[str, int]:
        """Return a new dictionary from piece to id."""

    @abstractmethod
    def token_to_id(self, token: str) -> int | None:
        """Return the id of a piece, None if the vocabulary lacks it."""

    @abstractmethod
    def id_to_token(self, id: int) -> str | None:
        """Return the piece of an id, None if no piece has it."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the `model` object of tokenizer.json, with its keys in the library's order."""

    @abstractmethod
    def explain_word(self, word: str) -> Any:
        """Return the steps that split a word, as dataclasses for people to read."""

    @abstractmethod
    def save(self, folder: str | os.PathLike[str], prefix: str | None = None) -> list[str]:
        """Write the files of the model, prefixed with "prefix-" if given; returns their paths."""

    @property
    def is_random(self) -> bool:
        """Whether two occurrences of a word may be split differently, as with dropout."""
        return False

    @cached_property
    def revision(self) -> object:
        """An object that is another one after an option was set; what was computed for another revision is stale."""
        return object()

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        # After the value is set: who reads the new revision reads the new value, too.
        self.__dict__.pop("revision", None)

    def token_texts(self, words: Words, pieces: Pieces) -> list[str]:
        """Return the text of every piece; a model that shows unknown characters as they are overrides this."""
        names = {id: self.id_to_token(id) or "" for id in set(pieces.ids.tolist())}
        return [names[id] for id in pieces.ids.tolist()]

    def get_vocab_size(self) -> int:
        """Return the number of pieces."""
        return len(self.get_vocab())

    def tokenize(self, sequence: str) -> list[Token]:
        """Split one word into tokens with offsets in UTF-8 bytes, as the library does.

        An empty word has no tokens.  ValueError if the word is not a string.

        >>> from tokenizers_impl.models import WordPiece
        >>> [token.as_tuple() for token in WordPiece({"é": 0, "##t": 1, "[UNK]": 2}).tokenize("ét")]
        [(0, 'é', (0, 2)), (1, '##t', (2, 3))]
        """
        if not isinstance(sequence, str):
            raise ValueError(f"sequence is {sequence!r}: give a string")
        pieces, values = self._tokens_in_bytes(Words.of([sequence]))
        places = zip(pieces.starts.tolist(), pieces.ends.tolist(), strict=True)
        return [Token(*each) for each in zip(pieces.ids.tolist(), values, places, strict=True)]

    def _tokens_in_bytes(self, word: Words) -> tuple[Pieces, list[str]]:
        """The pieces of one word, with offsets in UTF-8 bytes instead of characters, and their texts."""
        pieces = self.encode_words(word)
        places = byte_places(word.chars)
        in_bytes = pieces._replace(starts=places[pieces.starts], ends=places[pieces.ends])
        return in_bytes, self.token_texts(word, pieces)

    def get_trainer(self) -> Any:
        """Return a `trainers.Trainer` for this kind of model, with its default options."""
        return next(self.trainers[kind] for kind in type(self).__mro__ if kind in self.trainers)()


# --- The vocabulary of a model

# Ids are int32 here, uint32 in the library.
MAX_ID = 2**31 - 1


class Vocabulary:
    """An immutable vocabulary.

    ids: from token to id.  tokens: from id to token; if several tokens share an id, the last one counts.
    Raises ValueError for a token that is not a string, or an id that is not an integer in 0..2**31 - 1.

    >>> Vocabulary({"b": 1, "a": 0}).in_id_order()
    {'a': 0, 'b': 1}
    """

    def __init__(self, vocab: Mapping[str, int]) -> None:
        if not isinstance(vocab, Mapping):
            raise ValueError(f"vocab is {vocab!r}: give a mapping from token to id")
        self.ids = dict(vocab)
        if set(map(type, self.ids.values())) - {int}:
            self.ids = {token: _integer(token, id) for token, id in self.ids.items()}
        self._check()
        self.tokens = dict(zip(self.ids.values(), self.ids, strict=True))

    def _check(self) -> None:
        if set(map(type, self.ids)) - {str}:
            raise ValueError(f"vocab: the token {next(t for t in self.ids if type(t) is not str)!r} is not a string")
        if self.ids and not 0 <= min(self.ids.values()) <= max(self.ids.values()) <= MAX_ID:
            token, id = next((t, i) for t, i in self.ids.items() if not 0 <= i <= MAX_ID)
            raise ValueError(f"vocab[{token!r}] is {id}: give an id in 0..{MAX_ID}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without cached properties; ids 0, 1, ..., the usual case, are not stored."""
        ids = list(self.ids.values())
        counted = ids == list(range(len(ids)))
        return _unpacked, (*packed_strings(self.ids), None if counted else packed(np.array(ids, np.int64)))

    @cached_property
    def trie(self) -> Trie:
        """The trie of the tokens' characters."""
        return Trie.of(self.ids)

    @cached_property
    def byte_ids(self) -> I32:
        """The ids of <0x00>..<0xFF>, int32, shape (256,); ABSENT for bytes that are not in the vocabulary."""
        return np.array([self.ids.get(f"<0x{byte:02X}>", ABSENT) for byte in range(256)], np.int32)

    @property
    def has_own_ids(self) -> bool:
        """Whether no two tokens share an id."""
        return len(self.ids) == len(self.tokens)

    def in_id_order(self) -> dict[str, int]:
        """The tokens sorted by id, as in files."""
        return dict(sorted(self.ids.items(), key=itemgetter(1)))


def _unpacked(text: str, lengths: Any, ids: Any) -> Vocabulary:
    tokens = unpacked_strings(text, lengths)
    return Vocabulary(dict(zip(tokens, range(len(tokens)) if ids is None else ids.tolist(), strict=True)))


def _integer(token: str, id: Any) -> int:
    try:
        if isinstance(id, bool):
            raise TypeError
        return index(id)
    except TypeError:
        raise ValueError(f"vocab[{token!r}] is {id!r}: give an integer id") from None


# --- A model whose pieces are the tokens of a vocabulary


class TokenModel(CheckedOptions, Model):
    """A model whose pieces are the tokens of `_vocabulary`."""

    _unkept = frozenset({"vocab"})
    _vocabulary: Vocabulary

    def get_vocab(self) -> dict[str, int]:
        """Return a new dictionary from token to id."""
        return dict(self._vocabulary.ids)

    def get_vocab_size(self) -> int:
        """Return the number of tokens."""
        return len(self._vocabulary.ids)

    def token_texts(self, words: Words, pieces: Pieces) -> list[str]:
        """Return the token of every piece."""
        return list(map(self._vocabulary.tokens.__getitem__, pieces.ids.tolist()))

    def token_to_id(self, token: str) -> int | None:
        """Return the id of a token, None if the vocabulary lacks it."""
        return self._vocabulary.ids.get(checked_token(token))

    def id_to_token(self, id: int) -> str | None:
        """Return the token of an id, None if no token has it."""
        return self._vocabulary.tokens.get(checked_id(id))

    def refuse_shared_ids(self) -> None:
        """ValueError for two tokens with one id: which of them the library decodes it to differs from run to run."""
        ids, tokens = self._vocabulary.ids, self._vocabulary.tokens
        if not self._vocabulary.has_own_ids:
            token, id = next((token, id) for token, id in ids.items() if tokens[id] != token)
            raise ValueError(f"vocab gives id {id} to both {token!r} and {tokens[id]!r}: give each token its own id")


# --- The output arrays of encoding kernels

Room = tuple[I32, I32, I32, I64]


@inner_kernel
def room(words: int, pieces: int) -> Room:
    """Allocate the arrays of `Pieces` for this number of pieces of n words."""
    return (
        np.empty(pieces, np.int32),
        np.empty(pieces, np.int32),
        np.empty(pieces, np.int32),
        np.empty(words + 1, np.int64),
    )


@inner_kernel
def used(written: Room) -> Room:
    """Copy the pieces that were written, so that the unused memory is freed."""
    ids, starts, ends, offsets = written
    return ids[: offsets[-1]].copy(), starts[: offsets[-1]].copy(), ends[: offsets[-1]].copy(), offsets
