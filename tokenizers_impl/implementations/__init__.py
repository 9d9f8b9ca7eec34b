"""Tokenizers that are put together already."""

from ._base_tokenizer import BaseTokenizer
from ._bert_wordpiece import BertWordPieceTokenizer
from ._byte_level_bpe import ByteLevelBPETokenizer
from ._char_bpe import CharBPETokenizer
from ._sentencepiece_bpe import SentencePieceBPETokenizer
from ._sentencepiece_unigram import SentencePieceUnigramTokenizer

__all__ = [
    "BaseTokenizer",
    "BertWordPieceTokenizer",
    "ByteLevelBPETokenizer",
    "CharBPETokenizer",
    "SentencePieceBPETokenizer",
    "SentencePieceUnigramTokenizer",
]


def __dir__() -> list[str]:
    return __all__
