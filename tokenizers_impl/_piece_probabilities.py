"""Probabilities of the pieces of texts, so that a tokenizer serves as a language model."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ._arrays import F64
from ._splits import TEXT, Splits
from .models import Model, Unigram


def piece_log_probs(words: Splits, model: Model) -> list[F64]:
    """The natural logarithms of the probabilities of every text's pieces, each text's words one after another.

    ValueError for a model that has no probabilities, or a text that holds an added token, which has none.
    """
    if not isinstance(model, Unigram):
        raise ValueError(f"models.{type(model).__name__} has no probabilities: take a tokenizer with models.Unigram")
    firsts = words.firsts.tolist()
    for place in np.flatnonzero(words.added != TEXT)[:1].tolist():
        i = int(np.searchsorted(words.firsts, place, side="right")) - 1
        raise ValueError(
            f"text {i} holds the added token {words.texts()[place]!r}, which has no probability: take it out"
        )
    texts = words.texts()
    distinct = list(dict.fromkeys(texts))
    scores = dict(zip(distinct, model.log_probs(distinct), strict=True))
    return [np.concatenate([np.empty(0), *map(scores.get, texts[start:end])]) for start, end in pairwise(firsts)]
