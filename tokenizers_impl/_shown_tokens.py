"""The tokens that decoding shows, by id."""

from __future__ import annotations

from ._added_vocabulary import AddedVocabulary
from .models._model import Model


class ShownTokens(dict[int, "str | None"]):
    """From id to token, None for an id without one and for a special token that is left out.

    Looked up in the vocabulary, which stays as it is, when first asked for.

    >>> from tokenizers_impl.models import WordLevel
    >>> tokens = ShownTokens(WordLevel({"low": 0}), AddedVocabulary.of({}, lambda texts: texts), False)
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
