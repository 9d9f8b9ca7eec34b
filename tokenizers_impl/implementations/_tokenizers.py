"""The ready-made tokenizers: their base class, BERT's, GPT-2's, GPT's, and SentencePiece's two."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import wraps
from inspect import isfunction
from typing import Any

from .. import decoders, normalizers, pre_tokenizers, processors
from .._core.added_token import AddedToken
from .._core.encoding import Encoding
from .._patterns import Regex
from ..exchange._sentencepiece import from_spm
from ..models import BPE, Unigram, WordPiece
from ..normalizers import Lowercase, Normalizer, unicode_normalizer_from_str
from ..normalizers import Sequence as NormalizerSequence
from ..tokenizer import Tokenizer
from ..trainers import BpeTrainer, Trainer, UnigramTrainer, WordPieceTrainer

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


def _delegating(name: str) -> Any:
    """The method of a Tokenizer as a method of the classes below, which `super()` and `help` find."""
    method = getattr(Tokenizer, name)

    @wraps(method)
    def call(self: BaseTokenizer, *arguments: Any, **named: Any) -> Any:
        return getattr(self._tokenizer, name)(*arguments, **named)

    return call


for _name, _value in vars(Tokenizer).items():
    if isfunction(_value) and not _name.startswith("_") and _name not in vars(BaseTokenizer):
        setattr(BaseTokenizer, _name, _delegating(_name))


def with_known_specials(tokenizer: Tokenizer, *tokens: str | AddedToken) -> Tokenizer:
    """Add those of the tokens that the vocabulary has as special tokens; returns the tokenizer."""
    names = map(str, tokens)
    tokenizer.add_special_tokens([name for name in names if tokenizer.token_to_id(name) is not None])
    return tokenizer


# --- The tokenizer of BERT

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


class BertWordPieceTokenizer(BaseTokenizer):
    """WordPiece with the normalizer, the pre-tokenizer and the special tokens of BERT.

    The options and defaults of `tokenizers.BertWordPieceTokenizer` 0.23.3.
    vocab: mapping from token to id, or the path of vocab.txt; None: empty.  ValueError if a vocab lacks sep_token or
      cls_token.
    unk_token, sep_token, cls_token, pad_token, mask_token: become special tokens if vocab has them.
    clean_text, handle_chinese_chars, strip_accents, lowercase: see `normalizers.BertNormalizer`.
    wordpieces_prefix: the prefix that the decoder removes, and that `train` adds; a given vocab has "##".

    >>> tokenizer = BertWordPieceTokenizer()
    >>> tokenizer.train_from_iterator(["Low, lower"], vocab_size=16, min_frequency=1, show_progress=False)
    >>> tokenizer.encode("LOW").tokens
    ['lo', '##w']
    """

    def __init__(
        self,
        vocab: Mapping[str, int] | str | None = None,
        unk_token: str | AddedToken = "[UNK]",
        sep_token: str | AddedToken = "[SEP]",
        cls_token: str | AddedToken = "[CLS]",
        pad_token: str | AddedToken = "[PAD]",
        mask_token: str | AddedToken = "[MASK]",
        clean_text: bool = True,
        handle_chinese_chars: bool = True,
        strip_accents: bool | None = None,
        lowercase: bool = True,
        wordpieces_prefix: str = "##",
    ) -> None:
        options = {
            "unk_token": unk_token,
            "sep_token": sep_token,
            "cls_token": cls_token,
            "pad_token": pad_token,
            "mask_token": mask_token,
            "clean_text": clean_text,
            "handle_chinese_chars": handle_chinese_chars,
            "strip_accents": strip_accents,
            "lowercase": lowercase,
            "wordpieces_prefix": wordpieces_prefix,
        }
        tokenizer = Tokenizer(WordPiece(vocab, unk_token=str(unk_token)))
        tokenizer.normalizer = normalizers.BertNormalizer(clean_text, handle_chinese_chars, strip_accents, lowercase)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.WordPiece(wordpieces_prefix)
        with_known_specials(tokenizer, unk_token, sep_token, cls_token, pad_token, mask_token)
        if vocab is not None:
            ends = (_with_id(tokenizer, "sep_token", sep_token), _with_id(tokenizer, "cls_token", cls_token))
            tokenizer.post_processor = processors.BertProcessing(*ends)
        super().__init__(tokenizer, {"model": "BertWordPiece", **options})

    @classmethod
    def from_file(cls, vocab: str, **options: Any) -> BertWordPieceTokenizer:
        """Build a tokenizer from the path of vocab.txt, with the options of the class."""
        return cls(WordPiece.read_file(vocab), **options)

    @staticmethod
    def trainer(
        vocab_size: int = 30000,
        min_frequency: int = 2,
        limit_alphabet: int = 1000,
        initial_alphabet: Sequence[str] = (),
        special_tokens: Sequence[str | AddedToken] = _SPECIAL,
        show_progress: bool = True,
        wordpieces_prefix: str = "##",
    ) -> WordPieceTrainer:
        """Build the trainer with these options."""
        return WordPieceTrainer(
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            limit_alphabet=limit_alphabet,
            initial_alphabet=initial_alphabet,
            special_tokens=special_tokens,
            show_progress=show_progress,
            continuing_subword_prefix=wordpieces_prefix,
        )


def _with_id(tokenizer: Tokenizer, name: str, token: str | AddedToken) -> tuple[str, int]:
    id = tokenizer.token_to_id(str(token))
    if id is None:
        raise ValueError(f"vocab lacks the {name} {str(token)!r}: add it to vocab, or set {name} to a token of vocab")
    return str(token), id


# --- The tokenizer of GPT-2


class ByteLevelBPETokenizer(BaseTokenizer):
    """Byte-level BPE, as in GPT-2.

    The options and defaults of `tokenizers.ByteLevelBPETokenizer` 0.23.3.
    vocab, merges: see `models.BPE`; without both, the model is empty and ignores dropout and the affixes.
    dropout, continuing_subword_prefix, end_of_word_suffix: see `models.BPE`.
    add_prefix_space: see `pre_tokenizers.ByteLevel`.  trim_offsets: see `processors.ByteLevel`.
    lowercase: whether to lowercase texts.  unicode_normalizer: "nfc", "nfd", "nfkc", "nfkd" or None.

    >>> tokenizer = ByteLevelBPETokenizer()
    >>> tokenizer.train_from_iterator(["low lower"], vocab_size=258, show_progress=False)
    >>> tokenizer.encode("low").tokens
    ['low']
    """

    def __init__(
        self,
        vocab: Mapping[str, int] | str | None = None,
        merges: Sequence[tuple[str, str]] | str | None = None,
        add_prefix_space: bool = False,
        lowercase: bool = False,
        dropout: float | None = None,
        unicode_normalizer: str | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        trim_offsets: bool = False,
    ) -> None:
        options = {
            "add_prefix_space": add_prefix_space,
            "lowercase": lowercase,
            "dropout": dropout,
            "unicode_normalizer": unicode_normalizer,
            "continuing_subword_prefix": continuing_subword_prefix,
            "end_of_word_suffix": end_of_word_suffix,
            "trim_offsets": trim_offsets,
        }
        affixes = (continuing_subword_prefix or "", end_of_word_suffix or "")
        is_known = vocab is not None and merges is not None
        tokenizer = Tokenizer(_model(vocab, merges, dropout, *affixes) if is_known else BPE())
        tokenizer.normalizer = normalizer_of(unicode_normalizer, lowercase=lowercase)
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
        tokenizer.decoder = decoders.ByteLevel()
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=trim_offsets)
        super().__init__(tokenizer, {"model": "ByteLevelBPE", **options})

    @classmethod
    def from_file(cls, vocab_filename: str, merges_filename: str, **options: Any) -> ByteLevelBPETokenizer:
        """Build a tokenizer from the paths of vocab.json and merges.txt, with the options of the class."""
        return cls(*BPE.read_file(vocab_filename, merges_filename), **options)

    @staticmethod
    def trainer(
        vocab_size: int = 30000,
        min_frequency: int = 2,
        show_progress: bool = True,
        special_tokens: Sequence[str | AddedToken] = (),
    ) -> BpeTrainer:
        """Build the trainer with these options."""
        return BpeTrainer(
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            show_progress=show_progress,
            special_tokens=special_tokens,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        )


def _model(vocab: Any, merges: Any, dropout: float | None, prefix: str, suffix: str) -> BPE:
    return BPE(vocab, merges, dropout=dropout, continuing_subword_prefix=prefix, end_of_word_suffix=suffix)


# --- The tokenizer of GPT


class CharBPETokenizer(BaseTokenizer):
    """BPE of characters with an end-of-word suffix, as in GPT.

    The options and defaults of `tokenizers.CharBPETokenizer` 0.23.3.
    vocab, merges: see `models.BPE`; without both, the model is empty.  dropout, unk_token: see `models.BPE`.
    suffix: follows the last character of every word.
    lowercase: whether to lowercase texts.  unicode_normalizer: "nfc", "nfd", "nfkc", "nfkd" or None.
    bert_normalizer: whether to apply `normalizers.BertNormalizer(lowercase=False)`.
    split_on_whitespace_only: split with WhitespaceSplit instead of BertPreTokenizer.

    >>> tokenizer = CharBPETokenizer()
    >>> tokenizer.train_from_iterator(["low lower"], vocab_size=10, min_frequency=1, show_progress=False)
    >>> tokenizer.encode("low").tokens
    ['lo', 'w</w>']
    """

    def __init__(
        self,
        vocab: Mapping[str, int] | str | None = None,
        merges: Sequence[tuple[str, str]] | str | None = None,
        unk_token: str | AddedToken = "<unk>",
        suffix: str = "</w>",
        dropout: float | None = None,
        lowercase: bool = False,
        unicode_normalizer: str | None = None,
        bert_normalizer: bool = True,
        split_on_whitespace_only: bool = False,
    ) -> None:
        options = {
            "unk_token": unk_token,
            "suffix": suffix,
            "dropout": dropout,
            "lowercase": lowercase,
            "unicode_normalizer": unicode_normalizer,
            "bert_normalizer": bert_normalizer,
            "split_on_whitespace_only": split_on_whitespace_only,
        }
        if vocab is None or merges is None:
            vocab = merges = None
        model = BPE(vocab, merges, dropout=dropout, unk_token=str(unk_token), end_of_word_suffix=suffix)
        tokenizer = with_known_specials(Tokenizer(model), unk_token)
        bert = [normalizers.BertNormalizer(lowercase=False)] if bert_normalizer else []
        tokenizer.normalizer = normalizer_of(unicode_normalizer, *bert, lowercase=lowercase)
        kind = pre_tokenizers.WhitespaceSplit if split_on_whitespace_only else pre_tokenizers.BertPreTokenizer
        tokenizer.pre_tokenizer = kind()
        tokenizer.decoder = decoders.BPEDecoder(suffix)
        super().__init__(tokenizer, {"model": "BPE", **options})

    @classmethod
    def from_file(cls, vocab_filename: str, merges_filename: str, **options: Any) -> CharBPETokenizer:
        """Build a tokenizer from the paths of vocab.json and merges.txt, with the options of the class."""
        return cls(*BPE.read_file(vocab_filename, merges_filename), **options)

    @staticmethod
    def trainer(
        vocab_size: int = 30000,
        min_frequency: int = 2,
        special_tokens: Sequence[str | AddedToken] = ("<unk>",),
        limit_alphabet: int = 1000,
        initial_alphabet: Sequence[str] = (),
        suffix: str | None = "</w>",
        show_progress: bool = True,
    ) -> BpeTrainer:
        """Build the trainer with these options."""
        return BpeTrainer(
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            special_tokens=special_tokens,
            limit_alphabet=limit_alphabet,
            initial_alphabet=initial_alphabet,
            end_of_word_suffix=suffix,
            show_progress=show_progress,
        )


# --- BPE as in SentencePiece


class SentencePieceBPETokenizer(BaseTokenizer):
    """BPE over words that begin with a visible character instead of the space, as in SentencePiece.

    The options and defaults of `tokenizers.SentencePieceBPETokenizer` 0.23.3.
    vocab, merges: see `models.BPE`; without both, the model is empty.  dropout, unk_token, fuse_unk: see `models.BPE`.
    replacement: the character that replaces a space.  add_prefix_space: whether to prepend it to every text.

    >>> tokenizer = SentencePieceBPETokenizer()
    >>> tokenizer.train_from_iterator(["low lower"], vocab_size=10, show_progress=False)
    >>> tokenizer.encode("low").tokens
    ['▁low']
    """

    def __init__(
        self,
        vocab: Mapping[str, int] | str | None = None,
        merges: Sequence[tuple[str, str]] | str | None = None,
        unk_token: str | AddedToken = "<unk>",
        replacement: str = "▁",
        add_prefix_space: bool = True,
        dropout: float | None = None,
        fuse_unk: bool = False,
    ) -> None:
        options = {
            "unk_token": unk_token,
            "replacement": replacement,
            "add_prefix_space": add_prefix_space,
            "dropout": dropout,
        }
        if vocab is None or merges is None:
            vocab = merges = None
        model = BPE(vocab, merges, dropout=dropout, unk_token=str(unk_token), fuse_unk=fuse_unk)
        tokenizer = with_known_specials(Tokenizer(model), unk_token)
        tokenizer.normalizer = normalizers.NFKC()
        scheme = "always" if add_prefix_space else "never"
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement, scheme)
        tokenizer.decoder = decoders.Metaspace(replacement, scheme)
        super().__init__(tokenizer, {"model": "SentencePieceBPE", **options})

    @classmethod
    def from_file(cls, vocab_filename: str, merges_filename: str, **options: Any) -> SentencePieceBPETokenizer:
        """Build a tokenizer from the paths of vocab.json and merges.txt, with the options of the class."""
        return cls(*BPE.read_file(vocab_filename, merges_filename), **options)

    @staticmethod
    def trainer(
        vocab_size: int = 30000,
        min_frequency: int = 2,
        special_tokens: Sequence[str | AddedToken] = ("<unk>",),
        limit_alphabet: int = 1000,
        initial_alphabet: Sequence[str] = (),
        show_progress: bool = True,
    ) -> BpeTrainer:
        """Build the trainer with these options."""
        return BpeTrainer(
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            special_tokens=special_tokens,
            limit_alphabet=limit_alphabet,
            initial_alphabet=initial_alphabet,
            show_progress=show_progress,
        )


# --- Unigram as in SentencePiece


class SentencePieceUnigramTokenizer(BaseTokenizer):
    """Unigram over words that begin with a visible character instead of the space, as in SentencePiece.

    The options and defaults of `tokenizers.SentencePieceUnigramTokenizer` 0.23.3.
    vocab: (piece, score) pairs; as in the library, the model has no unk_id, whatever vocab contains.
    replacement: the character that replaces a space.  add_prefix_space: whether to prepend it to every text.

    >>> tokenizer = SentencePieceUnigramTokenizer()
    >>> tokenizer.train_from_iterator(["low lower lowest"] * 9, vocab_size=9, show_progress=False)
    >>> tokenizer.encode("low").tokens
    ['▁low']
    """

    def __init__(
        self,
        vocab: Sequence[tuple[str, float]] | None = None,
        replacement: str = "▁",
        add_prefix_space: bool = True,
    ) -> None:
        tokenizer = Tokenizer(Unigram() if vocab is None else Unigram(vocab))
        spaces = normalizers.Replace(Regex(" {2,}"), " ")
        tokenizer.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), spaces])
        scheme = "always" if add_prefix_space else "never"
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement, scheme)
        tokenizer.decoder = decoders.Metaspace(replacement, scheme)
        options = {"replacement": replacement, "add_prefix_space": add_prefix_space}
        super().__init__(tokenizer, {"model": "SentencePieceUnigram", **options})

    @staticmethod
    def from_spm(filename: str) -> SentencePieceUnigramTokenizer:
        """Read a unigram model from a .model file of SentencePiece, with the same result as in the library.

        This tokenizer and SentencePiece split some texts differently.  `exchange.from_sentencepiece` reads the same
        file with fewer differences, which it lists.
        ValueError for another kind of file or model.
        """
        own = SentencePieceUnigramTokenizer.__new__(SentencePieceUnigramTokenizer)
        BaseTokenizer.__init__(own, from_spm(filename), {"model": "SentencePieceUnigram"})
        return own

    @staticmethod
    def trainer(
        vocab_size: int = 8000,
        show_progress: bool = True,
        special_tokens: Sequence[str | AddedToken] | None = None,
        initial_alphabet: Sequence[str] | None = None,
        unk_token: str | None = None,
    ) -> UnigramTrainer:
        """Build the trainer with these options."""
        return UnigramTrainer(
            vocab_size=vocab_size,
            show_progress=show_progress,
            special_tokens=special_tokens or (),
            initial_alphabet=initial_alphabet or (),
            unk_token=unk_token,
        )
