"""A language model of the caller's own as a source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._given_scores import from_log_probs
from ._options import callable_name
from ._source import Source, Token, TokenScores


class OwnSource(Source):
    """An object with `log_probs(texts)`, or a function: one array of natural-log probabilities a text.

    With contexts, they are the second argument.  `tokens(texts)`, where the object has it, gives the tokens of each
    text as (text, start, end).
    """

    def __init__(self, model: Any) -> None:
        self.name = callable_name(model)
        self._model = model
        self._log_probs = model.log_probs if hasattr(model, "log_probs") else model
        if not callable(self._log_probs):
            raise ValueError(
                f"source={model!r}: give 'ngram', an ARPA file's path, a function, or an object with log_probs(texts)"
            )

    def score(self, texts: Sequence[str], contexts: Sequence[str] | None) -> TokenScores:
        """What the model says, checked."""
        given = self._log_probs(*_arguments(texts, contexts))
        scores = from_log_probs(given, "log_probs of the source")
        rows = len(scores.offsets) - 1
        if rows != len(texts):
            raise ValueError(f"the source gives {rows} rows of log_probs for {len(texts)} texts: one each is needed")
        return scores

    def tokens(self, texts: Sequence[str], contexts: Sequence[str] | None) -> list[list[Token]]:
        """The model's tokens; ValueError if it has no method that names them."""
        if not hasattr(self._model, "tokens"):
            raise ValueError("per_token=True: this source has no tokens(texts) that names them")
        return [[Token(*token) for token in row] for row in self._model.tokens(*_arguments(texts, contexts))]


def _arguments(texts: Sequence[str], contexts: Sequence[str] | None) -> tuple[list[str], ...]:
    return (list(texts),) if contexts is None else (list(texts), list(contexts))
