"""What every tokenizer that is put together already offers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._core.added_token import AddedToken
from .._core.encoding import Encoding
from ..normalizers import Lowercase, Normalizer, unicode_normalizer_from_str
from ..normalizers import Sequence as NormalizerSequence
from ..tokenizer import Tokenizer
from ..trainers import Trainer

# --- Parts that several of these tokenizers are put together from


def normalizer_of(unicode_normalizer: str | None, *others: Normalizer, lowercase: bool) -> Normalizer | None:
    """The normal form, the others, small letters; None for none of them, no Sequence for one alone."""
    forms = [unicode_normalizer_from_str(unicode_normalizer)] if unicode_normalizer else []
    steps = [*forms, *others, *([Lowercase()] if lowercase else [])]
    return NormalizerSequence(steps) if len(steps) > 1 else next(iter(steps), None)


# --- What every tokenizer that is put together already offers


class BaseTokenizer(ABC):
    """A Tokenizer whose parts are there already, as `tokenizers.implementations.BaseTokenizer`.

    It has all that a Tokenizer has, whose parts may also be set; what differs stands below.

    tokenizer: the one that does the work.  parameters: the options, as `repr` shows them.
    """

    _tokenizer: Tokenizer
    _parameters: Mapping[str, Any]

    def __init__(self, tokenizer: Tokenizer, parameters: Mapping[str, Any]) -> None:
        vars(self).update(_tokenizer=tokenizer, _parameters=parameters)

    def __getattr__(self, name: str) -> Any:
        # Not its private names, for which pickle asks before there is a tokenizer.
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__} has no {name}")
        return getattr(self._tokenizer, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._tokenizer, name, value)

    def __repr__(self) -> str:
        shown = {"vocabulary_size": self._tokenizer.get_vocab_size(), **self._parameters}
        return f"Tokenizer({', '.join(f'{name}={value}' for name, value in shown.items())})"

    @staticmethod
    @abstractmethod
    def trainer(*options: Any, **named: Any) -> Trainer:
        """The trainer with these options."""

    def train(self, files: str | Sequence[str], *options: Any, **named: Any) -> None:
        """Learn the model from text files; the options are those of `trainer`."""
        self._tokenizer.train(files, self.trainer(*options, **named))

    def train_from_iterator(
        self, iterator: Iterable[str | Iterable[str]], *options: Any, length: int | None = None, **named: Any
    ) -> None:
        """Learn the model from texts; length: the number of texts, for the progress bar alone."""
        self._tokenizer.train_from_iterator(iterator, self.trainer(*options, **named), length)

    def normalize(self, sequence: str) -> str:
        """The text as the model sees it, before it is cut into words."""
        normalizer = self._tokenizer.normalizer
        return normalizer.normalize_str(sequence) if normalizer is not None else sequence

    def save_model(self, directory: str, prefix: str | None = None) -> list[str]:
        """The files of the model, written there; returns their paths."""
        return self._tokenizer.model.save(directory, prefix)

    # As in the library these have other names, or another order, than those of a Tokenizer.

    def encode_batch(
        self, inputs: Iterable[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """The tokens of many texts, with offsets; a pair is a tuple."""
        return self._tokenizer.encode_batch(inputs, is_pretokenized, add_special_tokens)

    async def async_encode_batch(
        self, inputs: Iterable[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """`encode_batch` in a thread, to be awaited."""
        return await self._tokenizer.async_encode_batch(inputs, is_pretokenized, add_special_tokens)

    async def async_encode_batch_fast(
        self, inputs: Iterable[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """The same without offsets and words."""
        return await self._tokenizer.async_encode_batch_fast(inputs, is_pretokenized, add_special_tokens)

    def add_special_tokens(self, special_tokens: Sequence[str | AddedToken]) -> int:
        """Look for these tokens in the text; `decode` leaves them out.  Returns how many were not there before."""
        return self._tokenizer.add_special_tokens(special_tokens)

    def enable_padding(
        self,
        direction: str = "right",
        pad_to_multiple_of: int | None = None,
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
        length: int | None = None,
    ) -> None:
        """Bring the rows of a batch to one length: `length`, or that of the longest; or the next multiple."""
        self._tokenizer.enable_padding(direction, pad_id, pad_type_id, pad_token, length, pad_to_multiple_of)


def with_known_specials(tokenizer: Tokenizer, *tokens: str | AddedToken) -> Tokenizer:
    """The tokenizer, which now takes those of the tokens that its vocabulary has for special ones."""
    names = map(str, tokens)
    tokenizer.add_special_tokens([name for name in names if tokenizer.token_to_id(name) is not None])
    return tokenizer
