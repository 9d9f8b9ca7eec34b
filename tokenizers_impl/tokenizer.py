"""The tokenizer: its parts, encoding, decoding, training, files."""

from __future__ import annotations

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
from ._core.files import checked_paths, read_text, write_text
from ._core.options import as_list, checked_flag, checked_id, checked_token
from ._core.parallel import in_thread
from ._encoding.decoding import id_row, id_rows
from ._encoding.encoded import encoded, piece_log_probs
from ._encoding.inputs import Inputs
from ._encoding.parts import SETTABLE, STATE, Parts, checked_part, not_settable
from ._encoding.post_processing import Padding, Truncation
from ._encoding.training import (
    Corpus,
    checked_counts,
    chosen_trainer,
    file_corpus,
    iterator_corpus,
    trained_on_counts,
    trained_on_texts,
)
from ._file import canonical_text, canonical_tokenizer, from_document, hub_file, shown_document, to_document
from ._picture import LONGEST_WORD, WordExplanation, explained, tokenizer_picture
from .decoders import Decoder
from .models import Model
from .normalizers import Normalizer
from .pre_tokenizers import PreTokenizer
from .processors import PostProcessor
from .trainers import Trainer


def _part(name: str) -> Any:
    """An attribute that is read from the parts; `Tokenizer.__setattr__` sets it."""
    return property(attrgetter(f"_parts.{name}"))


