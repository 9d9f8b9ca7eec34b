"""The parts of a tokenizer, with the vocabulary that they have together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ._added_token import AddedToken
from ._added_vocabulary import AddedVocabulary
from ._cutting import Cutter
from ._decoding import SpaceJoined, decode_rows
from ._padding import Padding
from ._splits import Splits
from ._truncation import Truncation
from .decoders import Decoder
from .models import Model
from .normalizers import Normalizer
from .pre_tokenizers import PreTokenizer
from .processors import PostProcessor

# What a tokenizer is made of, by the names of its attributes.
_PARTS: dict[str, type] = {
    "model": Model,
    "normalizer": Normalizer,
    "pre_tokenizer": PreTokenizer,
    "post_processor": PostProcessor,
    "decoder": Decoder,
    "encode_special_tokens": bool,
    "_added": AddedVocabulary,
    "_truncation": Truncation,
    "_padding": Padding,
}
_NEEDED = ("model", "encode_special_tokens")


class Pipeline:
    """Normalizer, pre-tokenizer, model, post-processor, decoder; added tokens; what they say of tokens and ids."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.normalizer: Normalizer | None = None
        self.pre_tokenizer: PreTokenizer | None = None
        self.post_processor: PostProcessor | None = None
        self.decoder: Decoder | None = None
        self._added = AddedVocabulary.of({}, self._normalized)
        self._truncation: Truncation | None = None
        self._padding: Padding | None = None

    def __repr__(self) -> str:
        names = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
        shown = "".join(f", {name}={getattr(self, name)!r}" for name in names)
        return f"Tokenizer(model={type(self.model).__name__} of {self.model.get_vocab_size()} tokens{shown})"

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a part; ValueError for one that is not of this package, or not implemented."""
        if name not in _PARTS:
            known = ", ".join(part for part in _PARTS if not part.startswith("_"))
            raise ValueError(f"{name} is not implemented: a Tokenizer has {known}")
        if not isinstance(value, _PARTS[name]) and (value is not None or name in _NEEDED):
            raise ValueError(f"{name}={value!r}: give a {_PARTS[name].__name__} of tokenizers_impl")
        super().__setattr__(name, value)
        if name == "normalizer" and hasattr(self, "_added"):
            # What is looked for in normalised text is normalised as well.
            self._rebuild(self.encode_special_tokens)

    @property
    def encode_special_tokens(self) -> bool:
        """Whether special tokens are encoded as the text that they are; may be set."""
        return self._added.encode_special_tokens

    @encode_special_tokens.setter
    def encode_special_tokens(self, value: bool) -> None:
        self._rebuild(value)

    def _rebuild(self, encode_special_tokens: bool) -> None:
        tokens = self._added.tokens
        self._added = AddedVocabulary.of(tokens, self._normalized, encode_special_tokens=encode_special_tokens)

    # Words

    @property
    def _cutter(self) -> Cutter:
        return Cutter(self._added.raw, self.normalizer, self._added.normalized, self.pre_tokenizer)

    @property
    def _needs_origins(self) -> bool:
        return self._cutter.needs_origins

    def _cut(self, splits: Splits) -> Splits:
        return self._cutter.cut(splits)

    def _normalized(self, texts: list[str]) -> list[str]:
        splits = Splits.of(texts, offsets=False)
        return self.normalizer.normalize_splits(splits).texts() if self.normalizer else texts

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
