"""What every trainer offers: counted words in, a model out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from .._added_token import AddedToken
from .._words import WordCounts
from ..models._model import Model


class Trainer(ABC):
    """The options of a training, and `history`, the record of the last one: a row a step, empty before.

    special_tokens: strings or AddedToken; they take the first ids, in the order given.
    """

    special_tokens: list[AddedToken]
    show_progress: bool
    history: list[dict[str, Any]]

    @abstractmethod
    def train_words(self, counts: WordCounts, model: Model) -> Model:
        """A new model with the vocabulary learnt from these words and the settings of `model`, which stays as it is."""
