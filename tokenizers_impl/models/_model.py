"""What every model offers: words in, pieces of the vocabulary out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

from .._arrays import I32, I64
from .._words import Words


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


class Model(ABC):
    """A vocabulary and the rule that cuts a word into its pieces."""

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