class Tokenizer:
    """Mirrors `tokenizers.Tokenizer` where it implements it.

    model, normalizer, pre_tokenizer, post_processor, decoder: its parts, which may be read and set; None is no
    normalizer, no pre-tokenizer (a text is one word), no special tokens, no decoder (tokens are joined by spaces).
    encode_special_tokens: whether special tokens are encoded as the text that they are; may be set.

    Threads may share one: whatever is changed, the parts are replaced as a whole, by one thread at a time.

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
    # That of each process: a lock that some thread holds while another one forks stays locked in the copy.
    _locks: dict[int, RLock]

    def __init__(self, model: Model) -> None:
        vars(self).update(_locks={}, _parts=Parts.of(checked_part("model", model)))

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a part; one of the library `tokenizers` is copied.  ValueError for anything else, or not implemented."""
        if name not in SETTABLE:
            raise not_settable(name, is_there=hasattr(self, name))
        self._set(name, checked_part(name, value))

    def _set(self, name: str, part: Any) -> None:
        with self._lock:
            vars(self)["_parts"] = self._parts.with_part(name, part)

    @property
    def _lock(self) -> RLock:
        return self._locks.setdefault(os.getpid(), RLock())

    def __getstate__(self) -> dict[str, Any]:
        own = {name: value for name, value in vars(self).items() if name not in ("_locks", "_parts")}
        return own | self._parts.to_state()

    def __setstate__(self, state: dict[str, Any]) -> None:
        own = {name: value for name, value in state.items() if name not in STATE}
        vars(self).update(own, _locks={}, _parts=Parts.from_state(state))

    # --- Added tokens and vocabulary

    def add_tokens(self, tokens: Sequence[str | AddedToken]) -> int:
        """Look for these tokens in the text before the model does; returns how many were not there before."""
        return self._add(AddedToken.ordinary_tokens(tokens))

    def add_special_tokens(self, tokens: Sequence[str | AddedToken]) -> int:
        """The same for tokens that `decode` leaves out; they are looked for before the text is normalised."""
        return self._add(AddedToken.special_tokens(tokens))

    def _add(self, tokens: Sequence[AddedToken]) -> int:
        with self._lock:
            vars(self)["_parts"], changed = self._parts.with_tokens(tokens)
        return changed

    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        """The added tokens by id."""
        return dict(self._parts.added_tokens.tokens)

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """From token to id."""
        parts, is_whole = self._parts, checked_flag("with_added_tokens", with_added_tokens)
        return parts.model.get_vocab() | (dict(parts.added_tokens.ids) if is_whole else {})

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        """Number of tokens."""
        parts, is_whole = self._parts, checked_flag("with_added_tokens", with_added_tokens)
        added = parts.added_tokens.ids if is_whole else {}
        return parts.model.get_vocab_size() + sum(parts.model.token_to_id(token) is None for token in added)

    def token_to_id(self, token: str) -> int | None:
        """The id of a token, None if there is no such token."""
        parts = self._parts
        id = parts.added_tokens.ids.get(checked_token(token))
        return parts.model.token_to_id(token) if id is None else id

    def id_to_token(self, id: int) -> str | None:
        """The token of an id, None if there is no such id."""
        parts = self._parts
        added = parts.added_tokens.name(checked_id(id))
        return parts.model.id_to_token(id) if added is None else added

    # --- Encoding

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
        parts = self._parts
        processing, shares = parts.processing(add_special_tokens), inputs.parts(is_whole=parts.model.is_random)
        batches = encoded(shares, parts.cutter, parts.model, parts.added_tokens, offsets=offsets)
        return processing.of_batches(batches, shares)

    def post_process(
        self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True
    ) -> Encoding:
        """What `encode` does to the tokens of the texts: truncation, special tokens, padding."""
        return self._parts.processing(add_special_tokens).of_encodings(encoding, pair)

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """How many tokens the post-processor puts in."""
        return self._parts.processing(True).special_count(checked_flag("is_pair", is_pair))

    # --- Decoding

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = True) -> str:
        """The text of these ids; without a decoder the tokens are joined by spaces.

        An id that no token has is left out; ValueError for what is no integer from 0 to 2**32 - 1.
        """
        return self._parts.decoding(skip_special_tokens).decode(id_row(ids))

    def decode_batch(self, sequences: Sequence[Sequence[int]], skip_special_tokens: bool = True) -> list[str]:
        """The text of every row of ids."""
        return self._parts.decoding(skip_special_tokens).decode_rows(id_rows(sequences))

    async def async_decode_batch(
        self, sequences: Sequence[Sequence[int]], skip_special_tokens: bool = True
    ) -> list[str]:
        """`decode_batch` in a thread, to be awaited."""
        return await in_thread(self.decode_batch, sequences, skip_special_tokens)

    # --- Truncation and padding

    def enable_truncation(
        self, max_length: int, stride: int = 0, strategy: str = "longest_first", direction: str = "right"
    ) -> None:
        """Keep at most max_length tokens of an input, special tokens included; the others overflow.

        stride: tokens that each overflowing row has in common with the one before.  strategy: which text of a pair is
        cut: "longest_first", "only_first", "only_second".  direction: which end, "right" or "left".
        """
        truncation = Truncation(max_length, stride, strategy, direction)
        truncation.check_room(self.num_special_tokens_to_add(False))
        self._set("truncation", truncation)

    def no_truncation(self) -> None:
        """Keep all tokens."""
        self._set("truncation", None)

    @property
    def truncation(self) -> dict[str, Any] | None:
        """What was asked for, None for no truncation."""
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
        """Bring the rows of a batch to one length: `length`, or that of the longest; or the next multiple.

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
        """Leave rows as long as they are."""
        self._set("padding", None)

    @property
    def padding(self) -> dict[str, Any] | None:
        """What was asked for, None for no padding."""
        padding = self._parts.padding
        return None if padding is None else padding.to_dict()

    # --- Training

    def train(self, files: str | Sequence[str], trainer: Trainer | None = None, *, executor: Any = None) -> None:
        """Learn the model from text files, of which a line with its line feed is a text.

        executor: anything with the `submit` of concurrent.futures, such as Dask's client.get_executor(); its workers
          read ranges of the files, which they must see under the same names, and count their words; for Unigram they
          take the expectation steps, too.  The result is the same to the last bit.  On one machine nothing is gained:
          threads use all its cores already.
        The model is replaced at the very end: a training that is interrupted leaves the tokenizer as it was.
        OSError for a file that cannot be read, ValueError for one that is not UTF-8.
        """
        parts, paths = self._parts, checked_paths(files)
        corpus = file_corpus(paths, offsets=parts.cutter.needs_origins, elsewhere=executor is not None)
        self._train(parts, corpus, trainer, executor)

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
        parts = self._parts
        corpus = iterator_corpus(iterator, length, offsets=parts.cutter.needs_origins)
        self._train(parts, corpus, trainer, executor)

    def train_from_counts(
        self, counts: Mapping[str, int], trainer: Trainer | None = None, *, executor: Any = None
    ) -> None:
        """Learn the model from words that are counted already, neither normalised nor cut any more.

        executor: as in `train`; here it matters for Unigram alone.
        ValueError for a word that is no string, a count that is no integer, 1 or more, and if the counts, each times
        the characters of its word and one, come to 2**63 or more.
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
        parts = self._parts
        return piece_log_probs(
            parts.cutter.words(as_list("the input is", texts, "strings; one string is for encode")), parts.model
        )

    def explain(self, text: str) -> list[WordExplanation]:
        """Every word of a text with the steps by which the model cut it, as its `explain_word` tells them.

        tokenizer.json does not hold the counts of merges: once read from there, their `count` is None.
        ValueError for a word of more than 500 characters of a BPE or WordPiece: its steps take space in the square.

        >>> from tokenizers_impl import models
        >>> tokenizer = Tokenizer(models.BPE({"l": 0, "o": 1, "w": 2, "lo": 3, "low": 4}, [("l", "o"), ("lo", "w")]))
        >>> [(step.left, step.right, step.rank) for step in tokenizer.explain("low")[0].steps]
        [('l', 'o', 0), ('lo', 'w', 1)]
        """
        parts = self._parts
        return explained(parts.cutter.words([text], offsets=True), parts.model)

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
        parts = self._parts
        words = explained(parts.cutter.words([text], offsets=True), parts.model, LONGEST_WORD)
        return tokenizer_picture(parts.model, parts.added_tokens.tokens, self.encode(text), words)

    # --- Files

    def to_str(self, pretty: bool = False) -> str:
        """The text of tokenizer.json."""
        return to_document(self._parts, pretty=checked_flag("pretty", pretty))

    def __repr__(self) -> str:
        return REPR.text(shown_document(self._parts))

    def __str__(self) -> str:
        return STR.text(shown_document(self._parts))

    def save(self, path: str, pretty: bool = True) -> None:
        """Write tokenizer.json; the file is there whole or not at all."""
        write_text(path, self.to_str(pretty))

    @classmethod
    def from_str(cls, json: str) -> Tokenizer:
        """The tokenizer of the text of a tokenizer.json; ValueError names what is wrong or not implemented."""
        parts = from_document(json)
        tokenizer = cls(parts.model)
        vars(tokenizer)["_parts"] = parts
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
        return cls.from_file(hub_file(identifier, revision, token))

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
        return cls.from_str(canonical_text(tokenizer))
