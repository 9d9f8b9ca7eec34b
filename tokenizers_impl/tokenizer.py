"""The tokenizer: a pipeline of normalizer, pre-tokenizer, model, decoder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ._added_token import AddedToken
from ._added_vocabulary import AddedVocabulary
from ._arrays import F64
from ._corpus import file_blocks, iterator_blocks
from ._counting import Measure
from ._decoding import SpaceJoined, decode_rows
from ._encoding import EncodedBatch, Encoding, encoded
from ._explaining import WordExplanation, explained
from ._file import canonical_tokenizer, from_document, to_document
from ._piece_probabilities import piece_log_probs
from ._splits import Splits
from ._text_files import read_text, write_text
from ._threads import map_in_order, part_size
from ._training import checked_counts, chosen_trainer, trained_on_counts, trained_on_texts
from .decoders import Decoder
from .models import Model
from .normalizers import Normalizer
from .pre_tokenizers import PreTokenizer
from .trainers import Trainer

# What a tokenizer is made of, by the names of its attributes.
_PARTS: dict[str, type] = {
    "model": Model,
    "normalizer": Normalizer,
    "pre_tokenizer": PreTokenizer,
    "decoder": Decoder,
    "_added": AddedVocabulary,
}


class Tokenizer:
    """Mirrors `tokenizers.Tokenizer` where it implements it.

    model, normalizer, pre_tokenizer, decoder: its parts, which may be read and set; None is no normalizer, no
    pre-tokenizer (a text is one word), no decoder (tokens are joined by spaces).

    >>> from tokenizers_impl import models, pre_tokenizers, trainers
    >>> tokenizer = Tokenizer(models.BPE())
    >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    >>> trainer = trainers.BpeTrainer(vocab_size=18, show_progress=False)
    >>> tokenizer.train_from_iterator(["low lower lowest", "new newer newest"], trainer)
    >>> tokenizer.encode("lower news").tokens
    ['lower', 'new', 's']
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.normalizer: Normalizer | None = None
        self.pre_tokenizer: PreTokenizer | None = None
        self.decoder: Decoder | None = None
        self._added = AddedVocabulary.of({}, self._normalized)

    def __repr__(self) -> str:
        parts = {name: getattr(self, name) for name in ("normalizer", "pre_tokenizer", "decoder")}
        shown = "".join(f", {name}={part!r}" for name, part in parts.items())
        return f"Tokenizer(model={type(self.model).__name__} of {self.model.get_vocab_size()} tokens{shown})"

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a part; ValueError for one that is not of this package, or not implemented."""
        if name not in _PARTS:
            raise ValueError(f"{name} is not implemented: a Tokenizer has {', '.join(_PARTS)}")
        if not isinstance(value, _PARTS[name]) and (value is not None or name == "model"):
            raise ValueError(f"{name}={value!r}: give a {_PARTS[name].__name__} of tokenizers_impl")
        super().__setattr__(name, value)
        if name == "normalizer" and hasattr(self, "_added"):
            # What is looked for in normalised text is normalised as well.
            self._added = AddedVocabulary.of(self._added.tokens, self._normalized)

    # Training

    def train(self, files: str | Sequence[str], trainer: Trainer | None = None) -> None:
        """Learn the model from text files, of which a line with its line feed is a text.

        The model is replaced at the very end: a training that is interrupted leaves the tokenizer as it was.
        OSError for a file that cannot be read, ValueError for one that is not UTF-8.
        """
        paths = [files] if isinstance(files, (str, os.PathLike)) else list(files)
        self._train(file_blocks(paths, offsets=self._needs_origins), Measure(sum(map(os.path.getsize, paths))), trainer)

    def train_from_iterator(
        self, iterator: Iterable[str | Iterable[str]], trainer: Trainer | None = None, length: int | None = None
    ) -> None:
        """Learn the model from texts; an element may also be a list of texts.

        length: the number of texts, for the progress bar alone.
        """
        self._train(iterator_blocks(iterator, offsets=self._needs_origins), Measure(length, "text"), trainer)

    def train_from_counts(self, counts: Mapping[str, int], trainer: Trainer | None = None) -> None:
        """Learn the model from words that are counted already, neither normalised nor cut any more.

        ValueError for a word that is no string, a count that is no integer from 1 to 2**63 - 1.
        """
        chosen = chosen_trainer(trainer, self.model)
        self._take(trained_on_counts(checked_counts(counts), chosen, self.model), chosen)

    def _train(self, blocks: Iterable[Splits], measure: Measure, trainer: Trainer | None) -> None:
        chosen = chosen_trainer(trainer, self.model)
        self._take(trained_on_texts(blocks, self._cut, measure, chosen, self.model), chosen)

    def _take(self, model: Model, trainer: Trainer) -> None:
        """The trained model, with the special tokens of its trainer and the tokens that were added before."""
        tokens = [*self._added.tokens.values(), *AddedToken.special_tokens(trainer.special_tokens)]
        added, _ = AddedVocabulary.of({}, self._normalized).with_tokens(tokens, model, self._normalized)
        self.model, self._added = model, added

    def _cut(self, splits: Splits) -> Splits:
        """The words of texts: added tokens, then what normalizer and pre-tokenizer leave of the text between."""
        raw = self._added.raw.cut(splits)
        normal = self.normalizer.normalize_splits(raw) if self.normalizer else raw
        found = self._added.normalized.cut(normal)
        return self.pre_tokenizer.cut(found) if self.pre_tokenizer else found

    @property
    def _needs_origins(self) -> bool:
        return self.pre_tokenizer is not None and self.pre_tokenizer.needs_origins

    def _normalized(self, text: str) -> str:
        return self.normalizer.normalize_str(text) if self.normalizer else text

    # Encoding

    def encode(
        self, sequence: str, pair: None = None, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> Encoding:
        """The tokens of a text, with offsets."""
        _refuse(pair=pair is not None, is_pretokenized=is_pretokenized)
        return self._batch([sequence], offsets=True).encodings()[0]

    def encode_batch(
        self, input: Sequence[str], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """The tokens of many texts, with offsets."""
        _refuse(is_pretokenized=is_pretokenized)
        return self._encode_batch(input, offsets=True)

    def encode_batch_fast(
        self, input: Sequence[str], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """The tokens of many texts, without offsets."""
        _refuse(is_pretokenized=is_pretokenized)
        return self._encode_batch(input, offsets=False)

    def _encode_batch(self, texts: Sequence[str], *, offsets: bool) -> list[Encoding]:
        texts = _listed(texts)
        size = len(texts) if self.model.is_random else part_size(texts)
        firsts = range(0, len(texts), max(size, 1))
        batches = map_in_order(lambda i: self._batch(texts[i : i + size], offsets=offsets, first=i).encodings(), firsts)
        return list(chain.from_iterable(batches))

    def _batch(self, texts: Sequence[str], *, offsets: bool, first: int = 0) -> EncodedBatch:
        words = self._cut(Splits.of(texts, offsets=offsets or self._needs_origins, first=first))
        return encoded(words, self.model, self._added.shown)

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text: what a metric's `tokenizer=` takes."""
        return self.encode(text).tokens

    def log_probs(self, texts: Sequence[str]) -> list[F64]:
        """The natural logarithms of the probabilities of the pieces of every text, a float64 array each.

        They are those of the best segmentation of every word, with models.Unigram; ValueError with other models, which
        have none.  So a trained tokenizer is a language model, as which perplexity takes it.

        >>> from tokenizers_impl import models, pre_tokenizers
        >>> tokenizer = Tokenizer(models.Unigram([("<unk>", -9.0), ("a", -1.0), ("b", -2.0), ("ab", -2.5)], unk_id=0))
        >>> tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        >>> tokenizer.log_probs(["aab b", ""])
        [array([-1. , -2.5, -2. ]), array([], dtype=float64)]
        """
        words = self._cut(Splits.of(_listed(texts), offsets=self._needs_origins)).without_empty()
        return piece_log_probs(words, self.model)

    def explain(self, text: str) -> list[WordExplanation]:
        """Every word of a text with the steps by which the model cut it.

        >>> from tokenizers_impl import models
        >>> tokenizer = Tokenizer(models.BPE({"l": 0, "o": 1, "w": 2, "lo": 3, "low": 4}, [("l", "o"), ("lo", "w")]))
        >>> [(step.left, step.right, step.rank) for step in tokenizer.explain("low")[0].steps]
        [('l', 'o', 0), ('lo', 'w', 1)]
        """
        return explained(self._cut(Splits.of([text], offsets=True)).without_empty(), self.model)

    # Decoding

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = True) -> str:
        """The text of these ids; an id that is none is left out.  Without a decoder the tokens are joined by spaces."""
        listed = list(ids)
        named = self._named(listed, skip_special_tokens)
        tokens = [named[id] for id in listed if id in named]
        return self.decoder.decode(tokens) if self.decoder else " ".join(tokens)

    def decode_batch(self, sequences: Sequence[Sequence[int]], skip_special_tokens: bool = True) -> list[str]:
        """The text of every row of ids."""
        named = self._named(set().union(*sequences), skip_special_tokens)
        return decode_rows(sequences, named, self.decoder or SpaceJoined())

    def _named(self, ids: Iterable[int], skip_special_tokens: bool) -> dict[int, str]:
        """The tokens of these ids, as far as they have one that is shown."""
        distinct = set(ids)
        if strange := [id for id in distinct if not isinstance(id, (int, np.integer)) or not 0 <= id < 1 << 32]:
            raise ValueError(f"the ids hold {strange[0]!r}: give integers from 0 to 2**32 - 1")
        skipped = self._added.skipped if skip_special_tokens else frozenset[int]()
        named = {id: self.id_to_token(id) for id in distinct if id not in skipped}
        return {id: token for id, token in named.items() if token is not None}

    # Vocabulary

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """From token to id."""
        return self.model.get_vocab() | (dict(self._added.ids) if with_added_tokens else {})

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        """Number of tokens."""
        added = self._added.ids if with_added_tokens else {}
        return self.model.get_vocab_size() + sum(self.model.token_to_id(token) is None for token in added)

    def token_to_id(self, token: str) -> int | None:
        """The id of a token, None if there is no such token."""
        id = self._added.ids.get(token)
        return self.model.token_to_id(token) if id is None else id

    def id_to_token(self, id: int) -> str | None:
        """The token of an id, None if there is no such id."""
        added = self._added.shown.get(id)
        return self.model.id_to_token(id) if added is None else added

    def add_tokens(self, tokens: Sequence[str | AddedToken]) -> int:
        """Look for these tokens in the text before the model does; returns how many were not there before."""
        return self._add(AddedToken.ordinary_tokens(tokens))

    def add_special_tokens(self, tokens: Sequence[str | AddedToken]) -> int:
        """The same for tokens that `decode` leaves out; they are looked for before the text is normalised."""
        return self._add(AddedToken.special_tokens(tokens))

    def _add(self, tokens: Sequence[AddedToken]) -> int:
        self._added, changed = self._added.with_tokens(tokens, self.model, self._normalized)
        return changed

    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        """The added tokens by id."""
        return dict(self._added.tokens)

    # Files

    def to_str(self, pretty: bool = False) -> str:
        """The text of tokenizer.json."""
        parts = (self.normalizer, self.pre_tokenizer, self.decoder)
        return to_document(self._added.to_json(), *parts, self.model, pretty=pretty)

    def save(self, path: str, pretty: bool = True) -> None:
        """Write tokenizer.json; the file is there whole or not at all."""
        write_text(path, self.to_str(pretty))

    @classmethod
    def from_str(cls, json: str) -> Tokenizer:
        """The tokenizer of the text of a tokenizer.json; ValueError names what is wrong or not implemented."""
        added, normalizer, pre_tokenizer, decoder, model = from_document(json)
        tokenizer = cls(model)
        tokenizer.normalizer, tokenizer.pre_tokenizer, tokenizer.decoder = normalizer, pre_tokenizer, decoder
        # In the order of the file; ids are given anew, as the library does, so that none can be taken twice.
        tokenizer._add(added)
        return tokenizer

    @classmethod
    def from_file(cls, path: str) -> Tokenizer:
        """The tokenizer of a tokenizer.json; errors as `from_str`, with the path."""
        text = read_text(path)
        try:
            return cls.from_str(text)
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from None

    def to_tokenizers(self) -> Any:
        """The same as a `tokenizers.Tokenizer`; ValueError for what that library has not.

        It reads numbers from a file with an error of up to one unit in the last place: see DIFFERENCES.md.
        """
        return canonical_tokenizer(self.to_str())

    @classmethod
    def from_tokenizers(cls, tokenizer: Any) -> Tokenizer:
        """The same of a `tokenizers.Tokenizer`."""
        return cls.from_str(tokenizer.to_str())


def _listed(texts: Iterable[str]) -> Sequence[str]:
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise ValueError(f"the input is {texts!r}: give a list of strings; one string is for encode")
    return texts if isinstance(texts, (list, tuple)) else list(texts)


def _refuse(**given: bool) -> None:
    for name, is_given in given.items():
        if is_given:
            raise ValueError(f"{name} is not implemented: encode one text at a time, as it stands")
