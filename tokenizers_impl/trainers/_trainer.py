"""What every trainer offers: counted words in, a model out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from .._added_token import AddedToken
from .._words import WordCounts
from ..models._model import Model


class Trainer(ABC):
    """The options of a training, and the record of the last one.

    special_tokens: strings or AddedToken; they take the first ids, in the order given.
    """

    special_tokens: list[AddedToken]
    show_progress: bool

    @property
    @abstractmethod
    def history(self) -> list[dict[str, Any]]:
        """A row a step of the last training, empty before."""

    @abstractmethod
    def train_words(self, counts: WordCounts, model: Model, executor: Any = None) -> Model:
        """A new model with the vocabulary learnt from these words and the settings of `model`, which stays as it is.

        executor: anything with the `submit` of concurrent.futures; it takes the expectation steps of Unigram, which are
          taken here if it is None.  The other trainers have nothing to send.
        """
