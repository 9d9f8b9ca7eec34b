"""What every model offers: words in, pieces of the vocabulary out."""

from __future__ import annotations

import os
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

from .._arrays import I32, I64, byte_places
from .._component import Component
from .._token import Token
from .._words import Words

if TYPE_CHECKING:
    from ..trainers import Trainer


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

    def get_trainer(self) -> Trainer:
        """A trainer of this kind of model, with its default options."""
        # Trainers are made of models: where these are read, there are none yet.
        from ..trainers import default_trainer

        return default_trainer(self)
