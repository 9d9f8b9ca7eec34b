"""WordLevel: every word is one token, or unknown."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .._core.files import chosen_prefix, dumps, named, read_text, required, written
from .._text.words import Words
from ._explanation import MatchStep
from ._model import Pieces, TokenModel, Vocabulary

_MISSING = -1


class WordLevel(TokenModel):
    """A vocabulary of whole words, with the options of `tokenizers.models.WordLevel` 0.23.3.

    vocab: mapping from token to id, or the path of vocab.json; None: empty.
    unk_token: the token of a word that is not in vocab; None: "<unk>".

    vocab is fixed; unk_token may be set.  ValueError for an id outside 0..2**31 - 1.

    >>> from tokenizers_impl import Tokenizer, models, pre_tokenizers
    >>> tokenizer = Tokenizer(models.WordLevel({"<unk>": 0, "low": 1}, unk_token="<unk>"))
    >>> tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    >>> tokenizer.encode("low lower").tokens
    ['low', '<unk>']
    """

    unk_token: str

    def __init__(self, vocab: Mapping[str, int] | str | None = None, unk_token: str | None = None) -> None:
        self.unk_token = "<unk>" if unk_token is None else unk_token
        self._vocabulary = Vocabulary(self.read_file(vocab) if isinstance(vocab, str) else vocab or {})

    def encode_words(self, words: Words) -> Pieces:
        """Look up the token of every word; ValueError for an unknown word if unk_token is not in vocab either."""
        ids, lengths = self._vocabulary.ids, words.lengths[words.lengths > 0]
        unknown = ids.get(self.unk_token, _MISSING)
        texts = list(filter(None, words.texts()))
        found = np.fromiter((ids.get(text, unknown) for text in texts), np.int32, len(texts))
        if _MISSING in found:
            raise ValueError(
                "WordLevel error: Missing [UNK] token from the vocabulary, but the word "
                f"{texts[int(np.argmin(found))]!r} is unknown: add the unk_token {self.unk_token!r} to vocab"
            )
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(words.lengths > 0, dtype=np.int64)))
        return Pieces(found, np.zeros(len(found), np.int32), lengths.astype(np.int32), offsets)

    def explain_word(self, word: str) -> list[MatchStep]:
        """Return the look-up of the word, and, if that fails (id None), the look-up of unk_token."""
        looked_up = [word] if word in self._vocabulary.ids else [word, self.unk_token]
        return [MatchStep(i, 0, len(word), token, self.token_to_id(token)) for i, token in enumerate(looked_up)]

    def to_json(self) -> dict[str, Any]:
        """Return the `model` object of tokenizer.json, with its keys in the library's order."""
        return {"type": "WordLevel", "vocab": self._vocabulary.in_id_order(), "unk_token": self.unk_token}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> WordLevel:
        """Read a `model` object; vocab and unk_token are required, as in the library.

        >>> WordLevel.from_json({"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}).get_vocab()
        {'a': 0}
        """
        if data.get("type", "WordLevel") != "WordLevel":
            raise ValueError(f"WordLevel: type is {data['type']!r}: expected 'WordLevel'")
        vocab, unk_token = (required(data, name, "WordLevel") for name in ("vocab", "unk_token"))
        if not isinstance(vocab, Mapping):
            raise ValueError("WordLevel: vocab must be an object")
        if not isinstance(unk_token, str):
            raise ValueError(f"WordLevel: unk_token is {unk_token!r}: expected a string")
        return cls(vocab, unk_token)

    @staticmethod
    def read_file(vocab: str) -> dict[str, int]:
        """Read a vocab.json; returns a dictionary from token to id.  ValueError for an invalid file."""
        try:
            tokens = json.loads(read_text(vocab))
        except (json.JSONDecodeError, RecursionError) as error:
            raise ValueError(f"{vocab} is not a valid vocab.json: {error}") from None
        if not isinstance(tokens, dict):
            raise ValueError(f"{vocab}: expected a JSON object from token to id")
        return dict(Vocabulary(tokens).ids)

    @classmethod
    def from_file(cls, vocab: str, unk_token: str | None = None) -> WordLevel:
        """Build a model from the path of vocab.json."""
        return cls(vocab, unk_token)

    def save(self, folder: str | os.PathLike[str], prefix: str | None = None, name: str | None = None) -> list[str]:
        """Write vocab.json, or prefix-vocab.json, sorted by id; returns its path in a list."""
        path = named(Path(folder), chosen_prefix(prefix, name), "vocab.json")
        return [written(path, dumps(self._vocabulary.in_id_order()))]
