"""What every trainer offers: counted words in, a model out; checks of what it is given."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

from .._core.added_token import AddedToken
from .._core.component import REPR, STR, Call, Name
from .._core.options import CheckedOptions, refuse_unordered
from .._core.parallel import Shown
from .._text.words import WordCounts
from ..models._model import Model

# --- Checks of what trainers are given: a ValueError names the option that cannot be


def check_integers(options: Any, *names: str, may_be_none: Sequence[str] = ()) -> None:
    """Integers from 0 on, or None where that means something."""
    for name in (*names, *may_be_none):
        value = getattr(options, name)
        is_size = isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0
        if not is_size and (value is not None or name not in may_be_none):
            raise ValueError(f"{name} is {value!r}: take an integer, 0 or more")


def check_choices(options: Any, **choices: Sequence[Any]) -> None:
    """One of those that there are."""
    for name, allowed in choices.items():
        if getattr(options, name) not in allowed:
            raise ValueError(f"{name} is {getattr(options, name)!r}: take one of {', '.join(map(repr, allowed))}")


def check_strings(options: Any, *names: str) -> None:
    """A string, or None."""
    for name in names:
        if not isinstance(getattr(options, name), (str, type(None))):
            raise ValueError(f"{name} is {getattr(options, name)!r}: take a string, or None")


def strings(name: str, given: Any) -> list[str]:
    """A list of strings; a string alone, whose letters would each count, is none."""
    refuse_unordered(f"{name} is", given)
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(f"{name} is {given!r}: give a list of strings")
    listed = list(given)
    for i, each in enumerate(listed):
        if not isinstance(each, str):
            raise ValueError(f"{name}[{i}] is {each!r}: give strings")
    return listed


def contents(tokens: Iterable[str | AddedToken]) -> tuple[str, ...]:
    """The special tokens as strings; they may have been set anew as such."""
    return tuple(token.content for token in AddedToken.special_tokens(tokens))


# --- What every trainer offers: counted words in, a model out


class Trainer(CheckedOptions, ABC):
    """The options of a training, and the record of the last one.

    special_tokens: strings or AddedToken; they take the first ids, in the order given.
    """

    special_tokens: list[AddedToken]
    show_progress: bool

    def _checked(self, name: str, value: Any) -> Any:
        if name == "special_tokens":
            return AddedToken.special_tokens(value)
        if name == "initial_alphabet" or (name in ("affix_order", "alphabet_order") and value is not None):
            return strings(name, value)
        return super()._checked(name, value)

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
