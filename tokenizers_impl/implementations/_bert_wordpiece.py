"""The tokenizer of BERT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import decoders, normalizers, pre_tokenizers, processors
from .._added_token import AddedToken
from ..models import WordPiece
from ..tokenizer import Tokenizer
from ..trainers import WordPieceTrainer
from ._base_tokenizer import BaseTokenizer, with_known_specials

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


class BertWordPieceTokenizer(BaseTokenizer):
    """WordPiece with the normalizer, the pre-tokenizer and the special tokens of BERT.

    The options and defaults of `tokenizers.BertWordPieceTokenizer` 0.23.3.
    vocab: from token to id, or the path of vocab.txt; with it ValueError if sep_token or cls_token is not there.
    wordpieces_prefix: what the decoder takes off, and the trainer puts on; the model's own is "##".

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
        """The tokenizer of a vocab.txt, with the options of the class."""
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
        """The trainer with these options."""
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
        raise ValueError(f"the vocab has no {name} {str(token)!r}: add it, or name the one that it has")
    return str(token), id
