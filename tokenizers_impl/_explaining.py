"""Why a text was cut as it was."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ._splits import TEXT, Splits
from ._words import Words
from .models import Model


@dataclass(frozen=True)
class WordExplanation:
    """One word of a text.

    word: as the model saw it, after normalizer and pre-tokenizer.  offsets: where it stands in the text as given.
    tokens, ids: what became of it.  steps: how, as the model's `explain_word` tells it; empty for an added token,
    and for a word that is a token without merges; None for a word longer than asked for.
    """

    word: str
    offsets: tuple[int, int]
    tokens: list[str]
    ids: list[int]
    steps: Any


def explained(splits: Splits, model: Model, longest: float = math.inf) -> list[WordExplanation]:
    """An explanation a split, in order; without steps for words of more than `longest` characters."""
    rows = zip(splits.texts(), splits.offsets(), splits.added.tolist(), strict=True)
    return [_explained(word, offsets, added, model, longest) for word, offsets, added in rows]


def _explained(word: str, offsets: tuple[int, int], added: int, model: Model, longest: float) -> WordExplanation:
    if added != TEXT:
        return WordExplanation(word, offsets, [word], [added], [])
    words = Words.of([word])
    pieces = model.encode_words(words)
    steps = model.explain_word(word) if len(word) <= longest else None
    return WordExplanation(word, offsets, model.token_texts(words, pieces), pieces.ids.tolist(), steps)
