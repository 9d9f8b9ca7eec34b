"""The tokenizer of GPT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import decoders, normalizers, pre_tokenizers
from .._added_token import AddedToken
from ..models import BPE
from ..tokenizer import Tokenizer
from ..trainers import BpeTrainer
from ._base_tokenizer import BaseTokenizer, with_known_specials
from ._parts import normalizer_of


class CharBPETokenizer(BaseTokenizer):
    """BPE of characters, the last one of a word marked.

    The options and defaults of `tokenizers.CharBPETokenizer` 0.23.3.
    vocab, merges: as of models.BPE; without one of them the model is empty.
    unicode_normalizer: "nfc", "nfd", "nfkc", "nfkd".

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
        """The tokenizer of vocab.json and merges.txt, with the options of the class."""
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
        """The trainer with these options."""
        return BpeTrainer(
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            special_tokens=special_tokens,
            limit_alphabet=limit_alphabet,
            initial_alphabet=initial_alphabet,
            end_of_word_suffix=suffix,
            show_progress=show_progress,
        )
