"""The tokenizer: its parts, encoding, decoding, training, files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from threading import RLock
from typing import Any

from evenscore.pictures import Picture

from . import decoders, models, normalizers, pre_tokenizers, processors
from ._core.added_token import AddedToken
from ._core.arrays import F64
from ._core.component import REPR, STR, own_component
from ._core.encoding import Encoding, lists_of
from ._core.files import checked_paths, read_text, write_text
from ._core.options import checked_flag, checked_id, checked_token
from ._core.parallel import in_thread, map_in_order, no_collection, part_size
from ._encoding.added_tokens import AddedVocabulary
from ._encoding.decoding import Decoding, ShownTokens, decoding_of, id_row, id_rows
from ._encoding.encoded import Cutter, EncodedBatch, encoded, piece_log_probs
from ._encoding.inputs import Inputs
from ._encoding.post_processing import Padding, PostProcessing, Truncation, check_put_in
from ._encoding.training import (
    Corpus,
    Measure,
    checked_counts,
    chosen_trainer,
    file_corpus,
    iterator_corpus,
    trained_on_counts,
    trained_on_texts,
)
from ._file import Parts, canonical_tokenizer, from_document, shown_document, to_document
from ._picture import LONGEST_WORD, WordExplanation, explained, tokenizer_picture
from ._text.splits import Splits
from .decoders import Decoder
from .models import Model
from .normalizers import Normalizer
from .pre_tokenizers import PreTokenizer
from .processors import PostProcessor
from .trainers import Trainer

# --- The parts of a tokenizer, with the vocabulary that they have together

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


# --- A pipeline that encodes


class EncodingPipeline(Pipeline):
    """Texts to tokens, truncated, with special tokens, padded.

    >>> from tokenizers_impl import Tokenizer, models
    >>> tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "[PAD]": 2}, []))
    >>> tokenizer.enable_truncation(2)
    >>> tokenizer.enable_padding(pad_id=2)
    >>> [encoding.tokens for encoding in tokenizer.encode_batch(["abab", "a"])]
    [['a', 'b'], ['a', '[PAD]']]
    >>> tokenizer.encode("abab").overflowing[0].tokens
    ['a', 'b']
    """

    def encode(
        self, sequence: Any, pair: Any = None, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> Encoding:
        """The tokens of a text or of a pair of texts, with offsets; is_pretokenized: they are lists of words."""
        inputs = Inputs.of_one(sequence, pair, is_pretokenized=is_pretokenized)
        return self._encodings(inputs, add_special_tokens, offsets=True)[0]

    def encode_batch(
        self, input: Iterable[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """The tokens of many texts, with offsets; a pair is a tuple."""
        return self._encodings(Inputs.of(input, is_pretokenized=is_pretokenized), add_special_tokens, offsets=True)

    def encode_batch_fast(
        self, input: Iterable[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """The same without offsets and words."""
        return self._encodings(Inputs.of(input, is_pretokenized=is_pretokenized), add_special_tokens, offsets=False)

    async def async_encode(
        self, sequence: Any, pair: Any = None, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> Encoding:
        """`encode` in a thread, to be awaited."""
        return await in_thread(self.encode, sequence, pair, is_pretokenized, add_special_tokens)

    async def async_encode_batch(
        self, input: Iterable[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """`encode_batch` in a thread, to be awaited."""
        return await in_thread(self.encode_batch, input, is_pretokenized, add_special_tokens)

    async def async_encode_batch_fast(
        self, input: Iterable[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """`encode_batch_fast` in a thread, to be awaited."""
        return await in_thread(self.encode_batch_fast, input, is_pretokenized, add_special_tokens)

    def _encodings(self, inputs: Inputs, add_special_tokens: bool, *, offsets: bool) -> list[Encoding]:
        processing = self._processing(add_special_tokens)
        is_whole = self.model.is_random or len(inputs.texts) < 2
        parts = [inputs] if is_whole else list(inputs.parts(part_size(inputs.texts)))
        # A thread would cost one text more than all the rest.
        work = map if len(parts) == 1 else map_in_order
        with self._lock:
            stages = self._cutter, self.model, self._added
        batches = work(lambda part: _batch(part, *stages, offsets=offsets), parts)
        if processing.does_nothing and inputs.sequences is None:
            return list(chain.from_iterable(each.encodings() for each in batches))
        plans = [processing.plan(each, part.sequence_bounds()) for each, part in zip(batches, parts, strict=True)]
        longest = max((plan.longest for plan in plans), default=0)
        check_put_in(plans, longest)
        return list(chain.from_iterable(plan.encodings(longest) for plan in plans))

    def _processing(self, add_special_tokens: bool) -> PostProcessing:
        return PostProcessing(
            self._truncation,
            self.post_processor,
            self._padding,
            checked_flag("add_special_tokens", add_special_tokens),
        )

    def post_process(
        self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True
    ) -> Encoding:
        """What `encode` does to the tokens of the texts: truncation, special tokens, padding."""
        processing = self._processing(add_special_tokens)
        first, second = lists_of("encoding", encoding), None if pair is None else lists_of("pair", pair)
        row = processing.process(first, second)
        return Encoding(processing.padded(row, len(row)))

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """How many tokens the post-processor puts in."""
        of_pair = checked_flag("is_pair", is_pair)
        return self.post_processor.num_special_tokens_to_add(of_pair) if self.post_processor else 0

    def enable_truncation(
        self, max_length: int, stride: int = 0, strategy: str = "longest_first", direction: str = "right"
    ) -> None:
        """Keep at most max_length tokens of an input, special tokens included; the others overflow.

        stride: tokens that each overflowing row has in common with the one before.  strategy: which text of a pair is
        cut: "longest_first", "only_first", "only_second".  direction: which end, "right" or "left".
        """
        truncation = Truncation(max_length, stride, strategy, direction)
        truncation.check_room(self.num_special_tokens_to_add(False))
        self._truncation = truncation

    def no_truncation(self) -> None:
        """Keep all tokens."""
        self._truncation = None

    @property
    def truncation(self) -> dict[str, Any] | None:
        """What was asked for, None for no truncation."""
        return None if self._truncation is None else self._truncation.to_dict()

    def enable_padding(
        self,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
        length: int | None = None,
        pad_to_multiple_of: int | None = None,
    ) -> None:
        """Bring the rows of a batch to one length: `length`, or that of the longest; or the next multiple."""
        self._padding = Padding(direction, pad_id, pad_type_id, pad_token, length, pad_to_multiple_of)

    def no_padding(self) -> None:
        """Leave rows as long as they are."""
        self._padding = None

    @property
    def padding(self) -> dict[str, Any] | None:
        """What was asked for, None for no padding."""
        return None if self._padding is None else self._padding.to_dict()


def _batch(inputs: Inputs, cutter: Cutter, model: Model, added: AddedVocabulary, *, offsets: bool) -> EncodedBatch:
    """A row a sequence."""
    splits = Splits.of(inputs.texts, offsets=offsets or cutter.needs_origins, first=inputs.first)
    batch = encoded(cutter.cut(splits), model, added, offsets=offsets)
    return batch if inputs.words is None else batch.grouped(inputs.words)


# --- The tokenizer: a pipeline that is trained, saved, looked into


class Tokenizer(EncodingPipeline):
    """Mirrors `tokenizers.Tokenizer` where it implements it.

    model, normalizer, pre_tokenizer, post_processor, decoder: its parts, which may be read and set; None is no
    normalizer, no pre-tokenizer (a text is one word), no special tokens, no decoder (tokens are joined by spaces).

    >>> from tokenizers_impl import models, pre_tokenizers, trainers
    >>> tokenizer = Tokenizer(models.BPE())
    >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    >>> trainer = trainers.BpeTrainer(vocab_size=18, show_progress=False)
    >>> tokenizer.train_from_iterator(["low lower lowest", "new newer newest"], trainer)
    >>> tokenizer.encode("lower news").tokens
    ['lower', 'new', 's']
    """

    # Training

    def train(self, files: str | Sequence[str], trainer: Trainer | None = None, *, executor: Any = None) -> None:
        """Learn the model from text files, of which a line with its line feed is a text.

        executor: anything with the `submit` of concurrent.futures, such as Dask's client.get_executor(); its workers
          read ranges of the files, which they must see under the same names, and count their words; for Unigram they
          take the expectation steps, too.  The result is the same to the last bit.  On one machine nothing is gained:
          threads use all its cores already.
        The model is replaced at the very end: a training that is interrupted leaves the tokenizer as it was.
        OSError for a file that cannot be read, ValueError for one that is not UTF-8.
        """
        paths = checked_paths(files)
        corpus = file_corpus(paths, offsets=self._needs_origins, elsewhere=executor is not None)
        self._train(corpus, Measure(sum(map(os.path.getsize, paths))), trainer, executor)

    def train_from_iterator(
        self,
        iterator: Iterable[str | Iterable[str]],
        trainer: Trainer | None = None,
        length: int | None = None,
        *,
        executor: Any = None,
    ) -> None:
        """Learn the model from texts; an element may also be a list of texts.

        length: the number of texts, for the progress bar alone.
        executor: as in `train`; here the texts are sent to its workers.
        """
        corpus = iterator_corpus(iterator, offsets=self._needs_origins)
        self._train(corpus, Measure(length, "text"), trainer, executor)

    def train_from_counts(
        self, counts: Mapping[str, int], trainer: Trainer | None = None, *, executor: Any = None
    ) -> None:
        """Learn the model from words that are counted already, neither normalised nor cut any more.

        executor: as in `train`; here it matters for Unigram alone.
        ValueError for a word that is no string, a count that is no integer, 1 or more, and if the counts, each times
        the characters of its word and one, come to 2**63 or more.
        """
        chosen = chosen_trainer(trainer, self.model)
        self._take(trained_on_counts(checked_counts(counts), chosen, self.model, executor), chosen)

    def _train(self, corpus: Corpus, measure: Measure, trainer: Trainer | None, executor: Any) -> None:
        chosen = chosen_trainer(trainer, self.model)
        self._take(trained_on_texts(corpus, self._cutter, measure, chosen, self.model, executor), chosen)

    def _take(self, model: Model, trainer: Trainer) -> None:
        """The trained model, with the special tokens of its trainer and the tokens that were added before."""
        special = AddedToken.special_tokens(trainer.special_tokens)
        with self._lock:
            tokens = [*self._added.tokens.values(), *special]
            none = AddedVocabulary.of({}, self._normalized, encode_special_tokens=self.encode_special_tokens)
            added, _ = none.with_tokens(tokens, model, self._normalized)
            self.model, self._added = model, added

    # A look inside

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
        """Every word of a text with the steps by which the model cut it, as its `explain_word` tells them.

        tokenizer.json does not hold the counts of merges: once read from there, their `count` is None.
        ValueError for a word of more than 500 characters of a BPE or WordPiece: its steps take space in the square.

        >>> from tokenizers_impl import models
        >>> tokenizer = Tokenizer(models.BPE({"l": 0, "o": 1, "w": 2, "lo": 3, "low": 4}, [("l", "o"), ("lo", "w")]))
        >>> [(step.left, step.right, step.rank) for step in tokenizer.explain("low")[0].steps]
        [('l', 'o', 0), ('lo', 'w', 1)]
        """
        return explained(self._explainable(text), self.model)

    def _explainable(self, text: str) -> Splits:
        return self._cut(Splits.of([text], offsets=True)).without_empty()

    def picture(self, text: str) -> Picture:
        """The tokens of a text with ids and offsets; below, the steps by which its words were cut.

        Of tokens the first 1000 are shown, of distinct words the first 20, of the steps of a word the first 30; what is
        left out is counted.  Of a word of more than 128 characters only the beginning is shown, and no steps.
        Added tokens, and words that are one token from the start, have no steps.  Merges are shown as without dropout.

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
        words = explained(self._explainable(text), self.model, LONGEST_WORD)
        return tokenizer_picture(self.model, self._added.tokens, self.encode(text), words)

    # Files

    def to_str(self, pretty: bool = False) -> str:
        """The text of tokenizer.json."""
        return to_document(self._parts(), pretty=checked_flag("pretty", pretty))

    def _parts(self) -> Parts:
        added = self.get_added_tokens_decoder()
        parts = (self.normalizer, self.pre_tokenizer, self.post_processor, self.decoder, self.model)
        return Parts(self._truncation, self._padding, added, *parts)

    def __repr__(self) -> str:
        return REPR.text(shown_document(self._parts()))

    def __str__(self) -> str:
        return STR.text(shown_document(self._parts()))

    def save(self, path: str, pretty: bool = True) -> None:
        """Write tokenizer.json; the file is there whole or not at all."""
        write_text(path, self.to_str(pretty))

    @classmethod
    def from_str(cls, json: str) -> Tokenizer:
        """The tokenizer of the text of a tokenizer.json; ValueError names what is wrong or not implemented."""
        # A vocabulary of 250,000 pieces is a million objects, all of which stay.
        with no_collection():
            parts = from_document(json)
        tokenizer = cls(parts.model)
        tokenizer.normalizer, tokenizer.pre_tokenizer = parts.normalizer, parts.pre_tokenizer
        tokenizer.post_processor, tokenizer.decoder = parts.post_processor, parts.decoder
        tokenizer._truncation, tokenizer._padding = parts.truncation, parts.padding
        # In the order of the file; ids are given anew, as the library does, so that none can be taken twice.
        tokenizer._add(list(parts.added_tokens.values()))
        return tokenizer

    @classmethod
    def from_file(cls, path: str) -> Tokenizer:
        """The tokenizer of a tokenizer.json; errors as `from_str`, with the path."""
        text = read_text(path)
        try:
            return cls.from_str(text)
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from None

    @classmethod
    def from_buffer(cls, buffer: bytes) -> Tokenizer:
        """The tokenizer of the bytes of a tokenizer.json; errors as `from_str`."""
        if not isinstance(buffer, (bytes, bytearray, memoryview)):
            raise ValueError(f"the buffer is {buffer!r:.80}: give bytes; from_str takes a string, from_file a path")
        try:
            return cls.from_str(bytes(buffer).decode("utf-8"))
        except ValueError as error:
            raise ValueError(f"Cannot instantiate Tokenizer from buffer: {error}") from None

    @classmethod
    def from_pretrained(cls, identifier: str, revision: str = "main", token: str | None = None) -> Tokenizer:
        """The tokenizer of the tokenizer.json in a repository of the Hugging Face Hub, or in its cache.

        It needs the package huggingface_hub, whose errors are raised as they are.
        """
        try:
            from huggingface_hub import hf_hub_download
        except ImportError as error:
            raise ImportError("from_pretrained needs a package: pip install huggingface_hub") from error
        path = hf_hub_download(repo_id=identifier, filename="tokenizer.json", revision=revision, token=token)
        return cls.from_file(path)

    def to_tokenizers(self) -> Any:
        """The same as a `tokenizers.Tokenizer`; ValueError for what that library has not.

        It reads numbers from a file with an error of up to one unit in the last place: see DIFFERENCES.md.
        """
        return canonical_tokenizer(self.to_str())

    @classmethod
    def from_tokenizers(cls, tokenizer: Any) -> Tokenizer:
        """The same of a `tokenizers.Tokenizer`, or of a fast tokenizer of transformers, which is made of one.

        ValueError for anything else.
        """
        backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
        if isinstance(tokenizer, type) or not callable(getattr(backend, "to_str", None)):
            raise ValueError(
                f"the tokenizer is {tokenizer!r:.99}: give a tokenizers.Tokenizer or a fast tokenizer of transformers; "
                "from_file takes the path of a tokenizer.json, from_pretrained a name on the Hub"
            )
        return cls.from_str(backend.to_str())


def _listed(texts: Iterable[str]) -> Sequence[str]:
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise ValueError(f"the input is {texts!r}: give a list of strings; one string is for encode")
    return texts if isinstance(texts, (list, tuple)) else list(texts)
