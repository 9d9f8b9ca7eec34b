"""A model whose pieces are the tokens of a vocabulary."""

from __future__ import annotations

from .._checked_options import CheckedOptions
from .._option_values import checked_id, checked_token
from ._model import Model
from ._vocabulary import Vocabulary


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
