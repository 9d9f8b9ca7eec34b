"""The tokenizer: its parts, encoding, decoding, training, files."""

from __future__ import annotations

import copyreg
import os
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from threading import RLock
from typing import Any

from evenscore.pictures import Picture

from ._core.added_token import AddedToken
from ._core.arrays import F64
from ._core.component import REPR, STR
from ._core.encoding import Encoding
from ._core.files import checked_paths, write_text
from ._core.options import as_list, checked_flag, checked_id, checked_token
from ._core.parallel import in_thread
from ._encoding.decoding import id_row, id_rows
from ._encoding.encoded import encoded, piece_log_probs
from ._encoding.inputs import Inputs
from ._encoding.parts import SETTABLE, STATE, Parts, checked_part, not_settable
from ._encoding.post_processing import Padding, Truncation
from ._encoding.stretches import StretchRow
from ._encoding.training import (
    Corpus,
    checked_counts,
    chosen_trainer,
    count_words,
    file_corpus,
    iterator_corpus,
    trained_on_counts,
    trained_on_texts,
)
from ._file import (
    ROLES,
    Side,
    canonical_text,
    canonical_tokenizer,
    from_document,
    hub_file,
    save_pretrained,
    shown_document,
    text_of_file,
    to_document,
)
from ._picture import LONGEST_WORD, WordExplanation, explained, tokenizer_picture
from ._text.words import WordCounter
from .decoders import Decoder
from .models import Model
from .models._model import TokenModel
from .normalizers import Normalizer
from .pre_tokenizers import PreTokenizer
from .processors import PostProcessor
from .trainers import Trainer


def _part(name: str) -> Any:
    """A read-only property that returns this part; `Tokenizer.__setattr__` sets it."""
    return property(attrgetter(f"_parts.{name}"))


