"""The tokenizer: a pipeline that is trained, saved, looked into."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evenscore.pictures import Picture

from ._added_token import AddedToken
from ._added_vocabulary import AddedVocabulary
from ._arrays import F64
from ._collection import no_collection
from ._corpus import Corpus, file_corpus, iterator_corpus
from ._counting import Measure
from ._encoding_pipeline import EncodingPipeline
from ._explaining import WordExplanation, explained
from ._file import Parts, canonical_tokenizer, from_document, shown_document, to_document
from ._option_values import checked_flag
from ._piece_probabilities import piece_log_probs
from ._representation import REPR, STR
from ._splits import Splits
from ._text_files import checked_paths, read_text, write_text
from ._tokenizer_picture import LONGEST_WORD, tokenizer_picture
from ._training import checked_counts, chosen_trainer, trained_on_counts, trained_on_texts
from .models import Model
from .trainers import Trainer


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
