"""BPE as SentencePiece has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import decoders, normalizers, pre_tokenizers
from .._added_token import AddedToken
from ..models import BPE
from ..tokenizer import Tokenizer
from ..trainers import BpeTrainer
from ._base_tokenizer import BaseTokenizer, with_known_specials


class SentencePieceBPETokenizer(BaseTokenizer):
    """BPE of words that keep the space before them, as a character that can be seen.

    The options and defaults of `tokenizers.SentencePieceBPETokenizer` 0.23.3.
    vocab, merges: as of models.BPE; without one of them the model is empty.

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
        """The tokenizer of vocab.json and merges.txt, with the options of the class."""
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
        """The trainer with these options."""
        return BpeTrainer(
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            special_tokens=special_tokens,
            limit_alphabet=limit_alphabet,
            initial_alphabet=initial_alphabet,
            show_progress=show_progress,
        )
