"""What every trainer offers: counted words in, a model out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from .._core.added_token import AddedToken
from .._core.component import REPR, STR, Call, Name
from .._core.options import CheckedOptions
from .._core.parallel import Shown
from .._text.words import WordCounts
from ..models._model import Model


class TrainingOptions(CheckedOptions):
    """What every training has; the dataclasses that inherit it declare their options, with types and defaults."""

    special_tokens: Sequence[str | AddedToken]
    show_progress: bool

    def _checked(self, name: str, value: Any) -> Any:
        return AddedToken.special_tokens(value) if name == "special_tokens" else super()._checked(name, value)

    @property
    def special_texts(self) -> list[str]:
        """The special tokens as strings; what was put into the list later may be one already."""
        return [token.content for token in AddedToken.special_tokens(self.special_tokens)]


class Trainer(TrainingOptions, ABC):
    """The options of a training, and the record of the last one.

    special_tokens: strings or AddedToken; they take the first ids, in the order given.
    """

    @property
    def shown_progress(self) -> Shown:
        """How progress is shown."""
        return self.show_progress

    @property
    @abstractmethod
    def history(self) -> list[dict[str, Any]]:
        """A row a step of the last training, empty before."""

    @abstractmethod
    def shown(self) -> Call:
        """What `repr` shows, and `str` shorter: the options that the library has."""

    def _shown(self, kind: str, *options: str) -> Call:
        """As the library shows a trainer of that kind; its words, those of the last training, are not kept here."""
        return Call(kind, {name: _shown_option(name, getattr(self, name)) for name in options} | {"words": {}})

    def __repr__(self) -> str:
        return REPR.text(Call(type(self).__name__, (self.shown(),)))

    def __str__(self) -> str:
        return STR.text(Call(type(self).__name__, (self.shown(),)))

    @abstractmethod
    def train_words(self, counts: WordCounts, model: Model, executor: Any = None) -> Model:
        """A new model with the vocabulary learnt from these words and the settings of `model`, which stays as it is.

        executor: anything with the `submit` of concurrent.futures; it takes the expectation steps of Unigram, which are
          taken here if it is None.  The other trainers have nothing to send.
        """


# As the library shows them.
_PROGRESS_FORMATS = {"indicatif": "Indicatif", "json": "JsonLines", "silent": "Silent"}
_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


def _shown_option(name: str, value: Any) -> Any:
    if name == "special_tokens":
        return [_shown_token(token) for token in AddedToken.special_tokens(value)]
    if name == "initial_alphabet":
        return list(dict.fromkeys(text[0] for text in value if text))
    return Name(_PROGRESS_FORMATS[value]) if name == "progress_format" else value


def _shown_token(token: AddedToken) -> Call:
    return Call("AddedToken", {"content": token.content} | {flag: getattr(token, flag) for flag in _FLAGS})
