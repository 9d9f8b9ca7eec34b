"""The base class of ready-made tokenizers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._core.added_token import AddedToken
from .._core.encoding import Encoding
from ..normalizers import Lowercase, Normalizer, unicode_normalizer_from_str
from ..normalizers import Sequence as NormalizerSequence
from ..tokenizer import Tokenizer
from ..trainers import Trainer

# --- The normalizer of several ready-made tokenizers


def normalizer_of(unicode_normalizer: str | None, *others: Normalizer, lowercase: bool) -> Normalizer | None:
    """A normalizer of the normalization form, the others and Lowercase; None without any, no Sequence for one."""
    forms = [unicode_normalizer_from_str(unicode_normalizer)] if unicode_normalizer else []
    steps = [*forms, *others, *([Lowercase()] if lowercase else [])]
    return NormalizerSequence(steps) if len(steps) > 1 else next(iter(steps), None)


# --- The base class of ready-made tokenizers


class BaseTokenizer:
    """The base class of ready-made tokenizers, like `tokenizers.implementations.BaseTokenizer` 0.23.3.

    It has all attributes and methods of a Tokenizer; the methods below have other names or orders of parameters.

    tokenizer: the Tokenizer that does the work.  parameters: the options that `repr` shows; None: no options.

    >>> from tokenizers_impl import models
    >>> BaseTokenizer(Tokenizer(models.BPE({"a": 0, "b": 1}, []))).encode("ab").tokens
    ['a', 'b']
    """

    _tokenizer: Tokenizer
    _parameters: Mapping[str, Any]

    def __init__(self, tokenizer: Tokenizer, parameters: Mapping[str, Any] | None = None) -> None:
        vars(self).update(_tokenizer=tokenizer, _parameters=parameters or {})

    def __getattr__(self, name: str) -> Any:
        # Private names are not delegated, because pickle looks them up before _tokenizer is set.
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__} has no attribute {name}")
        return getattr(self._tokenizer, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._tokenizer, name, value)

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value}" for name, value in self._parameters.items())
        return f"Tokenizer(vocabulary_size={self._tokenizer.get_vocab_size()}, {options})"

    @staticmethod
    def trainer(*options: Any, **named: Any) -> Trainer:
        """Build the trainer with these options; a BaseTokenizer by itself has none, which NotImplementedError says."""
        raise NotImplementedError("a BaseTokenizer has no trainer of its own: train the Tokenizer that it is made of")

    def train(self, files: str | Sequence[str], *options: Any, **named: Any) -> None:
        """Train the model on text files; the options are those of `trainer`."""
        self._tokenizer.train(files, self.trainer(*options, **named))

    def train_from_iterator(
        self, iterator: Iterable[str | Iterable[str]], *options: Any, length: int | None = None, **named: Any
    ) -> None:
        """Train the model on texts, with the options of `trainer`; length: their number, for the progress bar only."""
        self._tokenizer.train_from_iterator(iterator, self.trainer(*options, **named), length)

    def normalize(self, sequence: str) -> str:
        """Normalize a text; without a normalizer it stays as it is."""
        normalizer = self._tokenizer.normalizer
        return normalizer.normalize_str(sequence) if normalizer is not None else sequence

    def save_model(self, directory: str, prefix: str | None = None) -> list[str]:
        """Write the files of the model to a folder; returns their paths."""
        return self._tokenizer.model.save(directory, prefix)

    # As in the library, these parameters have other names or another order than in Tokenizer.

    def encode_batch(
        self, inputs: Iterable[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Encode many texts, with offsets; an input is a text or a tuple of two."""
        return self._tokenizer.encode_batch(inputs, is_pretokenized, add_special_tokens)

    async def async_encode_batch(
        self, inputs: Iterable[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Run `encode_batch` in a thread and await its result."""
        return await self._tokenizer.async_encode_batch(inputs, is_pretokenized, add_special_tokens)

    async def async_encode_batch_fast(
        self, inputs: Iterable[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Run `encode_batch_fast` in a thread and await its result."""
        return await self._tokenizer.async_encode_batch_fast(inputs, is_pretokenized, add_special_tokens)

    def add_special_tokens(self, special_tokens: Sequence[str | AddedToken]) -> int:
        """Add tokens that `decode` skips, as in `Tokenizer.add_special_tokens`."""
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
        """Pad every encoding to the same number of tokens, as in `Tokenizer.enable_padding`."""
        self._tokenizer.enable_padding(direction, pad_id, pad_type_id, pad_token, length, pad_to_multiple_of)


def with_known_specials(tokenizer: Tokenizer, *tokens: str | AddedToken) -> Tokenizer:
    """Add those of the tokens that the vocabulary has as special tokens; returns the tokenizer."""
    names = map(str, tokens)
    tokenizer.add_special_tokens([name for name in names if tokenizer.token_to_id(name) is not None])
    return tokenizer
