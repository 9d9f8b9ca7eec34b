"""The tokenizer of GPT-2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import decoders, pre_tokenizers, processors
from .._added_token import AddedToken
from ..models import BPE
from ..tokenizer import Tokenizer
from ..trainers import BpeTrainer
from ._base_tokenizer import BaseTokenizer
from ._parts import normalizer_of


class ByteLevelBPETokenizer(BaseTokenizer):
    """BPE of the bytes of UTF-8.

    The options and defaults of `tokenizers.ByteLevelBPETokenizer` 0.23.3.
    vocab, merges: as of models.BPE; without one of them the model is empty, and dropout and both affixes are not used.
    unicode_normalizer: "nfc", "nfd", "nfkc", "nfkd".

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
        """The tokenizer of vocab.json and merges.txt, with the options of the class."""
        return cls(*BPE.read_file(vocab_filename, merges_filename), **options)

    @staticmethod
    def trainer(
        vocab_size: int = 30000,
        min_frequency: int = 2,
        show_progress: bool = True,
        special_tokens: Sequence[str | AddedToken] = (),
    ) -> BpeTrainer:
        """The trainer with these options."""
        return BpeTrainer(
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            show_progress=show_progress,
            special_tokens=special_tokens,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        )


def _model(vocab: Any, merges: Any, dropout: float | None, prefix: str, suffix: str) -> BPE:
    return BPE(vocab, merges, dropout=dropout, continuing_subword_prefix=prefix, end_of_word_suffix=suffix)
