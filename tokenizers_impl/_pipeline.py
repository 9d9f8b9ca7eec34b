"""The parts of a tokenizer, with the vocabulary that they have together."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from threading import RLock
from typing import Any

from . import decoders, models, normalizers, pre_tokenizers, processors
from ._added_token import AddedToken
from ._added_vocabulary import AddedVocabulary
from ._cutting import Cutter
from ._decoding import Decoding, decoding_of
from ._foreign import own_component
from ._id_rows import id_row, id_rows
from ._in_thread import in_thread
from ._option_values import checked_flag, checked_id, checked_token
from ._padding import Padding
from ._shown_tokens import ShownTokens
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
# Those on which it depends what ids are decoded to.
_DECODING = ("model", "decoder", "_added")
_READERS: dict[str, Any] = {
    "model": models.from_json,
    "normalizer": normalizers.from_json,
    "pre_tokenizer": pre_tokenizers.from_json,
    "post_processor": processors.from_json,
    "decoder": decoders.from_json,
}


class Pipeline:
    """Normalizer, pre-tokenizer, model, post-processor, decoder; added tokens; what they say of tokens and ids.

    Threads may share one.  Added tokens are replaced as a whole, together with the normalizer that they go with, by one
    thread at a time.
    """

    _locks: dict[int, RLock]
    # By `skip_special_tokens`.  What they have looked up goes with them when one of the parts is replaced.
    _decodings: dict[bool, Decoding]

    def __init__(self, model: Model) -> None:
        vars(self)["_locks"] = {}
        self.model = model
        self.normalizer: Normalizer | None = None
        self.pre_tokenizer: PreTokenizer | None = None
        self.post_processor: PostProcessor | None = None
        self.decoder: Decoder | None = None
        self._added = AddedVocabulary.of({}, self._normalized)
        self._truncation: Truncation | None = None
        self._padding: Padding | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a part; one of the library `tokenizers` is copied.  ValueError for anything else, or not implemented."""
        if name in ("padding", "truncation"):
            raise ValueError(f"{name} cannot be set: use no_{name}() or enable_{name}()")
        if name not in _PARTS:
            known = ", ".join(part for part in _PARTS if not part.startswith("_"))
            if hasattr(self, name):
                raise ValueError(
                    f"{name} of a Tokenizer cannot be replaced, only {known} can: where the library's can, use "
                    "tokenizer.to_tokenizers()"
                )
            raise ValueError(f"{name} is not implemented: a Tokenizer has {known}")
        if name in _READERS:
            value = own_component(value, _READERS[name])
        if name == "encode_special_tokens":
            value = checked_flag(name, value)
        if not isinstance(value, _PARTS[name]) and (value is not None or name in _NEEDED):
            raise ValueError(f"{name}={value!r}{_origin(value)}: give a {_PARTS[name].__name__} of {_home(name)}")
        with self._lock:
            if name == "normalizer" and "_added" in vars(self):
                # What is looked for in normalised text is normalised as well; beforehand, since that may fail.
                normalizer: Any = value
                self._added = self._added.with_normalizer(partial(_normalized, normalizer))
            super().__setattr__(name, value)
            if name in _DECODING and "_added" in vars(self):
                tokens = {flag: ShownTokens(self.model, self._added, flag) for flag in (False, True)}
                vars(self)["_decodings"] = {flag: decoding_of(tokens[flag], self.decoder) for flag in tokens}

    def __getstate__(self) -> dict[str, Any]:
        """Its parts; of added tokens what was added, not what finds it."""
        with self._lock:
            added = self._added
            kept = (dict(added.tokens), dict(added.ids), dict(added.forms), added.encode_special_tokens)
            state = vars(self) | {"_added": kept}
        del state["_locks"], state["_decodings"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        tokens, ids, forms, flag = state["_added"]
        vars(self).update(state, _locks={})
        self._added = AddedVocabulary.of(tokens, self._normalized, encode_special_tokens=flag, ids=ids, forms=forms)

    @property
    def _lock(self) -> RLock:
        """That of this process: a lock that some thread holds while another one forks stays locked in the copy."""
        return self._locks.setdefault(os.getpid(), RLock())

    @property
    def encode_special_tokens(self) -> bool:
        """Whether special tokens are encoded as the text that they are; may be set."""
        return self._added.encode_special_tokens

    @encode_special_tokens.setter
    def encode_special_tokens(self, value: bool) -> None:
        # In __setattr__, which holds the lock.
        self._added = self._added.encoding_special_tokens(value, self._normalized)

    # Words

    @property
    def _cutter(self) -> Cutter:
        with self._lock:
            return Cutter(self._added.raw, self.normalizer, self._added.normalized, self.pre_tokenizer)

    @property
    def _needs_origins(self) -> bool:
        return self._cutter.needs_origins

    def _cut(self, splits: Splits) -> Splits:
        return self._cutter.cut(splits)

    def _normalized(self, texts: list[str]) -> list[str]:
        return _normalized(self.normalizer, texts)

    # Decoding

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = True) -> str:
        """The text of these ids; without a decoder the tokens are joined by spaces.

        An id that no token has is left out; ValueError for what is no integer from 0 to 2**32 - 1.
        """
        return self._decoding(skip_special_tokens).decode(id_row(ids))

    def decode_batch(self, sequences: Sequence[Sequence[int]], skip_special_tokens: bool = True) -> list[str]:
        """The text of every row of ids."""
        return self._decoding(skip_special_tokens).decode_rows(id_rows(sequences))

    async def async_decode_batch(
        self, sequences: Sequence[Sequence[int]], skip_special_tokens: bool = True
    ) -> list[str]:
        """`decode_batch` in a thread, to be awaited."""
        return await in_thread(self.decode_batch, sequences, skip_special_tokens)

    def _decoding(self, skip_special_tokens: bool) -> Decoding:
        is_skipping = checked_flag("skip_special_tokens", skip_special_tokens)
        with self._lock:
            return self._decodings[is_skipping]

    # Vocabulary

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """From token to id."""
        is_whole = checked_flag("with_added_tokens", with_added_tokens)
        return self.model.get_vocab() | (dict(self._added.ids) if is_whole else {})

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        """Number of tokens."""
        added = self._added.ids if checked_flag("with_added_tokens", with_added_tokens) else {}
        return self.model.get_vocab_size() + sum(self.model.token_to_id(token) is None for token in added)

    def token_to_id(self, token: str) -> int | None:
        """The id of a token, None if there is no such token."""
        id = self._added.ids.get(checked_token(token))
        return self.model.token_to_id(token) if id is None else id

    def id_to_token(self, id: int) -> str | None:
        """The token of an id, None if there is no such id."""
        added = self._added.name(checked_id(id))
        return self.model.id_to_token(id) if added is None else added

    def add_tokens(self, tokens: Sequence[str | AddedToken]) -> int:
        """Look for these tokens in the text before the model does; returns how many were not there before."""
        return self._add(AddedToken.ordinary_tokens(tokens))

    def add_special_tokens(self, tokens: Sequence[str | AddedToken]) -> int:
        """The same for tokens that `decode` leaves out; they are looked for before the text is normalised."""
        return self._add(AddedToken.special_tokens(tokens))

    def _add(self, tokens: Sequence[AddedToken]) -> int:
        with self._lock:
            self._added, changed = self._added.with_tokens(tokens, self.model, self._normalized)
        return changed

    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        """The added tokens by id."""
        return dict(self._added.tokens)


def _normalized(normalizer: Normalizer | None, texts: list[str]) -> list[str]:
    if normalizer is None:
        return texts
    splits = Splits.of(texts, offsets=normalizer.is_custom)
    return normalizer.normalize_splits(splits).texts()


def _origin(value: object) -> str:
    """Of what class and module an object is, if it is not Python's own; steps of different kinds share names."""
    kind = type(value)
    public = kind.__module__.partition("._")[0]
    return "" if public == "builtins" or isinstance(value, type) else f", {kind.__name__} of {public}"


def _home(part: str) -> str:
    """The module in which what the part may be is found."""
    return str(_READERS[part].__module__)
