"""A language model of the caller's own as a source."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
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
        self.names_tokens = hasattr(model, "tokens")
        self._model = model
        self._log_probs = model.log_probs if hasattr(model, "log_probs") else model
        if hasattr(model, "get_input_embeddings"):
            raise ValueError(
                f"source is a {type(model).__name__}: give a model of transformers as model=, with tokenizer="
            )
        if not callable(self._log_probs):
            raise ValueError(
                f"source={model!r}: give 'ngram', an ARPA file's path, a function, or an object with log_probs(texts)"
            )

    def score(self, texts: Sequence[str], contexts: Sequence[str] | None) -> TokenScores:
        """What the model says, checked."""
        given = _asked(self._log_probs, texts, contexts)
        scores = from_log_probs(given, "log_probs of the source")
        rows = len(scores.offsets) - 1
        if rows != len(texts):
            raise ValueError(f"the source gives {rows} rows of log_probs for {len(texts)} texts: one each is needed")
        return scores

    def tokens(self, texts: Sequence[str], contexts: Sequence[str] | None) -> list[list[Token]]:
        """The model's tokens; ValueError if it has no method that names them."""
        if not self.names_tokens:
            raise ValueError("per_token=True: this source has no tokens(texts) that names them")
        return [[Token(*token) for token in row] for row in _asked(self._model.tokens, texts, contexts)]


def _asked(method: Callable[..., Any], texts: Sequence[str], contexts: Sequence[str] | None) -> Any:
    """What the method says of the texts; ValueError if it does not take contexts that are given."""
    if contexts is None:
        return method(list(texts))
    try:
        inspect.signature(method).bind(list(texts), list(contexts))
    except TypeError as error:
        raise ValueError("contexts are given, but the source takes texts alone: leave them out") from error
    return method(list(texts), list(contexts))
