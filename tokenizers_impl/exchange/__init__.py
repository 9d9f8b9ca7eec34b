"""Conversion of tokenizers from and to the formats of tiktoken, subword-nmt and SentencePiece."""

from ._sentencepiece import (
    from_sentencepiece,
    save_sentencepiece_vocab,
    to_sentencepiece,
    to_sentencepiece_model,
    to_sentencepiece_vocab,
)
from ._subword_nmt import from_subword_nmt, save_subword_nmt, to_subword_nmt
from ._tiktoken import (
    CL100K_PATTERN,
    GPT2_PATTERN,
    O200K_PATTERN,
    R50K_PATTERN,
    from_tiktoken,
    save_tiktoken,
    to_tiktoken,
)

__all__ = [
    "CL100K_PATTERN",
    "GPT2_PATTERN",
    "O200K_PATTERN",
    "R50K_PATTERN",
    "from_sentencepiece",
    "from_subword_nmt",
    "from_tiktoken",
    "save_sentencepiece_vocab",
    "save_subword_nmt",
    "save_tiktoken",
    "to_sentencepiece",
    "to_sentencepiece_model",
    "to_sentencepiece_vocab",
    "to_subword_nmt",
    "to_tiktoken",
]


def __dir__() -> list[str]:
    return __all__
