"""The base class of all trainers."""

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
    """The options of every training; the dataclasses that inherit it declare their own, with types and defaults."""

    special_tokens: Sequence[str | AddedToken]
    show_progress: bool

    def _checked(self, name: str, value: Any) -> Any:
        return AddedToken.special_tokens(value) if name == "special_tokens" else super()._checked(name, value)

    @property
    def special_texts(self) -> list[str]:
        """The special tokens as strings; the list may hold strings and AddedTokens."""
        return [token.content for token in AddedToken.special_tokens(self.special_tokens)]


class Trainer(TrainingOptions, ABC):
    """The base class of all trainers: their options, and the history of the last training.

    special_tokens: strings or AddedTokens; they get the first ids, in the order given.
    """

    @property
    def shown_progress(self) -> Shown:
        """Whether progress bars are shown, or in which format."""
        return self.show_progress

    @property
    @abstractmethod
    def history(self) -> list[dict[str, Any]]:
        """One row per step of the last training; empty before the first training."""

    @abstractmethod
    def shown(self) -> Call:
        """The options that `repr` shows, and that `str` abbreviates: those of the library."""

    def _shown(self, kind: str, *options: str) -> Call:
        """A trainer as the library shows it; `words` is empty, because the words of a training are not kept here."""
        return Call(kind, {name: _shown_option(name, getattr(self, name)) for name in options} | {"words": {}})

    def __repr__(self) -> str:
        return REPR.text(Call(type(self).__name__, (self.shown(),)))

    def __str__(self) -> str:
        return STR.text(Call(type(self).__name__, (self.shown(),)))

    @abstractmethod
    def train_words(self, counts: WordCounts, model: Model, executor: Any = None) -> Model:
        """Train on counted words; returns a new model with the settings of `model`, which is not changed.

        executor: an object with the `submit` method of concurrent.futures, which runs the E steps of Unigram; None:
          they run in this process.  The other trainers ignore it.
        """


# The names of the formats, and the flags of a token, in the library's `repr`.
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