class Tokenizer:
    """Encodes texts to token ids and decodes ids to texts; mirrors `tokenizers.Tokenizer` 0.23.3.

    model: a `models.Model`; required, may be set.
    normalizer, pre_tokenizer, post_processor, decoder: the other parts of the pipeline; None by default, may be set.
      Without a normalizer the text stays as it is; without a pre-tokenizer it is one word; without a post-processor no
      special tokens are added; without a decoder tokens are joined by spaces.
    encode_special_tokens: if True, the model splits special tokens in the text like any other text; False by default.

    A tokenizer is safe to share between threads: every change replaces all parts at once, under a lock.
    Setting a part of a wrong type, or another attribute, raises an error that names it.

    >>> from tokenizers_impl import models, pre_tokenizers, trainers
    >>> tokenizer = Tokenizer(models.BPE())
    >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    >>> trainer = trainers.BpeTrainer(vocab_size=18, show_progress=False)
    >>> tokenizer.train_from_iterator(["low lower lowest", "new newer newest"], trainer)
    >>> tokenizer.encode("lower news").tokens
    ['lower', 'new', 's']
    """

    # --- Its parts

    model: Model = _part("model")
    normalizer: Normalizer | None = _part("normalizer")
    pre_tokenizer: PreTokenizer | None = _part("pre_tokenizer")
    post_processor: PostProcessor | None = _part("post_processor")
    decoder: Decoder | None = _part("decoder")
    encode_special_tokens: bool = _part("encode_special_tokens")

    _parts: Parts
    # One lock per process, by process id: after a fork, a lock held by another thread would stay locked in the child.
    _locks: dict[int, RLock]

    def __init__(self, model: Model) -> None:
        vars(self).update(_locks={}, _parts=Parts.of(checked_part("model", model)))

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a part, converting one of the library `tokenizers`; ValueError for any other or unsupported value."""
        if name not in SETTABLE:
            raise not_settable(name, is_there=hasattr(self, name))
        self._set(name, checked_part(name, value))

    def _set(self, name: str, part: Any) -> None:
        with self._lock:
            vars(self)["_parts"] = self._parts.with_part(name, part)

    @property
    def _lock(self) -> RLock:
        return self._locks.setdefault(os.getpid(), RLock())

    def __getstate__(self) -> bytes:
        """Return the bytes of tokenizer.json, as in the library; a pickle keeps more, such as counts of merges."""
        return self.to_str().encode()

    def __reduce__(self) -> tuple[Any, ...]:
        own = {name: value for name, value in vars(self).items() if name not in ("_locks", "_parts")}
        return copyreg.__newobj__, (type(self),), own | self._parts.to_state()  # type: ignore[attr-defined]

    def __setstate__(self, state: bytes | dict[str, Any]) -> None:
        """Take the bytes of `__getstate__`, or the state of a pickle."""
        if isinstance(state, bytes):
            vars(self).update(_locks={}, _parts=from_document(state.decode()))
            return
        own = {name: value for name, value in state.items() if name not in STATE}
        vars(self).update(own, _locks={}, _parts=Parts.from_state(state))

    # --- Added tokens and vocabulary

    def add_tokens(self, tokens: Sequence[str | AddedToken]) -> int:
        """Add tokens that are matched in the text before the model runs; returns how many are new or changed.

        A token of the model's vocabulary keeps its id; any other gets the next free id.  Empty tokens are skipped.

        >>> from tokenizers_impl import models
        >>> tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1}, []))
        >>> tokenizer.add_tokens(["ab"]), tokenizer.encode("aab").tokens
        (1, ['a', 'ab'])
        """
        return self._add(AddedToken.ordinary_tokens(tokens))

    def add_special_tokens(self, tokens: Sequence[str | AddedToken]) -> int:
        """Add tokens that `decode` skips; they are matched before the text is normalized.  Returns as `add_tokens`."""
        return self._add(AddedToken.special_tokens(tokens))

    def _add(self, tokens: Sequence[AddedToken]) -> int:
        with self._lock:
            vars(self)["_parts"], changed = self._parts.with_tokens(tokens)
        return changed

    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        """Return the added tokens by id; empty if there are none."""
        return dict(self._parts.added_tokens.tokens)

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """Return a new dictionary from token to id; with_added_tokens=False leaves out the added tokens."""
        parts, is_whole = self._parts, checked_flag("with_added_tokens", with_added_tokens)
        return parts.model.get_vocab() | (dict(parts.added_tokens.ids) if is_whole else {})

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        """Return the number of tokens; with_added_tokens=False counts those of the model alone."""
        parts, is_whole = self._parts, checked_flag("with_added_tokens", with_added_tokens)
        added = parts.added_tokens.ids if is_whole else {}
        return parts.model.get_vocab_size() + sum(parts.model.token_to_id(token) is None for token in added)

    def token_to_id(self, token: str) -> int | None:
        """Return the id of a token, None if the vocabulary lacks it."""
        parts = self._parts
        id = parts.added_tokens.ids.get(checked_token(token))
        return parts.model.token_to_id(token) if id is None else id

    def id_to_token(self, id: int) -> str | None:
        """Return the token of an id, None if no token has it."""
        parts = self._parts
        added = parts.added_tokens.name(checked_id(id))
        return parts.model.id_to_token(id) if added is None else added

    # --- Encoding

    def encode(
        self, sequence: Any, pair: Any = None, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> Encoding:
        """Encode a text, or a pair of texts, to tokens with offsets.

        sequence, pair: strings; lists of words if is_pretokenized.  An empty text gives no tokens but special ones.
        add_special_tokens: whether the post-processor adds its tokens.
        Offsets count characters of the text as given: token i covers text[start:end] for (start, end) = offsets[i].
        ValueError for an input of another type, and for a word that the model cannot encode.

        >>> from tokenizers_impl import models
        >>> encoding = Tokenizer(models.BPE({"l": 0, "o": 1, "lo": 2}, [("l", "o")])).encode("olo")
        >>> encoding.ids, encoding.tokens, encoding.offsets
        ([1, 2], ['o', 'lo'], [(0, 1), (1, 3)])
        """
        inputs = Inputs.of_one(sequence, pair, is_pretokenized=is_pretokenized)
        return self._encodings(inputs, add_special_tokens, offsets=True)[0]

    def encode_batch(
        self, input: Iterable[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Encode many texts, with offsets; an input is a text or a tuple of two, as in `encode`.

        For 100,000 texts or more, Python's garbage collector takes a third of the time or more.  Encoding leaves
        nothing for it to free, so the program may call `gc.disable()` before, and `gc.enable()` after.
        """
        return self._encodings(Inputs.of(input, is_pretokenized=is_pretokenized), add_special_tokens, offsets=True)

    def encode_batch_fast(
        self, input: Iterable[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Encode many texts like `encode_batch`, without offsets and word ids, which is faster."""
        return self._encodings(Inputs.of(input, is_pretokenized=is_pretokenized), add_special_tokens, offsets=False)

    async def async_encode(
        self, sequence: Any, pair: Any = None, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> Encoding:
        """Run `encode` in a thread and await its result."""
        return await in_thread(self.encode, sequence, pair, is_pretokenized, add_special_tokens)

    async def async_encode_batch(
        self, input: Iterable[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Run `encode_batch` in a thread and await its result."""
        return await in_thread(self.encode_batch, input, is_pretokenized, add_special_tokens)

    async def async_encode_batch_fast(
        self, input: Iterable[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Run `encode_batch_fast` in a thread and await its result."""
        return await in_thread(self.encode_batch_fast, input, is_pretokenized, add_special_tokens)

    def _encodings(self, inputs: Inputs, add_special_tokens: bool, *, offsets: bool) -> list[Encoding]:
        parts = self._parts
        processing = parts.processing(add_special_tokens)
        if inputs.are_few:
            if (texts := parts.stretches.rows(inputs.texts)) is not None:
                return processing.of_stretches([StretchRow(text, offsets) for text in texts], inputs.bounds, offsets)
            custom = parts.custom_steps
            if custom is not None and (found := custom.encodings(inputs, processing, offsets=offsets)) is not None:
                return found
        shares = inputs.parts(is_whole=parts.model.is_random)
        batches = encoded(shares, parts.cutter, parts.model, parts.added_tokens, offsets=offsets)
        return processing.of_batches(batches, shares)

    def post_process(
        self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True
    ) -> Encoding:
        """Truncate encodings, add special tokens and pad, as `encode` does after the model."""
        return self._parts.processing(add_special_tokens).of_encodings(encoding, pair)

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Return how many tokens the post-processor adds to a text, or to a pair."""
        return self._parts.processing(True).special_count(checked_flag("is_pair", is_pair))

    # --- Decoding

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = True) -> str:
        """Decode ids to a text; without a decoder the tokens are joined by spaces.

        ids: integers from 0 to 2**32 - 1, ValueError otherwise; ids without a token are skipped.  No ids give "".
        skip_special_tokens: whether special tokens are skipped.

        >>> from tokenizers_impl import models
        >>> Tokenizer(models.BPE({"a": 0, "b": 1}, [])).decode([1, 0, 7])
        'b a'
        """
        return self._parts.decoding(skip_special_tokens).decode(id_row(ids))

    def decode_batch(self, sequences: Sequence[Sequence[int]], skip_special_tokens: bool = True) -> list[str]:
        """Decode every row of ids, as `decode` does."""
        return self._parts.decoding(skip_special_tokens).decode_rows(id_rows(sequences))

    async def async_decode_batch(
        self, sequences: Sequence[Sequence[int]], skip_special_tokens: bool = True
    ) -> list[str]:
        """Run `decode_batch` in a thread and await its result."""
        return await in_thread(self.decode_batch, sequences, skip_special_tokens)

    # --- Truncation and padding

    def enable_truncation(
        self, max_length: int, stride: int = 0, strategy: str = "longest_first", direction: str = "right"
    ) -> None:
        """Truncate every encoding to max_length tokens; the rest goes to `Encoding.overflowing`.

        max_length: tokens, special tokens included; ValueError if it has no room for the special tokens.
        stride: number of tokens that each overflowing row repeats from the row before it.
        strategy: which text of a pair is cut: "longest_first", "only_first" or "only_second".
        direction: the side that is cut: "right" or "left".
        """
        truncation = Truncation(max_length, stride, strategy, direction)
        truncation.check_room(self.num_special_tokens_to_add(False))
        self._set("truncation", truncation)

    def no_truncation(self) -> None:
        """Disable truncation."""
        self._set("truncation", None)

    @property
    def truncation(self) -> dict[str, Any] | None:
        """The options of `enable_truncation` as a dictionary, None if truncation is off."""
        truncation = self._parts.truncation
        return None if truncation is None else truncation.to_dict()

    def enable_padding(
        self,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
        length: int | None = None,
        pad_to_multiple_of: int | None = None,
    ) -> None:
        """Pad every encoding to the same number of tokens.

        direction: the side that is padded: "right" or "left".
        pad_id, pad_type_id, pad_token: id, type id and text of the padding token; the vocabulary need not have it.
        length: number of tokens; None: those of the longest row of the batch.  Longer rows stay as they are.
        pad_to_multiple_of: rounds the length up to a multiple of this number; None: no rounding.

        >>> from tokenizers_impl import models
        >>> tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "[PAD]": 2}, []))
        >>> tokenizer.enable_truncation(2)
        >>> tokenizer.enable_padding(pad_id=2)
        >>> [encoding.tokens for encoding in tokenizer.encode_batch(["abab", "a"])]
        [['a', 'b'], ['a', '[PAD]']]
        >>> tokenizer.encode("abab").overflowing[0].tokens
        ['a', 'b']
        """
        self._set("padding", Padding(direction, pad_id, pad_type_id, pad_token, length, pad_to_multiple_of))

    def no_padding(self) -> None:
        """Disable padding."""
        self._set("padding", None)

    @property
    def padding(self) -> dict[str, Any] | None:
        """The options of `enable_padding` as a dictionary, None if padding is off."""
        padding = self._parts.padding
        return None if padding is None else padding.to_dict()

    # --- Training

    def train(self, files: str | Sequence[str], trainer: Trainer | None = None, *, executor: Any = None) -> None:
        """Train the model on text files; each line, with its line feed, is one text.

        trainer: its options; None: the default trainer of the model's kind.
        executor: an object with the `submit` method of concurrent.futures, such as Dask's client.get_executor().  Its
          workers read ranges of the files, which need the same paths there, and count words; for Unigram they also run
          the E steps.  The result is identical to the last bit.  On a single machine an executor saves no time, since
          training uses all cores anyway.
        The model is replaced at the very end: an interrupted training leaves the tokenizer unchanged.
        OSError for a file that cannot be read, ValueError for a file that is not UTF-8.
        """
        parts, paths = self._parts, checked_paths(files)
        needs, pieces = parts.cutter.needs_origins, parts.cutter.takes_pieces
        corpus = file_corpus(paths, offsets=needs, elsewhere=executor is not None, pieces=pieces)
        self._train(parts, corpus, trainer, executor)

    def train_from_iterator(
        self,
        iterator: Iterable[str | Iterable[str]],
        trainer: Trainer | None = None,
        length: int | None = None,
        *,
        executor: Any = None,
    ) -> None:
        """Train the model on an iterable of texts, or of lists of texts.

        trainer: as in `train`.  length: the number of texts, used by the progress bar only.
        executor: as in `train`; its workers receive the texts.
        """
        parts = self._parts
        needs, pieces = parts.cutter.needs_origins, parts.cutter.takes_pieces
        corpus = iterator_corpus(iterator, length, offsets=needs, pieces=pieces)
        self._train(parts, corpus, trainer, executor)

    def word_counts(self, texts: Iterable[str | Iterable[str]], min_count: int = 1) -> WordCounter:
        """Count the words of texts as training sees them: normalized and split, without empty ones.

        texts: as in `train_from_iterator`.  No texts give no words.
        min_count: words with a smaller count are dropped; the result names this threshold.

        Counters of parts can be added up, and `train_from_counts` of the sum equals `train_from_iterator` of all texts.
        So each machine can count the texts that lie on it.

        >>> from tokenizers_impl import models, pre_tokenizers
        >>> tokenizer = Tokenizer(models.BPE())
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> tokenizer.word_counts(["low, lower"]) + tokenizer.word_counts(["low", ""])
        WordCounter({'low': 2, ',': 1, 'lower': 1})
        """
        cutter = self._parts.cutter
        counted = count_words(iterator_corpus(texts, offsets=cutter.needs_origins), cutter, show_progress=False)
        words = WordCounter(dict(zip(counted.words.texts(), counted.counts.tolist(), strict=True)))
        return words.at_least(min_count)

    def train_from_counts(
        self, counts: Mapping[str, int], trainer: Trainer | None = None, *, executor: Any = None
    ) -> None:
        """Train the model on counted words; they are neither normalized nor split.

        counts: from word to count, an integer of 1 or more.  ValueError for another key or value, and if the sum of
          count × (word length + 1) reaches 2**63, where int64 overflows.
        trainer: as in `train`.  executor: as in `train`; only Unigram uses it.
        The order of the words matters only to the BPE trainer's tie_break="first": words that come first in counts come
        first in its corpus.  So counters of parts have to be added in the order of the parts.

        >>> from tokenizers_impl import models, trainers
        >>> tokenizer = Tokenizer(models.BPE())
        >>> tokenizer.train_from_counts({"low": 5, "lot": 2}, trainers.BpeTrainer(num_merges=1, show_progress=False))
        >>> tokenizer.encode("lowlot").tokens
        ['lo', 'w', 'lo', 't']
        """
        model = self.model
        chosen = chosen_trainer(trainer, model)
        self._take(trained_on_counts(checked_counts(counts), chosen, model, executor), chosen)

    def _train(self, parts: Parts, corpus: Corpus, trainer: Trainer | None, executor: Any) -> None:
        chosen = chosen_trainer(trainer, parts.model)
        self._take(trained_on_texts(corpus, parts.cutter, chosen, parts.model, executor), chosen)

    def _take(self, model: Model, trainer: Trainer) -> None:
        special = AddedToken.special_tokens(trainer.special_tokens)
        with self._lock:
            vars(self)["_parts"] = self._parts.with_trained(model, special)

    # --- A look inside

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of a text; pass this method as a metric's `tokenizer=`."""
        return self.encode(text).tokens

    def log_probs(self, texts: Sequence[str]) -> list[F64]:
        """Return the natural log-probabilities of the pieces of every text, one float64 array per text.

        The pieces are those of the best segmentation of every word.  The metric perplexity takes such a tokenizer as a
        language model.  ValueError if the model is not a `models.Unigram`: others have no probabilities.

        >>> from tokenizers_impl import models, pre_tokenizers
        >>> tokenizer = Tokenizer(models.Unigram([("<unk>", -9.0), ("a", -1.0), ("b", -2.0), ("ab", -2.5)], unk_id=0))
        >>> tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        >>> tokenizer.log_probs(["aab b", ""])
        [array([-1. , -2.5, -2. ]), array([], dtype=float64)]
        """
        parts = self._parts
        return piece_log_probs(
            parts.cutter.words(as_list("the input is", texts, "strings; one string is for encode")), parts.model
        )

    def explain(self, text: str) -> list[WordExplanation]:
        """Return every word of a text with the steps that split it, from the model's `explain_word`.

        The `count` of a merge is None if the tokenizer was read from tokenizer.json, which does not store counts.
        ValueError for a word of more than 500 characters with BPE or WordPiece: its steps need quadratic space.

        >>> from tokenizers_impl import models
        >>> tokenizer = Tokenizer(models.BPE({"l": 0, "o": 1, "w": 2, "lo": 3, "low": 4}, [("l", "o"), ("lo", "w")]))
        >>> [(step.left, step.right, step.rank) for step in tokenizer.explain("low")[0].steps]
        [('l', 'o', 0), ('lo', 'w', 1)]
        """
        parts = self._parts
        return explained(parts.cutter.words([text], offsets=True), parts.model)

    def picture(self, text: str) -> Picture:
        """Return a picture of the tokens of a text, with ids and offsets, and of the steps that split each word.

        It shows the first 1000 tokens, the first 20 distinct words and the first 30 steps of each, and counts the rest.
        A word of more than 128 characters is cut short and shown without steps.
        Added tokens, and words that are one token from the start, have no steps.  Dropout is ignored.

        >>> from tokenizers_impl import models
        >>> tokenizer = Tokenizer(models.BPE({"l": 0, "o": 1, "w": 2, "lo": 3, "low": 4}, [("l", "o"), ("lo", "w")]))
        >>> print(tokenizer.picture("low").text(colour=False))
        BPE tokens: 1
        token   |low|
        id      4
        offsets 0:3
        word low
        merge  symbols
               |l| |o| |w|
        0      {lo} |w|
        1      {low}
        {merged in this step}
        """
        parts = self._parts
        words = explained(parts.cutter.words([text], offsets=True), parts.model, LONGEST_WORD)
        return tokenizer_picture(parts.model, parts.added_tokens.tokens, self.encode(text), words)

    # --- Files

    def to_str(self, pretty: bool = False) -> str:
        """Return the text of tokenizer.json; pretty: with line breaks and indentation."""
        return to_document(self._parts, pretty=checked_flag("pretty", pretty))

    def __repr__(self) -> str:
        return REPR.text(shown_document(self._parts))

    def __str__(self) -> str:
        return STR.text(shown_document(self._parts))

    def save(self, path: str, pretty: bool = True) -> None:
        """Write tokenizer.json to this path, atomically; ValueError if two tokens have one id, as in `from_file`."""
        if isinstance(self.model, TokenModel):
            self.model.refuse_shared_ids()
        write_text(path, self.to_str(pretty))

    def save_pretrained(
        self,
        save_directory: str | os.PathLike[str],
        *,
        bos_token: str | None = None,
        eos_token: str | None = None,
        unk_token: str | None = None,
        sep_token: str | None = None,
        pad_token: str | None = None,
        cls_token: str | None = None,
        mask_token: str | None = None,
        model_max_length: int | None = None,
        truncation_side: Side = "right",
        padding_side: Side = "right",
    ) -> list[str]:
        """Write the folder that `AutoTokenizer.from_pretrained` of transformers loads; returns the paths of its files.

        save_directory: the folder for tokenizer.json and tokenizer_config.json; made if it is not there.
        bos_token, ...: the tokens with these roles; each must be in the vocabulary.  None: no token has the role.
        model_max_length: the most tokens that the model takes; None: no limit.
        truncation_side, padding_side: "right" or "left".
        ValueError for a folder that is a file, a role without a token and an invalid limit or side, before anything is
        written.
        """
        tokens = (bos_token, eos_token, unk_token, sep_token, pad_token, cls_token, mask_token)
        roles = dict(zip(ROLES, tokens, strict=True))
        sides: dict[str, Side] = {"truncation_side": truncation_side, "padding_side": padding_side}
        return save_pretrained(
            self.to_str(pretty=True), self.token_to_id, save_directory, roles, model_max_length, sides
        )

    @classmethod
    def from_str(cls, json: str) -> Tokenizer:
        """Read a tokenizer from the text of a tokenizer.json; ValueError names what is invalid or not supported.

        >>> from tokenizers_impl import models
        >>> tokenizer = Tokenizer(models.BPE({"a": 0}, []))
        >>> Tokenizer.from_str(tokenizer.to_str()).get_vocab()
        {'a': 0}
        """
        parts = from_document(json)
        tokenizer = cls(parts.model)
        vars(tokenizer)["_parts"] = parts
        return tokenizer

    @classmethod
    def from_file(cls, path: str) -> Tokenizer:
        """Read a tokenizer from the path of a tokenizer.json; errors as in `from_str`, with the path."""
        text = text_of_file(path)
        try:
            return cls.from_str(text)
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from None

    @classmethod
    def from_buffer(cls, buffer: bytes) -> Tokenizer:
        """Read a tokenizer from the bytes of a tokenizer.json; errors as in `from_str`."""
        if not isinstance(buffer, (bytes, bytearray, memoryview)):
            raise ValueError(f"buffer is {buffer!r:.80}: give bytes; for a string use from_str, for a path from_file")
        try:
            return cls.from_str(bytes(buffer).decode("utf-8"))
        except ValueError as error:
            raise ValueError(f"Cannot instantiate Tokenizer from buffer: {error}") from None

    @classmethod
    def from_pretrained(cls, identifier: str, revision: str = "main", token: str | None = None) -> Tokenizer:
        """Read a tokenizer from the tokenizer.json of a repository on the Hugging Face Hub, or from the Hub's cache.

        identifier: the repository, such as "gpt2"; revision: a branch, tag or commit; token: an access token.
        Needs the package huggingface_hub and raises its errors.
        """
        return cls.from_file(hub_file(identifier, revision, token))

    def to_tokenizers(self) -> Any:
        """Convert to a `tokenizers.Tokenizer`; ValueError for an option that the library lacks.

        The library reads floats with an error of up to one unit in the last place; see DIFFERENCES.md.
        """
        return canonical_tokenizer(self.to_str())

    @classmethod
    def from_tokenizers(cls, tokenizer: Any) -> Tokenizer:
        """Convert a `tokenizers.Tokenizer`, or a fast tokenizer of transformers; ValueError for anything else."""
        return cls.from_str(canonical_text(tokenizer))
