"""BPE, byte-level BPE, WordPiece and Unigram tokenizers, with the interface of `tokenizers`."""

from typing import TYPE_CHECKING, NoReturn

from . import decoders, models, normalizers, pre_tokenizers, processors, trainers
from ._absent import missing
from ._added_token import AddedToken
from ._encoding_object import Encoding
from ._input_types import (
    EncodeInput,
    InputSequence,
    Offsets,
    PreTokenizedEncodeInput,
    PreTokenizedInputSequence,
    TextEncodeInput,
    TextInputSequence,
)
from ._normalized_string import NormalizedString
from ._pre_tokenized_string import PreTokenizedString
from ._string_enums import OffsetReferential, OffsetType, SplitDelimiterBehavior
from ._token import Token
from ._version import __version__
from .patterns import Regex
from .tokenizer import Tokenizer

# isort: split
# These are made of what stands above.
from . import exchange, implementations, pipelines
from .implementations import (
    BertWordPieceTokenizer,
    ByteLevelBPETokenizer,
    CharBPETokenizer,
    SentencePieceBPETokenizer,
    SentencePieceUnigramTokenizer,
)

__all__ = [
    "AddedToken",
    "BertWordPieceTokenizer",
    "ByteLevelBPETokenizer",
    "CharBPETokenizer",
    "EncodeInput",
    "Encoding",
    "InputSequence",
    "NormalizedString",
    "OffsetReferential",
    "OffsetType",
    "Offsets",
    "PreTokenizedEncodeInput",
    "PreTokenizedInputSequence",
    "PreTokenizedString",
    "Regex",
    "SentencePieceBPETokenizer",
    "SentencePieceUnigramTokenizer",
    "SplitDelimiterBehavior",
    "TextEncodeInput",
    "TextInputSequence",
    "Token",
    "Tokenizer",
    "__version__",
    "decoders",
    "exchange",
    "implementations",
    "models",
    "normalizers",
    "pipelines",
    "pre_tokenizers",
    "processors",
    "trainers",
]


def __dir__() -> list[str]:
    return __all__


if not TYPE_CHECKING:  # where it would make every name one of the module

    def __getattr__(name: str) -> NoReturn:
        raise missing(__name__, name)
