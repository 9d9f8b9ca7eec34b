"""Unigram as SentencePiece has it."""

from __future__ import annotations

from collections.abc import Sequence

from .. import decoders, normalizers, pre_tokenizers
from .._added_token import AddedToken
from ..models import Unigram
from ..patterns import Regex
from ..tokenizer import Tokenizer
from ..trainers import UnigramTrainer
from ._base_tokenizer import BaseTokenizer


class SentencePieceUnigramTokenizer(BaseTokenizer):
    """Unigram over words that keep the space before them, as a character that can be seen.

    The options and defaults of `tokenizers.SentencePieceUnigramTokenizer` 0.23.3.
    vocab: pieces with scores; as in the library it has no unknown piece, whatever stands in it.
    For a .model file of SentencePiece see `exchange.from_sentencepiece`; there is no from_spm.

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
    def trainer(
        vocab_size: int = 8000,
        show_progress: bool = True,
        special_tokens: Sequence[str | AddedToken] | None = None,
        initial_alphabet: Sequence[str] | None = None,
        unk_token: str | None = None,
    ) -> UnigramTrainer:
        """The trainer with these options."""
        return UnigramTrainer(
            vocab_size=vocab_size,
            show_progress=show_progress,
            special_tokens=special_tokens or (),
            initial_alphabet=initial_alphabet or (),
            unk_token=unk_token,
        )
