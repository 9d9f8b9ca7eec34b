"""The base class of all trainers, and the simplest one: vocabularies of whole words."""

from __future__ import annotations

import copyreg
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from .._core.added_token import AddedToken
from .._core.component import REPR, STR, Call, Name
from .._core.files import dumps
from .._core.options import CheckedOptions
from .._core.parallel import Shown
from .._text.words import WordCounts
from ..models._model import Model
from ..models._wordlevel import WordLevel


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

    # The class of the models that it trains.
    _kind: ClassVar[type[Model]]

    @property
    def shown_progress(self) -> Shown:
        """Whether progress bars are shown, or in which format."""
        return self.show_progress

    @property
    @abstractmethod
    def history(self) -> list[dict[str, Any]]:
        """One row per step of the last training; empty before the first training."""

    def checked_model(self, model: Model) -> Any:
        """Return the model; ValueError, in the library's words, unless it is of the kind that is trained."""
        if not isinstance(model, self._kind):
            raise ValueError(
                f"{type(self).__name__} can only train a {self._kind.__name__}: "
                f"use another trainer for models.{type(model).__name__}"
            )
        return model

    @abstractmethod
    def shown(self) -> Call:
        """The options that `repr` shows, and that `str` abbreviates: those of the library."""

    def _shown(self, kind: str, *options: str) -> Call:
        """A trainer as the library shows it; `words` is empty, because the words of a training are not kept here."""
        return Call(kind, {name: _shown_option(name, getattr(self, name)) for name in options} | {"words": {}})

    def __getstate__(self) -> bytes:
        """Return the library's JSON of the options that it has; a pickle keeps the attributes."""
        return dumps({type(self).__name__: _json_of(self.shown())}).encode()

    def __reduce__(self) -> tuple[Any, ...]:
        return copyreg.__newobj__, (type(self),), vars(self)  # type: ignore[attr-defined]  # not in typeshed

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


def _json_of(shown: Any) -> Any:
    """What is shown of a trainer, as an object of JSON."""
    if isinstance(shown, Call):
        return {name: _json_of(value) for name, value in dict(shown.arguments).items()}
    return [*map(_json_of, shown)] if isinstance(shown, list) else shown


def _shown_token(token: AddedToken) -> Call:
    return Call("AddedToken", {"content": token.content} | {flag: getattr(token, flag) for flag in _FLAGS})


# --- Vocabularies of whole words


@dataclass(kw_only=True, eq=False, repr=False)
class WordLevelTrainer(Trainer):
    """Trains vocabularies of whole words: keeps the most frequent ones, ties sorted by code points.

    The options of `tokenizers.trainers.WordLevelTrainer` 0.23.3, with the same vocabulary as result:
    vocab_size: the largest number of tokens, special tokens included.
    min_frequency: words with a smaller count are dropped.
    show_progress: whether progress bars are shown.
    special_tokens: strings or AddedTokens that get the first ids.  A special token that is also a word, or is listed
      twice, gets the last of its ids and leaves a gap, as in the library.

    `history` has one row per word: step, token, count.
    No words give a vocabulary of the special tokens.  Invalid options raise ValueError.

    >>> trainer = WordLevelTrainer(vocab_size=3, special_tokens=["<unk>"], show_progress=False)
    >>> trainer.train_words(WordCounts.of({"c": 1, "b": 2, "a": 1}), WordLevel()).get_vocab()
    {'<unk>': 0, 'b': 1, 'a': 2}
    """

    _kind = WordLevel
    vocab_size: int = 30000
    min_frequency: int = 0
    show_progress: bool = True
    special_tokens: Sequence[str | AddedToken] = ()

    def __post_init__(self) -> None:
        self._words: list[tuple[str, int]] = []

    def train_words(self, counts: WordCounts, model: Model, executor: Any = None) -> WordLevel:
        """Train on counted words; returns a WordLevel with the unk_token of `model`, which must be a WordLevel."""
        own: WordLevel = self.checked_model(model)
        special = self.special_texts[: self.vocab_size]
        words = _most_frequent(counts, self.min_frequency, self.vocab_size - len(special))
        tokens = [*special, *(word for word, _ in words)]
        trained = WordLevel({token: id for id, token in enumerate(tokens)}, own.unk_token)
        self._words = words
        return trained

    def shown(self) -> Call:
        """The options that `repr` shows, and that `str` abbreviates."""
        return self._shown("WordLevelTrainer", "min_frequency", "vocab_size", "show_progress", "special_tokens")

    @property
    def history(self) -> list[dict[str, Any]]:
        """One row per word of the last training; empty before the first training."""
        return [{"step": i, "token": word, "count": count} for i, (word, count) in enumerate(self._words, start=1)]


def _most_frequent(counts: WordCounts, least: int, most: int) -> list[tuple[str, int]]:
    """The `most` most frequent words with a count of `least` or more, the most frequent first."""
    rows = zip(counts.words.texts(), counts.counts.tolist(), strict=True)
    return sorted((row for row in rows if row[1] >= least), key=lambda row: (-row[1], row[0]))[:most]
